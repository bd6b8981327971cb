"""Which of the knowledge base's lists a question asks for, if it asks for one: steps, a checklist, advantages."""

from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.ranking import EXACT_KINDS, says_how_many
from assistant.answering.facts.relevance import answers
from assistant.answering.facts.selection import NAMED_KINDS
from assistant.knowledge.corpus import Corpus

LIST_ATTRIBUTES = frozenset(
    {"step", "checklist_item", "pitfall", "cost_component", "advantage", "disadvantage", "metric", "memory_term"}
)
# How like the question a list's title or its own questions must be (standard deviations above the mean): where the
# question says that it wants several things, and where it doesn't. Measured on the questions of evals/, in which
# questions for something else come to 4.1 and 5.4.
_SAID = 4.2
_UNSAID = 5.6
_OF_KIND_ASKED = 3.0
_LOOKED_AT = 10
_PER_MEMBER, _MOST_MEMBERS = 0.3, 3
_LEADS, _AS_MANY_AS_SAID, _OF_ITS_KIND, _OF_WHAT_IS_NAMED = 0.4, 1.2, 0.5, 0.6
# A single fact that gives the property asked goes before a list that isn't much more like the question.
_SINGLE_FACT = 1.5


def asked_list(part: AskEvidence, corpus: Corpus) -> str | None:
    """The list that the question asks for, by its title, its questions and its items among the best facts; or None."""
    if part.unheld:
        return None
    exact = [id_ for id_ in part.entities if _is_named_exactly(id_, corpus)]
    rivals = [id_ for id_ in part.entities if corpus.entities[id_].kind == "company"]
    scores = {
        id_: score(id_, part, corpus)
        for id_ in part.lists
        if id_ in corpus.series
        and all(_speaks_of(id_, entity, corpus) for entity in exact)
        # Of two companies between which the question wants to choose, a list on one is half an answer.
        and len({_is_about(id_, entity, corpus) for entity in rivals}) < 2
    }
    asked = LIST_ATTRIBUTES.intersection(part.ask.attributes[:1])
    of_kind = {
        id_
        for id_ in scores
        if scores[id_] >= _OF_KIND_ASKED and any(claim.attribute in asked for claim in corpus.series_claims[id_])
    }
    # Steps don't answer who asks for pitfalls, however like the question their title is.
    best = max(sorted(of_kind or scores), key=lambda id_: scores[id_], default=None)
    if best is None:
        return None
    said = wants_several(part, best, corpus)
    if scores[best] < (_OF_KIND_ASKED if best in of_kind else _SAID if said else _UNSAID) or (
        not said and _wants_one_thing(part, part.lists[best], corpus)
    ):
        return None
    return None if _single_fact_is_nearer(part, best, scores[best], corpus) else best


def _is_named_exactly(entity: str, corpus: Corpus) -> bool:
    """True for a card or the like, and for a version: what is new in CUDA 13 isn't what is new in CUDA 14."""
    return corpus.entities[entity].kind in EXACT_KINDS or (
        corpus.entities[entity].kind in NAMED_KINDS and corpus.entities[entity].parent is not None
    )


def _single_fact_is_nearer(part: AskEvidence, list_id: str, likeness: float, corpus: Corpus) -> bool:
    """True where the best fact stands outside the list and is more like the question than the list is."""
    top = part.facts[0] if part.facts else None
    if top is None or (top.fact.series is not None and top.fact.series.id == list_id):
        return False
    kinds = LIST_ATTRIBUTES & {claim.attribute for claim in corpus.series_claims[list_id]}
    if "list" in part.ask.wishes and top.fact.attribute in kinds:
        # Of several pitfalls asked for, the nearest one is not all.
        return False
    gives_property_asked = top.attribute > 0 and top.fact.attribute not in LIST_ATTRIBUTES
    # A fact that names several things is a list itself.
    names_them = "list" in part.ask.wishes and len(top.fact.names) > 1 and not gives_property_asked
    ahead = top.meaning + (_SINGLE_FACT if gives_property_asked or names_them else 0.0)
    return ahead > likeness and answers(top, part, corpus)


def score(list_id: str, part: AskEvidence, corpus: Corpus) -> float:
    """How much speaks for a list: its likeness to the question, and how many of the best facts stand in it."""
    members = [r for r in part.facts[:_LOOKED_AT] if r.fact.series is not None and r.fact.series.id == list_id]
    leads = bool(members) and members[0] is part.facts[0]
    kinds = {claim.attribute for claim in corpus.series_claims[list_id]}
    return (
        part.lists[list_id]
        + _PER_MEMBER * min(len(members), _MOST_MEMBERS)
        + (_LEADS if leads else 0.0)
        + (_AS_MANY_AS_SAID if says_how_many(part.ask, corpus.series_sizes[list_id]) else 0.0)
        + (_OF_ITS_KIND if kinds & LIST_ATTRIBUTES.intersection(part.ask.attributes) else 0.0)
        + (_OF_WHAT_IS_NAMED if any(_is_about(list_id, entity, corpus) for entity in part.entities) else 0.0)
    )


def wants_several(part: AskEvidence, list_id: str, corpus: Corpus) -> bool:
    """True where the question says that it asks for several things: "which steps", "what should I check"."""
    asked = LIST_ATTRIBUTES.intersection(part.ask.attributes)
    if part.ask.wishes & {"polar", "why"} and "list" not in part.ask.wishes:
        return False
    return bool(asked) or "list" in part.ask.wishes or says_how_many(part.ask, corpus.series_sizes[list_id])


def _wants_one_thing(part: AskEvidence, likeness: float, corpus: Corpus) -> bool:
    """True where the question wants a figure, a date, a reason, or yes or no."""
    if part.ask.wishes & {"amount", "polar"}:
        return True
    if "why" in part.ask.wishes and any(ranked.meaning + _LEADS > likeness for ranked in part.facts):
        return True
    if "why" in part.ask.wishes and part.facts and answers(part.facts[0], part, corpus):
        return True
    held = {ranked.fact.attribute for ranked in part.facts if ranked.attribute > 0}
    return any(corpus.attributes[id_].kind in ("quantity", "date") for id_ in held)


def _is_about(list_id: str, entity: str, corpus: Corpus) -> bool:
    """True where the whole list is about a thing or its variants, not merely about what it belongs to."""
    family = set(corpus.descendants(entity))
    return all(family.intersection(claim.about) for claim in corpus.series_claims[list_id])


def _speaks_of(list_id: str, entity: str, corpus: Corpus) -> bool:
    family = {*corpus.descendants(entity), *corpus.ancestors(entity)}
    return any(family.intersection((*claim.about, *claim.names)) for claim in corpus.series_claims[list_id])
