"""A part of a sentence without a number: it adds nothing to the rest, states a date, or is carried in its words."""

from collections.abc import Sequence

from assistant.answering.verification.agreement import BINDING, DRAWN, Agreement, turns_denial
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.coverage import covers, named_by
from assistant.answering.verification.evidence_set import NOBODY, EvidenceSet, Subjects
from assistant.answering.verification.figure import carries
from assistant.answering.verification.range_ends import RangeEnds
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.verdict import Fault
from assistant.answering.verification.wording_match import says
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.period import Period


class OpenParts:
    """Finds what carries the parts of a sentence that state no number."""

    def __init__(self, corpus: Corpus, agreement: Agreement, range_ends: RangeEnds) -> None:
        self._corpus = corpus
        self._agreement = agreement
        self._range_ends = range_ends

    def carriers(
        self, segment: Segment, reading: Reading, evidence: EvidenceSet, chosen: Sequence[Carrier], subjects: Subjects
    ) -> list[Carrier] | Fault:
        """A part without a number adds nothing to the rest, states a date, or is carried in its own words."""
        shared = frozenset.intersection(*(c.roles for c in chosen)) if chosen else frozenset()
        # "The cheapest is Lambda's, from $6.69 per hour": the figure beside it bears the superlative out.
        ends = [e for f in reading.whole.numbers for e in self._range_ends.holding(f, reading, evidence, subjects)]
        settled = {"least", "most"} if any(end in chosen for end in ends) else set()
        turning = segment.roles & ((DRAWN | BINDING) - shared - settled | {"negation", "present"})
        named = named_by(chosen)
        if any(turns_denial(segment, c) for c in chosen):
            return Fault.WORDS
        if chosen and not turning and segment.entities <= named and covers(segment.content, chosen):
            return []
        negated = chosen and "negation" in segment.roles and all("negation" in c.roles for c in chosen)
        if negated and not segment.roles & DRAWN and segment.entities <= named and covers(segment.content, chosen):
            return []
        dated = self._dated(segment, reading, evidence, subjects) if segment.dates else []
        if dated:
            return dated
        worded = [c for c in evidence.carriers if says(segment, c, NOBODY, self._corpus)]
        return worded[:1] if worded else Fault.WORDS

    def _dated(self, segment: Segment, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """Carriers whose value is the date that the segment states."""
        names = segment.entities or reading.whole.entities
        said = names | subjects.known
        return [
            carrier
            for carrier in evidence.carriers
            if (carrier.fact is None or isinstance(carrier.fact.value, Period))
            and carrier.entities.issuperset(names)
            and self._agreement.keeps_order(segment, carrier)
            and self._agreement.may_say(reading, carrier)
            and all(not said.isdisjoint(meaning) for meaning in carrier.required)
            and (not carrier.about or not said.isdisjoint(carrier.about))
            and all(any(carries(held, date) for held in carrier.figures) for date in segment.dates)
            and ("negation" in segment.roles) == ("negation" in carrier.roles)
            and not ((segment.roles & DRAWN) - carrier.roles)
            and covers(segment.content, [carrier])
        ][:1]
