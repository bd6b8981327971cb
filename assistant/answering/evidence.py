"""What an answer may be made of, gathered for each part of the question."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from assistant.answering.answer import AnswerStatus, ToolRun
from assistant.answering.facts.ranking import RankedFact
from assistant.knowledge.addressed import is_addressed_to_machine
from assistant.knowledge.article import Article
from assistant.knowledge.citation import Citation, cite_article
from assistant.knowledge.fact import Fact
from assistant.knowledge.unseen import as_seen
from assistant.language.ask import Ask, Understanding
from assistant.language.mention import UnknownName
from assistant.language.tongue import Language


def well_formed(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which no encoding of an answer can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def asked_before(questions: tuple[str, ...]) -> tuple[str, ...]:
    """Earlier questions as far as they ask something; one that only instructs the assistant has no subject."""
    heard = (as_seen(well_formed(question)) for question in questions)
    return tuple(question for question in heard if question.strip() and not is_addressed_to_machine(question))


WellFormed = Annotated[str, AfterValidator(well_formed)]


class Question(BaseModel):
    """A question as it comes in, with the earlier questions of the conversation."""

    model_config = ConfigDict(frozen=True)

    id: WellFormed = ""
    text: WellFormed
    language: Language | None = None
    history: Annotated[tuple[str, ...], AfterValidator(asked_before)] = ()


class QuotedPassage(BaseModel):
    """A passage of an article, quoted where nothing structured answers."""

    model_config = ConfigDict(frozen=True)

    article: Article
    section: str
    text: str
    start: int
    end: int
    language: Language
    score: float

    @property
    def citation(self) -> Citation:
        article = self.article
        return cite_article(article, self.text, start=self.start, section=self.section, works=article.based_on)


class Calculation(BaseModel):
    """A tool's result with its sentences, ready to be stated."""

    model_config = ConfigDict(frozen=True)

    run: ToolRun
    title: str
    text: str
    """Markdown in the language of the answer: a direct sentence, then the detail."""
    citations: tuple[Citation, ...] = ()
    """Where inputs of the calculation were taken from, and the calculation itself."""
    assumptions: tuple[str, ...] = ()
    status: AnswerStatus = "answered"
    """Less than answered where no figure is held for what was asked."""
    missing: str | None = None
    """What no figure is held for."""


class AskEvidence(BaseModel):
    """Evidence for one part of a question."""

    model_config = ConfigDict(frozen=True)

    ask: Ask
    language: Language = "en"
    entities: tuple[str, ...]
    facts: tuple[RankedFact, ...] = ()
    restated: Mapping[str, frozenset[str]] = Field(default_factory=dict)
    """Which of the facts say much the same, in whatever words and language, by id."""
    other_times: tuple[Fact, ...] = ()
    """What would answer, but is of another time than the one asked for."""
    lists: Mapping[str, float] = Field(default_factory=dict)
    """How near the title of each list is to the question (standard deviations above the mean), by its id."""
    calculations: tuple[Calculation, ...] = ()
    hourly_price: ToolRun | None = None
    """The price of one card for one hour, where it is asked for, with what would change it."""
    passages: tuple[QuotedPassage, ...] = ()
    unknown: tuple[UnknownName, ...] = ()
    lacks: tuple[str, ...] = ()
    """Inputs without which the calculation asked for can't be made."""
    unheld: tuple[str, ...] = ()
    """Attributes asked for, by id, of which the knowledge base holds nothing about anything."""
    refused: str = ""
    """Why a calculation that was asked for can't be done, naming the input at fault."""
    no_rate: tuple[str, str] | None = None
    """Currencies asked to convert from and into, of which no exchange rate is held."""


class Evidence(BaseModel):
    """Everything gathered for a question."""

    model_config = ConfigDict(frozen=True)

    question: Question
    understanding: Understanding
    language: Language
    parts: tuple[AskEvidence, ...]
