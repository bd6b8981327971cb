"""Where on the way from question to answer an expected fact was lost."""

from typing import TYPE_CHECKING, Literal

from assistant.answering.evidence import Evidence
from assistant.knowledge.fact import Fact
from evals.cases import ExpectedFact
from evals.scoring import Score, holds, question_of
from evals.wording import carries

if TYPE_CHECKING:
    from assistant.answering.assistant import Assistant

Cause = Literal[
    "corpus gap",
    "alias gap",
    "attribute cue gap",
    "ranking",
    "selection",
    "composing",
    "unsupported number",
    "status",
    "language",
    "label",
]
_WITHIN_REACH = 6


def holders(fact: ExpectedFact, assistant: "Assistant") -> list[Fact]:
    """The facts of the knowledge base whose quote holds what is expected, about the thing expected."""
    return [
        held
        for held in assistant.facts
        if any(holds(citation.quote, citation.language, fact) for citation in held.citations)
        and (not fact.about or carries(f"{held.citation.quote} {held.citation.title} {held.statement.en}", fact.about))
    ]


def cause_of(score: Score, expected: tuple[ExpectedFact, ...], assistant: "Assistant") -> tuple[Cause, str]:
    """The earliest step at which the first lost fact went missing, with what was found there."""
    for fact, found in zip(expected, score.facts, strict=True):
        if not (found.stated and found.cited):
            evidence = assistant.gather(question_of(score.case), assistant.understand(question_of(score.case)))
            return _lost(fact, score, evidence, assistant)
    failed = {check.name: check.found for check in score.failed}
    if "status" in failed:
        return "status", failed["status"]
    if "language" in failed:
        return "language", failed["language"]
    if "invented" in failed:
        return "unsupported number", failed["invented"]
    return "label", "; ".join(failed.values())


def _lost(fact: ExpectedFact, score: Score, evidence: Evidence, assistant: "Assistant") -> tuple[Cause, str]:
    known = {held.id: held for held in holders(fact, assistant)}
    if not known:
        return "corpus gap", f"no quote holds {fact}"
    cited = {(citation.source_id, citation.quote) for citation in score.answer.citations}
    shown = [id_ for id_, held in known.items() if (held.citation.source_id, held.citation.quote) in cited]
    if shown:
        return "composing", f"cites {shown[0]}, whose statement or place in the answer doesn't say it"
    ranks = {
        ranked.fact.id: (place, number)
        for number, part in enumerate(evidence.parts)
        for place, ranked in reversed(list(enumerate(part.facts)))
        if ranked.fact.id in known
    }
    best = min(ranks, key=lambda id_: ranks[id_], default=None)
    if best is not None and ranks[best][0] < _WITHIN_REACH:
        return "selection", f"{best} is number {ranks[best][0] + 1} and isn't stated"
    unknown = [name.text for part in evidence.parts for name in part.unknown]
    if unknown:
        return "alias gap", f"unknown names: {', '.join(unknown)}"
    named = sorted({id_ for part in evidence.parts for id_ in part.entities})
    family = {
        other for id_ in named for other in (*assistant.corpus.descendants(id_), *assistant.corpus.ancestors(id_))
    }
    asked = sorted({id_ for part in evidence.parts for id_ in part.ask.attributes})
    related = [held for held in known.values() if family.intersection((*held.about, *held.names))]
    if named and not related:
        about = sorted({id_ for held in known.values() for id_ in held.about})[:4]
        return "alias gap", f"question names {named}; the fact is about {about}"
    wanted = known[best] if best is not None else (related or list(known.values()))[0]
    where = f"number {ranks[best][0] + 1}" if best is not None else "not among those ranked"
    if wanted.attribute not in asked:
        return "attribute cue gap", f"{wanted.id} ({wanted.attribute}) is {where}; asked: {asked}"
    return "ranking", f"{wanted.id} is {where}"
