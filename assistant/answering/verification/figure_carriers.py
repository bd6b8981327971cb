"""The evidence for each figure of a part of a sentence: the thing, the property and the manner must be the same."""

from collections.abc import Sequence

from assistant.answering.verification.agreement import Agreement
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.coverage import accounted, covers
from assistant.answering.verification.evidence_set import EvidenceSet, Subjects
from assistant.answering.verification.figure import Figure, carries
from assistant.answering.verification.properties import PropertyReader
from assistant.answering.verification.range_ends import RangeEnds
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import EXACT, Segment, bound_entities
from assistant.answering.verification.total import total
from assistant.answering.verification.verdict import Fault
from assistant.knowledge.corpus import Corpus


class FigureCarriers:
    """Finds what carries the figures of sentences."""

    def __init__(self, corpus: Corpus, properties: PropertyReader, agreement: Agreement, range_ends: RangeEnds) -> None:
        self._corpus = corpus
        self._properties = properties
        self._agreement = agreement
        self._range_ends = range_ends

    def of_segment(
        self, segment: Segment, reading: Reading, evidence: EvidenceSet, subjects: Subjects
    ) -> list[Carrier] | Fault:
        chosen: list[Carrier] = []
        pairs = [(figure, names) for figure, names in bound_entities(segment) if not is_an_article(figure, reading)]
        added = "sum" in reading.whole.roles
        derived = [figure for figure, _ in pairs if total(segment, figure, evidence, self._corpus, added=added)]
        for figure, names in pairs:
            summed = total(segment, figure, evidence, self._corpus, added=added)
            if summed:
                chosen += summed
                continue
            if derived and figure.unit in ("gpu", ""):
                continue  # the count of cards that a total was made with
            found = (
                self._figure(figure, names, segment, reading, evidence, subjects)
                or self._range_ends.holding(figure, reading, evidence, subjects)
                or self._elliptic(figure, names, segment, reading, evidence, subjects)
            )
            if not found:
                return Fault.FIGURE
            chosen += found
        return accounted(segment, chosen, Fault.FIGURE)

    def _elliptic(
        self,
        figure: Figure,
        names: Sequence[str],
        segment: Segment,
        reading: Reading,
        evidence: EvidenceSet,
        subjects: Subjects,
    ) -> list[Carrier]:
        """The carrier of a figure that leaves its unit to the one before: "Lambda $6.69 per hour, RunPod $6.79"."""
        before = [other for other in reading.whole.numbers if other.end <= figure.start]
        whole_unit = before[-1].unit if before else ""
        if not segment.mentions or not whole_unit or figure.unit not in ("", whole_unit.removesuffix("/h")):
            return []
        if (
            whole_unit.endswith("/h")
            and not figure.unit
            and (figure.low is None or figure.low == figure.low.to_integral_value())
        ):
            return []
        understood = figure.model_copy(update={"unit": whole_unit})
        return self._figure(understood, names, segment, reading, evidence, subjects)

    def _figure(
        self,
        figure: Figure,
        names: Sequence[str],
        segment: Segment,
        reading: Reading,
        evidence: EvidenceSet,
        subjects: Subjects,
    ) -> list[Carrier]:
        """The best carrier of one figure; where it is said of several things alike, one for each of them."""
        things = [m.entity for m in segment.mentions if m.entity in names and m.kind in EXACT and m.kind != "provider"]
        others = [name for name in names if name not in things]
        groups = [[thing, *others] for thing in dict.fromkeys(things)] or [others]
        together = self._holding(figure, list(dict.fromkeys(names)), segment, reading, evidence, subjects)
        if together:
            return together[:1]
        if len(groups) < 2:
            return []
        found = [self._holding(figure, group, segment, reading, evidence, subjects) for group in groups]
        return [carriers[0] for carriers in found] if all(found) else []

    def _holding(
        self,
        figure: Figure,
        names: Sequence[str],
        segment: Segment,
        reading: Reading,
        evidence: EvidenceSet,
        subjects: Subjects,
    ) -> list[Carrier]:
        text = reading.text[segment.start : segment.end]
        taken = [(start - segment.start, end - segment.start) for start, end in segment.taken]
        named = {id_ for ids in self._properties.named(text, taken, reading.language) for id_ in ids}
        said = frozenset(names) | segment.entities
        said |= self._unsaid(segment, subjects) if segment.exact() else subjects.known
        holding = [
            carrier
            for carrier in evidence.carriers
            if (carrier.value is not None or carrier.fact is None or _follows(reading, carrier))
            and any(carries(held, figure) and held.entities.issuperset(names) for held in carrier.figures)
            and self._is_about(carrier, names)
            and all(not said.isdisjoint(meaning) for meaning in carrier.required)
            and self._agreement.agrees(segment, reading, carrier, subjects)
            and (carrier.value is None or not named or carrier.attribute in named)
        ]
        return sorted(holding, key=lambda carrier: not covers(segment.content, [carrier]))

    def _unsaid(self, segment: Segment, subjects: Subjects) -> frozenset[str]:
        """Subjects of kinds that the segment itself doesn't name."""
        kinds = {mention.kind for mention in segment.mentions}
        if kinds & {"gpu", "system"}:
            kinds |= {"gpu", "system"}
        return frozenset(id_ for kind, ids in subjects.by_kind.items() if kind not in kinds for id_ in ids)

    def _is_about(self, carrier: Carrier, names: Sequence[str]) -> bool:
        exact = [n for n in names if n in self._corpus.entities and self._corpus.entities[n].kind in EXACT]
        return not exact or any(name in carrier.about for name in exact) or carrier.fact is None


def _follows(reading: Reading, carrier: Carrier) -> bool:
    """True where a sentence keeps to a statement in words: its names in order, its denials, and its reservations."""
    said = [mention.entity for mention in reading.whole.mentions]
    held = iter([mention.entity for mention in carrier.reading.whole.mentions])
    return (
        all(any(one == other for other in held) for one in said)
        and _count(reading, "negation") == _count(carrier.reading, "negation")
        and _count(reading, "hedge") >= _count(carrier.reading, "hedge")
    )


def _count(reading: Reading, role: str) -> int:
    return sum(role in word.roles for word in reading.whole.words)


def is_an_article(figure: Figure, reading: Reading) -> bool:
    """True for the "one" of "one H200", where the sentence tells what that costs or has."""
    said_of_it = [f for f in reading.whole.numbers if f is not figure and f.unit not in ("", "gpu", "x", "%")]
    return figure.unit == "gpu" and figure.low == figure.high == 1 and figure.bound is None and bool(said_of_it)
