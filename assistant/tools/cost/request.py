"""Bounded inputs of the cost calculations, and how a wrong one is refused."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from assistant.errors import InvalidInput
from assistant.reason import reason
from assistant.tools.cost.result import Input
from assistant.tools.cost.span import NumbersOnly, Span
from assistant.whole_number import NO_SWITCH

MAX_MONEY = Decimal("1e12")
_DIGITS = 20

Billing = Literal["on_demand", "spot", "reserved", "marketplace"]


def _few_digits(value: Decimal) -> Decimal:
    if len(value.as_tuple().digits) > _DIGITS:
        raise ValueError(f"written with more than {_DIGITS} digits")
    return value


FewDigits = AfterValidator(_few_digits)
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Price = Annotated[Decimal, Field(ge=0, le=1_000_000), NumbersOnly(), FewDigits]
Money = Annotated[Decimal, Field(ge=0, le=MAX_MONEY), NumbersOnly(), FewDigits]
Count = Annotated[int, Field(ge=1, le=1_000_000), NO_SWITCH]
Hours = Annotated[Decimal, Field(gt=0, le=10_000_000), NumbersOnly(), FewDigits]
Share = Annotated[Decimal, Field(gt=0, le=1), NumbersOnly(), FewDigits]
Rate = Annotated[Decimal, Field(gt=0, le=1_000_000), NumbersOnly(), FewDigits]


class Request(BaseModel):
    """Base of the requests: nothing unknown, nothing infinite, no range below nought."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _ranges_within_bounds(self) -> "Request":
        for name in type(self).model_fields:
            span = getattr(self, name)
            if not isinstance(span, Span):
                continue
            if span.low < 0:
                raise ValueError(f"{name}: must not be negative")
            if span.high > MAX_MONEY or any(len(end.as_tuple().digits) > _DIGITS for end in (span.low, span.high)):
                raise ValueError(f"{name}: too large, or written with too many digits")
        return self


def inputs_of(
    request: Request, units: Mapping[str, str], assumed_from: Mapping[str, str] | None = None
) -> tuple[Input, ...]:
    """Inputs for the fields of a request named in `units`: given where they were stated, else assumed.

    `assumed_from` names the sources of what is assumed, where there are any.
    """
    sources = assumed_from or {}
    given = request.model_fields_set
    return tuple(
        Input(
            name=name,
            value=Span.of(getattr(request, name)),
            unit=unit,
            origin="given" if name in given else "assumed",
            source=None if name in given else sources.get(name),
        )
        for name, unit in units.items()
    )


Model = TypeVar("Model", bound=BaseModel)

_SCALE = {"": 0, "k": 3, "m": 6, "b": 9, "t": 12}
_NUMBER = re.compile(r"^([+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?)\s*([kmbt]?)$", re.IGNORECASE)


def checked(model: type[Model], **fields: Any) -> Model:
    """Build a request; fields that are None are left to their defaults. Raises InvalidInput naming the field."""
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(f"{reason(error.errors(), fields)}.") from error


def read_share(field: str, text: str) -> Decimal:
    """A share as 0.6 or 60%. Raises InvalidInput naming `field`."""
    percent = text.strip().removesuffix("%")
    return read_number(field, percent).scaleb(-2) if percent != text.strip() else read_number(field, text)


def read_number(field: str, text: str) -> Decimal:
    """A number as written on a command line: 1.99, 8, 70B, 15T. Raises InvalidInput naming `field`."""
    match = _NUMBER.match(text.strip())
    if match is None:
        raise InvalidInput(f"{field}: {text[:40]!r} is not a number.", "Write it as 1.99, 8 or 70B.")
    try:
        return Decimal(match[1]).scaleb(_SCALE[match[2].lower()])
    except InvalidOperation as error:
        raise InvalidInput(f"{field}: {text[:40]!r} is too large or too small.") from error


def read_count(field: str, text: str) -> int:
    """A whole number. Raises InvalidInput naming `field`."""
    number = read_number(field, text)
    if abs(number) > 10**9 or number != number.to_integral_value():
        raise InvalidInput(f"{field}: {text[:40]!r} is not a whole number within reach.")
    return int(number)


def read_share_span(field: str, text: str) -> Span:
    """A share, or two with '..' between them: 35%..45%. Raises InvalidInput naming `field`."""
    low, dots, high = text.partition("..")
    return _span(field, text, read_share(field, low), read_share(field, high if dots else low))


def read_span(field: str, text: str) -> Span:
    """A number, or two with '..' between them: 3.59..4.59. Raises InvalidInput naming `field`."""
    low, dots, high = text.partition("..")
    return _span(field, text, read_number(field, low), read_number(field, high if dots else low))


def _span(field: str, text: str, low: Decimal, high: Decimal) -> Span:
    if low > high:
        raise InvalidInput(f"{field}: {text[:40]!r} runs from high to low.", "Write the lower number first.")
    return Span(low=low, high=high)
