"""A piece of evidence as verification sees it: what it says, of what, with which figures, labels and dates."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from assistant.answering.evidence import Calculation, QuotedPassage
from assistant.answering.verification.figure import Figure
from assistant.answering.verification.lexicon import lexicon, said_marks
from assistant.answering.verification.reading import Reading, SentenceReader
from assistant.answering.verification.segment import EXACT, Segment, bound_entities
from assistant.answering.verification.words import Vocabulary, lower
from assistant.knowledge.addressed import is_addressed_to_machine
from assistant.knowledge.citation import Citation
from assistant.knowledge.claim import Range, Status
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.mention import NameReader
from assistant.language.quantities.units import kind_of
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language

_MOST_CACHED = 20_000
_CLAUSE_END = re.compile(r"[;；]|,?\s+(?:but|maar|men)\s|，(?:但是|但)")


class Carrier(BaseModel):
    """What one piece of evidence supports saying, in one language."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, ignored_types=(cached_property,))

    fact: Fact | None = None
    statement: str
    reading: Reading
    sentences: tuple[Reading, ...] = ()
    """The sentences of a statement that has several."""
    citations: tuple[Citation, ...]
    about: frozenset[str] = frozenset()
    """What it is about, with the less exact names of that."""
    required: tuple[frozenset[str], ...] = ()
    """For each exact thing it is about, the names that mean it; one of them must be known to the reader."""
    entities: frozenset[str] = frozenset()
    """Everything it names."""
    figures: tuple[Figure, ...] = ()
    dates: tuple[str, ...] = ()
    """When it held and was published, besides the dates it states."""
    status: Status | None = None
    vocabulary: Vocabulary

    @cached_property
    def roles(self) -> frozenset[str]:
        return self.reading.whole.roles

    @property
    def attribute(self) -> str | None:
        return self.fact.attribute if self.fact else None

    @property
    def value(self) -> Decimal | Range | None:
        """The figure of the fact; None for a date, a text or a yes or no."""
        value = self.fact.value if self.fact else None
        return value if isinstance(value, Decimal | Range) and not isinstance(value, bool) else None


class CarrierBuilder:
    """Makes carriers of evidence; those of facts are kept, as the same facts answer many questions."""

    def __init__(self, corpus: Corpus, names: NameReader) -> None:
        self._corpus = corpus
        self._names = names
        self._reader = SentenceReader(names)
        self._of_facts: dict[tuple[str, Language], Carrier] = {}

    @property
    def reader(self) -> SentenceReader:
        return self._reader

    def of_fact(self, fact: Fact, language: Language) -> Carrier:
        key = (fact.id, language)
        kept = self._of_facts.get(key)
        if kept is None or kept.fact != fact:
            if len(self._of_facts) >= _MOST_CACHED:
                self._of_facts.clear()
            kept = self._of_facts[key] = self._build(fact, language)
        return kept

    def of_calculation(self, calculation: Calculation, language: Language) -> list[Carrier]:
        """One carrier for each sentence of a calculation, and one for its formula."""
        texts = [line for line in calculation.text.splitlines() if line.strip()]
        return [
            self._of_text(text, calculation.citations, language)
            for text in (*texts, calculation.run.formula)
            if text and not is_addressed_to_machine(text)
        ]

    def of_passage(self, passage: QuotedPassage, sentences: Iterable[str], language: Language) -> list[Carrier]:
        """One carrier for each sentence of a passage; its words count only where it is in the language asked."""
        return [
            self._of_text(text, (passage.citation,), passage.language, seen_in=language)
            for text in sentences
            if not is_addressed_to_machine(text)
        ]

    def _of_text(
        self, text: str, citations: tuple[Citation, ...], language: Language, seen_in: Language | None = None
    ) -> Carrier:
        reading = self._reader.read(text, language)
        entities = self._closure(reading.whole.entities)
        words = [text, *self._spelled(reading.whole.entities)]
        if seen_in is not None and seen_in != language:
            words += self._said_as_units(reading, seen_in)
        return Carrier(
            statement=text,
            reading=reading,
            citations=citations,
            about=entities,
            entities=entities,
            figures=self._stated(reading),
            vocabulary=Vocabulary(words),
        )

    def _said_as_units(self, reading: Reading, language: Language) -> list[str]:
        """The words of another language for the properties that a passage speaks of."""
        from assistant.language.question_words import find_cue

        lowered = reading.text.casefold()
        found = [a for a in self._corpus.attributes.values() if find_cue(lowered, a.asked_as.get(reading.language, ()))]
        return [word for attribute in found for word in self._words_for(attribute.id, language)]

    def _build(self, fact: Fact, language: Language) -> Carrier:
        statement = fact.statement.in_language(language)
        reading = self._reader.read(statement, language)
        about = self._closure(fact.about)
        q = fact.qualifiers
        sides = {id_ for id_ in (q.provider, q.compared_with, fact.attributed_to) if id_ in self._corpus.entities}
        makers = {e.maker for id_ in fact.about if (e := self._corpus.entities.get(id_)) and e.maker}
        said = reading.whole.entities
        own = about | sides | makers | frozenset(fact.names)
        loose = {m.entity for m in reading.whole.mentions if m.kind not in EXACT}
        entities = self._closure(own | said)
        dates = [str(fact.as_of)] if fact.as_of else []
        dates += [work.published for citation in fact.citations for work in citation.based_on if work.published]
        dates += [citation.published for citation in fact.citations if citation.published]
        return Carrier(
            fact=fact,
            statement=statement,
            reading=reading,
            sentences=self._sentences(statement, language),
            citations=fact.citations,
            about=about,
            required=tuple(self._closure([id_]) for id_ in fact.about if self._is_exact(id_) and self._says(id_, said)),
            entities=entities,
            figures=(*self._own(fact, own | loose), *self._stated(reading)),
            dates=tuple(dict.fromkeys(dates)),
            status=fact.status,
            vocabulary=Vocabulary([*self._texts(fact, statement, entities, language), *_said_of_money(reading)]),
        )

    def _sentences(self, statement: str, language: Language) -> tuple[Reading, ...]:
        """Sentences and, of each, the independent clauses that a semicolon or a "but" keeps apart."""
        parts = [statement[a:b] for a, b in sentence_spans(statement)]
        clauses = [clause.strip() for part in parts for clause in _CLAUSE_END.split(part)]
        texts = dict.fromkeys(text for text in (*parts, *clauses) if text and text != statement)
        return tuple(self._reader.read(text, language) for text in texts)

    def _texts(self, fact: Fact, statement: str, entities: Iterable[str], language: Language) -> list[str]:
        texts = [statement, *self._words_for(fact.attribute, language), *self._spelled(entities)]
        texts += [c.quote for c in fact.citations if c.language == language]
        texts += [work.title for c in fact.citations for work in c.based_on]
        texts += [work.publisher for c in fact.citations for work in c.based_on if work.publisher]
        texts += [c.title for c in fact.citations]
        # A rack is one by each of its names.
        texts += [word for mark in said_marks(lower(statement), language) for word in lexicon().apart[mark][language]]
        # Terms of the trade are the same words in every language of Latin letters.
        if fact.text is not None:
            texts.append(fact.text)
        return texts

    def _words_for(self, attribute_id: str, language: Language) -> list[str]:
        attribute = self._corpus.attributes.get(attribute_id)
        said = lexicon().said_as.get(attribute_id, {}).get(language, ())
        if attribute is None:
            return list(said)
        return [attribute.label.in_language(language), *attribute.asked_as.get(language, ()), *said]

    def _spelled(self, entities: Iterable[str]) -> list[str]:
        found = [self._corpus.entities[id_] for id_ in entities if id_ in self._corpus.entities]
        return [name for entity in found for name in (entity.name, *entity.names.values(), *entity.aliases)]

    def _own(self, fact: Fact, entities: Iterable[str]) -> tuple[Figure, ...]:
        """The value of the fact as a figure."""
        value, ids = fact.value, frozenset(entities)
        if isinstance(value, bool) or value is None:
            return ()
        if isinstance(value, Period):
            return (Figure(text=value.text, date=value.text, entities=ids),)
        low, high = (value.low, value.high) if isinstance(value, Range) else (value, value)
        return (
            Figure(
                text=str(low),
                low=low,
                high=high,
                unit=fact.unit or "",
                approximate=fact.qualifiers.approx,
                bound=fact.qualifiers.bound,
                entities=ids,
            ),
        )

    def _stated(self, reading: Reading) -> tuple[Figure, ...]:
        """The figures of a statement, each with what it is said of there."""
        figures: list[Figure] = []
        before: frozenset[str] = frozenset()
        for segment in reading.segments:
            for figure, names in bound_entities(segment):
                ids = self._closure(names) | self._named_loosely(segment)
                if not _has_exact(segment, names):
                    ids |= before
                figures.append(figure.model_copy(update={"entities": ids or self._closure(reading.whole.entities)}))
            whole = self._closure(reading.whole.entities)
            figures += [figure.model_copy(update={"entities": whole}) for figure in segment.dates]
            if segment.mentions:
                before = self._closure(segment.entities)
        return tuple(figures)

    def _named_loosely(self, segment: Segment) -> frozenset[str]:
        return self._closure(m.entity for m in segment.mentions if m.kind not in EXACT or m.kind == "provider")

    def _closure(self, entities: Iterable[str]) -> frozenset[str]:
        found = list(entities)
        return frozenset(found) | frozenset(a for id_ in found for a in self._corpus.ancestors(id_))

    def _is_exact(self, entity: str) -> bool:
        known = self._corpus.entities.get(entity)
        return known is not None and known.kind in EXACT

    def _says(self, entity: str, said: frozenset[str]) -> bool:
        return not said.isdisjoint(self._closure([entity]))


def _said_of_money(reading: Reading) -> tuple[str, ...]:
    """The words that an amount of money can be told with, whichever property it belongs to."""
    if not any(kind_of(f.unit) == "money" for f in reading.whole.numbers):
        return ()
    return lexicon().said_as["price_per_hour"][reading.language]


def _has_exact(segment: Segment, names: Sequence[str]) -> bool:
    return any(m.kind in EXACT and m.kind != "provider" for m in segment.mentions if m.entity in names)
