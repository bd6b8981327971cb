"""Whether a ranked fact answers at all, or is merely like the question."""

from decimal import Decimal

from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.ranking import (
    EXACT_KINDS,
    RankedFact,
    figures_stated,
    is_sibling,
    relation,
    states_figure,
)
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import EntityKind
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.ask import Wish
from assistant.language.asked_nouns import stands_in
from assistant.language.quantities.quantity import read_quantities
from assistant.language.quantities.units import convert, kind_of

ABOUT_IT = 0.5
_ABOUT_SOME = 0.3
# How near a fact must be (standard deviations above the mean of all statements) where no attribute asked shows that it
# answers. Measured on the questions of evals/: near misses about a named card reach 5.4, about nothing named 3.6.
_NEAR_NAMED = 5.8
_NEAR_NAMED_WITH_WORDS = 3.0
_NEAR_GENERAL = 3.2
_NEAR_UNNAMED = 4.0
_NEAR_OF_KIND = 3.6
_PER_SUBJECT_WORDS, _NEAR_WITH_ITS_WORDS = 2.0, 4.3
# A fact that says in the words of the question what it asks, whatever attribute one of them may stand for.
_SAYS_JUST_THAT = 5.0
# A fact whose own question is the one asked, in nearly all of its words: right ones reach 8.7, what is not held 5.4.
_ASKS_JUST_THAT = 7.0
_NEAR_GENERAL_WITH_WORDS = 2.5
# A fact of another kind than the figure or date asked for must be nearer still.
_NEAR_THOUGH_OTHER = 6.5
NEARISH = 1.8
# Names alone make a statement look near; of the words beside them this share must stand in it.
_SUBJECT_WORDS = 0.4
_ANY_WORDS = 0.15
JUST_THIS = 0.9
_ABOUT_ITSELF = 0.7
# Reasons of something else of a named card reach 4.3 with a quarter of the question's words; right ones 6 and half.
_NEAR_REASON = 4.8
# Where no word asked is of the field: where to buy a bicycle comes to 3.7 by other words, being on the subject to 6.
_NEAR_UNRECOGNISED = 4.6
# Of several makers named, a fact may be about one: where it gives what is asked, and is as near as this.
_NEAR_ONE_OF_SEVERAL = 2.4
_JUDGED: frozenset[Wish] = frozenset({"more", "less", "polar", "why"})
_COMPARED: frozenset[EntityKind] = frozenset({"software", "framework", "library", "gpu", "system"})


def answers(ranked: RankedFact, part: AskEvidence, corpus: Corpus) -> bool:
    """True where the fact is evidence about the entity and the attribute asked, not merely similar text."""
    named = any(corpus.entities[id_].kind in EXACT_KINDS for id_ in part.entities)
    on_one = ranked.attribute >= 1.0 and ranked.coverage > 0 and ranked.meaning >= _NEAR_ONE_OF_SEVERAL
    if part.entities and ranked.coverage < (ABOUT_IT if named else _ABOUT_SOME) and (named or not on_one):
        return False
    if is_of_another(ranked.fact, part, corpus):
        return False
    if ranked.meaning >= _ASKS_JUST_THAT and ranked.subject >= JUST_THIS:
        return True
    if part.unheld and ranked.attribute == 0:
        return False
    if not named and ranked.meaning >= NEARISH and states_figure(ranked.fact, figures_stated(part.ask)):
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
        if ranked.attribute > 0 and (ranked.meaning >= NEARISH or ranked.coverage >= JUST_THIS):
            return True
        if ranked.coverage >= JUST_THIS and (ranked.subject >= _SUBJECT_WORDS or "list" in part.ask.wishes):
            return ranked.meaning >= _NEAR_GENERAL_WITH_WORDS
        return ranked.meaning >= _NEAR_GENERAL
    if ranked.words < _ANY_WORDS:
        return False
    if not part.ask.in_domain:
        return ranked.meaning >= _NEAR_UNRECOGNISED
    if ranked.subject >= _SUBJECT_WORDS:
        return ranked.meaning >= _NEAR_GENERAL_WITH_WORDS
    near = _NEAR_OF_KIND if ranked.attribute >= 1.0 else _NEAR_UNNAMED
    return ranked.meaning >= near or ranked.meaning + _PER_SUBJECT_WORDS * ranked.subject >= _NEAR_WITH_ITS_WORDS


def is_of_another(fact: Fact, part: AskEvidence, corpus: Corpus) -> bool:
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
    kinds = _kinds_asked(part, corpus)
    if "list" in part.ask.wishes and fact.names:
        return False
    exact = any(corpus.entities[id_].kind in EXACT_KINDS for id_ in part.entities)
    if not exact and part.ask.wishes & _JUDGED and "amount" not in part.ask.wishes:
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


def _kinds_asked(part: AskEvidence, corpus: Corpus) -> set[str]:
    """The kinds of what is asked; of a word that may stand for a price or a licence, the price."""
    kinds: set[str] = set()
    for group in part.ask.wanted:
        own = {corpus.attributes[id_].kind for id_ in group if not corpus.attributes[id_].weak}
        kinds |= {"quantity"} if "quantity" in own else own
    return kinds


def _counts(fact: Fact, part: AskEvidence) -> bool:
    """True where a fact without a value of its own says how many there are of what is asked: "three scenarios"."""
    said = fact.statement.in_language(part.language)
    named = part.ask.nouns and all(stands_in(noun, said.lower()) for noun in part.ask.nouns)
    return bool(named) and any(q.kind == "count" for q in read_quantities(said, part.language))
