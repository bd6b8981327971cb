"""Which entities a text names, by every spelling the knowledge base lists, and which names it doesn't know."""

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.entity import Entity, EntityKind
from assistant.language.model_names import ModelNames, called_alike, end_with_size
from assistant.language.quantities.quantity import Quantity

_SKIPPED = frozenset(" -_\u00a0\u2009\u202f\u2010\u2011\u2013'’®™")
# Danish, Dutch and English write a genitive or plural s straight behind a name: Lambdas, AMDs, H100s.
_ENDINGS = ("s", "en", "er", "et", "erne")


class Mention(BaseModel):
    """A name in a text and the entity it means."""

    model_config = ConfigDict(frozen=True)

    entity: str
    kind: EntityKind
    text: str
    start: int
    end: int


class UnknownName(BaseModel):
    """Something written like a name that the knowledge base doesn't have, with the nearest it has."""

    model_config = ConfigDict(frozen=True)

    text: str
    start: int
    end: int
    kind: EntityKind | None = None
    nearest: tuple[str, ...] = ()


def folded(text: str) -> str:
    """A spelling without case, width, spaces and hyphens, so that 'H100-SXM' and 'h100 sxm' are the same."""
    return "".join(
        character for character in unicodedata.normalize("NFKC", text).casefold() if character not in _SKIPPED
    )


def _folded_with_offsets(text: str) -> tuple[str, list[int]]:
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for piece in unicodedata.normalize("NFKC", character).casefold():
            if piece not in _SKIPPED:
                characters.append(piece)
                offsets.append(offset)
    return "".join(characters), offsets


def _is_word(character: str) -> bool:
    """Letters and digits of alphabetic scripts; a Chinese character needs no space before a name."""
    return character.isalnum() and not "\u3400" <= character <= "\u9fff"


class NameReader:
    """Finds the entities that a text names. Built once for a knowledge base; safe to share between threads."""

    def __init__(self, entities: Mapping[str, Entity], vocabulary: Collection[str] = ()) -> None:
        self._entities = entities
        self._by_first: dict[str, list[tuple[str, str]]] = {}
        for spelling, entity_id in spellings(entities.values()):
            self._by_first.setdefault(spelling[:2], []).append((spelling, entity_id))
        for group in self._by_first.values():
            group.sort(key=lambda pair: -len(pair[0]))
        self._vocabulary = frozenset(folded(word) for word in vocabulary)

    def read(self, text: str) -> list[Mention]:
        """The entities named in `text`, in order; of overlapping names the longest counts."""
        squashed, offsets = _folded_with_offsets(text)
        mentions: list[Mention] = []
        position = 0
        while position < len(squashed) - 1:
            found = self._at(text, squashed, offsets, position)
            if found is None:
                position += 1
                continue
            mention, length = found
            mentions.append(mention)
            position += length
        return mentions

    def _at(self, text: str, squashed: str, offsets: list[int], position: int) -> tuple[Mention, int] | None:
        if _is_word(squashed[position]) and offsets[position] > 0 and _is_word(text[offsets[position] - 1]):
            return None
        for spelling, entity_id in self._by_first.get(squashed[position : position + 2], ()):
            if not squashed.startswith(spelling, position):
                continue
            last = position + len(spelling) - 1
            end = offsets[last] + 1
            if _ends_a_name(text, end, spelling[-1]):
                start = offsets[position]
                kind = self._entities[entity_id].kind
                mention = Mention(entity=entity_id, kind=kind, text=text[start:end], start=start, end=end)
                return mention, len(spelling)
        return None

    def unknown(self, text: str, mentions: list[Mention]) -> list[UnknownName]:
        """Names and identifiers in `text` that neither an entity nor any word of the sources accounts for.

        A version that the knowledge base doesn't have ("ROCm 12") spans the name of the product too.
        """
        others = [*self._versions(text, mentions), *self._editions(text, mentions)]
        nearest: dict[tuple[str, EntityKind], tuple[str, ...]] = {}
        names = [self._named(text, mention.kind, start, end, nearest) for mention, start, end in others]
        taken = [(name.start, name.end) for name in names] + [(mention.start, mention.end) for mention in mentions]
        for kind, start, end in self._candidates(text):
            if not any(start < e and s < end for s, e in taken):
                taken.append((start, end))
                names.append(self._named(text, kind, start, end, nearest))
        return [
            self._with_size(text, name, nearest) for name in _joined(text, sorted(names, key=lambda name: name.start))
        ]

    def _with_size(
        self, text: str, name: UnknownName, nearest: dict[tuple[str, EntityKind], tuple[str, ...]]
    ) -> UnknownName:
        """A name with a model's size behind it is a model's: "Foobar 70B"."""
        end = end_with_size(text, name.end) if name.kind is None else None
        return name if end is None else self._named(text, "model", name.start, end, nearest)

    def _named(
        self,
        text: str,
        kind: EntityKind | None,
        start: int,
        end: int,
        nearest: dict[tuple[str, EntityKind], tuple[str, ...]],
    ) -> UnknownName:
        """The name with the known ones that look most like it; `nearest` keeps those found, and bounds the search."""
        name = text[start:end]
        if kind is not None and (name, kind) not in nearest and len(nearest) < _MOST_LOOKED_UP:
            nearest[name, kind] = self.nearest(name, frozenset({kind, "system"} if kind == "gpu" else {kind}))
        found = nearest.get((name, kind), ()) if kind is not None else ()
        return UnknownName(text=name, start=start, end=end, kind=kind, nearest=found)

    def _versions(self, text: str, mentions: list[Mention]) -> Iterator[tuple[Mention, int, int]]:
        """Products followed by a version number that isn't part of a known name."""
        for mention in mentions:
            if mention.kind in {"software", "framework", "library", "model"} or mention.entity in self._numbered:
                version = _VERSION.match(text, mention.end)
                if version:
                    yield mention, mention.start, version.end(1)

    def _editions(self, text: str, mentions: list[Mention]) -> Iterator[tuple[Mention, int, int]]:
        """Cards and systems followed by the name of an edition that isn't part of a known name."""
        for mention in mentions:
            if mention.kind in {"gpu", "system"}:
                edition = _EDITION.match(text, mention.end)
                if edition:
                    yield mention, mention.start, edition.end()

    def _candidates(self, text: str) -> Iterator[tuple[EntityKind | None, int, int]]:
        for match in _CARD.finditer(text):
            yield "gpu", match.start(), match.end()
        for start, end in self._models.spans(text):
            yield "model", start, end
        if not self._vocabulary:
            return
        for match in _SELLER.finditer(text):
            if not self._speaks_of(match[1]):
                yield "provider", match.start(1), match.end(1)
        chinese = any("\u3400" <= character <= "\u9fff" for character in text)
        for match in _NAME.finditer(text):
            before = text[: match.start()].rstrip()
            possessive = text[match.end() : match.end() + 1] in ("'", "’")
            opens_sentence = (not before or before[-1] in ".?!:。？！") and not possessive and not chinese
            if _QUARTER.fullmatch(match[0]):
                continue
            if _looks_like_a_name(match[0], opens_sentence) and not self._speaks_of(match[0]):
                yield None, match.start(), match.end()

    def _speaks_of(self, word: str) -> bool:
        """True where the sources use a Latin word, or every capitalised part of a compound, or it is a measure."""
        if folded(word) in self._vocabulary or _is_measure(word):
            return True
        parts = [part for part in re.split(r"[-.]", word) if part]
        return (
            len(parts) > 1
            and " " not in word
            and all(part.islower() or folded(part) in self._vocabulary for part in parts)
        )

    def knows_stem(self, word: str) -> bool:
        """True where the sources use the word (Latin letters) or one that begins as it does."""
        name = folded(word)
        return name in self._vocabulary or (len(name) >= _STEM and name[:_STEM] in self._stems)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(word[:_STEM] for word in self._vocabulary if len(word) >= _STEM)

    @cached_property
    def _numbered(self) -> frozenset[str]:
        """Technologies of which the knowledge base has numbered generations: CDNA, with CDNA 2."""
        names = {entity.id: entity.name for entity in self._entities.values() if entity.kind == "technology"}
        numbered = {re.sub(r" ?\d+$", "", name) for name in names.values() if re.search(r"[A-Za-z] ?\d$", name)}
        return frozenset(id_ for id_, name in names.items() if name in numbered)

    @cached_property
    def _models(self) -> ModelNames:
        return ModelNames(self._entities.values())

    def nearest(self, name: str, kinds: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Up to three entity ids whose names look most like `name`; of models, those of a family called alike.

        Of versions that look alike the nearest comes first, CUDA 14 for "CUDA 15"; cards have no such order.
        """
        wanted = folded(name)
        scored: dict[str, float] = {}
        for group in self._by_first.values():
            for spelling, entity_id in group:
                kind = self._entities[entity_id].kind
                if (kinds and kind not in kinds) or (kind == "model" and not called_alike(wanted, spelling)):
                    continue
                least = scored.get(entity_id, _NEAR)
                matcher = difflib.SequenceMatcher(None, wanted, spelling)
                # The quick ratios are upper bounds of the exact one.
                if matcher.real_quick_ratio() > least and matcher.quick_ratio() > least:
                    scored[entity_id] = max(matcher.ratio(), scored.get(entity_id, 0.0))
        scored = {entity_id: score for entity_id, score in scored.items() if score > _NEAR}
        versions = {id_: self._entities[id_].name for id_ in scored if self._entities[id_].kind in _VERSIONED}
        apart = {id_: abs(_number(version) - _number(name)) for id_, version in versions.items()}
        return tuple(sorted(scored, key=lambda id_: (-scored[id_], apart.get(id_, 0.0)))[:3])


def _number(name: str) -> float:
    """The last number of a name; 0 where it has none."""
    found = _LAST_NUMBER.search(name)
    return float(found[0]) if found else 0.0


# How alike two names must be for one to be offered for the other, and for how many names of a text that is tried.
_NEAR, _MOST_LOOKED_UP = 0.55, 16
# Letters at the beginning that an inflected or compound word has in common with another.
_STEM = 5
# A card's identifier as makers form them: a family's letters, two to four digits, perhaps an ending.
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.])(?:"
    r"(?:RTX|GTX|RX|MI|GB|GH|Arc|Radeon|GeForce|Quadro|Tesla|Instinct|Gaudi)[ -]?(?:PRO )?[A-Z]?\d{2,4}[A-Z]{0,2}"
    r"|[HBALVTWR]-?\d{2,4}[A-Z]{0,2}"
    r"|[LT]\d(?![ -]?(?:cache|缓存))"
    r")(?: (?:Ti|Super|XTX|XT|Ada|SXM|PCIe|NVL))?(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# A run of capitalised words behind "at", "bij", "hos" …: whoever sells or rents out.
_SELLER = re.compile(r"(?:\b(?:hos|bij|at)\s+|[在从])((?:[A-Z][\w&]*)(?:[ .-][A-Z][\w&]*)*|[\u3400-\u9fff]{2,3}云)")
_VERSION = re.compile(r"[ -]?(?:Toolkit |SDK |Core SDK |v|version |versie |版本 ?)?(\d+(?:\.\d+)*)(?![\d.]*[A-Za-z%])")
# What makers put behind a product's name to sell another one.
_EDITION = re.compile(r"[ -](?:Mini|Ultra|Max|Pro|Plus|Lite|Super|Ti|XTX?|Nano|Turbo|Next|Air|SE)\b")
_VERSIONED = frozenset({"software", "framework", "library"})
_LAST_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?(?=\D*\Z)")
_QUARTER = re.compile(r"[QHqh][1-4]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*")
_MEASURE = re.compile(r"(?:\d+x?|[kKMGT]?i?[bB]|[kKMG]?W|TFLOPS|FLOPS|GB|TB)(?:/s|/h)?", re.IGNORECASE)


def said_like_names(
    text: str, taken: Sequence[Mention | UnknownName | Quantity], everyday: frozenset[str]
) -> Iterator[str]:
    """Words written as names outside of `taken`; of a compound the parts with capitals.

    `everyday` are folded words that may stand in any question.
    """
    for match in _NAME.finditer(text):
        if any(match.start() < name.end and name.start < match.end() for name in taken):
            continue
        before = text[: match.start()].rstrip()
        opens_sentence = not before or before[-1] in ".?!:。？！"
        if not _looks_like_a_name(match[0], opens_sentence):
            continue
        for part in match[0].split("-"):
            if part.islower() or _is_measure(part) or _QUARTER.fullmatch(part) or len(part) < 2:
                continue
            # Of an abbreviation the plural (LLMs); Windows is no plural.
            singular = part[:-1] if part.endswith("s") and part[:-1].isupper() else part
            if not {folded(part), folded(singular)} & everyday:
                yield singular


def _joined(text: str, names: list[UnknownName]) -> list[UnknownName]:
    """Unknown words that follow one another as one name: "Jensen Huang"."""
    joined: list[UnknownName] = []
    for name in names:
        last = joined[-1] if joined else None
        if last is not None and last.kind is None and name.kind is None and text[last.end : name.start] == " ":
            joined[-1] = UnknownName(text=text[last.start : name.end], start=last.start, end=name.end)
        else:
            joined.append(name)
    return joined


def _looks_like_a_name(word: str, opens_sentence: bool) -> bool:
    """Capitals (behind the first letter, where every word may have one), or letters and digits together."""
    if any(character.isupper() for character in word[1 if opens_sentence else 0 :]):
        return True
    return any(character.isdigit() for character in word) and any(character.isalpha() for character in word)


def _is_measure(word: str) -> bool:
    return _MEASURE.fullmatch(word) is not None


def _ends_a_name(text: str, end: int, last: str) -> bool:
    rest = text[end : end + 5]
    if last.isdigit() and re.match(r"[.,]\d", rest):
        return False
    if not rest or not _is_word(rest[0]) or not _is_word(last):
        return True
    if end > 1 and not _is_word(text[end - 2]):
        # A letter that stands by itself takes no ending: "RTX 4090 der" is no 4090 D.
        return False
    word = re.match(r"[a-zA-Z]+", rest)
    return word is not None and word[0] in _ENDINGS and not _is_word(text[end + len(word[0]) : end + len(word[0]) + 1])


def spellings(entities: Iterable[Entity]) -> Iterator[tuple[str, str]]:
    """Every folded spelling with its entity's id; names of makers may be left out of a product's name."""
    for entity in entities:
        forms = {entity.name, *entity.names.values(), *entity.aliases}
        for form in forms:
            spelling = folded(form)
            if len(spelling) >= 2:
                yield spelling, entity.id
