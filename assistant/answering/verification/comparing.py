"""Comparisons and sums that a draft draws itself, computed again from the figures of the evidence."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import product
from typing import Literal, NamedTuple

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import EvidenceSet, Subjects, about_thing, figures_of
from assistant.answering.verification.figure import Figure
from assistant.answering.verification.properties import PropertyReader
from assistant.answering.verification.reading import EXACT, Reading, Segment
from assistant.answering.verification.words import Word
from assistant.knowledge.corpus import Corpus
from assistant.language.mention import Mention
from assistant.language.units import convert

Direction = Literal["more", "less", "equal"]
COMPARING = frozenset({"more", "less", "cheaper", "dearer", "thriftier", "equal"})
_ABOUT = Decimal("0.05")
_AS_SAID = Decimal("0.025")
_FARTHEST_ABOVE = Decimal("0.3")


class Sides(NamedTuple):
    """Who is compared with whom: the subject has more or less than the standard."""

    subject: str
    standard: str


class Comparer:
    """Checks comparisons against the figures that the evidence holds of both sides."""

    def __init__(self, corpus: Corpus, properties: PropertyReader) -> None:
        self._corpus = corpus
        self._properties = properties

    def compare(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """The carriers that bear out a comparison of two things; none where they don't, or it can't be told."""
        whole = reading.whole
        sides = sides_of(reading, subjects)
        direction = direction_of(whole)
        if sides is None or direction is None:
            return []
        for attributes in self._attributes(reading):
            first = _of(self._about(sides.subject, reading, evidence, subjects), attributes)
            second = _of(self._about(sides.standard, reading, evidence, subjects), attributes)
            if first and second:
                held = {sides.subject: first, sides.standard: second}
                pairs = list(product(first, second))
                holds = all(_ordered(one, other, direction) for one, other in pairs)
                return [*first, *second] if holds and _figures_hold(reading, held, pairs, direction) else []
        return []

    def _about(self, side: str, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """Figures of one side; of a provider, those on the card that the sentence or the question speaks of."""
        if self._corpus.entities[side].kind != "provider":
            return about_thing(evidence.carriers, side, self._corpus)
        cards = [m.entity for m in reading.whole.mentions if m.kind == "gpu"] or subjects.by_kind.get("gpu", ())
        return [
            carrier
            for card in dict.fromkeys(cards)
            for carrier in about_thing(evidence.carriers, card, self._corpus)
            if carrier.fact is not None and side in (carrier.fact.qualifiers.provider, *carrier.fact.about)
        ]

    def extreme(self, reading: Reading, evidence: EvidenceSet) -> list[Carrier]:
        """The carriers that bear out "of the cards compared, A has the most": A against each of the others."""
        whole = reading.whole
        named = [m.entity for m in whole.mentions if m.kind in EXACT]
        if len(set(named)) != 1 or "compared_ones" not in whole.roles or len(evidence.compared) < 2:
            return []
        most, least = "most" in whole.roles, "least" in whole.roles
        if most == least or "negation" in whole.roles:
            return []
        subject = next((id_ for id_ in evidence.compared if _same_thing(id_, named[0], self._corpus)), None)
        if subject is None:
            return []
        for attributes in self._attributes(reading):
            own = _of(about_thing(evidence.carriers, subject, self._corpus), attributes)
            others = [
                _of(about_thing(evidence.carriers, id_, self._corpus), attributes)
                for id_ in evidence.compared
                if id_ != subject
            ]
            if own and all(others):
                rest = [carrier for group in others for carrier in group]
                direction: Direction = "more" if most else "less"
                values = [f for f in whole.numbers if not _is_value(f, own)]
                return (
                    [*own, *rest]
                    if not values and all(_ordered(a, b, direction) for a, b in product(own, rest))
                    else []
                )
        return []

    def total(self, segment: Segment, figure: Figure, evidence: EvidenceSet) -> list[Carrier]:
        """The carriers whose figures add up to a total, or that a count of cards multiplies to it."""
        things = tuple(dict.fromkeys(m.entity for m in segment.mentions if m.kind in EXACT and m.kind != "provider"))
        counts = [f.low for f in segment.numbers if f.unit in ("gpu", "") and f is not figure and f.low == f.high]
        if not things or figure.low is None or figure.is_range or figure.bound is not None:
            return []
        held = [
            [c for c in about_thing(evidence.carriers, thing, self._corpus) if _in_unit(c, figure.unit) is not None]
            for thing in things
        ]
        if not all(held):
            return []
        if len(things) == 1 and len(counts) == 1 and counts[0] is not None and {"sum"} & segment.roles:
            chosen = [c for c in held[0] if _in_unit(c, figure.unit) == _divided(figure.low, counts[0])]
            return (
                chosen[:1]
                if len({_in_unit(c, figure.unit) for c in held[0] if _same_attribute(c, chosen)}) == 1
                else []
            )
        if len(things) > 1 and "sum" in segment.roles and not counts:
            for choice in product(*held):
                if len({c.attribute for c in choice}) == 1 and _sum_of(choice, figure.unit) == figure.low:
                    return list(choice)
        return []

    def _attributes(self, reading: Reading) -> list[frozenset[str]]:
        """The properties that the sentence can be comparing, the best named first."""
        if reading.whole.roles & {"cheaper", "dearer"}:
            return [frozenset({"price_per_hour"})]
        if "thriftier" in reading.whole.roles:
            return [frozenset({"power"})]
        groups = self._properties.named(reading.text, reading.whole.taken, reading.language)
        swift = "swiftness" in reading.whole.roles
        return [frozenset({id_}) for ids in groups for id_ in sorted(ids) if not swift or self._is_rate(id_)]

    def _is_rate(self, attribute: str) -> bool:
        """True for what can be faster: so much per second, or so many times."""
        unit = self._corpus.attributes[attribute].unit or ""
        return unit.endswith(("/s", "FLOPS")) or unit == "x"


def sides_of(reading: Reading, subjects: Subjects) -> Sides | None:
    """The two sides of a comparison; None where the sentence doesn't name just two things of one kind."""
    whole = reading.whole
    things = _things(reading)
    names = list(dict.fromkeys(m.entity for m in things))
    if len(names) == 1:
        known = subjects.by_kind.get(things[0].kind, ())
        if len(known) != 1 or known[0] == names[0] or not _standard(whole.words, things, reading):
            return None
        return Sides(known[0], names[0])
    if len(names) != 2:
        return None
    standard = _standard(whole.words, things, reading)
    if standard is None:
        return Sides(names[0], names[1]) if "equal" in whole.roles else None
    return Sides(next(name for name in names if name != standard), standard)


def _things(reading: Reading) -> list[Mention]:
    """What a sentence compares: cards, of which two providers may have one, else providers, else software."""
    mentions = reading.whole.mentions
    cards = [m for m in mentions if m.kind in EXACT and m.kind != "provider"]
    providers = [m for m in mentions if m.kind == "provider"]
    if len({m.entity for m in cards}) == 1 and len({m.entity for m in providers}) == 2:
        return providers
    return cards or providers or [m for m in mentions if m.kind in ("software", "framework", "library")]


def _standard(words: Sequence[Word], things: Sequence[Mention], reading: Reading) -> str | None:
    """What the other is measured against: the name behind "than" or next to "compared with"."""
    for role in ("than", "against"):
        for word in words:
            if role not in word.roles:
                continue
            behind = [m for m in things if m.start >= word.end]
            before = [m for m in things if m.end <= word.start]
            if reading.language == "zh" and role == "against" and before:
                return before[-1].entity
            if behind:
                return behind[0].entity
    exceeding = [w for w in words if w.roles & {"more", "less"}]
    if exceeding and things and len({m.entity for m in things}) == 2:
        word = exceeding[0]
        before = [m for m in things if m.end <= word.start]
        behind = [m for m in things if m.start >= word.end]
        verb = "outdoing" in word.roles
        return behind[0].entity if verb and before and behind else None
    times = next((f for f in reading.whole.numbers if f.unit == "x"), None)
    if times is not None and not exceeding and reading.language == "zh":
        # "A 的显存是 B 的 2.4 倍" names B next to the number.
        return next((m.entity for m in reversed(things) if m.end <= times.start), None)
    return None


def direction_of(segment: Segment) -> Direction | None:
    """Whether the subject is said to have more, less or the same; None where that can't be told."""
    if "negation" in segment.roles or segment.roles & {"most", "least"}:
        return None
    said: set[Direction] = set()
    if "equal" in segment.roles:
        said.add("equal")
    if segment.roles & {"more", "dearer"}:
        said.add("more")
    if segment.roles & {"less", "cheaper", "thriftier", "half"}:
        said.add("less")
    if not said and any(f.unit == "x" and f.low is not None and f.low > 1 for f in segment.numbers):
        said.add("more")
    return next(iter(said)) if len(said) == 1 else None


def _of(carriers: Sequence[Carrier], attributes: frozenset[str]) -> list[Carrier]:
    return [c for c in carriers if c.attribute in attributes and c.fact is not None and not c.fact.superseded]


def _range_in(carrier: Carrier, unit: str) -> tuple[Decimal, Decimal] | None:
    span = figures_of(carrier.fact) if carrier.fact else None
    if span is None or carrier.fact is None:
        return None
    low, high = (convert(end, carrier.fact.unit or "", unit) for end in span)
    return (low, high) if low is not None and high is not None else None


def _in_unit(carrier: Carrier, unit: str) -> Decimal | None:
    span = _range_in(carrier, unit)
    return span[0] if span and span[0] == span[1] else None


def _ordered(one: Carrier, other: Carrier, direction: Direction) -> bool:
    unit = (one.fact.unit if one.fact else None) or ""
    first, second = _range_in(one, unit), _range_in(other, unit)
    if first is None or second is None:
        return False
    if direction == "equal":
        return first == second
    return first[0] > second[1] if direction == "more" else first[1] < second[0]


def _figures_hold(
    reading: Reading,
    held: Mapping[str, Sequence[Carrier]],
    pairs: Sequence[tuple[Carrier, Carrier]],
    direction: Direction,
) -> bool:
    """True where each figure is the value of the side that it is said of, or tells the two apart."""
    unplaced: list[Figure] = []
    for figure in reading.whole.numbers:
        if not _states_value(figure, reading):
            if not any(_derives(figure, one, other, direction) for one, other in pairs):
                return False
            continue
        owner = _owner(figure, reading, set(held))
        if owner is None:
            unplaced.append(figure)
        elif not _is_value(figure, held[owner]):
            return False
    # "More than the H100: 141 GB against 80 GB" gives the values in the order of the names.
    order = list(dict.fromkeys(m.entity for m in reading.whole.mentions if m.entity in held)) or list(held)
    order = order if len(order) == len(held) else list(held)
    return len(unplaced) <= len(order) and all(
        _is_value(figure, held[name]) for figure, name in zip(unplaced, order, strict=False)
    )


def _states_value(figure: Figure, reading: Reading) -> bool:
    """True for a figure that one side has, as against one that tells them apart ("32 GB more than")."""
    if figure.unit in ("x", "%"):
        return False
    segment = _segment_of(figure, reading)
    words = [word for word in segment.words if word.roles & COMPARING]
    if not words:
        return True
    last = words[-1]
    if re.search("[:：]", reading.text[last.end : figure.start]):
        return True
    if reading.language == "zh":
        return figure.end <= last.start
    return any(last.end <= m.start < figure.start or figure.end <= m.start < words[0].start for m in segment.mentions)


def _owner(figure: Figure, reading: Reading, sides: set[str]) -> str | None:
    """The side that a figure is said of: the name in front of it, or behind it where none is; None where no name is."""
    near = [m for m in _segment_of(figure, reading).mentions if m.entity in sides]
    before = [m for m in near if m.end <= figure.start]
    if before and re.search("[:：]", reading.text[before[-1].end : figure.start]):
        return None
    return before[-1].entity if before else near[0].entity if near else None


def _segment_of(figure: Figure, reading: Reading) -> Segment:
    return next(part for part in reading.segments if part.start <= figure.start < part.end)


def _is_value(figure: Figure, carriers: Sequence[Carrier]) -> bool:
    """True for a figure that merely states what one side has."""
    return any(
        span is not None and (figure.low, figure.high) == span
        for span in (_range_in(carrier, figure.unit) for carrier in carriers)
    )


def _derives(figure: Figure, one: Carrier, other: Carrier, direction: Direction) -> bool:
    """True where the figure is the ratio, the share or the difference of the two sides."""
    if figure.low is None or figure.is_range:
        return False
    unit = (one.fact.unit if one.fact else None) or ""
    first, second = _in_unit(one, unit), _in_unit(other, unit)
    if first is None or second is None or second == 0 or first == 0:
        return False
    if figure.unit == "x":
        ratio = first / second
        return _near(ratio, figure) or (direction == "less" and _near(second / first, figure))
    if figure.unit == "%":
        return _near(abs(first - second) / second * 100, figure)
    apart = convert(abs(first - second), unit, figure.unit)
    return apart is not None and (apart == figure.low or (figure.approximate and _near(apart, figure)))


def _near(exact: Decimal, figure: Figure) -> bool:
    """True where the computed number rounds to the one said; "more than twice" leaves room above."""
    if figure.low is None or exact == 0:
        return False
    if figure.bound == "at_least":
        return figure.low <= exact <= figure.low * (1 + _FARTHEST_ABOVE)
    if figure.bound == "at_most":
        return figure.low * (1 - _FARTHEST_ABOVE) <= exact <= figure.low
    apart = abs(exact - figure.low)
    slack = _ABOUT if figure.approximate else _AS_SAID
    return apart <= (figure.step or Decimal(0)) / 2 and apart <= slack * exact


def _divided(total: Decimal, count: Decimal) -> Decimal | None:
    return total / count if count else None


def _same_attribute(carrier: Carrier, chosen: Sequence[Carrier]) -> bool:
    return bool(chosen) and carrier.attribute == chosen[0].attribute


def _sum_of(carriers: Sequence[Carrier], unit: str) -> Decimal:
    return sum((value for c in carriers if (value := _in_unit(c, unit)) is not None), Decimal(0))


def _same_thing(one: str, other: str, corpus: Corpus) -> bool:
    return one == other or one in set(corpus.descendants(other)) or other in set(corpus.descendants(one))
