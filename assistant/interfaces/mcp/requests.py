"""What each tool is asked. Field descriptions are what the calling model reads."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.language.tongue import Language
from assistant.tools.card_table import MOST_CARDS
from assistant.tools.cost.migration import MigrationRequest
from assistant.tools.cost.ownership import OwnershipRequest
from assistant.tools.cost.rent import RentRequest
from assistant.tools.cost.tokens import TokensRequest
from assistant.tools.cost.training_run import TrainingRunRequest
from assistant.tools.memory.request import FitRequest

MOST_PASSAGES = 20

QuestionText = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskInput(_Asked):
    """A question in Dutch, Danish, Chinese or English."""

    question: QuestionText
    language: Language | None = Field(
        default=None, description="Language of the answer; the question's own if left out."
    )
    history: tuple[QuestionText, ...] = Field(
        default=(), max_length=MAX_HISTORY, description="Earlier questions of the conversation, oldest first."
    )


class SearchInput(_Asked):
    """Words to look for; passages in all four languages are found."""

    question: QuestionText
    language: Language | None = Field(default=None, description="Language of the question; detected if left out.")
    top_k: int = Field(default=8, ge=1, le=MOST_PASSAGES, description="Number of passages.")


class FitInput(_Asked):
    """A model, or a size, on a card."""

    model: Name | None = Field(default=None, description="Name of an open-weight model, such as 'Llama 3.3 70B'.")
    parameters: int | None = Field(
        default=None, ge=1, le=10**14, description="Number of parameters, where no model is named."
    )
    gpu: Name = Field(description="Name of the card, such as 'H100 SXM'.")
    request: FitRequest = Field(default=FitRequest(), description="Every other choice; each has a usual value.")
    language: Language = Field(default="en", description="Language of the text.")


class RentCost(RentRequest):
    """Cards × hours × price."""

    kind: Literal["rent"]


class TrainingCost(TrainingRunRequest):
    """The whole cost of a training run."""

    kind: Literal["training"]


class TokensCost(TokensRequest):
    """The cost of a million tokens at a stated throughput."""

    kind: Literal["tokens"]


class OwnershipCost(OwnershipRequest):
    """Buying against renting, with the break-even month."""

    kind: Literal["buy_or_rent"]


class MigrationCost(MigrationRequest):
    """Moving to another platform against what it saves."""

    kind: Literal["migration"]


Calculation = Annotated[
    RentCost | TrainingCost | TokensCost | OwnershipCost | MigrationCost, Field(discriminator="kind")
]


class CostInput(_Asked):
    """One calculation; its `kind` says which. Shares are written as 0.6, prices in units of `currency`."""

    calculation: Calculation
    language: Language = Field(default="en", description="Language of the text.")


class CompareInput(_Asked):
    """Cards to put side by side."""

    gpus: tuple[Name, ...] = Field(min_length=1, max_length=MOST_CARDS, description="Names of the cards.")
    attributes: tuple[Name, ...] = Field(
        default=(), max_length=30, description="Ids such as memory_capacity, power; every known figure if left out."
    )
    language: Language = Field(default="en", description="Language of names and labels.")
