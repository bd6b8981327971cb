"""A number or date of a sentence with the things it is said of, and when a source's figure carries it."""

from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.claim import Bound
from assistant.knowledge.period import Period
from assistant.language.quantities.amount import OTHER_SEPARATOR
from assistant.language.quantities.quantity import Quantity
from assistant.language.quantities.units import convert, unit_named
from assistant.language.tongue import Language

_GROUPED_BY_COMMA = frozenset({"en", "zh"})
# How far a figure may be from the source's where it is said to be approximate, and where only its unit differs.
_ABOUT, _CONVERTED, _ROUNDED = Decimal("0.05"), Decimal("0.005"), Decimal("0.01")


class Figure(BaseModel):
    """A number with its unit, or a date; `entities` are the things it is said of."""

    model_config = ConfigDict(frozen=True)

    text: str
    start: int = 0
    end: int = 0
    low: Decimal | None = None
    high: Decimal | None = None
    unit: str = ""
    step: Decimal | None = None
    approximate: bool = False
    bound: Bound | None = None
    strict: bool = False
    """True for "more than" and "less than", which the limit itself doesn't meet."""
    date: str | None = None
    """As a Period is written; --09-09 for a day of a year that isn't said."""
    entities: frozenset[str] = frozenset()

    @property
    def is_range(self) -> bool:
        return self.low != self.high


def figure_of(quantity: Quantity, language: Language) -> Figure:
    """The figure as a reader of `language` takes it, who doesn't know which size is plausible: 4,800 TB/s is 4800."""
    own = _own_reading(quantity, language)
    if own is not None:
        quantity = quantity.model_copy(update={"value": own, "low": own, "high": own, "step": None})
    return Figure(
        text=quantity.text,
        start=quantity.start,
        end=quantity.end,
        low=quantity.low,
        high=quantity.high,
        unit=quantity.unit,
        step=quantity.step,
        approximate=quantity.approximate,
        bound=quantity.bound,
        date=quantity.period,
    )


def _own_reading(quantity: Quantity, language: Language) -> Decimal | None:
    """The other reading of a separator, where that is the one that the language gives it."""
    other = next((c.value for c in quantity.candidates if c.reason == OTHER_SEPARATOR), None)
    if other is None or quantity.value is None:
        return None
    groups = ("," in quantity.text) == (language in _GROUPED_BY_COMMA)
    wanted = max(other, quantity.value) if groups else min(other, quantity.value)
    return wanted if wanted != quantity.value else None


def carries(held: Figure, said: Figure) -> bool:
    """True where a source that holds `held` supports saying `said`."""
    if said.date is not None or held.date is not None:
        return _carries_date(held.date, said.date)
    if said.low is None or said.high is None or held.low is None or held.high is None:
        return False
    if said.strict and not held.strict:
        return False
    if held.is_range and not said.is_range:
        return _carries_end(held, said)
    if held.is_range != said.is_range or not _same_bound(held.bound, said.bound):
        return False
    return _same(held, held.low, said, said.low) and _same(held, held.high, said, said.high)


def _carries_end(held: Figure, said: Figure) -> bool:
    """One end of a range may be said as what it is: the least or the most."""
    low, high = held.low, held.high
    if low is None or high is None or said.low is None:
        return False
    if said.bound == "at_least":
        return _same(held, low, said, said.low)
    return said.bound == "at_most" and _same(held, high, said, said.low)


def _same_bound(held: Bound | None, said: Bound | None) -> bool:
    # "Up to 80 GB" may be said of just 80 GB, but no limit of the source may be lost.
    return held == said or (held is None and said == "at_most")


def _same(held: Figure, source: Decimal, said: Figure, value: Decimal) -> bool:
    unit = held.unit
    if said.unit != unit and _counts(said.unit, unit):
        return value == source
    converted = convert(value, said.unit, unit)
    if converted is None:
        return False
    if converted == source:
        return True
    half_digit = convert((said.step or Decimal(0)) / 2, said.unit, unit) or Decimal(0)
    apart = abs(converted - source)
    if said.approximate and apart <= _ROUNDED * abs(source) and value % (10 * (said.step or 1)) == 0:
        return True  # "about 280" of 278.8: its last nought is no digit
    if said.approximate:
        return apart <= half_digit and apart <= _ABOUT * abs(source)
    return said.unit != unit and apart <= half_digit and apart <= _CONVERTED * abs(source)


def _counts(said: str, held: str) -> bool:
    """True where what is counted is merely named more loosely: 1,000 units against 1,000."""
    known, other = unit_named(held), unit_named(said)
    if known is None or not known.whole:
        return False
    return said == "" or (other is not None and other.whole and "unit" in (said, held))


def _carries_date(held: str | None, said: str | None) -> bool:
    """A date may be said less exactly than the source has it, never more exactly."""
    if held is None or said is None:
        return False
    if said.startswith("--"):
        return held.endswith(said[1:]) and len(held) in (len("2026-09-09"), len("--09-09"))
    if held.startswith("--"):
        return False
    source, stated = Period(held), Period(said)
    return stated.first <= source.first and source.last <= stated.last
