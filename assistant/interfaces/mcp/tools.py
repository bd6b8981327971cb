"""The tools: each a name, what it is for, its input and output models, and the function between them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.answering.memo.page import answer_markdown
from assistant.errors import InvalidInput
from assistant.interfaces.mcp.requests import AskInput, CompareInput, CostInput, FitInput, SearchInput
from assistant.interfaces.mcp.results import CompareOutput, CostOutput, FitOutput, FoundPassage, SearchOutput
from assistant.knowledge.schema import first_problem
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from assistant.tools.card_table import card_table, card_table_markdown
from assistant.tools.cost.describer import Describer, read_cost_wording
from assistant.tools.cost.description import (
    describe_migration,
    describe_ownership,
    describe_rent,
    describe_tokens,
    describe_training_run,
)
from assistant.tools.cost.migration import MigrationRequest, MigrationResult, migration
from assistant.tools.cost.ownership import OwnershipRequest, OwnershipResult, rent_or_buy
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.tokens import TokensRequest, TokensResult, cost_per_million_tokens
from assistant.tools.cost.training_run import TrainingRunRequest, TrainingRunResult, training_run
from assistant.tools.memory.catalogue import Catalogue, open_catalogue
from assistant.tools.memory.description import describe_fit, with_texts
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.subject import find_model, parameter_count_only

Priced = RentResult | TrainingRunResult | TokensResult | OwnershipResult | MigrationResult


@dataclass(frozen=True)
class Outcome:
    """What a tool gives: the object for programs, and words for a model that reads only text."""

    result: BaseModel
    text: str


@dataclass(frozen=True)
class Tool:
    """A tool as it is offered."""

    name: str
    title: str
    description: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    run: Callable[[Any], Outcome]

    def call(self, arguments: dict[str, Any]) -> Outcome:
        """Raises InvalidInput naming the argument at fault, and whatever AssistantError the work raises."""
        try:
            asked = self.takes.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(f"{first_problem(error)}.") from error
        return self.run(asked)


class Toolbox:
    """The tools over one knowledge base."""

    def __init__(self, assistant: Assistant, corpus: Path) -> None:
        self._assistant = assistant
        self._corpus = corpus
        self._catalogue: Catalogue = open_catalogue(corpus)
        self._cost_wording = read_cost_wording(corpus)

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool("ask", "Ask about GPUs for AI", ASK, AskInput, Answer, self._ask),
            Tool("search", "Search the sources", SEARCH, SearchInput, SearchOutput, self._search),
            Tool("fit", "Does a model fit?", FIT, FitInput, FitOutput, self._fit),
            Tool("cost", "What does it cost?", COST, CostInput, CostOutput, self._cost),
            Tool("compare", "Compare GPUs", COMPARE, CompareInput, CompareOutput, self._compare),
        )

    def _ask(self, asked: AskInput) -> Outcome:
        question = Question(text=asked.question, language=asked.language, history=asked.history)
        answer = self._assistant.answer(question)
        return Outcome(answer, answer_markdown(answer))

    def _search(self, asked: SearchInput) -> Outcome:
        language = asked.language or detect_language(asked.question)
        found = self._assistant.index.search(asked.question, language=language, top_k=asked.top_k)
        results: list[FoundPassage] = []
        for result in found:
            passage = result.passage
            article = self._assistant.corpus.articles[passage.source_id]
            results.append(
                FoundPassage(
                    source_id=passage.source_id,
                    title=passage.title,
                    publisher=article.publisher,
                    published=str(article.published) if article.published else None,
                    url=article.url,
                    language=passage.language,
                    section=passage.section,
                    text=passage.text,
                    score=round(result.score, 4),
                )
            )
        shown = "\n\n".join(f"{one.title} › {one.section} ({one.language})\n{one.text}" for one in results)
        return Outcome(SearchOutput(results=tuple(results)), shown or "Nothing found.")

    def _fit(self, asked: FitInput) -> Outcome:
        catalogue = self._catalogue
        if (asked.model is None) == (asked.parameters is None):
            raise InvalidInput("Give either model or parameters.")
        # By name only: a path would let a caller read files of this machine.
        subject = (
            find_model(asked.model, catalogue.models, catalogue.entities)
            if asked.model is not None
            else parameter_count_only(asked.parameters or 0, catalogue.models)
        )
        result = estimate_fit(asked.request, subject, catalogue.card(asked.gpu), tuple(catalogue.cards.values()))
        text = describe_fit(result, asked.language, self._corpus)
        return Outcome(FitOutput(text=text, result=with_texts(result, asked.language, self._corpus)), text)

    def _cost(self, asked: CostInput) -> Outcome:
        result, text = self._calculated(asked.calculation, asked.language)
        writer = Describer(self._cost_wording, asked.language)
        notes = tuple(note.model_copy(update={"text": writer.note(note)}) for note in result.assumptions)
        return Outcome(CostOutput(text=text, result=result.model_copy(update={"assumptions": notes})), text)

    def _calculated(self, request: object, language: Language) -> tuple[Priced, str]:
        corpus, today, wording = self._assistant.corpus, date.today(), self._cost_wording
        result: Priced
        match request:
            case RentRequest():
                result = rent(request, corpus, today=today)
                return result, describe_rent(result, language, wording)
            case TrainingRunRequest():
                result = training_run(request, corpus, today=today)
                return result, describe_training_run(result, language, wording)
            case TokensRequest():
                result = cost_per_million_tokens(request, corpus, today=today)
                return result, describe_tokens(result, language, wording)
            case OwnershipRequest():
                result = rent_or_buy(request, corpus, today=today)
                return result, describe_ownership(result, language, wording)
            case MigrationRequest():
                result = migration(request)
                return result, describe_migration(result, language, wording)
        raise TypeError(f"no calculation: {type(request).__name__}")

    def _compare(self, asked: CompareInput) -> Outcome:
        facts = self._assistant.library.by_entity
        table = card_table(asked.gpus, asked.attributes, facts, self._assistant.corpus, asked.language)
        text = card_table_markdown(table)
        return Outcome(CompareOutput(text=text, table=table), text)


ASK = (
    "Answers a question about GPUs for AI from dated sources. Every figure in the answer stands in a quoted passage, a "
    "specification or a calculation; markers such as [1] point to `citations`. Says so where the sources hold nothing."
)
SEARCH = "Finds passages of the sources, in Dutch, Danish, Chinese and English alike, whatever language is asked in."
FIT = "Works out term by term whether a language model fits in the memory of GPUs, and what would make it fit."
COST = "Works out what renting, training, serving, buying or migrating costs, with the date and source of each price."
COMPARE = "Puts the figures of GPUs side by side, each with its source; sources that disagree are shown side by side."
