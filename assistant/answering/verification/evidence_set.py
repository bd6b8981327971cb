"""The evidence that one answer may rest on, and the subjects that its sentences may leave unsaid."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.segment import EXACT, Segment
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.tongue import Language


class EvidenceSet(BaseModel):
    """Carriers in the order of their numbers in the prompt."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    language: Language
    carriers: tuple[Carrier, ...]
    compared: tuple[str, ...] = ()
    """The things that the question compares, among which a superlative is meant."""


class Subjects(BaseModel):
    """What "it" can mean: for each kind, the things last spoken of."""

    model_config = ConfigDict(frozen=True)

    by_kind: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def known(self) -> frozenset[str]:
        return frozenset(id_ for ids in self.by_kind.values() for id_ in ids)

    def after(self, segment: Segment) -> "Subjects":
        """The subjects once a sentence has been read: two things of a kind leave open which is meant."""
        named: dict[str, tuple[str, ...]] = {}
        for mention in segment.mentions:
            if mention.kind in EXACT:
                named[mention.kind] = tuple(dict.fromkeys((*named.get(mention.kind, ()), mention.entity)))
        kept = {**self.by_kind, **named}
        return Subjects(by_kind={kind: ids for kind, ids in kept.items() if len(ids) == 1})


NOBODY = Subjects()
"""No subjects: the sentence must name what it speaks of."""


def subjects_of(entities: Iterable[str], corpus: Corpus) -> Subjects:
    """The subjects that a question sets: of each kind, the one thing it names."""
    by_kind: dict[str, tuple[str, ...]] = {}
    for id_ in dict.fromkeys(entities):
        kind = corpus.entities[id_].kind
        if kind in EXACT:
            by_kind[kind] = (*by_kind.get(kind, ()), id_)
    return Subjects(by_kind={kind: ids for kind, ids in by_kind.items() if len(ids) == 1})


def figures_of(fact: Fact) -> tuple[Decimal, Decimal] | None:
    """Lowest and highest figure of a fact in its own unit; None where it has no figure."""
    if isinstance(fact.value, bool) or not isinstance(fact.value, Decimal | Range):
        return None
    return (fact.value.low, fact.value.high) if isinstance(fact.value, Range) else (fact.value, fact.value)


def about_thing(carriers: Sequence[Carrier], entity: str, corpus: Corpus) -> list[Carrier]:
    """Carriers of figures about an entity or a variant of it."""
    family = set(corpus.descendants(entity))
    return [c for c in carriers if c.fact is not None and c.value is not None and family.intersection(c.fact.about)]
