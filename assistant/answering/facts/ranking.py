"""Which facts answer one part of a question: by entity, by attribute asked, by meaning and by words."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import EntityKind
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.ask import Ask

# How closely a fact must be tied to a named thing to say something of it; see `relation`.
_DATED_ELSEWHERE = 0.2
_RELATED = 0.4
_ITSELF, _VARIANT, _LESS_EXACT, _NAMED, _SAYS, _MAKES = 1.0, 0.9, 0.6, 0.8, 0.6, 0.6
_SPEAKS_OF = 0.45
# Measured on the questions of evals/; the order of the weights matters more than their size.
_MEANING, _FOCUS = 0.55, 0.3
# Where a thing is named exactly, the property asked of it says more than any likeness of the words.
_COVERAGE, _ATTRIBUTE_OF_EXACT, _WORDS = 2.0, 2.0, 0.9
# "Should I" and "which" stand in many questions that ask for something else.
_WEAK_ATTRIBUTE_OF_EXACT = 1.0
# Where only companies, software or topics are named, many facts are about them that don't answer: likeness decides.
# These are the weights that a regression on 139 such questions gave, to the same scale as those above.
_COVERAGE_OF_GENERAL, _ATTRIBUTE, _WORDS_OF_GENERAL, _SUBJECT_OF_GENERAL = 0.15, 0.5, 0.35, 0.4
_LIST_LIKENESS, _IN_A_LIST, _AS_MANY_AS_SAID = 0.15, 0.15, 0.2
# Rows of specifications have no sentence that was embedded; one of the property asked counts as this near.
_ROW_MEANING, _ROW_WORDS = 3.0, 0.3
_MOST_MEANING = 7.0
_KEPT = 24
_CONDITION = 0.8
_UNNAMED_FIGURE = 0.3
_EXACT_SHARE = 0.8
_PER_MISSING = 0.1
_REASONS = frozenset({"cause", "comparison", "consequence", "warning", "disadvantage", "advantage"})
_REASON = 0.6
_OF_SOMEBODY = 0.8
_SOMEBODY: frozenset[EntityKind] = frozenset({"company", "provider"})
_STATED_KINDS = frozenset({"multiple", "percent"})
_STATES_FIGURE = 1.0
_SUPPORT = frozenset({"supported_hardware", "framework_support", "compatibility"})
_NAMES = 0.5
_OTHER_PROGRAM = 1.0
_PROGRAMS: frozenset[EntityKind] = frozenset({"framework", "library"})
# Kinds whose name in a question means exactly that thing: a fact that isn't about it doesn't answer.
EXACT_KINDS: frozenset[EntityKind] = frozenset({"gpu", "system", "model", "provider"})

_PRECISION = re.compile(r"\b(?:fp|bf|int|nf|mxfp|nvfp|tf)\d{1,2}\b")


class Likeness(BaseModel):
    """How like each claim's statement is to the question, by claim id."""

    model_config = ConfigDict(frozen=True)

    meaning: Mapping[str, float]
    """Standard deviations above the mean of all statements, of the nearer of the statement and its question."""
    agreed: Mapping[str, float]
    """The same, of the statement and its question on average."""
    words: Mapping[str, float]
    """Share of the question's information that stands literally in the statement."""
    subject: Mapping[str, float] | None
    """The same without the names in the question; None where nothing but names is left."""
    lists: Mapping[str, float] = Field(default_factory=dict)
    """How near the title of each list is in meaning, by the list's id."""


class RankedFact(BaseModel):
    """A fact with its score for one part of a question, and what the score is made of."""

    model_config = ConfigDict(frozen=True)

    fact: Fact
    score: float
    coverage: float
    attribute: float
    meaning: float
    words: float
    subject: float
    """Share of the question's words besides names that stand in the statement, 0 to 1; 1 where there are none."""


def relation(fact: Fact, entity_id: str, corpus: Corpus) -> float:
    """How closely `fact` is tied to the entity, from 0 (not at all) to 1 (it is about it)."""
    if entity_id in fact.about or fact.qualifiers.provider == entity_id:
        return _ITSELF
    variants = set(corpus.descendants(entity_id))
    if variants.intersection(fact.about):
        return _VARIANT
    if entity_id in fact.names or variants.intersection(fact.names):
        return _NAMED
    if entity_id in (fact.attributed_to, fact.qualifiers.compared_with):
        return _SAYS
    kind = corpus.entities[entity_id].kind
    if kind not in EXACT_KINDS and variants.intersection(fact.speaks_of):
        return _SPEAKS_OF
    if any(is_sibling(about, entity_id, corpus) for about in fact.about):
        return 0.0
    if set(corpus.ancestors(entity_id)).intersection(fact.about):
        # What a product costs or when it came out isn't said of a version by saying it of the product.
        return _LESS_EXACT if corpus.attributes[fact.attribute].kind != "date" else _DATED_ELSEWHERE
    entity = corpus.entities[entity_id]
    if set(entity.related).intersection(fact.about):
        return _RELATED
    makers = {corpus.entities[about].maker for about in fact.about if about in corpus.entities}
    return _MAKES if entity_id in makers else 0.0


def is_sibling(one: str, other: str, corpus: Corpus) -> bool:
    """True for another version or edition of the same thing: what is said of CUDA 14 isn't said of CUDA 12."""
    if one not in corpus.entities or other not in corpus.entities:
        return False
    parent = corpus.entities[one].parent
    return one != other and parent is not None and parent == corpus.entities[other].parent


def coverage_of(fact: Fact, entity_ids: tuple[str, ...], corpus: Corpus) -> float:
    """How well the fact covers the entities asked about, 0 to 1; 0 where an exactly named thing isn't covered at all.

    What is named exactly decides; companies, technologies and topics named beside it only add to that.
    """
    exact: dict[EntityKind, list[float]] = {}
    general: list[float] = []
    for entity_id in entity_ids:
        tie = relation(fact, entity_id, corpus)
        kind = corpus.entities[entity_id].kind
        if kind in EXACT_KINDS:
            exact.setdefault(kind, []).append(tie)
        else:
            general.append(tie)
    if not exact:
        return sum(general) / len(general) if general else 0.0
    # Two cards, or two providers, are alternatives: a fact on either is on the question.
    if any(max(ties) == 0 for ties in exact.values()):
        return 0.0
    best = [max(ties) - _PER_MISSING * sum(1 for tie in ties if tie == 0) for ties in exact.values()]
    by_exact = max(sum(best) / len(best), _PER_MISSING)
    return by_exact if not general else _EXACT_SHARE * by_exact + (1 - _EXACT_SHARE) * sum(general) / len(general)


def covered(fact: Fact, entity_ids: tuple[str, ...], corpus: Corpus) -> tuple[str, ...]:
    """The entities that the fact is about."""
    return tuple(id_ for id_ in entity_ids if relation(fact, id_, corpus) >= _LESS_EXACT)


def tells_of_other_program(fact: Fact, programs: Sequence[str], corpus: Corpus) -> bool:
    """True where the question names programs and the fact is about other software: Ollama's cards aren't vLLM's."""
    if not programs or any(relation(fact, id_, corpus) for id_ in programs):
        return False
    kinds = {corpus.entities[about].kind for about in fact.about if about in corpus.entities}
    return bool(kinds & (_PROGRAMS | {"software"}))


def conditions_met(fact: Fact, ask: Ask) -> float:
    """1 where the question names the fact's edition, precision or scope; -1 where it names another precision."""
    q = fact.qualifiers
    asked = ask.text.casefold()
    named = {word for given in (q.variant, q.precision, q.scope) if given for word in _words(given)}
    if any(word in asked for word in named):
        return 1.0
    other = _PRECISION.findall(asked)
    return -1.0 if other and q.precision is not None and fact.attribute == "precision_support" else 0.0


def holds_at(fact: Fact, periods: list[Period], corpus: Corpus) -> bool:
    """False for a figure of one time where the question asks for another."""
    if not periods or fact.as_of is None or corpus.attributes[fact.attribute].freshness_days is None:
        return True
    if isinstance(fact.value, Period):
        return True
    return any(period.overlaps(fact.as_of) for period in periods)


def figures_stated(ask: Ask) -> list[re.Pattern[str]]:
    """The multiples and percentages that the question states, "that 3.3x", as they stand in statements."""
    figures = {str(q.value) for q in ask.quantities if q.kind in _STATED_KINDS and q.value is not None}
    return [re.compile(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)") for figure in figures]


def states_figure(fact: Fact, figures: Iterable[re.Pattern[str]]) -> bool:
    """True where the fact speaks of one of the figures."""
    return any(figure.search(fact.statement.en) for figure in figures)


def is_of_somebody(fact: Fact, entity_ids: tuple[str, ...], corpus: Corpus) -> bool:
    """True for a fact on a company, a provider or a person that the question doesn't name: "which company has"."""
    first = corpus.entities.get(fact.about[0])
    return first is not None and first.kind in _SOMEBODY and first.id not in entity_ids and fact.kind == "claim"


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 2}


def _by_name(fact: Fact, coverage: float, attribute: float, likeness: Likeness, *, weak: bool) -> float:
    """The score where a card, a model, a system or a provider is named: being about it and the property asked."""
    near, shared = likeness.meaning.get(fact.id, 0.0), likeness.words.get(fact.id, 0.0)
    if fact.kind != "claim" and attribute:
        near, shared = _ROW_MEANING, _ROW_WORDS
    return (
        _COVERAGE * coverage
        + (_WEAK_ATTRIBUTE_OF_EXACT if weak else _ATTRIBUTE_OF_EXACT) * attribute
        + _MEANING * max(min(near, _MOST_MEANING), -1.0)
        + _WORDS * shared
    )


def _by_likeness(fact: Fact, coverage: float, attribute: float, likeness: Likeness) -> float:
    """The score where nothing is named so exactly: what statement and question are like."""
    near = (likeness.meaning.get(fact.id, 0.0) + likeness.agreed.get(fact.id, 0.0)) / 2
    shared, subject = likeness.words.get(fact.id, 0.0), (likeness.subject or {}).get(fact.id, 0.0)
    if fact.kind != "claim" and attribute:
        near, shared = _ROW_MEANING, _ROW_WORDS
    return (
        _COVERAGE_OF_GENERAL * coverage
        + _ATTRIBUTE * attribute
        + _MEANING * max(min(near, _MOST_MEANING), -1.0)
        + _WORDS_OF_GENERAL * shared
        + _SUBJECT_OF_GENERAL * subject
    )


def list_weight(list_id: str, ask: Ask, corpus: Corpus, likeness: Likeness) -> float:
    """What speaks for a fact because the list that it stands in is like the question, or as long as it says."""
    return (
        _LIST_LIKENESS * max(likeness.lists.get(list_id, 0.0), 0.0)
        + (_IN_A_LIST if "list" in ask.wishes else 0.0)
        + (_AS_MANY_AS_SAID if says_how_many(ask, corpus.series_sizes[list_id]) else 0.0)
    )


def says_how_many(ask: Ask, size: int) -> bool:
    """True where the question counts as many things as a list has: "the three pitfalls"."""
    return any(quantity.kind == "count" and quantity.value == size for quantity in ask.quantities)


def rank_facts(
    ask: Ask,
    entity_ids: tuple[str, ...],
    facts: Iterable[Fact],
    corpus: Corpus,
    likeness: Likeness,
) -> list[RankedFact]:
    """Facts that may answer `ask`, best first. Facts about something else than the things named are left out."""
    exact = tuple(id_ for id_ in entity_ids if corpus.entities[id_].kind in EXACT_KINDS)
    programs = [id_ for id_ in entity_ids if corpus.entities[id_].kind in _PROGRAMS]
    figures = figures_stated(ask)
    periods = [Period(quantity.period) for quantity in ask.quantities if quantity.period is not None]
    asks_strongly = any(not corpus.attributes[id_].weak for id_ in ask.attributes)
    # "Which ends up cheaper", of things that no table of cards compares.
    compares = bool(ask.wishes & {"more", "less"}) and "amount" not in ask.wishes
    asks_for_less = compares and bool(entity_ids) and not exact
    scored: list[tuple[float, Fact, float, float]] = []
    for fact in facts:
        coverage = coverage_of(fact, entity_ids, corpus)
        if exact and coverage == 0:
            continue
        # Without a name in the question, a row of some card's specification is no answer.
        if not coverage and fact.kind != "claim":
            continue
        if not holds_at(fact, periods, corpus):
            continue
        runs = fact.kind == "support" and len(covered(fact, entity_ids, corpus)) > 1
        places = [
            place
            for place, group in enumerate(ask.wanted)
            if fact.attribute in group or (runs and _SUPPORT.intersection(group))
        ]
        if not places and runs and not asks_strongly:
            # A program and a card named together, and nothing else asked: whether the one runs on the other.
            places = [0]
        if not places and asks_for_less and fact.attribute == "comparison" and coverage >= _VARIANT:
            places = [0]
        # The longest cue tells most; every further cue for the same attribute confirms it.
        attribute = 1.0 - 0.1 * min(places[0], 4) + 0.25 * (len(places) - 1) if places else 0.0
        if not entity_ids and corpus.attributes[fact.attribute].kind == "quantity":
            # A figure of some card or other is hardly what a question that names none asks for.
            attribute *= _UNNAMED_FIGURE
        if "why" in ask.wishes and not exact and corpus.attributes[fact.attribute].kind == "quantity":
            # How much prices rise is no reason why they do.
            attribute = 0.0
        # A fact about one of many things is less to the point than one about just what was asked.
        focus = len(set(fact.about).intersection(entity_ids)) / max(len(fact.about), 1)
        score = (
            (
                _by_name(fact, coverage, attribute, likeness, weak=corpus.attributes[fact.attribute].weak)
                if exact
                else _by_likeness(fact, coverage, attribute, likeness)
            )
            + _FOCUS * focus
            + _CONDITION * conditions_met(fact, ask)
            + (_NAMES if "list" in ask.wishes and fact.names and fact.kind == "claim" else 0.0)
            + (_REASON if "why" in ask.wishes and fact.attribute in _REASONS else 0.0)
            + (_OF_SOMEBODY if "somebody" in ask.wishes and is_of_somebody(fact, entity_ids, corpus) else 0.0)
            + (_STATES_FIGURE if states_figure(fact, figures) else 0.0)
            - (_OTHER_PROGRAM if tells_of_other_program(fact, programs, corpus) else 0.0)
        )
        if not exact and fact.series is not None:
            score += list_weight(fact.series.id, ask, corpus, likeness)
        scored.append((score, fact, coverage, attribute))
    scored.sort(key=lambda item: (-item[0], item[1].kind != "claim", item[1].id))
    return [
        RankedFact(
            fact=fact,
            score=score,
            coverage=coverage,
            attribute=attribute,
            meaning=likeness.meaning.get(fact.id, 0.0),
            words=likeness.words.get(fact.id, 0.0),
            subject=1.0 if likeness.subject is None else likeness.subject.get(fact.id, 0.0),
        )
        for score, fact, coverage, attribute in scored[:_KEPT]
    ]
