"""The same rent over a range of hours, cards or utilisation: a table, and points for a chart of cost over time."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, get_args

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.cost.describer import Describer, table
from assistant.tools.cost.price import Offer
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.request import checked, read_count, read_number, read_share
from assistant.tools.cost.result import Frozen
from assistant.tools.cost.span import as_number

SweptField = Literal["hours", "gpus", "utilisation"]
MOST_POINTS = 64
_BAR = 30


class SweepPoint(Frozen):
    """The rent at one value of the swept field."""

    value: Decimal
    result: RentResult


def read_sweep(text: str) -> tuple[SweptField, list[Decimal]]:
    """`hours=24,168,730`, `gpus=1..8` (doubling) or `utilisation=30%,60%,90%`. Raises InvalidInput."""
    name, _, spec = text.partition("=")
    field = next((known for known in get_args(SweptField) if known == name.strip()), None)
    if field is None or not spec.strip():
        raise InvalidInput(
            f"sweep: {text[:60]!r} is not a sweep.", "Write hours=24,168,730, gpus=1..8 or utilisation=30%,60%."
        )
    if ".." in spec:
        low, high = (_read(field, part) for part in spec.split("..", 1))
        values = _doubling(low, high)
    else:
        values = [_read(field, part) for part in spec.split(",")]
    if len(values) > MOST_POINTS:
        raise InvalidInput(f"sweep: {len(values)} points are more than {MOST_POINTS}.")
    return field, values


def _read(field: SweptField, text: str) -> Decimal:
    if field == "gpus":
        return Decimal(read_count("sweep", text))
    return read_share("sweep", text) if field == "utilisation" else read_number("sweep", text)


def _doubling(low: Decimal, high: Decimal) -> list[Decimal]:
    if not 0 < low <= high:
        raise InvalidInput("sweep: the first value must be above nought and at most the last.")
    values = [low]
    while values[-1] * 2 < high and len(values) <= MOST_POINTS:
        values.append(values[-1] * 2)
    return values if values[-1] == high else [*values, high]


def sweep_rent(
    request: RentRequest,
    corpus: Corpus,
    field: SweptField,
    values: Sequence[Decimal],
    *,
    today: date,
    refreshed: Sequence[Offer] = (),
) -> tuple[SweepPoint, ...]:
    """The rent at each value, all else as requested. Raises InvalidInput for a value out of bounds."""
    given = {name: getattr(request, name) for name in request.model_fields_set}
    points: list[SweepPoint] = []
    for value in values:
        changed = checked(RentRequest, **{**given, field: int(value) if field == "gpus" else value})
        points.append(SweepPoint(value=value, result=rent(changed, corpus, today=today, refreshed=refreshed)))
    return tuple(points)


def sweep_data(field: SweptField, points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Points for a chart, as JSON."""
    return {
        "sweep": field,
        "points": [
            {
                "value": as_number(point.value),
                "status": point.result.status,
                "total": point.result.total.model_dump(mode="json") if point.result.total else None,
                "per_useful_gpu_hour": point.result.per_useful_gpu_hour.model_dump(mode="json")
                if point.result.per_useful_gpu_hour
                else None,
                "currency": point.result.currency,
            }
            for point in points
        ],
    }


def describe_sweep(field: SweptField, points: Sequence[SweepPoint], language: Language, wording: Wording) -> str:
    """A table with a bar for each point, of the total or of the price of a useful hour, then how old the prices are."""
    writer = Describer(wording, language)
    header = [writer.say(f"col_{field}"), writer.say("col_total"), writer.say("col_useful_hour"), ""]
    measured = [point.result.per_useful_gpu_hour if field == "utilisation" else point.result.total for point in points]
    highest = max((amount.high for amount in measured if amount), default=Decimal(0))
    rows: list[list[str]] = []
    for point, amount in zip(points, measured, strict=True):
        total, useful = point.result.total, point.result.per_useful_gpu_hour
        if total is None or useful is None or amount is None:
            rows.append([_shown(field, point.value, writer), writer.say("none_published"), "–", ""])
            continue
        length = int(amount.high / highest * _BAR) if highest else 0
        shown = [writer.money(amount, point.result.currency) for amount in (total, useful)]
        rows.append([_shown(field, point.value, writer), *shown, "█" * max(1, length)])
    return writer.text(table(header, rows), writer.notes(points[0].result) if points else "")


def _shown(field: SweptField, value: Decimal, writer: Describer) -> str:
    if field == "utilisation":
        return f"{format_number((value * 100).normalize(), writer.language)}%"
    return format_number(value, writer.language)
