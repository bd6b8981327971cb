"""Which of the facts that answer an answer states, and in which order."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.ranking import RankedFact, figures_stated, relation, states_figure
from assistant.answering.facts.relevance import ABOUT_IT, JUST_THIS, NEARISH, answers, asks_other_kind, is_of_another
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import EntityKind
from assistant.knowledge.fact import Fact
from assistant.language.asked_nouns import stands_in
from assistant.language.mention import folded
from assistant.language.tongue import LANGUAGES

# A fact this far below the best one no longer belongs to the same answer.
_SAME_ANSWER = 0.95
_DETAIL = 0.6
_ALIKE = 0.6
# Where no attribute asked singles out the answer, more of the nearest facts are told.
_DETAIL_UNDECIDED = 0.8
_TOLD_UNDECIDED = 3
# So near (standard deviations) a fact that says all names asked about answers, where the nearest leaves some out.
_NEAR_WITH_NAMES = 4.8
_MOST_STATEMENTS = 5
_MOST_CITATIONS = 3
# What tells who somebody is and what they do.
_IDENTITY = frozenset({"definition", "role", "use_case"})
_SOMEBODY: frozenset[EntityKind] = frozenset({"company", "provider"})
# Kinds whose names an answer has to speak of, though not of nothing else.
NAMED_KINDS: frozenset[EntityKind] = frozenset({"company", "software", "framework", "library", "technology"})
_RELATED_ONLY = 0.35
_SOFTWARE: frozenset[EntityKind] = frozenset({"software", "framework", "library"})


def eligible_facts(part: AskEvidence, corpus: Corpus) -> list[RankedFact]:
    """The facts that answer, best first; with those that rank above the best of them and are of the kind asked."""
    answering = [ranked for ranked in part.facts if answers(ranked, part, corpus)]
    if not part.entities:
        # Where nothing is named, a fact far down the ranking only shares words with the question.
        return [ranked for ranked in answering if ranked.score >= part.facts[0].score - _SAME_ANSWER]
    if not answering:
        return []
    above = [
        ranked
        for ranked in part.facts
        if ranked.score > answering[0].score
        and ranked.coverage >= answering[0].coverage
        and ranked.meaning >= answering[0].meaning
        and not asks_other_kind(ranked.fact, part, corpus)
        and not is_of_another(ranked.fact, part, corpus)
    ]
    return above + answering


def select_facts(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The facts to state, the direct answer first; empty where nothing answers.

    Facts that speak of something like the question, but not of all that it names, answer another question.
    """
    chosen = nearest_facts(part, corpus)
    if not unspoken_of(part, chosen, corpus):
        return chosen
    return _that_says_every_name(part, corpus) if part.ask.names else []


def _that_says_every_name(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The first fact very near the question that speaks of all it names, "Windows" say; empty where none does."""
    near = (ranked.fact for ranked in eligible_facts(part, corpus) if ranked.meaning >= _NEAR_WITH_NAMES)
    return next(([fact] for fact in near if not unspoken_of(part, [fact], corpus)), [])


def unspoken_of(part: AskEvidence, facts: Sequence[Fact], corpus: Corpus) -> list[str]:
    """What the question names and none of the facts speaks of: ids of entities, and names as they are written.

    Cards, models and providers are looked after by `answers`, topics have no name of their own.
    """
    if not facts:
        return []
    called = [
        id_
        for id_ in part.entities
        if corpus.entities[id_].kind in NAMED_KINDS and not any(relation(fact, id_, corpus) for fact in facts)
    ]
    if not called and not part.ask.names and not part.ask.nouns:
        return []
    said = " ".join(words for fact in facts for words in _words_of(fact, corpus))
    text = folded(said)
    spoken = {id_ for id_ in called for name in _spellings(id_, corpus) if folded(name) in text}
    return [
        *(id_ for id_ in called if id_ not in spoken),
        *(name for name in part.ask.names if folded(name) not in text),
        *(noun for noun in part.ask.nouns if not stands_in(noun, said.lower())),
    ]


def _spellings(entity_id: str, corpus: Corpus) -> tuple[str, ...]:
    entity = corpus.entities[entity_id]
    return (entity.name, *entity.names.values(), *entity.aliases)


def _words_of(fact: Fact, corpus: Corpus) -> Iterator[str]:
    """All that a fact says: its statement, its question, its passage, and the names of what it is about."""
    claim = corpus.claims.get(fact.id)
    attribute = corpus.attributes[fact.attribute]
    for language in LANGUAGES:
        yield fact.statement.in_language(language)
        yield attribute.label.in_language(language)
        yield from attribute.asked_as.get(language, ())
        if claim is not None and claim.question is not None:
            yield claim.question.in_language(language)
        if fact.series is not None and fact.series.id in corpus.series:
            yield corpus.series[fact.series.id].title.in_language(language)
    yield f"{fact.text} {fact.citation.quote} {fact.citation.title} {fact.citation.section}"
    for id_ in (*fact.about, *fact.names, fact.attributed_to, fact.qualifiers.provider):
        if id_ in corpus.entities:
            yield " ".join(_spellings(id_, corpus))


def _most_direct(eligible: Sequence[RankedFact], part: AskEvidence, corpus: Corpus) -> RankedFact:
    """The fact to begin with: of those near the best, one of what is asked and of all that is named.

    Nearness differs a little from language to language for the same question; what a fact is about doesn't.
    """
    current = [ranked for ranked in eligible if not ranked.fact.superseded] or list(eligible)
    near = [ranked for ranked in current if ranked.score >= current[0].score - _DETAIL]

    def directness(ranked: RankedFact) -> tuple[bool, bool, bool, bool, float]:
        # The "which" of "which company" asks for no advice.
        loose = "somebody" in part.ask.wishes and corpus.attributes[ranked.fact.attribute].weak
        asked = ranked.attribute > 0 and not loose
        names_them = "list" in part.ask.wishes and len(ranked.fact.names) > 1
        # How much of it there is asks for a figure; of which kind it is doesn't say that.
        figure = "amount" in part.ask.wishes and isinstance(ranked.fact.value, Decimal | Range)
        return asked, names_them, figure, ranked.coverage >= JUST_THIS, ranked.score

    return max(near, key=directness)


def nearest_facts(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The facts nearest to the question, the most direct first; those that say the same once, with all citations."""
    eligible = eligible_facts(part, corpus)
    if not eligible:
        return []
    # Where the question is about a figure that it states, facts on other things don't answer.
    figures = figures_stated(part.ask)
    eligible = [ranked for ranked in eligible if states_figure(ranked.fact, figures)] or eligible
    top = _most_direct(eligible, part, corpus)
    chosen = [top.fact]

    def add(candidate: RankedFact) -> None:
        for place, told in enumerate(chosen):
            if says_the_same(candidate.fact, told, corpus):
                if candidate.fact.citation not in told.citations and len(told.also) < _MOST_CITATIONS - 1:
                    chosen[place] = told.model_copy(update={"also": (*told.also, candidate.fact.citation)})
                return
        if len(chosen) < _MOST_STATEMENTS:
            chosen.append(candidate.fact)

    if top.coverage >= JUST_THIS:
        # Facts on something related don't stand in where there are facts on the thing itself.
        eligible = [ranked for ranked in eligible if ranked.coverage >= top.coverage - _RELATED_ONLY]
    near = [ranked for ranked in eligible if ranked.score >= top.score - _SAME_ANSWER and not ranked.fact.superseded]
    # Each property asked of a thing is told, also one whose fact is less near than those on the others.
    current = [*near, *(ranked for ranked in eligible if ranked.attribute > 0 and not ranked.fact.superseded)]
    for group in part.ask.wanted:
        if not any(fact.attribute in group for fact in chosen):
            best = next(
                (r for r in current if r.fact.attribute in group and not _is_of_unnamed_program(r.fact, part, corpus)),
                None,
            )
            if best is not None and (part.entities and best.coverage >= top.coverage):
                add(best)
    for ranked in _on_who_it_is(part):
        add(ranked)
    for entity in part.entities:
        if not any(relation(fact, entity, corpus) >= ABOUT_IT for fact in chosen):
            best = next(
                (
                    ranked
                    for ranked in part.facts
                    if ranked.fact.attribute == top.fact.attribute
                    and relation(ranked.fact, entity, corpus) >= ABOUT_IT
                    and (ranked.meaning >= NEARISH or ranked.attribute > 0)
                ),
                None,
            )
            if best is not None:
                add(best)
    if "list" in part.ask.wishes and isinstance(top.fact.value, Decimal) and not top.fact.names:
        # "Which generations" wants their names beside how many they are.
        named = next((r for r in part.facts if r.fact.names and r.coverage >= top.coverage - _RELATED_ONLY), None)
        if named is not None:
            add(named)
    if top.attribute == 0:
        in_words = corpus.attributes[top.fact.attribute].kind != "quantity"
        for ranked in eligible[1:]:
            # Where no figure is asked for, one is no detail of a statement in words.
            if in_words and corpus.attributes[ranked.fact.attribute].kind == "quantity":
                continue
            if ranked.score >= top.score - _DETAIL_UNDECIDED and len(chosen) < _TOLD_UNDECIDED:
                add(ranked)
        return chosen
    for ranked in near:
        if ranked is not top and _stands_beside(ranked, top, part, corpus):
            add(ranked)
    return chosen


def _stands_beside(ranked: RankedFact, top: RankedFact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for what belongs beside the fact that gives what is asked, whatever language it is asked in.

    How near a fact is to the question differs by language, so what it is to the other fact decides: it says the same
    in other words, is another figure of just that, or is one more of several things asked for.
    """
    several = "list" in part.ask.wishes and ranked.score >= top.score - _DETAIL
    if ranked.attribute == 0 or ranked.coverage < top.coverage - (_RELATED_ONLY if several else 0.0):
        return False
    # How near a row is to a question isn't measured, beside a sentence that answers it adds what nobody asked.
    if ranked.fact.kind != top.fact.kind:
        return False
    if several or ranked.fact.id in part.restated.get(top.fact.id, ()):
        return True
    alike = {top.fact.attribute}.union(*(group for group in part.ask.wanted if top.fact.attribute in group))
    if ranked.fact.attribute not in alike or not _are_of_one_thing(ranked.fact, top.fact, part, corpus):
        return False
    attribute = corpus.attributes[ranked.fact.attribute]
    # Of reasons, advantages and the like there are many that have little to do with each other.
    return (
        attribute.kind != "text"
        or attribute.single_valued
        or "list" in part.ask.wishes
        or (ranked.fact.attributed_to is not None and ranked.fact.attributed_to == top.fact.attributed_to)
    )


def _are_of_one_thing(one: Fact, other: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for facts about the same, or about two variants of the thing asked about."""
    if set(one.about).intersection(other.about):
        return True
    families = [set(corpus.descendants(id_)) for id_ in part.entities]
    return any(family.intersection(one.about) and family.intersection(other.about) for family in families)


def _on_who_it_is(part: AskEvidence) -> list[RankedFact]:
    """All that is held of who somebody is and what they do, where that is asked of one company or person."""
    asked = set(part.ask.attributes)
    # 做什么 asks what they do, though the particle of a yes or no is read in it.
    others = part.ask.wishes - {"definition", "somebody"} - ({"polar"} if "use_case" in asked else set())
    if len(part.entities) != 1 or not asked <= _IDENTITY or others:
        return []
    kinds = {mention.kind for mention in part.ask.mentions if mention.entity == part.entities[0]}
    if not kinds & _SOMEBODY:
        return []
    return [r for r in part.facts if r.fact.attribute in _IDENTITY and r.fact.about[0] == part.entities[0]]


def says_the_same(one: Fact, other: Fact, corpus: Corpus) -> bool:
    """True where stating both facts would tell the reader the same twice."""
    if one.id == other.id or reads_alike(one.statement.en, other.statement.en):
        return True
    if one.attribute != other.attribute or one.unit != other.unit:
        return False
    if one.qualifiers.provider != other.qualifiers.provider or one.qualifiers.scope != other.qualifiers.scope:
        return False
    if one.value is None or one.value != other.value or one.qualifiers.precision != other.qualifiers.precision:
        return False
    if isinstance(one.value, bool) and one.qualifiers.precision is None:
        return False
    first = {family for id_ in one.about for family in (id_, *corpus.ancestors(id_))}
    second = {family for id_ in other.about for family in (id_, *corpus.ancestors(id_))}
    return bool(first & second)


def _is_of_unnamed_program(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for a row on a program that the question doesn't name: whether it runs on the card named isn't asked."""
    programs = [id_ for id_ in fact.about if corpus.entities[id_].kind in _SOFTWARE]
    return fact.kind == "support" and any(not _is_named(id_, part, corpus) for id_ in programs)


def _is_named(entity_id: str, part: AskEvidence, corpus: Corpus) -> bool:
    return bool({entity_id, *corpus.ancestors(entity_id)}.intersection(part.entities))


def reads_alike(one: str, other: str) -> bool:
    """True where two statements are made of nearly the same words, and of the same figures and names with a figure."""
    words, others = (set(re.findall(r"[^\W_]+", text.casefold())) for text in (one, other))
    figures, other_figures = ({word for word in group if any(map(str.isdigit, word))} for group in (words, others))
    return figures == other_figures and len(words & others) >= _ALIKE * len(words | others)
