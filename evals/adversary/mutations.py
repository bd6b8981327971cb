"""The tester tested: true sentences of the corpus changed in one place, each of which verification must catch."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.evidence_set import EvidenceSet
from assistant.knowledge.fact import Fact
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language
from evals.adversary.truths import Told
from evals.adversary.world import World

Pairs = dict[Language, tuple[tuple[str, str], ...]]
_UNITS = (
    ("TB/s", "GB/s"),
    ("GB", "TB"),
    ("GiB", "GB"),
    (" W", " kW"),
    ("TFLOPS", "PFLOPS"),
    ("$", "€"),
    ("dollar", "euro"),
    ("美元", "欧元"),
    ("%", " x"),
    ("percent", "times"),
    ("procent", "dollar"),
)
_WORD = re.compile(r"(?<![\w-])[^\W\d_]{5,}(?![\w-])")


class MutationWords(BaseModel):
    """The file mutations.yaml, which says what its pairs do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    negated: Pairs
    compared: Pairs
    qualified: Pairs


@lru_cache(maxsize=1)
def mutation_words() -> MutationWords:
    return read_yaml(Path(__file__).with_name("mutations.yaml"), MutationWords)


class Mutator:
    """Changes sentences of one knowledge base; the same sentence is always changed the same way."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._kinds: dict[str, Callable[[str, Language, random.Random], str | None]] = {
            "digit": self._digit,
            "decimal": self._decimal,
            "unit": self._unit,
            "other name": self._name,
            "names exchanged": self._exchanged,
            "negated": lambda text, language, dice: _exchange(text, mutation_words().negated[language], dice),
            "comparison turned": lambda text, language, dice: _exchange(
                text, mutation_words().compared[language], dice
            ),
            "qualification lost": lambda text, language, dice: _exchange(
                text, mutation_words().qualified[language], dice
            ),
            "other word": self._word,
        }

    def mutants(self, fact: Fact, language: Language, evidence: EvidenceSet) -> Iterator[Told]:
        """The fact's statement changed in each way that it allows."""
        text = fact.statement.in_language(language)
        for kind, change in self._kinds.items():
            dice = random.Random(f"{fact.id} {language} {kind}")  # noqa: S311 (repeatable choice, no secret)
            mutant = change(text, language, dice)
            if mutant is not None and mutant != text and not self._is_held(mutant, language):
                yield Told(kind=kind, language=language, text=mutant, fact=fact, evidence=evidence)

    def _is_held(self, text: str, language: Language) -> bool:
        """True where the change made another true sentence of the corpus."""
        return text in self._statements(language)

    @lru_cache(maxsize=4)  # noqa: B019 (lives as long as one run)
    def _statements(self, language: Language) -> frozenset[str]:
        return frozenset(fact.statement.in_language(language) for fact in self._world.facts)

    @lru_cache(maxsize=4)  # noqa: B019
    def _vocabulary(self, language: Language) -> Sequence[str]:
        return sorted({word for text in self._statements(language) for word in _WORD.findall(text)})

    def _spans(self, text: str, language: Language) -> list[tuple[int, int]]:
        reading = self._world.builder.reader.read(text, language)
        return [(figure.start, figure.end) for figure in reading.whole.figures]

    def _digit(self, text: str, language: Language, dice: random.Random) -> str | None:
        places = [n for start, end in self._spans(text, language) for n in range(start, end) if text[n] in "123456789"]
        if not places:
            return None
        place = dice.choice(places)
        other = dice.choice([c for c in "123456789" if c != text[place]])
        return text[:place] + other + text[place + 1 :]

    def _decimal(self, text: str, language: Language, dice: random.Random) -> str | None:
        spans = [(s, e) for s, e in self._spans(text, language) if re.search(r"\d[.,]\d", text[s:e])]
        if not spans:
            return None
        start, end = dice.choice(spans)
        mutant = text[:start] + re.sub(r"(\d)[.,](\d)", r"\1\2", text[start:end], count=1) + text[end:]
        # Taking out a separator of thousands changes nothing.
        return mutant if self._values(mutant, language) != self._values(text, language) else None

    def _values(self, text: str, language: Language) -> list[object]:
        figures = self._world.builder.reader.read(text, language).whole.figures
        return [(figure.low, figure.high, figure.date) for figure in figures]

    def _unit(self, text: str, language: Language, dice: random.Random) -> str | None:
        for start, end in self._spans(text, language):
            for unit, other in _UNITS:
                if unit in text[start:end]:
                    return text[:start] + text[start:end].replace(unit, other, 1) + text[end:]
        return None

    def _name(self, text: str, language: Language, dice: random.Random) -> str | None:
        mentions = self._world.names.read(text)
        if not mentions:
            return None
        mention = dice.choice(mentions)
        entities = self._world.corpus.entities
        family = {*self._world.corpus.ancestors(mention.entity), *self._world.corpus.descendants(mention.entity)}
        named = {other.entity for other in mentions}
        others = [e for e in entities.values() if e.kind == mention.kind and e.id not in family | named]
        if not others:
            return None
        other = dice.choice(others)
        return text[: mention.start] + self._world.name(other.id, language) + text[mention.end :]

    def _exchanged(self, text: str, language: Language, dice: random.Random) -> str | None:
        mentions = self._world.names.read(text)
        first = mentions[0] if mentions else None
        last = next(
            (m for m in reversed(mentions) if first and m.entity != first.entity and m.kind == first.kind), None
        )
        if first is None or last is None or _is_symmetrical(text, first.end, last.start):
            return None
        return text[: first.start] + last.text + text[first.end : last.start] + first.text + text[last.end :]

    def _word(self, text: str, language: Language, dice: random.Random) -> str | None:
        """One word replaced by another of the corpus, of a sentence without Chinese characters."""
        mentions = [(m.start, m.end) for m in self._world.names.read(text)] + self._spans(text, language)
        words = [m for m in _WORD.finditer(text) if not any(s < m.end() and m.start() < e for s, e in mentions)]
        if language == "zh" or not words:
            return None
        word = dice.choice(words)
        other = dice.choice([w for w in self._vocabulary(language) if w[:4].casefold() != word[0][:4].casefold()])
        return text[: word.start()] + other + text[word.end() :]


def _is_symmetrical(text: str, start: int, end: int) -> bool:
    """True where two names merely stand side by side, so that their order says nothing."""
    between = text[start:end].strip(" ,、/").casefold()
    return between in ("and", "or", "og", "eller", "en", "of", "和", "与", "或", "", "'s", "vs", "versus", "s")


def _exchange(text: str, pairs: Sequence[tuple[str, str]], dice: random.Random) -> str | None:
    found = [(old, new) for old, new in pairs if old in text]
    if not found:
        return None
    old, new = dice.choice(found)
    return text.replace(old, new, 1)
