"""Whether the evidence carries a sentence: its figures, dates, names, comparisons, negations and labels."""

from collections.abc import Iterable, Sequence

from assistant.answering.verification.agreement import Agreement
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.comparing import Comparer
from assistant.answering.verification.coverage import accounted
from assistant.answering.verification.evidence_set import NOBODY, EvidenceSet, Subjects
from assistant.answering.verification.figure import Figure, carries
from assistant.answering.verification.figure_carriers import FigureCarriers, is_an_article
from assistant.answering.verification.labels import label_lost, label_missing
from assistant.answering.verification.marks import Marks
from assistant.answering.verification.open_parts import OpenParts
from assistant.answering.verification.properties import PropertyReader
from assistant.answering.verification.range_ends import RangeEnds
from assistant.answering.verification.reading import Reading, SentenceReader
from assistant.answering.verification.rivals import Rivals
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.sides import COMPARING
from assistant.answering.verification.verdict import Fault, Verdict
from assistant.answering.verification.wording_match import likeness, says
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact

_NEAREST = 0.5
# What figures alone don't bear out: "always more", "only this one has more", "will have more".
_NOT_DRAWN = frozenset({"universal", "condition", "made_up", "expected", "present"})


class Verifier:
    """Checks sentences against evidence. Built once for a knowledge base; safe to share between threads."""

    def __init__(self, corpus: Corpus, reader: SentenceReader, facts: Iterable[Fact]) -> None:
        self._corpus = corpus
        self._reader = reader
        known = list(facts)
        properties, agreement = PropertyReader(corpus), Agreement(corpus)
        self._comparer = Comparer(corpus, properties)
        range_ends = RangeEnds(corpus, known)
        self._figures = FigureCarriers(corpus, properties, agreement, range_ends)
        self._open_parts = OpenParts(corpus, agreement, range_ends)
        self._rivals = Rivals(corpus, known)
        self._marks = Marks(corpus, known)

    def verify(self, text: str, evidence: EvidenceSet, subjects: Subjects = NOBODY) -> Verdict:
        """Check one sentence. `subjects` is what it may leave unsaid. Time grows with evidence × sentence length."""
        reading = self._reader.read(text, evidence.language)
        return self.check(reading, evidence, subjects)

    def check(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> Verdict:
        """Check a sentence that has been taken apart."""
        found = self._carriers(reading, evidence, subjects)
        if isinstance(found, Fault):
            found = self._by_clause(reading, evidence, subjects) or found
        if isinstance(found, Fault):
            return Verdict(fault=found, nearest=self._nearest(reading, evidence, subjects))
        return Verdict(carriers=tuple({carrier.statement: carrier for carrier in found}.values()))

    # --- a whole sentence ------------------------------------------------------------------------------------------

    def _carriers(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier] | Fault:
        whole = reading.whole
        if reading.unknown and not all(self._known(name.text, evidence) for name in reading.unknown):
            return Fault.UNKNOWN_NAME
        worded = [c for c in evidence.carriers if says(whole, c, subjects, self._corpus)]
        for carrier in worded:
            if not label_lost(whole, carrier) and not self._marks.foreign(reading, carrier):
                return [carrier]
        drawn = self._drawn(reading, evidence, subjects)
        if drawn:
            return accounted(whole, drawn, Fault.COMPARISON)
        if not whole.figures:
            return Fault.LABEL if worded else Fault.COMPARISON if whole.roles & COMPARING else Fault.WORDS
        return self._by_segment(reading, evidence, subjects)

    def _by_clause(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """The carriers of clauses that a semicolon keeps apart, where each holds as a sentence of its own."""
        clauses = [clause.strip() for clause in reading.text.split(";") if clause.strip()]
        if len(clauses) < 2:
            return []
        chosen: list[Carrier] = []
        before: Reading | None = None
        for clause in clauses:
            part = self._reader.read(clause, reading.language)
            part = part.priced_as(before) if before else part
            found = self._carriers(part, evidence, subjects)
            if isinstance(found, Fault):
                return []
            chosen += found
            before, subjects = part, subjects.after(part.whole)
        return chosen

    def _drawn(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier]:
        """Carriers of a comparison that the sentence draws itself."""
        if any(word.roles & _NOT_DRAWN and "than" not in word.roles for word in reading.whole.words):
            return []
        if reading.whole.roles & {"most", "least"}:
            return self._comparer.extreme(reading, evidence)
        return self._comparer.compare(reading, evidence, subjects)

    def _by_segment(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier] | Fault:
        """Each part of the sentence carried by its own evidence; a part may leave out what the one before named."""
        chosen: list[Carrier] = []
        open_parts: list[Segment] = []
        known = subjects
        for place, segment in enumerate(reading.segments):
            if any(not is_an_article(figure, reading) for figure in segment.numbers):
                # "At 3.35 TB/s, the H100 SXM …" names its subject behind the figure.
                ahead = reading.segments[place + 1] if place + 1 < len(reading.segments) else None
                behind = ahead is not None and not segment.mentions and not known.known
                spoken_of = known.after(ahead) if ahead and behind else known
                found = self._figures.of_segment(segment, reading, evidence, spoken_of)
                if isinstance(found, Fault):
                    return found
                chosen += found
            else:
                open_parts.append(segment)
            known = known.after(segment)
        # A date is what the rest leans on: "According to Originbrief, the first is expected in 2027".
        for segment in sorted(open_parts, key=lambda part: not part.dates):
            fault = self._open_parts.carriers(segment, reading, evidence, chosen, subjects)
            if isinstance(fault, Fault):
                return fault
            chosen += fault
        dates = self._dates(reading.whole.dates, chosen)
        if isinstance(dates, Fault):
            return dates
        if self._label_missing(reading.whole, chosen):
            return Fault.LABEL
        said = reading.whole.entities | subjects.known
        if any(self._rivals.confusable(c, said, reading) or self._marks.foreign(reading, c) for c in chosen):
            return Fault.AMBIGUOUS
        return chosen

    # --- what stands around the figures ----------------------------------------------------------------------------

    def _dates(self, dates: Sequence[Figure], chosen: Sequence[Carrier]) -> Fault | None:
        for date in dates:
            known = [held for c in chosen for held in (*c.figures, *_as_figures(c.dates))]
            if not any(carries(held, date) for held in known):
                return Fault.DATE
        return None

    def _label_missing(self, whole: Segment, chosen: Sequence[Carrier]) -> bool:
        """True where a label is missing, or what a comparison was made against."""
        for carrier in chosen:
            if label_missing(whole, carrier):
                return True
            against = carrier.fact.qualifiers.compared_with if carrier.fact else None
            if carrier.value is not None and against in self._corpus.entities and against not in whole.entities:
                return True
        return False

    def _known(self, name: str, evidence: EvidenceSet) -> bool:
        wanted = name.casefold()
        return any(
            wanted in carrier.statement.casefold() or any(wanted in c.quote.casefold() for c in carrier.citations)
            for carrier in evidence.carriers
        )

    # --- what the evidence says instead ----------------------------------------------------------------------------

    def _nearest(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> Carrier | None:
        """The fact that the sentence speaks of, if one does so clearly."""
        whole = reading.whole
        names = frozenset(whole.exact()) or subjects.known
        best: tuple[float, Carrier | None] = (_NEAREST, None)
        for carrier in evidence.carriers:
            if carrier.fact is None or (names and names.isdisjoint(carrier.about)):
                continue
            score = likeness(whole, carrier, self._corpus)
            score += 0.3 * any(f.unit == h.unit and f.unit for f in whole.numbers for h in carrier.figures)
            if score > best[0]:
                best = (score, carrier)
        return best[1]


def _as_figures(dates: Iterable[str]) -> list[Figure]:
    return [Figure(text=date, date=date) for date in dates]
