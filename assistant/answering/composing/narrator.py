"""What composing needs to say anything: the knowledge base, the wording, the language asked, and the day."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from assistant.answering.conflict import Disagreement, corrections, find_conflicts, more_exact
from assistant.answering.draft import Sentence
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact, name_of
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period, format_quantity, join_words
from assistant.language.tongue import Language
from assistant.language.wording import Wording


@dataclass(frozen=True)
class Library:
    """The facts of the knowledge base, by what they are about and by the list that they stand in."""

    corpus: Corpus
    by_entity: dict[str, list[Fact]] = field(default_factory=dict)
    by_series: dict[str, list[Fact]] = field(default_factory=dict)
    conflicts: dict[str, Disagreement] = field(default_factory=dict)
    """The disagreement that a fact takes part in, by the fact's id."""
    corrected: dict[str, list[Fact]] = field(default_factory=dict)
    """By a fact's id, older values on the same matter that it corrects."""
    more_exact: dict[str, list[Fact]] = field(default_factory=dict)
    """By a fact's id, those that date the same more exactly."""

    @classmethod
    def of(cls, corpus: Corpus, facts: Sequence[Fact]) -> "Library":
        library = cls(
            corpus,
            corrected=corrections(facts, corpus.attributes),
            more_exact=more_exact(facts, corpus.attributes),
        )
        for fact in facts:
            if fact.series is not None:
                library.by_series.setdefault(fact.series.id, []).append(fact)
            for entity in fact.about:
                library.by_entity.setdefault(entity, []).append(fact)
        for group in find_conflicts(facts, corpus.attributes):
            library.conflicts.update({fact.id: group for fact in group.all})
        return library


@dataclass(frozen=True)
class Narrator:
    """Speaks one language about one knowledge base."""

    library: Library
    wording: Wording
    language: Language
    today: date

    @property
    def corpus(self) -> Corpus:
        return self.library.corpus

    def say(self, phrase: str, /, **fields: str) -> str:
        return self.wording.say(phrase, self.language, **fields)

    def sentence(self, phrase: str, /, **fields: str) -> Sentence:
        """A sentence that states no fact of its own."""
        return Sentence(text=self.say(phrase, **fields))

    def name(self, entity_id: str) -> str:
        return name_of(self.corpus.entities[entity_id], self.language)

    def names(self, entity_ids: Sequence[str]) -> str:
        return self.join([self.name(id_) for id_ in entity_ids])

    def label(self, attribute_id: str) -> str:
        return self.corpus.attributes[attribute_id].label.in_language(self.language)

    def join(self, words: list[str]) -> str:
        return join_words(words, self.language)

    def date(self, period: Period | None) -> str:
        return self.say("undated") if period is None else format_period(period, self.language)

    def statement(self, fact: Fact) -> Sentence:
        """The fact's own sentence with everything it rests on."""
        return Sentence(text=fact.statement.in_language(self.language), support=fact.citations)

    def labelled(self, fact: Fact) -> str:
        """The value with the label that its statement carries: a vendor's own claim, a forecast, a made-up example."""
        if fact.status == "vendor_claim":
            return self.say("value_vendor_claim", value=self.value(fact), who=self.claimant(fact))
        if fact.status in ("forecast", "hypothetical"):
            return self.say(f"value_{fact.status}", value=self.value(fact))
        return self.value(fact)

    def claimant(self, fact: Fact) -> str:
        """Whose claim a fact is: who it is attributed to, or the maker of what it is about."""
        makers = (self.corpus.entities[id_].maker for id_ in fact.about if id_ in self.corpus.entities)
        who = fact.attributed_to or next((maker for maker in makers if maker), None)
        if who is None:
            return self.say("vendor")
        return self.name(who) if who in self.corpus.entities else who

    def value(self, fact: Fact, *, unit: bool = True) -> str:
        """The fact's value as text; its whole statement where the value is words of another language."""
        if isinstance(fact.value, Decimal | Range):
            return format_quantity(fact.value, fact.unit if unit else None, self.language)
        if isinstance(fact.value, Period):
            period = format_period(fact.value, self.language)
            return self.say(f"part_{fact.qualifiers.part}", period=period) if fact.qualifiers.part else period
        if fact.text is not None and fact.kind == "specification":
            return fact.text
        return fact.statement.in_language(self.language)
