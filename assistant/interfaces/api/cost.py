"""`POST /api/cost`: what renting, training, serving, buying and migrating cost."""

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.problem import problems
from assistant.language.tongue import Language
from assistant.tools.cost.calculation import AnyResult, calculate, described, with_texts
from assistant.tools.cost.comparison import ComparisonRequest
from assistant.tools.cost.describer import Describer
from assistant.tools.cost.energy import EnergyRequest
from assistant.tools.cost.migration import MigrationRequest
from assistant.tools.cost.ownership import OwnershipRequest
from assistant.tools.cost.rent import RentRequest
from assistant.tools.cost.tokens import TokensRequest
from assistant.tools.cost.training_run import TrainingRunRequest
from assistant.tools.would_change import what_would_change

router = APIRouter()


class _Call(BaseModel):
    """Base of the calls: which calculation, its inputs, and the language of the text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: Language = Field(default="en", description="Of the text.")


class RentCall(_Call):
    """Cards × hours × price, with the date of every price."""

    calculation: Literal["rent"]
    inputs: RentRequest


class TrainCall(_Call):
    """The whole cost of a training run, and of a run that succeeds."""

    calculation: Literal["train"]
    inputs: TrainingRunRequest


class TokensCall(_Call):
    """The cost of a million tokens at a stated throughput and utilisation."""

    calculation: Literal["tokens"]
    inputs: TokensRequest


class CompareCall(_Call):
    """Ways to do the same work, side by side."""

    calculation: Literal["compare"]
    inputs: ComparisonRequest


class BuyOrRentCall(_Call):
    """Renting against buying at several utilisations, with the break-even month."""

    calculation: Literal["buy-or-rent"]
    inputs: OwnershipRequest


class MigrateCall(_Call):
    """Weeks × people × rate against savings, with the month in which it has paid for itself."""

    calculation: Literal["migrate"]
    inputs: MigrationRequest


class EnergyCall(_Call):
    """What cards use in electricity, and what that costs."""

    calculation: Literal["energy"]
    inputs: EnergyRequest


Calculation = Literal["rent", "train", "tokens", "compare", "buy-or-rent", "migrate", "energy"]
CALCULATIONS: dict[Calculation, type[BaseModel]] = {
    "rent": RentRequest,
    "train": TrainingRunRequest,
    "tokens": TokensRequest,
    "compare": ComparisonRequest,
    "buy-or-rent": OwnershipRequest,
    "migrate": MigrationRequest,
    "energy": EnergyRequest,
}
"""What each calculation is asked."""

CostCall = Annotated[
    RentCall | TrainCall | TokensCall | CompareCall | BuyOrRentCall | MigrateCall | EnergyCall,
    Field(discriminator="calculation"),
]


class CostAnswer(BaseModel):
    """The result, the same in words, and where each input comes from."""

    model_config = ConfigDict(frozen=True)

    text: str
    would_change: tuple[str, ...] = Field(description="What would change this answer; recomputed, and in the text too.")
    inputs: tuple[str, ...]
    result: AnyResult


@router.post("/cost", responses=problems(408, 413))
async def cost(call: CostCall, knowledge: Knowledge, threads: Threads) -> CostAnswer:
    """Compute a cost, with the formula, the source of each input and what was assumed."""
    return await threads.run(lambda: answered(call, knowledge))


def answered(call: CostCall, knowledge: Opening) -> CostAnswer:
    """The result for a call. Raises InvalidInput naming the field at fault, FileUnavailable."""
    tables = knowledge.cost_tables()
    result = calculate(call.inputs, tables)
    writer = Describer(tables.wording, call.language)
    return CostAnswer(
        text=described(result, call.language, tables.wording),
        would_change=what_would_change(result, call.language, knowledge.folder),
        inputs=tuple(writer.input_lines(result)),
        result=with_texts(result, writer),
    )
