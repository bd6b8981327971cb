"""The tools: each a name, what it is for, its input and output models, and the function between them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from assistant.answering.answer import Answer
from assistant.answering.memo.page import answer_markdown
from assistant.errors import InvalidInput
from assistant.interfaces.api import cost, fit
from assistant.interfaces.api.ask import AskRequest
from assistant.interfaces.api.search import SearchRequest
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.mcp.requests import CompareInput, CostArguments, CostInput
from assistant.interfaces.mcp.results import CompareOutput, FoundPassage, SearchOutput
from assistant.reason import reason
from assistant.tools.card_table import card_table, card_table_markdown


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
            raise InvalidInput(f"{reason(error.errors(), arguments)}.") from error
        return self.run(asked)


class Toolbox:
    """The tools over one knowledge base."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool("ask", "Ask about GPUs for AI", ASK, AskRequest, Answer, self._ask),
            Tool("search", "Search the sources", SEARCH, SearchRequest, SearchOutput, self._search),
            Tool("fit", "Does a model fit?", FIT, fit.FitCall, fit.FitAnswer, self._fit),
            Tool("cost", "What does it cost?", COST, CostInput, cost.CostAnswer, self._cost),
            Tool("compare", "Compare GPUs", COMPARE, CompareInput, CompareOutput, self._compare),
        )

    def _ask(self, asked: AskRequest) -> Outcome:
        answer = self._opening.assistant().answer(asked.asked())
        return Outcome(answer, answer_markdown(answer))

    def _search(self, asked: SearchRequest) -> Outcome:
        articles = self._opening.assistant().corpus.articles
        found = self._opening.search(asked.question, asked.language, asked.top_k)
        results = tuple(FoundPassage.within(result, articles[result.passage.source_id]) for result in found)
        shown = "\n\n".join(f"{one.title} › {one.section} ({one.language})\n{one.text}" for one in results)
        return Outcome(SearchOutput(results=results), shown or "Nothing found.")

    def _fit(self, asked: fit.FitCall) -> Outcome:
        answer = fit.answered(asked, self._opening)
        return Outcome(answer, answer.text)

    def _cost(self, asked: CostArguments) -> Outcome:
        answer = cost.answered(asked.call(), self._opening)
        return Outcome(answer, answer.text)

    def _compare(self, asked: CompareInput) -> Outcome:
        opened = self._opening.assistant()
        table = card_table(asked.gpus, asked.attributes, opened.library.by_entity, opened.corpus, asked.language)
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
