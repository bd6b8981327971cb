"""The calculators as LangChain tools: typed input, a sentence for the model, and the exact result as artifact."""

from datetime import date
from pathlib import Path

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.description import describe_fit
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult


class FitInput(BaseModel):
    """What the memory tool is asked: a model on a card."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(default=None, max_length=200, description="Name of an open-weight model.")
    parameters: int | None = Field(default=None, ge=1, description="Number of parameters, where no model is named.")
    gpu: str = Field(max_length=200, description="Name of the card.")
    request: FitRequest = FitRequest()


def fit_tool(corpus: Path, language: Language = "en") -> BaseTool:
    """Whether a model fits on a card, with every term; the artifact is the FitResult."""
    catalogue = open_catalogue(corpus)

    def fit(
        gpu: str, model: str | None = None, parameters: int | None = None, request: FitRequest | None = None
    ) -> tuple[str, FitResult | None]:
        try:
            subject = catalogue.subject(model, parameters)
            card = catalogue.card(gpu)
            result = estimate_fit(request or FitRequest(), subject, card, cards=tuple(catalogue.cards.values()))
        except InvalidInput as error:
            return str(error), None
        return describe_fit(result, language, corpus), result

    return StructuredTool.from_function(
        fit,
        name="fit",
        description="Works out whether a language model fits in the memory of one or more GPUs, and what would.",
        args_schema=FitInput,
        response_format="content_and_artifact",
    )


def rent_tool(corpus: Corpus, directory: Path, today: date, language: Language = "en") -> BaseTool:
    """What renting cards costs, with the date of every price; the artifact is the RentResult."""

    def rent_cards(**fields: object) -> tuple[str, RentResult | None]:
        try:
            result = rent(RentRequest.model_validate(fields), corpus, today=today)
        except InvalidInput as error:
            return str(error), None
        return describe_rent(result, language, read_cost_wording(directory)), result

    return StructuredTool.from_function(
        rent_cards,
        name="rent",
        description="Works out what renting GPUs costs for a number of hours, from dated prices or a given one.",
        args_schema=RentRequest,
        response_format="content_and_artifact",
    )


def langchain_tools(corpus: Corpus, directory: Path, today: date, language: Language = "en") -> list[BaseTool]:
    """All tools over one knowledge base. Importing this module loads langchain-core, so import it when needed."""
    return [fit_tool(directory, language), rent_tool(corpus, directory, today, language)]
