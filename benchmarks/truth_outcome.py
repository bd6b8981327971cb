"""The outcome of a row, and how an error is taken."""

from typing import NamedTuple

from truth_rows import UNITS, Row, Unusable


class Outcome(NamedTuple):
    """A row recomputed. `error` is relative, or 0 and 1 where the row is right or wrong."""

    row: Row
    group: str
    expected: str
    found: str
    error: float


def compared(row: Row, group: str, expected: float, found: float) -> Outcome:
    error = (found - expected) / expected if expected else float(found != expected)
    return Outcome(row, group, f"{expected:,.6g}", f"{found:,.6g}", error)


def inside(row: Row, low: float, high: float, unit: float) -> Outcome:
    """A figure against our range: the error is how far outside it lies."""
    value = row.number * unit
    error = 0.0 if low <= value <= high else min(abs(value - low), abs(value - high)) / value
    found = f"{low / unit:.4g} – {high / unit:.4g}"
    return Outcome(row, "inside our range", f"{row.number:g} {row.unit}", found, error)


def unit_of(row: Row) -> float:
    if row.unit not in UNITS:
        raise Unusable(f"unit {row.unit!r} is not a size")
    return UNITS[row.unit]
