"""Question -> Evidence: facts, calculations and passages for each part of a question."""

import re
from collections.abc import Mapping, Sequence

from assistant.answering.calculation.calculating import Calculator
from assistant.answering.composing.other_times import at_other_times, periods_asked, without_time
from assistant.answering.evidence import AskEvidence, Calculation, Evidence, Question, QuotedPassage
from assistant.answering.facts.listing import asked_list
from assistant.answering.facts.ranking import EXACT_KINDS, Likeness, holds_at, rank_facts
from assistant.answering.facts.selection import NAMED_KINDS, select_facts
from assistant.errors import InvalidInput
from assistant.knowledge.addressed import instructs_machines
from assistant.knowledge.corpus import PLACE_MARK, QUESTION_PREFIX, TITLE_PREFIX, Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.ask import Ask, Understanding
from assistant.language.asked_nouns import stands_in
from assistant.language.mention import NameReader, folded
from assistant.language.quantities.quantity import read_quantities
from assistant.language.quantities.units import kind_of
from assistant.language.question_words import find_cue
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language
from assistant.retrieval.passage import Passage
from assistant.retrieval.search import SearchIndex
from assistant.retrieval.vectors import FloatArray

_STATEMENTS_COMPARED = 600
# How near (cosine) statements are that say the same in other words, as articles on one subject do: .74 and more, where
# two on the same subject that say something else come to .66, and any two to .40 at most in a hundred.
_RESTATES = 0.7
_PASSAGES_TRIED = 12
_COMPARED_CHARACTERS = 800
_SHARED_WORDS = 0.6
# A passage this near (standard deviations) is on the subject where no card is named that it must speak of; measured on
# the questions of evals/, where near misses without a name stay below.
_NEAR_PASSAGE = 4.4
# Where no word asked is of the field: sharing a place name brings a passage to 4.8, being on the subject to 6.
_NEAR_UNRECOGNISED = 5.5
# A passage of a source without claims is quoted beside facts where it is nearer than any near miss came (6.1).
_NEAR_OWN_SOURCE = 6.5
# A passage beside facts says this many of the question's words, and this share of them, that the facts don't say.
_FURTHER_WORDS, _FURTHER_SHARE = 3, 0.4
# Characters before and after a passage that tell whether its page gives orders.
_AROUND = 20_000


class Gatherer:
    """Collects the evidence for a question from facts, the search index and the calculators."""

    def __init__(
        self,
        corpus: Corpus,
        facts: Sequence[Fact],
        index: SearchIndex,
        names: NameReader,
        calculator: Calculator,
    ) -> None:
        self._corpus = corpus
        self._facts = facts
        self._index = index
        self._names = names
        self._calculator = calculator
        self._held = frozenset(fact.attribute for fact in facts)
        self._unclaimed = corpus.articles.keys() - {fact.citation.source_id for fact in facts}

    def gather(self, question: Question, understanding: Understanding) -> Evidence:
        """Evidence for every part of the question."""
        parts = tuple(self._part(ask, understanding.language) for ask in understanding.asks)
        return Evidence(question=question, understanding=understanding, language=understanding.language, parts=parts)

    def _part(self, ask: Ask, language: Language) -> AskEvidence:
        ask = self._calculator.with_sizes_not_held(ask)
        entities = self._entities(ask)
        calculations: list[Calculation] = []
        refused, no_rate = "", None
        try:
            calculations = self._calculator.calculate(ask, language)
        except InvalidInput as error:
            if error.code == "no_rate":
                no_rate = (error.values["currency"], error.values["into"])
                calculations = self._calculator.in_usual_currency(ask, language)
            else:
                refused = str(error)
        compared = f"{ask.before} {ask.text}".strip()[:_COMPARED_CHARACTERS]
        vector = self._index.embed_question(compared)
        likeness = self._likeness(ask, language, compared, vector)
        # Passages are searched with the bare question, which is embedded again only where it differs.
        bare = vector if compared == ask.text else None
        ranked = rank_facts(ask, entities, self._facts, self._corpus, likeness)
        part = AskEvidence(
            ask=ask,
            language=language,
            entities=entities,
            facts=tuple(ranked),
            restated=self._index.restatements([one.fact.id for one in ranked], _RESTATES),
            lists=self._lists_then(ask, likeness.lists),
            calculations=tuple(calculations),
            hourly_price=None if calculations or refused else self._calculator.hourly_price(ask, language),
            refused=refused,
            no_rate=no_rate,
            lacks=() if calculations or refused else self._calculator.lacks(ask),
            unknown=ask.unknown,
            unheld=tuple(group[0] for group in ask.wanted if not self._held.intersection(group)),
        )
        told = select_facts(part, self._corpus)
        if calculations or refused or told or asked_list(part, self._corpus):
            own = self._own_sources(part, told, bare) if self._unclaimed and not calculations and not refused else ()
            return part.model_copy(update={"passages": own})
        if periods_asked(ask):
            anytime = rank_facts(without_time(ask), entities, self._facts, self._corpus, likeness)
            part = part.model_copy(update={"other_times": at_other_times(part, anytime, self._corpus)})
        return part.model_copy(update={"passages": self._passages(ask, entities, language, bare)})

    def _lists_then(self, ask: Ask, lists: Mapping[str, float]) -> dict[str, float]:
        """The lists without those that hold figures of another time than the one asked for."""
        periods = periods_asked(ask)
        past = {f.series.id for f in self._facts if f.series is not None and not holds_at(f, periods, self._corpus)}
        return {id_: near for id_, near in lists.items() if id_ not in past}

    def _entities(self, ask: Ask) -> tuple[str, ...]:
        """The entities that facts must be about: a card's maker adds nothing to the card or its kind."""
        ids = ask.entities()
        things = [id_ for id_ in ids if self._corpus.entities[id_].kind != "company"]
        makers = {self._corpus.entities[v].maker for id_ in things for v in self._corpus.descendants(id_)}
        kept = tuple(id_ for id_ in ids if id_ not in makers)
        # Of a thing and its variant, both named, the variant is meant.
        return tuple(id_ for id_ in kept if not any(id_ in self._corpus.ancestors(other) for other in kept))

    def _likeness(self, ask: Ask, language: Language, text: str, vector: FloatArray) -> Likeness:
        nearness = dict(self._index.nearest_statements(vector, language, _STATEMENTS_COMPARED))
        words = self._index.lexical_statements(text, language, _STATEMENTS_COMPARED)
        rest = without_names(text, ask)
        subject = None
        if content_words(rest):
            subject = dict(self._index.lexical_statements(rest, language, _STATEMENTS_COMPARED))
        return Likeness(
            meaning=best_of_claim(nearness),
            agreed=mean_of_claim(nearness),
            words=best_of_claim(dict(words)),
            subject=best_of_claim(subject) if subject is not None else None,
            lists=best_of_list(nearness),
        )

    def _passages(
        self, ask: Ask, entities: tuple[str, ...], language: Language, vector: FloatArray | None
    ) -> tuple[QuotedPassage, ...]:
        """Passages that speak of what is asked, for questions that nothing structured answers."""
        exact = {id_ for id_ in entities if self._corpus.entities[id_].kind in EXACT_KINDS}
        wanted = content_words(without_names(ask.text, ask))
        unheld = any(not self._held.intersection(group) for group in ask.wanted)
        periods = periods_asked(ask)
        called = [id_ for id_ in entities if self._corpus.entities[id_].kind in NAMED_KINDS]
        quoted: list[QuotedPassage] = []
        for result in self._index.search(ask.text, language=language, top_k=_PASSAGES_TRIED, question_vector=vector):
            passage = result.passage
            article = self._corpus.articles.get(passage.source_id)
            if article is None:
                continue
            if periods and not _dated_within(passage, periods):
                continue
            if self._asks_date(ask) and not self._dates(entities, passage):
                continue
            named = {mention.entity for mention in self._names.read(passage.text)}
            if not all(named.intersection(self._corpus.descendants(id_)) for id_ in called):
                continue
            if not all(named.intersection(self._corpus.descendants(id_)) for id_ in exact):
                continue
            if not self._has_figure_asked(ask, passage):
                continue
            if unheld and not self._speaks_of(ask, passage):
                continue
            if any(folded(name) not in folded(passage.text) for name in ask.names):
                continue
            if article.id not in self._unclaimed and not all(stands_in(n, passage.text.lower()) for n in ask.nouns):
                continue
            shared = len(wanted & content_words(passage.text)) / max(len(wanted), 1)
            # A name alone brings a passage near; what a source with claims says of that name, the facts would tell.
            by_name = bool(entities) and article.id not in self._unclaimed
            near = not exact and result.score >= (
                _NEAR_PASSAGE if ask.in_domain and not by_name else _NEAR_UNRECOGNISED
            )
            if (
                not near
                and shared < _SHARED_WORDS
                and not (named.intersection(entities) and self._speaks_of(ask, passage))
            ):
                continue
            quoted.append(
                QuotedPassage(
                    article=article,
                    section=passage.section,
                    text=article.body[passage.start : passage.end],
                    start=passage.start,
                    end=passage.end,
                    language=passage.language,
                    score=result.score,
                )
            )
        return tuple(quoted[:3])

    def _own_sources(
        self, part: AskEvidence, told: Sequence[Fact], vector: FloatArray | None
    ) -> tuple[QuotedPassage, ...]:
        """What sources without claims, as users add them, say of just this beyond the facts that answer it."""
        statements = " ".join(fact.statement.in_language(part.language) for fact in told)
        return tuple(
            passage
            for passage in self._passages(part.ask, part.entities, part.language, vector)
            if passage.article.id in self._unclaimed
            and passage.score >= _NEAR_OWN_SOURCE
            and _says_more(passage.text, statements, part.ask)
            # A page that gives orders to the program is not to be trusted beside facts, even where it gives none.
            and not instructs_machines(passage.article.body[max(0, passage.start - _AROUND) : passage.end + _AROUND])
        )

    def _asks_date(self, ask: Ask) -> bool:
        return any(self._corpus.attributes[group[0]].kind == "date" for group in ask.wanted)

    def _dates(self, entities: Sequence[str], passage: Passage) -> bool:
        """True where one sentence names a time and all that the question is about: else it dates something else."""
        for start, end in sentence_spans(passage.text):
            sentence = passage.text[start:end]
            named = {mention.entity for mention in self._names.read(sentence)}
            if all(named.intersection(self._corpus.descendants(id_)) for id_ in entities) and any(
                quantity.period is not None for quantity in read_quantities(sentence, passage.language)
            ):
                return True
        return False

    def _has_figure_asked(self, ask: Ask, passage: Passage) -> bool:
        """False where a figure is asked for, a price say, and the passage holds none of that kind."""
        meant = (self._corpus.attributes[group[0]] for group in ask.wanted)
        asked = [attribute for attribute in meant if not attribute.weak]
        if not asked or any(attribute.kind != "quantity" or attribute.unit is None for attribute in asked):
            return True
        kinds = {kind_of(attribute.unit or "") for attribute in asked}
        # A price may be told for the hour or as a sum.
        kinds |= {"rate", "money"} if kinds & {"rate", "money"} else set()
        return any(quantity.kind in kinds for quantity in read_quantities(passage.text, passage.language))

    def _speaks_of(self, ask: Ask, passage: Passage) -> bool:
        """True where a word for an attribute asked about stands in the passage, in the passage's own language."""
        text = passage.text.casefold()
        return any(
            find_cue(text, (attribute.label.in_language(passage.language).casefold(), *cues))
            for attribute in (self._corpus.attributes[id_] for id_ in ask.attributes)
            if not attribute.weak
            for cues in [attribute.asked_as.get(passage.language, ())]
        )


def _says_more(passage: str, statements: str, ask: Ask) -> bool:
    """True where a passage speaks of what the question says and the facts' statements leave out: a name, or words."""
    if any(folded(name) in folded(passage) and folded(name) not in folded(statements) for name in ask.names):
        return True
    unsaid = content_words(without_names(ask.text, ask)) - content_words(statements)
    said = unsaid & content_words(passage)
    return len(said) >= _FURTHER_WORDS and len(said) >= _FURTHER_SHARE * len(unsaid)


def _dated_within(passage: Passage, periods: Sequence[Period]) -> bool:
    """True where the passage names a time that all of the periods asked for overlap."""
    told = [Period(q.period) for q in read_quantities(passage.text, passage.language) if q.period is not None]
    return all(any(period.overlaps(other) for other in told) for period in periods)


def best_of_claim(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores by claim id: the better of the claim's statement and of the question that it answers."""
    best: dict[str, float] = {}
    for id_, score in scores.items():
        claim = id_.removeprefix(QUESTION_PREFIX)
        best[claim] = max(score, best.get(claim, score))
    return best


def mean_of_claim(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores by claim id: the mean of the claim's statement and of the question that it answers."""
    by_claim: dict[str, list[float]] = {}
    for id_, score in scores.items():
        by_claim.setdefault(id_.removeprefix(QUESTION_PREFIX), []).append(score)
    # What is not among the nearest is as good as unlike.
    return {claim: sum(both) / 2 for claim, both in by_claim.items()}


def best_of_list(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores by list id: the best of the list's title and of the questions that it answers."""
    best: dict[str, float] = {}
    for id_, score in scores.items():
        if id_.startswith(TITLE_PREFIX):
            list_id = id_.removeprefix(TITLE_PREFIX).partition(PLACE_MARK)[0]
            best[list_id] = max(score, best.get(list_id, score))
    return best


def without_names(text: str, ask: Ask) -> str:
    """A text without the things that the question names."""
    for mention in ask.mentions:
        text = text.replace(mention.text, " ")
    return text


def content_words(text: str) -> frozenset[str]:
    """Words of four letters and more, identifiers, and pairs of Chinese characters: a text's subject matter."""
    lowered = text.casefold()
    words = {
        word for word in re.findall(r"[^\W_]+", lowered) if len(word) >= 4 and not re.search(r"[\u3400-\u9fff]", word)
    }
    runs = re.findall(r"[\u3400-\u9fff]+", lowered)
    pairs = {run[n : n + 2] for run in runs for n in range(len(run) - 1)}
    return frozenset(words | pairs)
