"""What the adversary lies about: facts of the real corpus, each with the evidence that stands beside it."""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from assistant.answering.composing.narrator import Library
from assistant.answering.conflict import contradict
from assistant.answering.verification.carrier import CarrierBuilder
from assistant.answering.verification.evidence_set import EvidenceSet
from assistant.answering.verification.verifier import Verifier
from assistant.answering.vocabulary import vocabulary_of
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.knowledge.fact import Fact, name_of
from assistant.knowledge.held_facts import facts_of
from assistant.language.mention import NameReader
from assistant.language.question_words import read_question_words
from assistant.language.tongue import Language
from assistant.language.wording import read_wording

STATED = ("memory_capacity", "memory_bandwidth", "power", "price_per_hour")
_BESIDE = 8


class World:
    """The corpus with a verifier, and the pieces that lies are made of."""

    def __init__(self, directory: Path, today: date) -> None:
        self.today = today
        self.corpus: Corpus = load_corpus(directory)
        self.facts: list[Fact] = facts_of(self.corpus, read_wording(directory / "phrases" / "specification.yaml"))
        words = read_question_words(directory / "phrases" / "question-words.yaml")
        self.names = NameReader(self.corpus.entities, vocabulary_of(self.corpus, words))
        self.library = Library.of(self.corpus, self.facts)
        self.builder = CarrierBuilder(self.corpus, self.names)
        self.verifier = Verifier(self.corpus, self.builder.reader, self.facts)

    @cached_property
    def _by_attribute(self) -> dict[str, list[Fact]]:
        grouped: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            grouped[fact.attribute].append(fact)
        return grouped

    def name(self, entity: str, language: Language) -> str:
        return name_of(self.corpus.entities[entity], language)

    def card_of(self, fact: Fact) -> str | None:
        """The card that a fact is about, and nothing else but a provider."""
        cards = [id_ for id_ in fact.about if self.corpus.entities[id_].kind == "gpu"]
        others = [id_ for id_ in fact.about if self.corpus.entities[id_].kind not in ("gpu", "provider")]
        return cards[0] if len(cards) == 1 and not others else None

    def provider_of(self, fact: Fact) -> str | None:
        named = [id_ for id_ in fact.about if self.corpus.entities[id_].kind == "provider"]
        return fact.qualifiers.provider or (named[0] if named else None)

    def stated_facts(self) -> Iterator[Fact]:
        """Figures of cards that everyone agrees on, in properties that people ask for."""
        for fact in self.facts:
            plain = not (fact.qualifiers.scope or fact.qualifiers.sparsity or fact.qualifiers.bound)
            if (
                fact.attribute in STATED
                and isinstance(fact.value, Decimal | Range)
                and fact.status in ("specified", "measured")
                and not fact.superseded
                and plain
                and self.card_of(fact) is not None
                and (fact.attribute != "price_per_hour" or (self.provider_of(fact) and fact.unit == "USD/h"))
                and not self.has_other_value(fact)
            ):
                yield fact

    def has_other_value(self, fact: Fact) -> bool:
        """True where another source gives the same card, or an edition of it, another value."""
        unit = self.corpus.attributes[fact.attribute].unit
        return any(
            contradict(fact, other, unit)
            for id_ in fact.about
            for member in self.corpus.descendants(id_)
            for other in self.library.by_entity.get(member, ())
            if other.attribute == fact.attribute and self.provider_of(other) == self.provider_of(fact)
        )

    def evidence(self, fact: Fact, language: Language, *further: Fact) -> EvidenceSet:
        """The fact among others on the same things and on the same property, as a question would gather it."""
        dice = random.Random(f"{fact.id} {language}")  # noqa: S311 (repeatable choice, no secret)
        near = [other for id_ in fact.about for other in self.library.by_entity.get(id_, ())]
        same = self._by_attribute[fact.attribute]
        chosen = [fact, *further]
        chosen += dice.sample(near, min(_BESIDE, len(near))) + dice.sample(same, min(_BESIDE, len(same)))
        unique = {item.id: item for item in chosen if not item.superseded}
        carriers = tuple(self.builder.of_fact(item, language) for item in unique.values())
        return EvidenceSet(language=language, carriers=carriers)

    def is_held(self, card: str, attribute: str, value: Decimal, unit: str) -> bool:
        """True where some source gives the card, an edition or its family this value."""
        family = {*self.corpus.descendants(card), *self.corpus.ancestors(card)}
        family |= {m for id_ in self.corpus.ancestors(card) for m in self.corpus.descendants(id_)}
        return any(
            (isinstance(other.value, Decimal) and other.unit == unit and other.value == value)
            or (isinstance(other.value, Range) and other.unit == unit and value in (other.value.low, other.value.high))
            for member in family
            for other in self.library.by_entity.get(member, ())
            if other.attribute == attribute
        )

    def other_card(self, fact: Fact) -> Fact | None:
        """A figure of another card in the same property that differs."""
        own = self.card_of(fact)
        for other in self.stated_facts_list:
            card = self.card_of(other)
            if (
                other.attribute == fact.attribute
                and card != own
                and card is not None
                and own is not None
                and not set(self._family(card)) & set(self._family(own))
                and other.unit == fact.unit
                and isinstance(other.value, Decimal)
                and isinstance(fact.value, Decimal)
                and not self.is_held(card, fact.attribute, fact.value, fact.unit or "")
                and not self.is_held(own, fact.attribute, other.value, fact.unit or "")
                and self.provider_of(other) == self.provider_of(fact)
            ):
                return other
        return None

    def _family(self, card: str) -> list[str]:
        return [*self.corpus.ancestors(card), *self.corpus.descendants(card)]

    @cached_property
    def stated_facts_list(self) -> list[Fact]:
        found = list(self.stated_facts())
        random.Random("cards").shuffle(found)  # noqa: S311 (repeatable order, no secret)
        return found
