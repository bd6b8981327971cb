"""The whole way of a question: understand, gather evidence, compose or write, verify, answer."""

import hashlib
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.answering.answer import Answer
from assistant.answering.answer_cache import AnswerCache
from assistant.answering.calculation.calculating import Calculator
from assistant.answering.composing.composing import compose
from assistant.answering.composing.narrator import Library, Narrator
from assistant.answering.conversation import in_context
from assistant.answering.draft import finish
from assistant.answering.events import AnswerReady, Event, StepBegun, TextVerified
from assistant.answering.evidence import Evidence, Question
from assistant.answering.gathering import Gatherer
from assistant.answering.vocabulary import vocabulary_of
from assistant.knowledge.corpus import Corpus, open_corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.held_facts import facts_of
from assistant.language.ask import Understanding
from assistant.language.detection import detect_language
from assistant.language.mention import NameReader
from assistant.language.question_words import read_question_words
from assistant.language.tongue import Language
from assistant.language.understanding import QuestionReader
from assistant.language.wording import Wording, read_wording
from assistant.retrieval.embedding import load_engine
from assistant.retrieval.index import open_index
from assistant.retrieval.search import SearchIndex
from assistant.settings import ROOT, Settings

if TYPE_CHECKING:
    from assistant.answering.writing.writing import DraftWriter

MAX_QUESTION_CHARACTERS = 4_000
MAX_HISTORY = 200
_QUESTIONS_REMEMBERED = 1024


class Assistant:
    """Answers questions from one knowledge base and its index. Safe to share between threads."""

    def __init__(
        self,
        corpus: Corpus,
        index: SearchIndex,
        directory: Path = ROOT / "corpus",
        today: date | None = None,
        cache_size: int = 0,
    ) -> None:
        phrases = directory / "phrases"
        self.corpus = corpus
        self.index = index
        self.today = today or date.today()
        self.phrases: Wording = read_wording(phrases / "answer.yaml")
        words = read_question_words(phrases / "question-words.yaml")
        self.names = NameReader(corpus.entities, vocabulary_of(corpus, words))
        self.facts: list[Fact] = with_names(facts_of(corpus, read_wording(phrases / "specification.yaml")), self.names)
        self.reader = QuestionReader(self.names, corpus.attributes, words)
        # A conversation's earlier questions come along with each new one.
        self._read = lru_cache(maxsize=_QUESTIONS_REMEMBERED)(self._read_alone)
        self.library = Library.of(corpus, self.facts)
        self._cache = AnswerCache(cache_size, f"{corpus.hash} {index.manifest.built.isoformat()}")
        self.writer: DraftWriter | None = None
        """Lets a language model write the answers; None where they are composed."""
        self._gatherer = Gatherer(corpus, self.facts, index, self.names, Calculator(corpus, directory, self.today))

    @classmethod
    def open(cls, settings: Settings, today: date | None = None) -> "Assistant":
        """Open the knowledge base and its index as the settings say. Raises IndexUnavailable, EngineUnavailable."""
        corpus = open_corpus(settings.corpus, settings.index)
        engine = load_engine(settings)
        index = open_index(settings.index, engine, corpus_hash=corpus.text_hash, chroma_url=settings.chroma_url)
        assistant = cls(corpus, index, settings.corpus, today, settings.cache_size)
        if settings.llm_model is not None:
            from assistant.answering.writing.writing import open_writer

            assistant.writer = open_writer(settings, assistant.library, assistant.names, assistant.facts)
        return assistant

    def understand(self, question: Question) -> Understanding:
        """What the question asks, read in the light of the questions before it."""
        text = question.text.replace("\0", " ")[:MAX_QUESTION_CHARACTERS]
        language = question.language or detect_language(text, question.history)
        earlier: Understanding | None = None
        for past in question.history[-MAX_HISTORY:]:
            earlier = in_context(self._read(past[:MAX_QUESTION_CHARACTERS]), earlier, self.corpus)
        return in_context(self.reader.read(text, language), earlier, self.corpus)

    def _read_alone(self, text: str) -> Understanding:
        return self.reader.read(text, detect_language(text))

    def gather(self, question: Question, understanding: Understanding) -> Evidence:
        return self._gatherer.gather(question, understanding)

    def answer(self, question: Question) -> Answer:
        """The verified answer to a question."""
        *_, last = self.stream(question)
        if not isinstance(last, AnswerReady):
            raise RuntimeError("the stream of an answer ends with the answer")
        return last.answer

    def stream(self, question: Question) -> Iterator[Event]:
        """The answer as it is made: each step as it begins, text as it is verified, then the whole answer."""
        known = self._cache.find(question, self.today) if self.writer is None else None
        if known is not None:
            yield TextVerified(text=known.text)
            yield AnswerReady(answer=known.model_copy(update={"id": question.id or known.id, "timings_ms": {}}))
            return
        clock = Clock()
        yield StepBegun(step="understanding")
        with clock.step("understand"):
            understanding = self.understand(question)
        yield StepBegun(step="gathering")
        with clock.step("gather"):
            evidence = self.gather(question, understanding)
        yield StepBegun(step="composing")
        with clock.step("compose"):
            draft = compose(evidence, self.library, self.phrases, self.today)
            frame = self._frame(question, understanding)
        if self.writer is None:
            answer = finish(draft, frame)
            unnamed = {"id": self._identity(question, answer.language)}
            self._cache.keep(question, self.today, answer.model_copy(update=unnamed))
            yield TextVerified(text=answer.text)
        else:
            yield StepBegun(step="writing")
            voice = Narrator(self.library, self.phrases, understanding.language, self.today)
            with clock.step("write"):
                answer = yield from _written(self.writer.write(evidence, draft, frame, voice), frame)
        yield AnswerReady(answer=answer.model_copy(update={"timings_ms": clock.milliseconds}))

    def _frame(self, question: Question, understanding: Understanding) -> Answer:
        """An answer that says nothing yet; its id is the same for the same question over the same knowledge."""
        return Answer(
            id=question.id or self._identity(question, understanding.language),
            question=question.text,
            language=understanding.language,
            status="not_in_sources",
            text="",
            knowledge=self.corpus.hash,
        )

    def _identity(self, question: Question, language: Language) -> str:
        key = "\0".join([question.text, *question.history, language, self.corpus.hash])
        return hashlib.sha256(key.encode()).hexdigest()[:12]


def with_names(facts: Sequence[Fact], names: NameReader) -> list[Fact]:
    """The facts, each claim with the entities that its sentence names."""
    return [
        fact.model_copy(update={"speaks_of": frozenset(mention.entity for mention in names.read(fact.statement.en))})
        if fact.kind == "claim"
        else fact
        for fact in facts
    ]


def _written(texts: Iterator[str | Answer], frame: Answer) -> Generator[Event, None, Answer]:
    """Tell each verified text as it comes; the answer is the last thing that a writer gives."""
    answer = frame
    for item in texts:
        if isinstance(item, Answer):
            answer = item
        yield TextVerified(text=item.text if isinstance(item, Answer) else item)
    return answer


class Clock:
    """Milliseconds that each step took."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.milliseconds[name] = round((time.perf_counter() - start) * 1000, 1)
