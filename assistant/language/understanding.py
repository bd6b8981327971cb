"""What a question asks, without a model: its parts, the entities it names, the attributes and calculations it wants."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import get_args

from assistant.knowledge.attribute import Attribute
from assistant.language.ask import Ask, Understanding, Wish
from assistant.language.asked_nouns import asked_nouns
from assistant.language.clauses import ClauseCutter
from assistant.language.detection import common_words, detect_language
from assistant.language.mention import Mention, NameReader, UnknownName, said_like_names
from assistant.language.quantities.quantity import Quantity, read_quantities
from assistant.language.quantities.units import convert
from assistant.language.question_words import QuestionWords, cue_pattern, find_cue, noun_pattern, outermost
from assistant.language.tongue import Language

_MOST_PARTS = 8
_BESIDE = 4
_FEW_WORDS = 4
_FIGURES = frozenset({"memory", "power", "rate"})
# The unit in which a number of cards is read: of a system, how many it is built of.
_CARD = "gpu"
# Wishes that leave open what is asked for.
_VAGUE: frozenset[Wish] = frozenset(
    {"amount", "list", "definition", "cards", "inclusive", "polar", "more", "alternative", "buy"}
)
_WISHES: tuple[Wish, ...] = tuple(wish for wish in get_args(Wish) if wish != "polar")


def _chooses_a_card(mentions: Sequence[Mention], quantities: Sequence[Quantity]) -> bool:
    """True for a question that names a model, or its size, and no card."""
    kinds = {mention.kind for mention in mentions}
    sized = "model" in kinds or any(quantity.kind == "parameters" for quantity in quantities)
    return sized and not kinds & {"gpu", "system"}


def _inside(match: re.Match[str], mention: Mention) -> bool:
    """True for a cue that is part of a longer name; a name may be a cue itself ("NVLink" asks for the interconnect)."""
    within = mention.start <= match.start() and match.end() <= mention.end
    return within and (match.start(), match.end()) != (mention.start, mention.end)


def _sizes_of_cards(quantities: list[Quantity], mentions: list[Mention]) -> list[Quantity]:
    """Memory sizes right beside a card's name, which tell the edition and ask for nothing: "24 GB RTX 4090"."""
    return [
        q
        for q in quantities
        if q.kind == "memory"
        and any(m.kind == "gpu" and m.start - _BESIDE <= q.end and q.start <= m.end + _BESIDE for m in mentions)
    ]


def _is_measured(name: UnknownName, quantities: list[Quantity]) -> bool:
    """True for a word of a date, and for a name whose "version" is a figure with a unit of its own.

    The number of parameters is no such figure: it is part of a model's name.
    """
    return any(
        q.start < name.end
        and name.start < q.end
        and (q.period is not None or (q.unit not in ("", "param") and q.start > name.start))
        for q in quantities
    )


_BEFORE_A_VALUE = re.compile(r"=\s*[\"']?$")


_LATIN_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]{4,}")


def _is_value_in_code(name: UnknownName, clause: str) -> bool:
    """True for what code sets or compares with, which names nothing: "== True"."""
    return name.kind is None and _BEFORE_A_VALUE.search(clause[: name.start]) is not None


class QuestionReader:
    """Takes questions apart with the knowledge base's own names, attributes and cue words."""

    def __init__(self, names: NameReader, attributes: Mapping[str, Attribute], words: QuestionWords) -> None:
        self._names = names
        self._attributes = attributes
        self._words = words
        self._clauses = ClauseCutter(words)

    def read(self, question: str, language: Language) -> Understanding:
        """Split the question into its parts and read each. Linear in the length of the question."""
        clauses = self._clauses.cut(question, language)
        asks: list[Ask] = []
        for clause in clauses[:_MOST_PARTS]:
            ask = self._ask_in_any(clause, language)
            if asks and not self._wants_something(ask, language):
                continue
            if asks and self._waits_for_a_name(asks[-1]):
                asks[-1] = asks[-1].model_copy(update={"mentions": ask.mentions, "unknown": ask.unknown})
            asks.append(self._completed(ask, asks[-1], language) if asks else ask)
        asks = [self._named_later(ask, asks[place + 1 :]) for place, ask in enumerate(asks)]
        lowered = question.casefold().strip()
        opening = find_cue(lowered[:24], self._words.follow_up[language])
        follows = opening is not None and (opening.start() == 0 or language == "zh")
        corrects = find_cue(lowered[:48], self._words.correction[language]) is not None
        if not follows and not any(ask.mentions for ask in asks):
            follows = find_cue(lowered, self._words.pronoun[language]) is not None
        asked = (
            "?" in question or "？" in question or find_cue(lowered, self._words.interrogative[language]) is not None
        )
        return Understanding(
            question=question,
            language=language,
            asks=tuple(asks),
            is_follow_up=follows,
            is_correction=corrects,
            is_fragment=not asked,
        )

    def _waits_for_a_name(self, ask: Ask) -> bool:
        """True for a part of a few words that asks for a property before anything is named: "which architecture"."""
        strong = any(not self._attributes[id_].weak for id_ in ask.attributes)
        return strong and not ask.mentions and not ask.unknown and len(ask.text.split()) <= _FEW_WORDS

    def _ask_in_any(self, clause: str, language: Language) -> Ask:
        """One part, read in the question's language; in its own, or in English, where that says what it asks."""
        ask = self._ask(clause, language)
        if self._says_what(ask):
            return ask
        for other in dict.fromkeys((detect_language(clause, usual=language), "en")):
            if other != language:
                read = self._ask(clause, other)
                if self._says_what(read):
                    return read.model_copy(update={"wishes": ask.wishes | read.wishes, "quantities": ask.quantities})
        return ask

    def _says_what(self, ask: Ask) -> bool:
        named = any(not self._attributes[id_].weak for id_ in ask.attributes)
        return named or bool(ask.wishes - _VAGUE)

    def _wants_something(self, ask: Ask, language: Language) -> bool:
        """False for what only trails a question: markup, a list of markers, a word of thanks."""
        if ask.wanted or ask.mentions or ask.unknown or ask.wishes or ask.quantities:
            return True
        return find_cue(ask.text.casefold(), self._words.interrogative[language]) is not None

    def _ask(self, clause: str, language: Language) -> Ask:
        clause = clause.strip()
        mentions = self._names.read(clause)
        quantities = read_quantities(clause, language)
        unread = self._names.unknown(clause, mentions)
        values = [name for name in unread if _is_value_in_code(name, clause)]
        unknown = [name for name in unread if name not in values and not _is_measured(name, quantities)]
        mentions = [m for m in mentions if not any(u.start <= m.start and m.end <= u.end for u in unknown)]
        lowered = clause.casefold()
        if len(lowered) != len(clause):  # a few letters change length in lower case; offsets must still fit
            lowered = clause.lower() if len(clause.lower()) == len(clause) else clause
        sizes = _sizes_of_cards(quantities, mentions)
        wanted = self._in_unit_asked(self._attributes_asked(lowered, mentions, sizes, language), lowered, language)
        if self._words.leaves_a_choice(lowered, language):
            # "Buy or rent" asks for advice, not for what either costs.
            wanted = ()
        dated = [group for group in wanted if all(self._attributes[id_].kind == "date" for id_ in group)]
        judges = bool(dated) and find_cue(lowered, self._words.judgement[language]) is not None
        timeless = self._names_no_product(mentions) and find_cue(lowered, self._words.when[language]) is None
        if judges or timeless:
            wanted = tuple(group for group in wanted if group not in dated)
        wishes: set[Wish] = {wish for wish in _WISHES if find_cue(lowered, getattr(self._words, wish)[language])}
        if self._words.asks_yes_or_no(lowered, language):
            wishes.add("polar")
        if wishes & {"list", "why", "most", "definition"} and "amount" not in wishes:
            wanted = self._without_renting(wanted, lowered, language)
        if "buy" in wishes and "amount" not in wishes and _chooses_a_card(mentions, quantities):
            # "Which card should I buy for a 32B model" asks what holds it, not what it costs.
            wanted = tuple(group for group in wanted if "purchase_price" not in group)
            wishes.add("fit")
        if judges:
            # "When is it a good choice" wants circumstances, of which there may be several.
            wishes.add("list")
        # The words of a date are no names; its month is written like one.
        taken: list[Mention | UnknownName | Quantity] = [
            *mentions,
            *unread,
            *(quantity for quantity in quantities if quantity.period is not None),
        ]
        return Ask(
            text=clause,
            mentions=tuple(mentions),
            unknown=tuple(unknown),
            names=tuple(dict.fromkeys(said_like_names(clause, taken, self._words.said_anywhere))),
            nouns=self._nouns(clause, [*mentions, *unknown], language),
            wanted=self._together(wanted) or self._of_stated_figure(quantities, mentions, sizes),
            wishes=frozenset(wishes),
            quantities=tuple(quantities),
            in_domain=bool(mentions) or self._is_on_the_subject(lowered, bool(quantities), wanted, language),
        )

    def _is_on_the_subject(
        self, lowered: str, has_figures: bool, wanted: tuple[tuple[str, ...], ...], language: Language
    ) -> bool:
        """True where a word of the subject stands in the text; one that others share, only beside words of sources."""
        own, shared = self._words.domain[language], self._words.shared_domain[language]
        if find_cue(lowered, own) is None:
            return False
        if has_figures or any(not self._attributes[id_].weak for group in wanted for id_ in group):
            return True
        if find_cue(lowered, tuple(cue for cue in own if cue not in shared)) is not None:
            return True
        everyday = common_words()
        words = (word for word in _LATIN_WORD.findall(lowered) if not everyday.languages_of(word))
        return all(self._names.knows_stem(word) for word in words)

    def _names_no_product(self, mentions: Sequence[Mention]) -> bool:
        return not any(mention.kind in ("gpu", "system", "model") for mention in mentions)

    def _without_renting(
        self, wanted: tuple[tuple[str, ...], ...], lowered: str, language: Language
    ) -> tuple[tuple[str, ...], ...]:
        """The attributes without a rental price that only a word of renting stands for."""
        for cue in sorted(self._words.renting[language], key=len, reverse=True):
            lowered = cue_pattern(cue).sub(" ", lowered)
        price = self._attributes.get("price_per_hour")
        if price is None or find_cue(lowered, price.asked_as.get(language, ())) is not None:
            return wanted
        return tuple(group for group in wanted if "price_per_hour" not in group)

    def _nouns(self, clause: str, named: Sequence[Mention | UnknownName], language: Language) -> tuple[str, ...]:
        """What the question asks for by a noun, but for what an attribute or a common word stands for."""
        cues = [
            noun_pattern(cue, language)
            for attribute in self._attributes.values()
            for cue in (*attribute.asked_as.get(language, ()), attribute.label.in_language(language).casefold())
        ]
        everyday = common_words()
        return tuple(
            noun
            for noun in asked_nouns(clause, named, language)
            if not any(cue.search(noun) for cue in cues)
            and find_cue(noun, self._words.domain[language]) is None
            and not (language == "zh" and find_cue(noun, self._words.interrogative[language]))
            and not any(everyday.languages_of(word) for word in noun.split())
        )

    def _attributes_asked(
        self, lowered: str, mentions: list[Mention], sizes: list[Quantity], language: Language
    ) -> tuple[tuple[str, ...], ...]:
        """Attributes whose cue words stand in the text outside of names; a cue inside a longer one doesn't count."""
        found: list[tuple[int, int, str]] = []
        bare: set[tuple[int, int]] = set()
        aside = self._words.set_aside(lowered, language)
        for attribute in self._attributes.values():
            for cue in {*attribute.asked_as.get(language, ()), attribute.label.in_language(language).casefold()}:
                spans = [
                    match.span()
                    for match in noun_pattern(cue, language).finditer(lowered)
                    if not any(_inside(match, mention) for mention in mentions)
                    and not any(size.start <= match.start() and match.end() <= size.end for size in sizes)
                    and not any(start <= match.start() and match.end() <= end for start, end in aside)
                ]
                found += [(*span, attribute.id) for span in spans]
                bare.update(spans if attribute.kind == "date" and self._words.is_bare(cue, language) else ())
        longest = outermost({(start, end) for start, end, _ in found})
        kept = [one for one in found if one[:2] in longest]
        if any(self._attributes[id_].kind == "date" and (start, end) not in bare for start, end, id_ in kept):
            # Beside a word for one event, a bare "when" asks for the date of that event alone.
            kept = [one for one in kept if one[:2] not in bare]
        groups: dict[tuple[int, int], list[str]] = {}
        # "When" alone says less of what is asked than "delivered" does, however long the word for it.
        for start, end, id_ in sorted(kept, key=lambda item: (item[:2] in bare, item[0] - item[1], item[0])):
            groups.setdefault((start, end), []).append(id_)
        replaced = {other for ids in groups.values() for id_ in ids for other in self._attributes[id_].instead_of}
        named = (tuple(id_ for id_ in ids if id_ not in replaced) for ids in groups.values())
        wanted = tuple(dict.fromkeys(group for group in named if group))
        strong = tuple(group for group in wanted if not all(self._attributes[id_].weak for id_ in group))
        return strong or wanted

    def _in_unit_asked(
        self, wanted: tuple[tuple[str, ...], ...], lowered: str, language: Language
    ) -> tuple[tuple[str, ...], ...]:
        """The attributes without those that count something, where the question asks for a percentage."""
        if find_cue(lowered, self._words.percentage[language]) is None:
            return wanted
        shares = {a.id for a in self._attributes.values() if a.kind == "quantity" and a.unit == "%"}
        figures = {a.id for a in self._attributes.values() if a.kind == "quantity"}
        kept = (tuple(id_ for id_ in group if id_ in shares or id_ not in figures) for group in wanted)
        return tuple(group for group in kept if group)

    def _together(self, wanted: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        """The attributes asked for, with those that two of them mean together in their place."""
        asked = {id_ for group in wanted for id_ in group}
        meant = [
            attribute
            for attribute in self._attributes.values()
            if attribute.both_of and asked >= set(attribute.both_of)
        ]
        if not meant:
            return wanted
        gone = {id_ for attribute in meant for id_ in attribute.both_of[:1]}
        rest = tuple(tuple(id_ for id_ in group if id_ not in gone) for group in wanted)
        return (tuple(attribute.id for attribute in meant), *(group for group in rest if group))

    def _of_stated_figure(
        self, quantities: list[Quantity], mentions: list[Mention], sizes: list[Quantity]
    ) -> tuple[tuple[str, ...], ...]:
        """What a figure in the question is a figure of, where a card is named and no word says what is asked."""
        if not any(mention.kind in ("gpu", "system") for mention in mentions):
            return ()
        built_of = any(mention.kind == "system" for mention in mentions)
        for quantity in quantities:
            of_it = quantity.kind in _FIGURES or (built_of and quantity.unit == _CARD)
            if not of_it or quantity in sizes or any(m.kind == "model" for m in mentions):
                continue
            for attribute in self._attributes.values():
                if (
                    attribute.kind == "quantity"
                    and attribute.unit
                    and convert(Decimal(1), quantity.unit, attribute.unit)
                ):
                    return ((attribute.id,),)
        return ()

    def _named_later(self, ask: Ask, following: Sequence[Ask]) -> Ask:
        """A property asked before its thing is named: "how much memory, and how much power does the MI325X have"."""
        if ask.mentions or ask.unknown or not ask.wanted or not following:
            return ask
        named = following[0]
        if not named.wanted or not named.mentions:
            return ask
        return ask.model_copy(update={"mentions": named.mentions, "unknown": named.unknown, "in_domain": True})

    def _completed(self, ask: Ask, previous: Ask, language: Language) -> Ask:
        """A part that names nothing itself, or says "it", speaks of what the part before it named."""
        refers = find_cue(ask.text.casefold(), self._words.pronoun[language]) is not None
        if ask.unknown or (ask.mentions and not refers):
            return ask
        kinds = {mention.kind for mention in ask.mentions}
        inherited = tuple(mention for mention in previous.mentions if mention.kind not in kinds)
        # "And by how much" asks after the property in which the part before it compared things.
        compares = len({mention.entity for mention in previous.mentions if mention.kind in ("gpu", "system")}) > 1
        measures = compares and not ask.wanted and self._words.only_measures(ask.text.casefold(), language)
        return ask.model_copy(
            update={
                "mentions": (*ask.mentions, *inherited),
                "unknown": previous.unknown,
                "before": previous.text,
                "wanted": previous.wanted if measures else ask.wanted,
                "in_domain": ask.in_domain or previous.in_domain,
            }
        )
