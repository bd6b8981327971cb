"""What the tools are asked that the HTTP API has no call for."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from assistant.interfaces.api.cost import CostCall
from assistant.language.tongue import Language
from assistant.tools.card_table import MOST_CARDS
from assistant.tools.cost.request import Name


class CostInput(BaseModel):
    """One calculation. Shares are written as 0.6, prices in units of their currency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    call: CostCall = Field(description="Its `calculation` says which inputs it takes.")


class CompareInput(BaseModel):
    """Cards to put side by side."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpus: tuple[Name, ...] = Field(min_length=1, max_length=MOST_CARDS, description="Names of the cards.")
    attributes: tuple[Annotated[str, Field(max_length=100)], ...] = Field(
        default=(), max_length=30, description="Ids such as memory_capacity, power; every known figure if left out."
    )
    language: Language = Field(default="en", description="Of names and labels.")
