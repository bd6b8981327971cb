"""Units, their sizes, and exact conversion between units of one dimension."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pydantic import Field

from assistant.language.lexical_data import WordLists, load
from assistant.language.tongue import Language


class Unit(WordLists):
    """A unit with its size in its dimension's base unit, and how texts spell it."""

    unit: str
    kind: str
    dimension: str | None = None
    """None where the unit is spelled as one word but made of two: GBps is GB/s."""
    factor: Decimal = Decimal(1)
    symbols: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    words: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    own_words: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    plausible: tuple[Decimal, Decimal] | None = None
    whole: bool = False


class Currency(WordLists):
    """Money. Amounts of one currency are never converted to another: that needs a dated rate."""

    unit: str
    times: Decimal = Decimal(1)
    before: tuple[str, ...] = ()
    words: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    own_words: dict[Language, tuple[str, ...]] = Field(default_factory=dict)


class SharedSign(WordLists):
    """A sign that two currencies use."""

    sign: str
    usual: str
    other: str
    reason: str


class PerLists(WordLists):
    """How texts say that one thing is per another; the YAML file says what each list is."""

    markers: tuple[str, ...]
    loosely: tuple[str, ...]
    after_marker: dict[str, tuple[str, ...]]
    behind: dict[str, tuple[str, ...]]
    before: dict[str, tuple[str, ...]]
    fillers: frozenset[str]
    scopes: tuple[str, ...]


class UnitLists(WordLists):
    """The file data/units.yaml."""

    units: tuple[Unit, ...] = Field(min_length=1)
    not_units: tuple[str, ...]
    compound_starts: tuple[str, ...]
    currencies: tuple[Currency, ...]
    shared_signs: tuple[SharedSign, ...]
    per: PerLists


@lru_cache(maxsize=1)
def unit_lists() -> UnitLists:
    return load("units", UnitLists)


@lru_cache(maxsize=1)
def _units() -> dict[str, Unit]:
    return {unit.unit: unit for unit in unit_lists().units}


@lru_cache(maxsize=1)
def currencies() -> frozenset[str]:
    """The currency codes that are read."""
    return frozenset(currency.unit for currency in unit_lists().currencies)


def unit_named(unit: str) -> Unit | None:
    """The unit with this canonical name; None for money, for no unit and for one thing per another (USD/h)."""
    return _units().get(unit)


def kind_of(unit: str) -> str:
    """What a quantity in this unit is: memory, power, money, rate …; count where there's no unit."""
    known = unit_named(unit)
    if known is not None:
        return known.kind
    above, divided, below = unit.partition("/")
    if divided:
        return "bandwidth" if dimension_of(above) == "data" and dimension_of(below) == "time" else "rate"
    return "money" if unit in currencies() else "count"


def dimension_of(unit: str) -> str | None:
    """What a unit measures, as a name that two convertible units share; None for a unit nobody knows."""
    size = _size(unit)
    return size[0] if size else None


def convert(value: Decimal, from_unit: str, to_unit: str) -> Decimal | None:
    """`value` in another unit of the same dimension, exactly: 0.8 kW is 800 W, 1 GB/s is 8 Gb/s, 80 GiB is 85.9 GB.

    None where the two measure different things; one currency is never converted to another, and months and years
    aren't converted to days.
    """
    if from_unit == to_unit:
        return value
    source, target = _size(from_unit), _size(to_unit)
    if source is None or target is None or source[0] != target[0]:
        return None
    exact = Fraction(value) * source[1] / target[1]
    return Decimal(exact.numerator) / Decimal(exact.denominator)


@lru_cache(maxsize=512)
def _size(unit: str) -> tuple[str, Fraction] | None:
    """The dimension of a unit and its size in the dimension's base unit."""
    known = _units().get(unit)
    if known is not None and known.dimension is not None:
        return known.dimension, Fraction(known.factor)
    if unit in currencies():
        return unit, Fraction(1)
    above, divided, below = unit.partition("/")
    if not divided:
        return _multiple_of_tokens(unit)
    numerator, denominator = _size(above), _size(below)
    if numerator is None or denominator is None:
        return None
    return f"{numerator[0]}/{denominator[0]}", numerator[1] / denominator[1]


def _multiple_of_tokens(unit: str) -> tuple[str, Fraction] | None:
    """Mtoken and ktoken, as prices of language models are given."""
    if unit == "Mtoken":
        return "tokens", Fraction(1_000_000)
    return ("tokens", Fraction(1000)) if unit == "ktoken" else None
