"""The least or the most that something costs or has, as an end of the range that all its values span."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import EvidenceSet, Subjects, about_thing, figures_of
from assistant.answering.verification.figure import Figure
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.sides import COMPARING
from assistant.answering.verification.span import range_in
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.quantities.units import convert

# What tells between which things the extreme is meant, or for when, is not borne out by one thing's own values.
_NOT_ITS_OWN = COMPARING - {"equal"} | {"negation", "compared_ones", "universal", "expected", "made_up", "sum"}


class RangeEnds:
    """Knows all values of each property, so that no cheaper offer is overlooked."""

    def __init__(self, corpus: Corpus, facts: Iterable[Fact]) -> None:
        self._corpus = corpus
        self._by_attribute: dict[str, list[Fact]] = {}
        for fact in facts:
            if figures_of(fact) is not None and not fact.superseded:
                self._by_attribute.setdefault(fact.attribute, []).append(fact)

    def holding(self, figure: Figure, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """The carrier whose end the figure is, where the sentence says it is the least or the most of one card.

        "The cheapest H200 cost $3.59 per hour" is carried by "$3.59 to $4.59", unless another offer is below that.
        """
        whole = _clause(figure, reading).whole
        asked = whole.roles & {"least", "most"}
        if len(asked) != 1 or whole.roles & _NOT_ITS_OWN or figure.is_range or figure.low is None:
            return []
        cards = {m.entity for m in whole.mentions if m.kind == "gpu"} or set(subjects.by_kind.get("gpu", ()))
        providers = {m.entity for m in whole.mentions if m.kind == "provider"}
        if len(cards) != 1 or len(providers) > 1:
            return []
        card, least = cards.pop(), asked == {"least"}
        return [
            carrier
            for carrier in about_thing(evidence.carriers, card, self._corpus)
            if carrier.fact is not None
            and carrier.fact.unit is not None
            and providers <= {carrier.fact.qualifiers.provider}
            and (span := range_in(carrier, figure.unit)) is not None
            and span[0 if least else 1] == figure.low == self._end(card, carrier.fact, figure.unit, least=least)
        ][:1]

    def _end(self, card: str, fact: Fact, unit: str, *, least: bool) -> Decimal | None:
        """The lowest or highest of all that is known of a card, in a unit; None where one of it can't be told."""
        family = {card, *self._corpus.descendants(card)}
        known = [other for other in self._by_attribute.get(fact.attribute, ()) if family.intersection(other.about)]
        ends = [_converted(other, unit, least=least) for other in known]
        told: Sequence[Decimal] = [end for end in ends if end is not None]
        if not told or len(told) != len(ends):
            return None
        return min(told) if least else max(told)


def _clause(figure: Figure, reading: Reading) -> Reading:
    """The part of a sentence between semicolons that a figure stands in."""
    start = reading.text.rfind(";", 0, figure.start) + 1
    end = reading.text.find(";", figure.end)
    parts = [part for part in reading.segments if part.start >= start - 1 and (end < 0 or part.start < end)]
    return Reading(text=reading.text, language=reading.language, segments=tuple(parts))


def _converted(fact: Fact, unit: str, *, least: bool) -> Decimal | None:
    span = figures_of(fact)
    return convert(span[0 if least else 1], fact.unit or "", unit) if span is not None else None
