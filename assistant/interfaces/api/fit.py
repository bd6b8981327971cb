"""`POST /api/fit`: whether a model fits on a card, and what would make it fit."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.problem import problems
from assistant.language.tongue import Language
from assistant.tools.cost.request import Name
from assistant.tools.memory.description import describe_fit, with_texts
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.subject import find_model, parameter_count_only
from assistant.tools.would_change import what_would_change
from assistant.whole_number import NO_SWITCH

router = APIRouter()


class FitCall(FitRequest):
    """A model, or nothing but its size, and a card; every further choice is made by the calculator and stated."""

    model: Name | None = Field(
        default=None, description="Name, id or alias of a known model.", examples=["Llama 3.3 70B"]
    )
    parameters: Annotated[int, Field(ge=1, le=10**14), NO_SWITCH] | None = Field(
        default=None, description="Parameter count, where no model is."
    )
    gpu: Name = Field(description="Name of the card.", examples=["H100 SXM"])
    language: Language = Field(default="en", description="Of the text.")

    def request(self) -> FitRequest:
        return FitRequest.model_validate(self.model_dump(include=set(FitRequest.model_fields), exclude_unset=True))


class FitAnswer(BaseModel):
    """The result, and the same in words."""

    model_config = ConfigDict(frozen=True)

    text: str
    would_change: tuple[str, ...] = Field(description="What would change this answer; recomputed, and in the text too.")
    result: FitResult


@router.post("/fit", responses=problems(408, 413))
async def fit(call: FitCall, knowledge: Knowledge, threads: Threads) -> FitAnswer:
    """Say whether a model fits on a card: weights, cache or training states, overhead, and what would make it fit."""
    return await threads.run(lambda: answered(call, knowledge))


def answered(call: FitCall, knowledge: Opening) -> FitAnswer:
    """The result for a call. Raises InvalidInput naming the field at fault."""
    catalogue = knowledge.catalogue()
    if (call.model is None) == (call.parameters is None):
        raise InvalidInput("model: give either a model or parameters.")
    # Looked up by name alone: a caller from elsewhere names no file of this machine.
    subject = (
        find_model(call.model, catalogue.models, catalogue.entities)
        if call.model is not None
        else parameter_count_only(call.parameters or 0, catalogue.models)
    )
    result = estimate_fit(call.request(), subject, catalogue.card(call.gpu), catalogue.cards.values())
    return FitAnswer(
        text=describe_fit(result, call.language, knowledge.folder),
        would_change=what_would_change(result, call.language, knowledge.folder),
        result=with_texts(result, call.language, knowledge.folder),
    )
