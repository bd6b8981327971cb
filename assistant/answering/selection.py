"""Which of the ranked facts an answer states, and whether they answer at all."""

from assistant.answering.evidence import AskEvidence
from assistant.answering.ranking import EXACT_KINDS, RankedFact
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact

# A fact this far below the best one no longer belongs to the same answer.
_SAME_ANSWER = 0.95
_DETAIL = 0.35
_MOST_STATEMENTS = 5
# Without a matching attribute, a fact must be this near to the question in meaning (standard deviations) or words.
_NEAR_MEANING = 2.6
_NEAR_TOGETHER = 1.6
_SHARED_WORDS = 0.55


def answers(ranked: RankedFact, part: AskEvidence, corpus: Corpus) -> bool:
    """True where the fact is evidence about the entity and the attribute asked, not merely similar text."""
    named = [id_ for id_ in part.entities if corpus.entities[id_].kind in EXACT_KINDS]
    if part.entities and ranked.coverage < (0.5 if named else 0.3):
        return False
    if ranked.attribute > 0 and part.entities:
        return named != [] or ranked.meaning >= _NEAR_TOGETHER or ranked.words >= _SHARED_WORDS
    if ranked.meaning >= _NEAR_MEANING:
        return True
    return ranked.meaning >= _NEAR_TOGETHER and ranked.words >= _SHARED_WORDS


def select_facts(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The facts to state, the direct answer first; empty where nothing answers."""
    eligible = [ranked for ranked in part.facts if answers(ranked, part, corpus)]
    if not eligible:
        return []
    top = eligible[0]
    chosen = [top.fact]
    told = {slot(top.fact)}

    def add(candidate: RankedFact) -> None:
        if candidate.fact not in chosen and slot(candidate.fact) not in told and len(chosen) < _MOST_STATEMENTS:
            chosen.append(candidate.fact)
            told.add(slot(candidate.fact))

    near = [ranked for ranked in eligible if ranked.score >= top.score - _SAME_ANSWER]
    for group in part.ask.wanted:
        if not any(fact.attribute in group for fact in chosen):
            best = next((ranked for ranked in near if ranked.fact.attribute in group), None)
            if best is not None and (part.entities and best.coverage >= top.coverage):
                add(best)
    for entity in part.entities:
        family = set(corpus.descendants(entity))
        if not any(family.intersection(fact.about) for fact in chosen):
            best = next(
                (r for r in eligible if family.intersection(r.fact.about) and r.fact.attribute == top.fact.attribute),
                None,
            )
            if best is not None:
                add(best)
    for ranked in near:
        if ranked.score >= top.score - _DETAIL or (
            ranked.fact.attribute == top.fact.attribute
            and ranked.attribute > 0
            and set(ranked.fact.about).intersection(top.fact.about)
        ):
            add(ranked)
    return chosen


def slot(fact: Fact) -> tuple[object, ...]:
    """What two facts share when stating both would say the same twice."""
    q = fact.qualifiers
    value = str(fact.value) if fact.value is not None else fact.id
    return (fact.attribute, frozenset(fact.about), q.provider, q.compared_with, value, fact.unit)


def whole_series(part: AskEvidence, chosen: list[Fact], facts: dict[str, list[Fact]]) -> list[Fact]:
    """All facts of the list that the answer stands in, in order, where the question asks for the list."""
    if not chosen or chosen[0].series is None:
        return []
    series = facts.get(chosen[0].series.id, [])
    members = {fact.id for fact in series}
    among_best = sum(1 for ranked in part.facts[:8] if ranked.fact.id in members)
    if "list" in part.ask.wishes or among_best >= 3:
        return sorted(series, key=lambda fact: fact.series.position if fact.series else 0)
    return []
