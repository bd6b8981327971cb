"""What the tools are asked that the HTTP API has no call for, or has in another shape."""

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from assistant.errors import InvalidInput
from assistant.interfaces.api import cost
from assistant.interfaces.api.cost import CostCall
from assistant.language.tongue import Language
from assistant.reason import reason
from assistant.tools.card_table import MOST_CARDS
from assistant.tools.cost.request import Name

_ANNOTATED: Any = Annotated
_ADAPTER: TypeAdapter[CostCall] = TypeAdapter(CostCall)


class CostArguments(BaseModel):
    """One calculation, its inputs beside it. Shares are written as 0.6, prices in units of their currency."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calculation: cost.Calculation
    language: Language = Field(default="en", description="Of the text.")

    def call(self) -> CostCall:
        """The same as a call of the API. Raises InvalidInput naming an argument that this calculation doesn't take."""
        inputs = {
            name: getattr(self, name)
            for name in sorted(self.model_fields_set - {"calculation", "language"})
            if getattr(self, name) is not None
        }
        taken = _inputs_by_calculation()[self.calculation]
        for name in inputs:
            if name not in taken:
                raise InvalidInput(f"{name}: {self.calculation} takes no such input.", f"It takes: {', '.join(taken)}.")
        call = {"calculation": self.calculation, "language": self.language, "inputs": inputs}
        try:
            return _ADAPTER.validate_python(call)
        except ValidationError as error:
            raise InvalidInput(f"{reason(error.errors(), call).removeprefix('inputs.')}.") from error


@cache
def _inputs_by_calculation() -> dict[str, dict[str, FieldInfo]]:
    """For each calculation the inputs that it takes, by name."""
    return {name: request.model_fields for name, request in cost.CALCULATIONS.items()}


def _cost_input() -> type[CostArguments]:
    """The arguments of every calculation side by side, none of them needed by all: tools take flat arguments."""
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(name for inputs in _inputs_by_calculation().values() for name in inputs):
        takers = [calculation for calculation, inputs in _inputs_by_calculation().items() if name in inputs]
        described = _inputs_by_calculation()[takers[0]][name]
        bounded = _ANNOTATED[(described.annotation, *described.metadata, Field())]
        fields[name] = (bounded | None, Field(default=None, description=f"For {', '.join(takers)}."))
    return create_model("CostInput", __base__=CostArguments, __doc__=CostArguments.__doc__, **fields)


CostInput = _cost_input()


class CompareInput(BaseModel):
    """Cards to put side by side."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpus: tuple[Name, ...] = Field(min_length=1, max_length=MOST_CARDS, description="Names of the cards.")
    attributes: tuple[Annotated[str, Field(max_length=100)], ...] = Field(
        default=(), max_length=30, description="Ids such as memory_capacity, power; every known figure if left out."
    )
    language: Language = Field(default="en", description="Of names and labels.")
