"""What must be told beside the facts that answer: other editions of the card, and what it has of a technology named."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from assistant.answering.composing.narrator import Narrator
from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.selection import says_the_same
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact

_MOST_FURTHER = 5
_MOST_CITATIONS = 3
_PRICE = "price_per_hour"


def in_all_sources(fact: Fact, part: AskEvidence, voice: Narrator) -> Fact:
    """The fact with every source that says the same, whichever of them came nearest to the words of the question.

    So a question gets the same sources in each language.
    """
    if fact.status not in ("specified", "measured", "vendor_claim"):
        return fact
    same = sorted(
        {
            other.id: other
            for about in fact.about
            for other in voice.library.by_entity.get(about, ())
            if other.id == fact.id or _is_same(other, fact, voice)
        }.values(),
        key=lambda other: (other.kind != "claim", other.id),
    )
    first = same[0] if same else fact
    citations = list(dict.fromkeys(citation for other in same for citation in (other.citation,)))
    rest = tuple(citation for citation in citations if citation != first.citation)
    return first.model_copy(update={"also": rest[: _MOST_CITATIONS - 1]})


def _is_same(one: Fact, other: Fact, voice: Narrator) -> bool:
    """True where both say the same of the same things, with the same caution."""
    if isinstance(one.value, bool) or isinstance(other.value, bool) or one.series != other.series:
        return False
    cautious = [(fact.status, fact.superseded, fact.qualifiers.sparsity) for fact in (one, other)]
    return cautious[0] == cautious[1] and says_the_same(one, other, voice.corpus)


def further_facts(part: AskEvidence, chosen: Sequence[Fact], voice: Narrator) -> list[Fact]:
    """Facts on what the question's names may also mean, or don't have, as far as the chosen ones leave them out."""
    further: list[Fact] = []
    for fact in (*_of_editions(part, chosen[0], voice), *_on_technologies(part, voice)):
        told = (*chosen, *further)
        if len(further) < _MOST_FURTHER and not any(_told(fact, other, voice) for other in told):
            further.append(fact)
    return further


def _of_editions(part: AskEvidence, first: Fact, voice: Narrator) -> Iterable[Fact]:
    """The same property of each edition that the name may mean: H100 is PCIe, SXM and NVL."""
    attribute = voice.corpus.attributes[first.attribute]
    dated = any(quantity.period is not None for quantity in part.ask.quantities)
    rented = any(voice.corpus.entities[id_].kind == "provider" for id_ in part.entities)
    if not attribute.single_valued or not isinstance(first.value, Decimal | Range) or dated or rented:
        return []
    if not part.ask.attributes or first.attribute not in part.ask.attributes:
        return []
    cards = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind == "gpu"]
    return [
        fact
        for card in cards
        for edition in voice.corpus.descendants(card)
        if edition != card or first.attribute == _PRICE
        for fact in voice.library.by_entity.get(edition, ())
        if fact.attribute == first.attribute
        and fact.kind in ("specification", "price")
        and not fact.superseded
        and (fact.attribute == _PRICE or _counts_alike(fact, first))
    ]


def _counts_alike(one: Fact, other: Fact) -> bool:
    mine, others = one.qualifiers, other.qualifiers
    return (mine.scope, mine.precision) == (others.scope, others.precision) and mine.sparsity in (
        others.sparsity,
        "dense",
    )


def _on_technologies(part: AskEvidence, voice: Narrator) -> Iterable[Fact]:
    """What the card has in place of, or instead of, a technology named with it: its memory type where HBM4 is named."""
    named = [m for m in part.ask.mentions if m.kind == "technology"]
    cards = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind in ("gpu", "system")]
    if not named or not cards:
        return []
    cues = {mention.text.casefold() for mention in named}
    kinds = {
        attribute.id
        for attribute in voice.corpus.attributes.values()
        if attribute.kind == "text" and cues.intersection(attribute.asked_as.get(voice.language, ()))
    }
    return [
        fact
        for card in cards
        for edition in voice.corpus.descendants(card)
        for fact in voice.library.by_entity.get(edition, ())
        if fact.attribute in kinds and fact.kind == "specification" and not fact.superseded
    ]


def _told(fact: Fact, other: Fact, voice: Narrator) -> bool:
    """True where the other says as much; one value for two editions is told once, but the prices of two sellers."""
    if fact.id == other.id or says_the_same(fact, other, voice.corpus):
        return True
    if fact.attribute != other.attribute or fact.qualifiers.provider != other.qualifiers.provider:
        return False
    same = (fact.value, fact.unit, fact.text) == (other.value, other.unit, other.text)
    return same and (fact.value is not None or fact.text is not None)
