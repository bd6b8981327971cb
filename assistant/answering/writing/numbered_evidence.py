"""The evidence that a language model writes from, in the order of its numbers."""

from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict

from assistant.answering.composing.narrator import Library
from assistant.answering.draft import Draft
from assistant.answering.evidence import AskEvidence, Calculation, Evidence, QuotedPassage
from assistant.answering.facts.relevance import answers
from assistant.knowledge.fact import Fact

_MOST_FACTS = 24
_MOST_OF_A_PART = 10
_MOST_PASSAGES = 3


class NumberedEvidence(BaseModel):
    """Facts first, then calculations and passages; an item's number is its place, counted from 1."""

    model_config = ConfigDict(frozen=True)

    facts: tuple[Fact, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    passages: tuple[QuotedPassage, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.facts or self.calculations or self.passages)


def number_evidence(evidence: Evidence, composed: Draft, library: Library) -> NumberedEvidence:
    """What the composed answer rests on, then what else answers a part, with every side of a disagreement."""
    found = dict.fromkeys(_stated(evidence, composed, library))
    for part in evidence.parts:
        found.update(dict.fromkeys(_answering(part, library)))
    sides = [side for fact in found if fact.id in library.conflicts for side in library.conflicts[fact.id].sides]
    chosen = list(dict.fromkeys([*list(found)[:_MOST_FACTS], *sides]))
    return NumberedEvidence(
        facts=tuple(fact for fact in chosen if not fact.superseded),
        calculations=tuple(calculation for part in evidence.parts for calculation in part.calculations),
        passages=tuple(passage for part in evidence.parts for passage in part.passages)[:_MOST_PASSAGES],
    )


def _stated(evidence: Evidence, composed: Draft, library: Library) -> Iterator[Fact]:
    """Facts about the things asked whose passages the composed answer cites."""
    cited = {
        (citation.source_id, citation.quote): None
        for block in composed.blocks
        for sentence in (*block.sentences, *(cell for row in block.rows for cell in row))
        for citation in sentence.support
    }
    entities = [id_ for part in evidence.parts for id_ in part.entities]
    family = [member for id_ in entities for member in library.corpus.descendants(id_)]
    ranked = (item.fact for part in evidence.parts for item in part.facts)
    known = dict.fromkeys((*ranked, *(fact for id_ in family for fact in library.by_entity.get(id_, ()))))
    asked = {id_ for part in evidence.parts for id_ in part.ask.attributes}
    holding = [fact for fact in known if any((c.source_id, c.quote) in cited for c in fact.citations)]
    # A row of a table carries several facts; those on the property asked come first.
    yield from sorted(holding, key=lambda fact: fact.attribute not in asked)


def _answering(part: AskEvidence, library: Library) -> Iterable[Fact]:
    return [ranked.fact for ranked in part.facts if answers(ranked, part, library.corpus)][:_MOST_OF_A_PART]


def compared_things(evidence: Evidence, library: Library) -> tuple[str, ...]:
    """The cards that a question sets side by side."""
    named = dict.fromkeys(id_ for part in evidence.parts for id_ in part.entities)
    return tuple(id_ for id_ in named if library.corpus.entities[id_].kind in ("gpu", "system"))
