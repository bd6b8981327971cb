"""Bounded inputs of the cost calculations, and how a wrong one is refused."""

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from assistant.errors import InvalidInput
from assistant.knowledge.schema import first_problem
from assistant.tools.cost.span import Span

MAX_MONEY = Decimal("1e12")
_DIGITS = 20

Billing = Literal["on_demand", "spot", "reserved", "marketplace"]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Price = Annotated[Decimal, Field(ge=0, le=1_000_000, max_digits=_DIGITS)]
Money = Annotated[Decimal, Field(ge=0, le=MAX_MONEY, max_digits=_DIGITS)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Hours = Annotated[Decimal, Field(gt=0, le=10_000_000, max_digits=_DIGITS)]
Share = Annotated[Decimal, Field(gt=0, le=1, max_digits=_DIGITS)]
Rate = Annotated[Decimal, Field(gt=0, le=1_000_000, max_digits=_DIGITS)]


class Request(BaseModel):
    """Base of the requests: nothing unknown, nothing infinite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


Model = TypeVar("Model", bound=BaseModel)

_SCALE = {"": 0, "k": 3, "m": 6, "b": 9, "t": 12}
_NUMBER = re.compile(r"^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?)\s*([kmbt]?)$", re.IGNORECASE)


def checked(model: type[Model], **fields: Any) -> Model:
    """Build a request; fields that are None are left to their defaults. Raises InvalidInput naming the field."""
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from error


def read_number(field: str, text: str) -> Decimal:
    """A number as written on a command line: 1.99, 8, 70B, 15T. Raises InvalidInput naming `field`."""
    match = _NUMBER.match(text.strip())
    if match is None:
        raise InvalidInput(f"{field}: {text[:40]!r} is not a number.", "Write it as 1.99, 8 or 70B.")
    try:
        return Decimal(match[1]).scaleb(_SCALE[match[2].lower()])
    except InvalidOperation as error:
        raise InvalidInput(f"{field}: {text[:40]!r} is too large or too small.") from error


def read_span(field: str, text: str) -> Span:
    """A number, or two with '..' between them: 3.59..4.59. Raises InvalidInput naming `field`."""
    low, dots, high = text.partition("..")
    ends = (read_number(field, low), read_number(field, high if dots else low))
    if ends[0] > ends[1]:
        raise InvalidInput(f"{field}: {text[:40]!r} runs from high to low.", "Write the lower number first.")
    return Span(low=ends[0], high=ends[1])
