"""An amount as it stands in a text: a number or range with its unit, and everything else that it could mean."""

from dataclasses import dataclass, replace
from decimal import Decimal

from assistant.language.quantities.bounds import AS_WRITTEN, Manner
from assistant.language.quantities.numerals import Reading
from assistant.language.quantities.units import currencies, unit_named
from assistant.language.tongue import Language

OTHER_SEPARATOR = "other reading of the separator"


@dataclass(frozen=True, slots=True)
class Other:
    """Another reading of an amount, and why it's possible."""

    value: Decimal
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount between the tokens `start` and `end`.

    `bare` ones have no unit yet and may share a neighbour's. `weak` ones (one, half, 一) are only numbers next to a
    unit. `low` and `high` are set for a range or a tolerance.
    """

    start: int
    end: int
    value: Decimal
    step: Decimal
    unit: str = ""
    manner: Manner = AS_WRITTEN
    weak: bool = False
    power: int = 0
    unit_in_front: bool = False
    low: Decimal | None = None
    high: Decimal | None = None
    readings: tuple[Reading, ...] = ()
    language: Language | None = None
    """Language of the text, which tells what a separator means."""
    others: tuple[Other, ...] = ()

    @property
    def bare(self) -> bool:
        return self.unit == ""

    def with_unit(self, unit: str, end: int) -> "Amount":
        """The same amount with a unit that was found later, which may settle what its separator means."""
        amount = self._read_again(unit)
        others = tuple(replace(other, unit=other.unit or unit) for other in amount.others)
        return replace(amount, unit=unit, end=max(end, amount.end), others=others)

    def with_manner(self, manner: Manner) -> "Amount":
        return self if manner == AS_WRITTEN else replace(self, manner=self.manner.with_(manner))

    def with_half_more(self, end: int) -> "Amount":
        """An amount and a half: 一年半."""
        return replace(self, value=self.value + Decimal("0.5"), step=Decimal("0.1"), end=end)

    def _read_again(self, unit: str) -> "Amount":
        if len(self.readings) < 2 or self.power:
            return self
        reading = likeliest(self.readings, self.language, frozenset(), unit, scaled=False)
        if reading.value == self.value:
            return self
        others = [other for other in self.others if other.value != reading.value]
        other = Other(self.value, unit, OTHER_SEPARATOR)
        return replace(self, value=reading.value, step=reading.step, others=(*others, other))


def likeliest(
    readings: tuple[Reading, ...], language: Language | None, homes: frozenset[Language], unit: str, scaled: bool
) -> Reading:
    """The likeliest reading of a separator: by the text's language, unless the unit makes only the other one sensible.

    A fraction of a token or a card makes no sense; 1.000 W in English is 1000 W, because no card takes 1 W. Without a
    language the spelling of the unit hints at one (kr., 元), and an amount of money has no third decimal. `homes` are
    the languages of the unit's spelling; `scaled` numbers (1.500 million) are beyond plausibility.
    """
    if len(readings) == 1:
        return readings[0]
    usual = _by_language(readings, language, homes, "" if scaled else unit)
    other = readings[1] if usual is readings[0] else readings[0]
    known = unit_named(unit.partition("/")[0]) or unit_named(unit)
    if known is None or scaled:
        return usual
    if known.whole and usual.value % 1 != 0 and other.value % 1 == 0:
        return other
    if known.plausible is not None:
        low, high = known.plausible
        if not low <= usual.value <= high and low <= other.value <= high:
            return other
    return usual


def _by_language(
    readings: tuple[Reading, ...], language: Language | None, homes: frozenset[Language], unit: str
) -> Reading:
    grouped, decimal = readings
    for reading in readings:
        if language in reading.homes:
            return reading
    money, _, per = unit.partition("/")
    if money in currencies() and per != "h":
        return grouped
    for reading in readings:
        if homes and homes <= set(reading.homes):
            return reading
    return grouped if "en" in grouped.homes else decimal
