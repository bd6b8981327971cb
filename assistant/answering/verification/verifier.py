"""Whether the evidence carries a sentence: its figures, dates, names, comparisons, negations and labels."""

from collections.abc import Iterable, Sequence
from enum import Enum

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.agreement import BINDING, DRAWN, Agreement, turns_denial
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.comparing import COMPARING, Comparer
from assistant.answering.verification.evidence_set import NOBODY, EvidenceSet, Subjects
from assistant.answering.verification.figure import Figure, carries
from assistant.answering.verification.labels import label_lost, label_missing
from assistant.answering.verification.marks import Marks
from assistant.answering.verification.properties import PropertyReader
from assistant.answering.verification.reading import EXACT, Reading, Segment, SentenceReader, bound_entities
from assistant.answering.verification.rivals import Rivals
from assistant.answering.verification.wording_match import likeness, says_what
from assistant.answering.verification.words import Vocabulary, Word
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period

_NEAREST = 0.5
# What figures alone don't bear out: "always more", "only this one has more", "will have more".
_NOT_DRAWN = frozenset({"universal", "condition", "made_up", "expected", "present"})


class Fault(Enum):
    """Why a sentence is not carried."""

    UNKNOWN_NAME = "names something that the evidence doesn't"
    FIGURE = "a figure that the evidence doesn't have for this"
    DATE = "a date that the evidence doesn't have"
    COMPARISON = "a comparison that the figures don't bear out"
    WORDS = "words that the evidence doesn't account for"
    LABEL = "a label of the source left out"
    AMBIGUOUS = "another value of the same fits the words as well"


class Verdict(BaseModel):
    """What verification found: the carriers of a sentence, or its fault and the evidence nearest to it."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    carriers: tuple[Carrier, ...] = ()
    fault: Fault | None = None
    nearest: Carrier | None = None

    @property
    def carried(self) -> bool:
        return self.fault is None


class Verifier:
    """Checks sentences against evidence. Built once for a knowledge base; safe to share between threads."""

    def __init__(self, corpus: Corpus, reader: SentenceReader, facts: Iterable[Fact]) -> None:
        self._corpus = corpus
        self._reader = reader
        self._properties = PropertyReader(corpus)
        self._comparer = Comparer(corpus, self._properties)
        self._agreement = Agreement(corpus)
        known = list(facts)
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
            return Verdict(fault=found, nearest=self._nearest(reading, evidence, subjects))
        return Verdict(carriers=tuple({carrier.statement: carrier for carrier in found}.values()))

    # --- a whole sentence ------------------------------------------------------------------------------------------

    def _carriers(self, reading: Reading, evidence: EvidenceSet, subjects: Subjects) -> list[Carrier] | Fault:
        whole = reading.whole
        if reading.unknown and not all(self._known(name.text, evidence) for name in reading.unknown):
            return Fault.UNKNOWN_NAME
        worded = [c for c in evidence.carriers if self._says(whole, c, subjects)]
        for carrier in worded:
            if not label_lost(whole, carrier) and not self._marks.foreign(reading, carrier):
                return [carrier]
        drawn = self._drawn(reading, evidence, subjects)
        if drawn:
            return self._accounted(whole, drawn, Fault.COMPARISON)
        if not whole.figures:
            return Fault.LABEL if worded else Fault.COMPARISON if whole.roles & COMPARING else Fault.WORDS
        return self._by_segment(reading, evidence, subjects)

    def _says(self, segment: Segment, carrier: Carrier, subjects: Subjects) -> bool:
        """True where the segment says what the carrier says, of what it is said of."""
        named = segment.entities | subjects.known
        spoken_of = carrier.about & carrier.reading.whole.entities
        return (
            all(not named.isdisjoint(meaning) for meaning in carrier.required)
            and (not spoken_of or not named.isdisjoint(carrier.about))
            and says_what(segment, carrier, self._corpus)
        )

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
            if segment.numbers:
                # "At 3.35 TB/s, the H100 SXM …" names its subject behind the figure.
                ahead = reading.segments[place + 1] if place + 1 < len(reading.segments) else None
                behind = ahead is not None and not segment.mentions and not known.known
                found = self._figures(segment, reading, evidence, known.after(ahead) if ahead and behind else known)
                if isinstance(found, Fault):
                    return found
                chosen += found
            else:
                open_parts.append(segment)
            known = known.after(segment)
        for segment in open_parts:
            fault = self._open_part(segment, reading, evidence, chosen, subjects)
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

    # --- figures ---------------------------------------------------------------------------------------------------

    def _figures(
        self, segment: Segment, reading: Reading, evidence: EvidenceSet, subjects: Subjects
    ) -> list[Carrier] | Fault:
        chosen: list[Carrier] = []
        pairs = bound_entities(segment)
        derived = [figure for figure, _ in pairs if self._comparer.total(segment, figure, evidence)]
        for figure, names in pairs:
            total = self._comparer.total(segment, figure, evidence)
            if total:
                chosen += total
                continue
            if derived and figure.unit in ("gpu", ""):
                continue  # the count of cards that a total was made with
            found = self._figure(figure, names, segment, reading, evidence, subjects)
            if not found:
                return Fault.FIGURE
            chosen += found
        return self._accounted(segment, chosen, Fault.FIGURE)

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
            if (carrier.value is not None or carrier.fact is None)
            and any(carries(held, figure) and held.entities.issuperset(names) for held in carrier.figures)
            and self._is_about(carrier, names)
            and all(not said.isdisjoint(meaning) for meaning in carrier.required)
            and self._agreement.agrees(segment, reading, carrier, subjects)
            and (carrier.value is None or not named or carrier.attribute in named)
        ]
        return sorted(holding, key=lambda carrier: not self._covers(segment.content, [carrier]))

    def _unsaid(self, segment: Segment, subjects: Subjects) -> frozenset[str]:
        """Subjects of kinds that the segment itself doesn't name."""
        kinds = {mention.kind for mention in segment.mentions}
        if kinds & {"gpu", "system"}:
            kinds |= {"gpu", "system"}
        return frozenset(id_ for kind, ids in subjects.by_kind.items() if kind not in kinds for id_ in ids)

    def _is_about(self, carrier: Carrier, names: Sequence[str]) -> bool:
        exact = [n for n in names if n in self._corpus.entities and self._corpus.entities[n].kind in EXACT]
        return not exact or any(name in carrier.about for name in exact) or carrier.fact is None

    # --- what stands around the figures ----------------------------------------------------------------------------

    def _open_part(
        self, segment: Segment, reading: Reading, evidence: EvidenceSet, chosen: Sequence[Carrier], subjects: Subjects
    ) -> list[Carrier] | Fault:
        """A part without a number adds nothing to the rest, states a date, or is carried in its own words."""
        shared = frozenset.intersection(*(c.roles for c in chosen)) if chosen else frozenset()
        turning = segment.roles & ((DRAWN | BINDING) - shared | {"negation", "present"})
        named = frozenset(e for c in chosen for e in c.entities)
        if any(turns_denial(segment, c) for c in chosen):
            return Fault.WORDS
        if chosen and not turning and segment.entities <= named and self._covers(segment.content, chosen):
            return []
        negated = chosen and "negation" in segment.roles and all("negation" in c.roles for c in chosen)
        if (
            negated
            and not segment.roles & DRAWN
            and segment.entities <= named
            and self._covers(segment.content, chosen)
        ):
            return []
        dated = self._dated(segment, reading, evidence, subjects) if segment.dates else []
        if dated:
            return dated
        worded = [c for c in evidence.carriers if self._says(segment, c, NOBODY)]
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
            and self._covers(segment.content, [carrier])
        ][:1]

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

    def _accounted(self, segment: Segment, chosen: list[Carrier], fault: Fault) -> list[Carrier] | Fault:
        named = frozenset(e for c in chosen for e in c.entities)
        if not segment.entities <= named:
            return fault
        return chosen if self._covers(segment.content, chosen) else Fault.WORDS

    def _covers(self, words: Sequence[Word], carriers: Sequence[Carrier]) -> bool:
        vocabulary = Vocabulary(())
        for carrier in carriers:
            if all(vocabulary.covers(word.text) for word in words):
                return True
            vocabulary = vocabulary | carrier.vocabulary
        return all(vocabulary.covers(word.text) for word in words)

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
