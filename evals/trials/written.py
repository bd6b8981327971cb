"""Quantities and dates written in other ways than the assistant writes them, for what must and mustn't be noticed."""

from datetime import timedelta
from decimal import Decimal

from assistant.knowledge.period import Period
from assistant.language.formatting import format_number
from assistant.language.quantities.quantity import Quantity
from assistant.language.tongue import Language

_THOUSANDS = {"GB": "TB", "GB/s": "TB/s", "W": "kW"}
_MONTHS: dict[Language, tuple[str, ...]] = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December"),
}  # fmt: skip


def later(period: str) -> Period:
    """Another day, month or year of the same precision."""
    known = Period(period)
    if len(known.text) == len("2026-09-09"):
        return Period.of_day(known.first + timedelta(days=40))
    if len(known.text) == len("2026-09") and known.text[5].isdigit():
        month = int(known.text[5:]) % 12 + 1
        return Period(f"{known.text[:4]}-{month:02d}")
    return Period(f"{int(known.text[:4]) + 1}{known.text[4:]}")


def other_unit(quantity: Quantity, language: Language) -> str | None:
    """The same quantity a thousand times smaller in a unit a thousand times larger, or the other way round."""
    value = quantity.value
    if value is None or quantity.period is not None:
        return None
    for small, large in _THOUSANDS.items():
        if quantity.unit == small and quantity.text.endswith(small) and value >= 100:
            return f"{format_number((value / 1000).normalize() + Decimal(0), language)} {large}"
        if quantity.unit == large and quantity.text.endswith(large):
            return f"{format_number(value * 1000, language)} {small}"
    return None


def other_date(period: Period, language: Language) -> str | None:
    """A day written with figures alone or, in English, with the month first."""
    if len(period.text) != len("2026-09-09"):
        return None
    if language == "en":
        day = period.first
        return f"{_MONTHS['en'][day.month - 1]} {day.day}, {day.year}"
    return period.text
