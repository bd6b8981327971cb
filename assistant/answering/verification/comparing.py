"""Comparisons and superlatives that a draft draws itself, computed again from the figures of the evidence."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.compared_figures import figures_hold, is_value
from assistant.answering.verification.evidence_set import EvidenceSet, Subjects, about_thing
from assistant.answering.verification.properties import PropertyReader
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import EXACT, Segment
from assistant.answering.verification.sides import COMPARING, Direction, Sides, direction_of, sides_of
from assistant.answering.verification.span import in_unit, range_in
from assistant.knowledge.corpus import Corpus
from assistant.language.quantities.units import convert

_SLIGHTLY = Decimal("0.15")


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
        found = [self._bearing_out(part, sides, direction, evidence, subjects) for part in self._parts(reading)]
        return [carrier for carriers in found for carrier in carriers] if all(found) else []

    def _bearing_out(
        self, reading: Reading, sides: Sides, direction: Direction, evidence: EvidenceSet, subjects: Subjects
    ) -> list[Carrier]:
        """The carriers that bear out one comparison."""
        for attributes in (*self._attributes(reading), *self._by_unit(reading)):
            first = _of(self._about(sides.subject, reading, evidence, subjects), attributes)
            second = _of(self._about(sides.standard, reading, evidence, subjects), attributes)
            if first and second:
                held = {sides.subject: first, sides.standard: second}
                pairs = list(product(first, second))
                slightly = "slightly" in reading.whole.roles
                holds = all(
                    _ordered(one, other, direction) and (not slightly or _close(one, other)) for one, other in pairs
                )
                return [*first, *second] if holds and figures_hold(reading, held, pairs, direction) else []
        return []

    def _parts(self, reading: Reading) -> list[Reading]:
        """The comparisons that a sentence draws: "8 GB more memory than the A, and 1 TB/s more bandwidth" is two."""
        groups: list[list[Segment]] = []
        for segment in reading.segments:
            begins = bool(segment.roles & COMPARING) and bool(segment.numbers) and not segment.exact()
            if groups and not begins:
                groups[-1].append(segment)
            else:
                groups.append([segment])
        parts = [Reading(text=reading.text, language=reading.language, segments=tuple(group)) for group in groups]
        apart = len(parts) > 1 and all(part.whole.roles & COMPARING and self._attributes(part) for part in parts)
        return parts if apart else [reading]

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
                values = [f for f in whole.numbers if not is_value(f, own)]
                return (
                    [*own, *rest]
                    if not values and all(_ordered(a, b, direction) for a, b in product(own, rest))
                    else []
                )
        return []

    def _attributes(self, reading: Reading) -> list[frozenset[str]]:
        """The properties that the sentence can be comparing, the best named first."""
        if reading.whole.roles & {"cheaper", "dearer"}:
            return [frozenset({"price_per_hour"})]
        if "thriftier" in reading.whole.roles:
            return [frozenset({"power"})]
        start, end = reading.segments[0].start, reading.segments[-1].end
        taken = [(first - start, last - start) for first, last in reading.whole.taken]
        groups = self._properties.named(reading.text[start:end], taken, reading.language)
        swift = "swiftness" in reading.whole.roles
        return [frozenset({id_}) for ids in groups for id_ in sorted(ids) if not swift or self._is_rate(id_)]

    def _by_unit(self, reading: Reading) -> list[frozenset[str]]:
        """Where no property is named: those that the amounts of the sentence can be values of."""
        units = {figure.unit for figure in reading.whole.numbers if figure.unit not in ("", "x", "%")}
        swift = "swiftness" in reading.whole.roles
        known = [a for a in self._corpus.attributes.values() if a.unit is not None and a.single_valued]
        return [
            frozenset({attribute.id})
            for attribute in known
            if units
            and (not swift or self._is_rate(attribute.id))
            and all(convert(Decimal(1), unit, attribute.unit or "") is not None for unit in units)
        ]

    def _is_rate(self, attribute: str) -> bool:
        """True for what can be faster: so much per second, or so many times."""
        unit = self._corpus.attributes[attribute].unit or ""
        return unit.endswith(("/s", "FLOPS")) or unit == "x"


def _of(carriers: Sequence[Carrier], attributes: frozenset[str]) -> list[Carrier]:
    return [c for c in carriers if c.attribute in attributes and c.fact is not None and not c.fact.superseded]


def _ordered(one: Carrier, other: Carrier, direction: Direction) -> bool:
    unit = (one.fact.unit if one.fact else None) or ""
    first, second = range_in(one, unit), range_in(other, unit)
    if first is None or second is None:
        return False
    if direction == "apart":
        return first != second
    if direction == "equal":
        return first == second
    return first[0] > second[1] if direction == "more" else first[1] < second[0]


def _close(one: Carrier, other: Carrier) -> bool:
    """True for two figures that are only slightly apart."""
    unit = (one.fact.unit if one.fact else None) or ""
    first, second = in_unit(one, unit), in_unit(other, unit)
    return first is not None and second is not None and abs(first - second) <= _SLIGHTLY * max(first, second)


def _same_thing(one: str, other: str, corpus: Corpus) -> bool:
    return one == other or one in set(corpus.descendants(other)) or other in set(corpus.descendants(one))
