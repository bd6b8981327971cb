"""Amounts that belong together: the ends of a range, a tolerance, and rows that share one unit."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from assistant.language.quantities.amount import Amount
from assistant.language.quantities.bounds import BoundWords, Manner
from assistant.language.quantities.units import convert, dimension_of
from assistant.language.tokens import Tokens

_MOST_SCALED = 1000
"""Numbers below it share the million behind the last of a row: 2, 3 and 4 million."""

ReadAmount = Callable[[int], Amount | None]


def with_tolerance(tokens: Tokens, amount: Amount, read: ReadAmount, bounds: BoundWords) -> Amount:
    """750 W ± 5 %: the amount with its lowest and highest value."""
    sign = bounds.tolerance.longest(tokens, amount.end) if tokens.at(amount.end).near else None
    margin = read(sign[0]) if sign else None
    if margin is None:
        return amount
    if margin.unit == "%" and amount.unit != "%":
        size: Decimal | None = amount.value * margin.value / 100
    elif margin.unit == amount.unit or amount.bare or margin.bare:
        size = margin.value
    else:
        size = convert(margin.value, margin.unit, amount.unit)
    if size is None:
        return amount
    unit = amount.unit or ("" if margin.unit == "%" else margin.unit)
    return replace(
        amount, end=margin.end, unit=unit, low=amount.value - size, high=amount.value + size,
        manner=amount.manner.with_(Manner(approximate=True)),
    )  # fmt: skip


def with_upper_end(tokens: Tokens, lower: Amount, read: ReadAmount, bounds: BoundWords) -> Amount | None:
    """The range that starts with `lower`, where another end follows: 3,59–4,59 $, 20 til 25 procent, 3至5年."""
    joined = bounds.range.longest(tokens, lower.end) if tokens.at(lower.end).near else None
    if joined is None or not _even(tokens, lower.end, joined[0]):
        return None
    return _range(tokens, lower, read(joined[0]))


def between(tokens: Tokens, place: int, read: ReadAmount, bounds: BoundWords) -> Amount | None:
    """The range that "between", tussen, mellem or 介于 opens at `place`."""
    opened = bounds.open.longest(tokens, place)
    lower = read(opened[0]) if opened else None
    if lower is None or not tokens.at(lower.end).near:
        return None
    joined = bounds.join.longest(tokens, lower.end)
    upper = read(joined[0]) if joined else None
    if upper is None:
        return None
    closed = tokens.at(upper.end).text == "之" and tokens.at(upper.end + 1).text == "间"
    if tokens[place].text == "在" and not closed:
        return None
    found = _range(tokens, lower, upper)
    return replace(found, end=upper.end + 2) if found and closed else found


def share_units(tokens: Tokens, amounts: list[Amount], bounds: BoundWords) -> list[Amount]:
    """Give amounts without a unit the unit of the row they stand in: 700 og 750 watt, € 3,59 en 4,59."""
    shared = list(amounts)
    for place in range(len(shared) - 2, -1, -1):
        if shared[place].bare and _in_a_row(tokens, shared[place], shared[place + 1], bounds):
            shared[place] = _sharing(shared[place], shared[place + 1])
    for place in range(1, len(shared)):
        before, amount = shared[place - 1], shared[place]
        if amount.bare and before.unit_in_front and _in_a_row(tokens, before, amount, bounds):
            shared[place] = replace(_sharing(amount, before), unit_in_front=True)
    return shared


def _in_a_row(tokens: Tokens, first: Amount, second: Amount, bounds: BoundWords) -> bool:
    if not tokens.at(first.end).near or not tokens.at(second.start).near:
        return False
    joined = bounds.lists.longest(tokens, first.end)
    return joined is not None and joined[0] == second.start


def _sharing(amount: Amount, other: Amount) -> Amount:
    if other.bare or (other.unit_in_front and other.start > amount.start):
        return amount
    if amount.power and amount.power != other.power and other.unit == "param":
        return amount
    amount = replace(amount.with_unit(other.unit, amount.end), unit="")
    shares_scale = amount.power == 0 and amount.value < _MOST_SCALED
    factor = Decimal(1).scaleb(other.power) if shares_scale else Decimal(1)
    return replace(
        amount,
        unit=other.unit,
        weak=False,
        power=other.power if shares_scale else amount.power,
        value=amount.value * factor,
        step=amount.step * factor,
        low=amount.low * factor if amount.low is not None else None,
        high=amount.high * factor if amount.high is not None else None,
    )


def _even(tokens: Tokens, start: int, end: int) -> bool:
    """True where a dash has a space on both sides or on neither; a word always does."""
    sign = tokens.at(start)
    if sign.kind != "symbol":
        return True
    return sign.glued == tokens.at(end).glued


def _range(tokens: Tokens, lower: Amount, upper: Amount | None) -> Amount | None:
    if upper is None or upper.low is not None or lower.low is not None or upper.manner.bound == "at_least":
        return None
    ends = _ends(lower, upper)
    if ends is None:
        return None
    low, high, unit, step = ends
    if low >= high:
        return None
    return replace(
        lower, end=upper.end, value=high, step=step, unit=unit, low=low, high=high, weak=False, power=upper.power,
        manner=lower.manner.with_(upper.manner), others=(),
    )  # fmt: skip


def _ends(lower: Amount, upper: Amount) -> tuple[Decimal, Decimal, str, Decimal] | None:
    """Both ends in one unit, and the unit; a million or a unit behind the upper end counts for both."""
    if lower.bare and not upper.bare:
        lower = replace(lower.with_unit(upper.unit, lower.end), unit="")
    if lower.bare or (lower.unit_in_front and (upper.bare or upper.unit_in_front)):
        shared = lower.power == 0 and lower.value < upper.value.scaleb(-upper.power)
        factor = Decimal(1).scaleb(upper.power) if shared else Decimal(1)
        unit = upper.unit if lower.bare else _wider(lower.unit, upper.unit)
        if not lower.bare and not upper.bare and upper.unit.partition("/")[0] != lower.unit.partition("/")[0]:
            return None
        return lower.value * factor, upper.value, unit, max(lower.step * factor, upper.step)
    unit = _wider(lower.unit, upper.unit)
    high = upper.value if unit == upper.unit else convert(upper.value, upper.unit, unit)
    return (lower.value, high, unit, lower.step) if high is not None else None


def _wider(lower: str, upper: str) -> str:
    """$3.59–$4.59 an hour: the rate stands at the last one only."""
    return upper if upper.partition("/")[0] == lower and dimension_of(upper) != dimension_of(lower) else lower
