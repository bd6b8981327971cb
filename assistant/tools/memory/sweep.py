"""The same question over a range of one choice: context, concurrency, quantisation, number of cards."""

from collections.abc import Callable
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.tools.memory.amounts import read_tokens
from assistant.tools.memory.card import Card
from assistant.tools.memory.fit import answer
from assistant.tools.memory.remedies import changed
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject

SweptField = Literal["context", "concurrency", "gpus", "batch", "sequence", "zero", "weights", "kv_type"]
_FIELDS: tuple[SweptField, ...] = get_args(SweptField)
_IN_TOKENS = frozenset({"context", "sequence"})
_IN_WORDS = frozenset({"weights", "kv_type"})
MOST_POINTS = 64


class SweepPoint(BaseModel):
    """One value of the swept choice; `result` is None where it can't be, and `refusal` says why."""

    model_config = ConfigDict(frozen=True)

    value: int | str
    result: FitResult | None = None
    refusal: str = ""


def _number(text: str, field: SweptField) -> int:
    if field in _IN_TOKENS:
        return read_tokens(text, field)
    if not text.strip().isdecimal() or not 0 <= int(text) <= 10**6:
        raise InvalidInput(f"sweep: {text[:40]!r} is not a whole number.", f"Write it as {field}=1..8.")
    return int(text)


def _doubling(low: int, high: int) -> list[int]:
    values = [low]
    while values[-1] and values[-1] * 2 < high:
        values.append(values[-1] * 2)
    return values if values[-1] == high else [*values, high]


def read_sweep(text: str) -> tuple[SweptField, list[int | str]]:
    """`context=4k..128k` (doubling), `gpus=1,2,4` or `weights=bf16,fp8,int4`. Raises InvalidInput."""
    name, _, spec = text.partition("=")
    name = name.strip().replace("-", "_")
    field = next((known for known in _FIELDS if known == name), None)
    if field is None or not spec:
        raise InvalidInput(
            f"sweep: {text[:60]!r} is not a sweep.", f"Fields: {', '.join(_FIELDS)}, as context=4k..128k."
        )
    values: list[int | str]
    if field in _IN_WORDS:
        values = [word.strip() for word in spec.split(",")]
    elif ".." in spec:
        low, high = (_number(part, field) for part in spec.split("..", 1))
        if low > high:
            raise InvalidInput(f"sweep: {spec} runs backwards.", "Put the smaller value first.")
        values = list(range(low, high + 1)) if low == 0 else list(_doubling(low, high))
    else:
        values = [_number(part, field) for part in spec.split(",")]
    if len(values) > MOST_POINTS:
        raise InvalidInput(f"sweep: {len(values)} points are more than {MOST_POINTS}.")
    return field, values


def sweep(
    request: FitRequest,
    subject: Subject,
    card: Card,
    field: SweptField,
    values: list[int | str],
    estimate: Callable[[FitRequest, Subject, Card], FitResult] = answer,
) -> tuple[SweepPoint, ...]:
    """The estimate at each value of `field`, all else as requested."""
    points: list[SweepPoint] = []
    for value in values:
        try:
            at_value = changed(request, **{field: value})
            points.append(SweepPoint(value=value, result=estimate(at_value, subject, card)))
        except InvalidInput as error:
            points.append(SweepPoint(value=value, refusal=str(error)))
        except ValueError as error:
            points.append(
                SweepPoint(value=value, refusal=f"{field}: {value} is out of range ({type(error).__name__}).")
            )
    return tuple(points)
