"""Which of the ranked facts an answer states, and whether they answer at all."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from assistant.answering.evidence import AskEvidence
from assistant.answering.ranking import EXACT_KINDS, RankedFact, is_sibling, relation, states_figure
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import EntityKind
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.ask import Wish
from assistant.language.asked_nouns import stands_in
from assistant.language.mention import folded
from assistant.language.quantity import read_quantities
from assistant.language.tongue import LANGUAGES
from assistant.language.units import convert, kind_of

# A fact this far below the best one no longer belongs to the same answer.
_SAME_ANSWER = 0.95
_DETAIL = 0.6
# Of advice, reasons and the like much is near that belongs to another question.
_DETAIL_OF_ADVICE = 0.45
_ALIKE = 0.6
# Where no attribute asked singles out the answer, more of the nearest facts are told.
_DETAIL_UNDECIDED = 0.8
_TOLD_UNDECIDED = 3
_MOST_STATEMENTS = 5
_MOST_CITATIONS = 3
_ABOUT_IT = 0.5
_ABOUT_SOME = 0.3
# How near a fact must be (standard deviations above the mean of all statements) where no attribute asked shows that it
# answers. Measured on the questions of evals/: near misses about a named card reach 5.4, about nothing named 3.6.
_NEAR_NAMED = 5.8
_NEAR_NAMED_WITH_WORDS = 3.0
# Reasons of something else of a named card reach 4.3 with a quarter of the question's words; right ones 6 and half.
_NEAR_REASON = 4.8
_NEAR_GENERAL = 3.2
_NEAR_UNNAMED = 4.0
_NEAR_OF_KIND = 3.6
_PER_SUBJECT_WORDS, _NEAR_WITH_ITS_WORDS = 2.0, 4.3
# A fact that says in the words of the question what it asks, whatever attribute one of them may stand for.
_SAYS_JUST_THAT = 5.0
_NEAR_GENERAL_WITH_WORDS = 2.5
# Where no word asked is of the field: where to buy a bicycle comes to 3.7 by other words, being on the subject to 6.
_NEAR_UNRECOGNISED = 4.6
# A fact of another kind than the figure or date asked for must be nearer still.
_NEAR_THOUGH_OTHER = 6.5
_NEARISH = 1.8
# Names alone make a statement look near; of the words beside them this share must stand in it.
_SUBJECT_WORDS = 0.4
_ANY_WORDS = 0.15
_JUST_THIS = 0.9
_ABOUT_ITSELF = 0.7
# Of several makers named, a fact may be about one: where it gives what is asked, and is as near as this.
_NEAR_ONE_OF_SEVERAL = 2.4
_JUDGED: frozenset[Wish] = frozenset({"more", "less", "polar", "why"})
# What tells who somebody is and what they do.
_IDENTITY = frozenset({"definition", "role", "use_case"})
_COMPARED: frozenset[EntityKind] = frozenset({"software", "framework", "library", "gpu", "system"})
_SOMEBODY: frozenset[EntityKind] = frozenset({"company", "provider"})
# Kinds whose names an answer has to speak of, though not of nothing else.
NAMED_KINDS: frozenset[EntityKind] = frozenset({"company", "software", "framework", "library", "technology"})
_RELATED_ONLY = 0.35


def answers(ranked: RankedFact, part: AskEvidence, corpus: Corpus) -> bool:
    """True where the fact is evidence about the entity and the attribute asked, not merely similar text."""
    if part.unheld and ranked.attribute == 0:
        return False
    named = any(corpus.entities[id_].kind in EXACT_KINDS for id_ in part.entities)
    on_one = ranked.attribute >= 1.0 and ranked.coverage > 0 and ranked.meaning >= _NEAR_ONE_OF_SEVERAL
    if part.entities and ranked.coverage < (_ABOUT_IT if named else _ABOUT_SOME) and (named or not on_one):
        return False
    if _is_of_another(ranked.fact, part, corpus):
        return False
    if not named and ranked.meaning >= _NEARISH and states_figure(ranked.fact, part.ask):
        return True
    if ranked.attribute == 0 and _tells_another_property(ranked.fact, part, corpus):
        return ranked.meaning >= _NEAR_THOUGH_OTHER
    if ranked.attribute == 0 and asks_other_kind(ranked.fact, part, corpus):
        asked = [corpus.attributes[id_] for id_ in part.ask.attributes if not corpus.attributes[id_].weak]
        # What is counted may go by several names; a price is no share, and a share no date.
        counted = kind_of(ranked.fact.unit or "") == "count"
        alike = not asked or (counted and any(kind_of(attribute.unit or "") == "count" for attribute in asked))
        if not named and "amount" not in part.ask.wishes and ranked.subject >= _SUBJECT_WORDS:
            return ranked.meaning >= _SAYS_JUST_THAT
        return ranked.meaning >= _NEAR_THOUGH_OTHER and alike
    if named:
        if ranked.meaning >= _NEAR_NAMED:
            return True
        if ranked.attribute > 0 and not _is_loose(ranked, corpus) and not _is_reason_of_another(ranked, part, corpus):
            return True
        return ranked.meaning >= _NEAR_NAMED_WITH_WORDS and ranked.subject >= _SUBJECT_WORDS
    if part.entities:
        if ranked.attribute > 0 and (ranked.meaning >= _NEARISH or ranked.coverage >= _JUST_THIS):
            return True
        if ranked.coverage >= _JUST_THIS and (ranked.subject >= _SUBJECT_WORDS or "list" in part.ask.wishes):
            return ranked.meaning >= _NEAR_GENERAL_WITH_WORDS
        return ranked.meaning >= _NEAR_GENERAL
    if ranked.words < _ANY_WORDS or (not part.ask.in_domain and ranked.meaning < _NEAR_UNRECOGNISED):
        return False
    if ranked.subject >= _SUBJECT_WORDS:
        return ranked.meaning >= _NEAR_GENERAL_WITH_WORDS
    near = _NEAR_OF_KIND if ranked.attribute >= 1.0 else _NEAR_UNNAMED
    return ranked.meaning >= near or ranked.meaning + _PER_SUBJECT_WORDS * ranked.subject >= _NEAR_WITH_ITS_WORDS


def _is_of_another(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for a fact on another market, or compared with another thing, than the question is about."""
    if any(_is_of_a_sibling(fact, id_, corpus) for id_ in part.entities):
        return True
    return fact.qualifiers.compared_with is not None and _compares_with_another(fact, part, corpus)


def _is_of_a_sibling(fact: Fact, topic: str, corpus: Corpus) -> bool:
    """True for what is said of the desktop market, where the data-centre market is asked about."""
    if corpus.entities[topic].kind != "topic" or topic in fact.about:
        return False
    return any(is_sibling(about, topic, corpus) for about in fact.about)


def _compares_with_another(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for "faster than ROCm 7" where the question compares with CUDA."""
    compares = "amount" in part.ask.wishes or part.ask.wishes & {"more", "less", "comparison"}
    things = [id_ for id_ in part.entities if corpus.entities[id_].kind in _COMPARED]
    return bool(compares) and len(things) > 1 and any(not relation(fact, id_, corpus) for id_ in things)


def _is_loose(ranked: RankedFact, corpus: Corpus) -> bool:
    """True for a reason, warning or the like said of something wider than what is named: it may be of anything."""
    attribute = corpus.attributes[ranked.fact.attribute]
    return attribute.kind == "text" and not attribute.single_valued and ranked.coverage < _ABOUT_ITSELF


def _is_reason_of_another(ranked: RankedFact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for why something else is so of what is named: "why did they stop making it" is no question on its links."""
    attribute = corpus.attributes[ranked.fact.attribute]
    if "why" not in part.ask.wishes or attribute.kind != "text" or attribute.single_valued:
        return False
    return ranked.meaning < _NEAR_REASON and ranked.subject < _SUBJECT_WORDS


def _tells_another_property(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True for a property of its own, a card's type of memory say, where the question asks for another by its name."""
    asked = [id_ for id_ in part.ask.attributes if not corpus.attributes[id_].weak]
    own = corpus.attributes[fact.attribute]
    if _tells_when(fact) and any(corpus.attributes[id_].kind == "date" for id_ in asked):
        return False
    return bool(asked) and own.kind == "text" and own.single_valued


def _tells_when(fact: Fact) -> bool:
    """True for a date, and for word of one: that none is announced."""
    return isinstance(fact.value, Period) or fact.attribute == "next_release"


def asks_other_kind(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
    """True where a figure or date is asked for and the fact gives none of that kind."""
    kinds = {corpus.attributes[id_].kind for id_ in part.ask.attributes if not corpus.attributes[id_].weak}
    if "list" in part.ask.wishes and fact.names:
        return False
    if not part.entities and part.ask.wishes & _JUDGED and "amount" not in part.ask.wishes:
        # "Is it cheaper with more memory" wants a judgement; a figure needs something that it is a figure of.
        return False
    has_figure = isinstance(fact.value, Decimal | Range) and not isinstance(fact.value, bool)
    if not kinds:
        return "amount" in part.ask.wishes and not has_figure and not _counts(fact, part)
    if not kinds <= {"quantity", "date"}:
        return False
    asked = {corpus.attributes[id_].unit for id_ in part.ask.attributes}
    fits = has_figure and any(unit and convert(Decimal(1), fact.unit or "", unit) is not None for unit in asked)
    return not (("quantity" in kinds and fits) or ("date" in kinds and _tells_when(fact)))


def _counts(fact: Fact, part: AskEvidence) -> bool:
    """True where a fact without a value of its own says how many there are of what is asked: "three scenarios"."""
    said = fact.statement.in_language(part.language)
    named = part.ask.nouns and all(stands_in(noun, said.lower()) for noun in part.ask.nouns)
    return bool(named) and any(q.kind == "count" for q in read_quantities(said, part.language))


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
        and not _is_of_another(ranked.fact, part, corpus)
    ]
    return above + answering


def select_facts(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The facts to state, the direct answer first; empty where nothing answers.

    Facts that speak of something like the question, but not of all that it names, answer another question.
    """
    chosen = nearest_facts(part, corpus)
    return [] if unspoken_of(part, chosen, corpus) else chosen


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


def _most_direct(eligible: Sequence[RankedFact]) -> RankedFact:
    """The fact to begin with: of those near the best, one of what is asked and of all that is named.

    Nearness differs a little from language to language for the same question; what a fact is about doesn't.
    """
    current = [ranked for ranked in eligible if not ranked.fact.superseded] or list(eligible)
    near = [ranked for ranked in current if ranked.score >= current[0].score - _DETAIL]
    return max(near, key=lambda ranked: (ranked.attribute > 0, ranked.coverage >= _JUST_THIS, ranked.score))


def nearest_facts(part: AskEvidence, corpus: Corpus) -> list[Fact]:
    """The facts nearest to the question, the most direct first; those that say the same once, with all citations."""
    eligible = eligible_facts(part, corpus)
    if not eligible:
        return []
    # Where the question is about a figure that it states, facts on other things don't answer.
    eligible = [ranked for ranked in eligible if states_figure(ranked.fact, part.ask)] or eligible
    top = _most_direct(eligible)
    chosen = [top.fact]

    def add(candidate: RankedFact) -> None:
        for place, told in enumerate(chosen):
            if says_the_same(candidate.fact, told, corpus):
                if candidate.fact.citation not in told.citations and len(told.also) < _MOST_CITATIONS - 1:
                    chosen[place] = told.model_copy(update={"also": (*told.also, candidate.fact.citation)})
                return
        if len(chosen) < _MOST_STATEMENTS:
            chosen.append(candidate.fact)

    if top.coverage >= _JUST_THIS:
        # Facts on something related don't stand in where there are facts on the thing itself.
        eligible = [ranked for ranked in eligible if ranked.coverage >= top.coverage - _RELATED_ONLY]
    near = [ranked for ranked in eligible if ranked.score >= top.score - _SAME_ANSWER and not ranked.fact.superseded]
    for group in part.ask.wanted:
        if not any(fact.attribute in group for fact in chosen):
            best = next((ranked for ranked in near if ranked.fact.attribute in group), None)
            if best is not None and (part.entities and best.coverage >= top.coverage):
                add(best)
    for ranked in _on_who_it_is(part):
        add(ranked)
    for entity in part.entities:
        if not any(relation(fact, entity, corpus) >= _ABOUT_IT for fact in chosen):
            best = next(
                (
                    ranked
                    for ranked in part.facts
                    if ranked.fact.attribute == top.fact.attribute
                    and relation(ranked.fact, entity, corpus) >= _ABOUT_IT
                    and (ranked.meaning >= _NEARISH or ranked.attribute > 0)
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
    alike = {top.fact.attribute}.union(*(group for group in part.ask.wanted if top.fact.attribute in group))
    if top.attribute == 0:
        for ranked in eligible[1:]:
            if ranked.score >= top.score - _DETAIL_UNDECIDED and len(chosen) < _TOLD_UNDECIDED:
                add(ranked)
    told = corpus.attributes[top.fact.attribute]
    loose = told.kind == "text" and not told.single_valued and "list" not in part.ask.wishes
    for ranked in near:
        if ranked is top:
            continue
        # Beside what is asked, something else is told only where nothing singles the answer out: which of the rest is
        # near enough would depend on the language.
        of_kind = ranked.attribute > 0 or top.attribute == 0
        detail = _DETAIL_OF_ADVICE if loose else _DETAIL
        if (of_kind and ranked.score >= top.score - detail) or (
            ranked.fact.attribute in alike
            and ranked.attribute > 0
            and set(ranked.fact.about).intersection(top.fact.about)
            # Of reasons, advantages and the like there are many that have little to do with each other.
            and (
                corpus.attributes[ranked.fact.attribute].kind != "text"
                or "list" in part.ask.wishes
                or (ranked.fact.attributed_to is not None and ranked.fact.attributed_to == top.fact.attributed_to)
            )
        ):
            add(ranked)
    return chosen


def _on_who_it_is(part: AskEvidence) -> list[RankedFact]:
    """All that is held of who somebody is and what they do, where that is asked of one company or person."""
    asked = set(part.ask.attributes)
    if len(part.entities) != 1 or not asked <= _IDENTITY or part.ask.wishes - {"definition"}:
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


def reads_alike(one: str, other: str) -> bool:
    """True where two statements are made of nearly the same words, and of the same figures and names with a figure."""
    words, others = (set(re.findall(r"[^\W_]+", text.casefold())) for text in (one, other))
    figures, other_figures = ({word for word in group if any(map(str.isdigit, word))} for group in (words, others))
    return figures == other_figures and len(words & others) >= _ALIKE * len(words | others)
