"""Quantities in text: exact numbers with their units, ranges, limits and dates, in four languages.

`read_quantities` is the way in. Ambiguity that the language and the unit don't settle stays visible in `candidates`.
"""

from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.language.characters import FoldedText, fold
from assistant.language.quantities.bounds import Bound
from assistant.language.quantities.date_parts import DateReading
from assistant.language.quantities.passage import Found, PassageReader
from assistant.language.quantities.units import convert, currencies, kind_of, unit_named
from assistant.language.tokens import tokenize
from assistant.language.tongue import Language


class Candidate(BaseModel):
    """Another thing that the same characters can mean, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Decimal | None = None
    unit: str = ""
    period: str | None = None
    reason: str


class Quantity(BaseModel):
    """A number or date in a text. `start` and `end` count characters of the original text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    start: int
    end: int
    value: Decimal | None
    """None for a range and a date."""
    low: Decimal | None
    high: Decimal | None
    """Ends of a range or tolerance; equal to `value` where there's one number."""
    unit: str
    """Canonical unit: GB, GiB, TB/s, W, USD, USD/h, %, x, param, gpu …; "" for a plain count."""
    kind: str
    """memory, bandwidth, power, money, rate, percent, duration, date, parameters, multiple, count …"""
    approximate: bool = False
    bound: Bound | None = None
    period: str | None = None
    """A date as a Period is written; --09-09 for a day whose year the text doesn't say."""
    step: Decimal | None = None
    """Size of the last written digit: 0.01 for 3.35, 1e9 for 70 billion."""
    candidates: tuple[Candidate, ...] = ()


def read_quantities(text: str, language: Language | None = None) -> list[Quantity]:
    """Every quantity and date of a text, in order, in time linear in its length.

    Names and versions (H100, 13.4.1, RTX 4090), list numbers, citation markers and clock times are no quantities.
    `language` decides what 1.000 and billion mean; without it, the unit and plausibility do, and the other reading
    is among the candidates.
    """
    folded = fold(text)
    tokens = tokenize(folded)
    found = PassageReader(tokens, language).read()
    return [_quantity(text, folded, one) for one in found]


def same_quantity(
    first: Decimal, second: Decimal, *, unit: str = "", other_unit: str = "", step: Decimal | None = None
) -> bool:
    """True where two values are the same after conversion, to the significant digits of the coarser one.

    `step` is the size of the last digit that `first` was written with, in its own unit; without it, the value's own
    digits count. 0.8 kW is 800 W; 85.9 GB is 80 GiB; 3.99 isn't 4.00.
    """
    converted = convert(second, other_unit, unit)
    if converted is None:
        return False
    own = step if step is not None else _step(first)
    other = convert(_step(second), other_unit, unit) or Decimal(0)
    if own == other or (unit == other_unit and step is None):
        return first == converted
    return abs(first - converted) <= max(own, other) / 2


def reads_back(quote: str, language: Language | None, value: Decimal | Range | Period | bool, unit: str | None) -> bool:
    """True where some reading of the quote is `value`, after conversion to `unit`.

    Other readings (candidates) and the ends of a range count too. A day matches a quote that leaves the year out. Money
    without "per hour" matches a price per hour, and a bare number in a table row matches any unit, since a table says
    those in its header. A boolean isn't written as a number: it always reads back, and is to be checked otherwise.
    """
    if isinstance(value, bool):
        return True
    found = read_quantities(quote, language)
    if isinstance(value, Period):
        return any(_dates(one, value) for one in found)
    in_table = "|" in quote or "\t" in quote
    if isinstance(value, Range):
        return any(
            one.low is not None
            and one.high is not None
            and _is(one.low, one.unit, value.low, unit, one.step, in_table)
            and _is(one.high, one.unit, value.high, unit, one.step, in_table)
            for one in found
        )
    readings = ((reading, written, one.step) for one in found for reading, written in _readings(one))
    return any(_is(reading, written, value, unit, step, in_table) for reading, written, step in readings)


def _readings(one: Quantity) -> list[tuple[Decimal, str]]:
    values = [(value, one.unit) for value in (one.value, one.low, one.high) if value is not None]
    return values + [(other.value, other.unit) for other in one.candidates if other.value is not None]


def _is(read: Decimal, written: str, value: Decimal, unit: str | None, step: Decimal | None, in_table: bool) -> bool:
    if unit is None or written == unit or (in_table and written == "") or _counts(written, unit):
        return read == value
    above, _, per = unit.partition("/")
    if per and written == above and above in currencies():
        return read == value
    converted = convert(read, written, unit)
    if converted is None:
        return False
    return converted == value or same_quantity(read, value, unit=written, other_unit=unit, step=step)


def _counts(written: str, unit: str) -> bool:
    """True where both merely count: what is counted may be named elsewhere in the quote, or more loosely (units)."""
    known, read = unit_named(unit), unit_named(written)
    counted = known is not None and known.whole and known.kind in ("count", "parameters")
    return counted and (written == "" or (unit == "unit" and read is not None and read.kind == "count"))


def _dates(one: Quantity, period: Period) -> bool:
    if one.period is None:
        return False
    if one.period.startswith("--"):
        return period.text.endswith(one.period[1:]) and len(period.text) == 10
    return Period(one.period) == period or any(
        other.period is not None and Period(other.period) == period for other in one.candidates
    )


def _step(value: Decimal) -> Decimal:
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) and exponent < 0 else 0)


def _quantity(text: str, folded: FoldedText, found: Found) -> Quantity:
    start, end = folded.original_span(found.start, found.end)
    what = found.what
    if isinstance(what, DateReading):
        other = (Candidate(period=what.other, reason="day and month swapped"),) if what.other else ()
        return Quantity(
            text=text[start:end], start=start, end=end, value=None, low=None, high=None, unit="", kind="date",
            approximate=what.approximate, period=what.period, candidates=other,
        )  # fmt: skip
    spans = what.low is not None and what.high is not None
    tolerance = spans and what.low != what.value != what.high
    return Quantity(
        text=text[start:end], start=start, end=end,
        value=plain(what.value) if not spans or tolerance else None,
        low=plain(what.low if what.low is not None else what.value),
        high=plain(what.high if what.high is not None else what.value),
        unit=what.unit, kind=kind_of(what.unit), approximate=what.manner.approximate, bound=what.manner.bound,
        step=what.step,
        candidates=tuple(
            Candidate(value=plain(other.value), unit=other.unit, reason=other.reason) for other in what.others
        ),
    )  # fmt: skip


def plain(value: Decimal) -> Decimal:
    """The same number without an exponent: 70000000000, not 7E+10."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() and value.adjusted() < 27 else value
