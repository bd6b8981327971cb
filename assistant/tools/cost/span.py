"""An amount that is known exactly or lies between two others; exact decimal arithmetic on it."""

from collections.abc import Iterable
from decimal import Context, Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from assistant.knowledge.claim import Range

# Wide enough for the product of every bounded input of a calculation, so that nothing is rounded on the way.
EXACT = Context(prec=80)


class NumbersOnly:
    """Marks a decimal that is given as a number: text and truth values are refused, and no schema offers it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_numbers_only, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        numbers = (branch for branch in described.get("anyOf", ()) if branch.get("type") == "number")
        return dict(next(numbers, described))


def _numbers_only(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("switch_for_number", "must be a number, not true or false")
    if isinstance(value, str):
        raise PydanticCustomError("text_for_number", "must be a number, not text")
    return value


def as_number(value: Decimal) -> int | float:
    """A decimal as a JSON number."""
    return int(value) if value == value.to_integral_value() else float(value)


Number = Annotated[Decimal, NumbersOnly(), PlainSerializer(as_number, return_type=int | float, when_used="json")]


class Span(BaseModel):
    """`low` and `high` are equal where the amount is known exactly."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    low: Number
    high: Number

    @model_validator(mode="after")
    def _in_order(self) -> "Span":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self

    @classmethod
    def of(cls, value: "Span | Range | Decimal | int") -> "Span":
        if isinstance(value, Span):
            return value
        if isinstance(value, Range):
            return cls(low=value.low, high=value.high)
        return cls(low=Decimal(value), high=Decimal(value))

    @classmethod
    def over(cls, spans: "Iterable[Span]") -> "Span":
        """The least span that holds all of `spans`, of which there must be one."""
        held = list(spans)
        return cls(low=min(span.low for span in held), high=max(span.high for span in held))

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def value(self) -> Decimal | Range:
        """As figures are written elsewhere: one number, or a range."""
        return self.low if self.exact else Range(low=self.low, high=self.high)

    def __add__(self, other: "Span | Decimal | int") -> "Span":
        right = Span.of(other)
        return Span(low=EXACT.add(self.low, right.low), high=EXACT.add(self.high, right.high))

    def __sub__(self, other: "Span | Decimal | int") -> "Span":
        right = Span.of(other)
        return Span(low=EXACT.subtract(self.low, right.high), high=EXACT.subtract(self.high, right.low))

    def __mul__(self, other: "Span | Decimal | int") -> "Span":
        right = Span.of(other)
        ends = [EXACT.multiply(a, b) for a in (self.low, self.high) for b in (right.low, right.high)]
        return Span(low=min(ends), high=max(ends))

    def __truediv__(self, other: "Span | Decimal | int") -> "Span":
        """Raises ZeroDivisionError where the divisor may be nought."""
        right = Span.of(other)
        if right.low <= 0 <= right.high:
            raise ZeroDivisionError("the divisor may be nought")
        ends = [EXACT.divide(a, b) for a in (self.low, self.high) for b in (right.low, right.high)]
        return Span(low=min(ends), high=max(ends))


def total(spans: Iterable[Span]) -> Span:
    """The sum of all; nought where there is none."""
    result = Span.of(0)
    for span in spans:
        result = result + span
    return result
