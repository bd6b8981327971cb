"""The figures of a comparison: what each side has, and the ratio, share or difference that tells them apart."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.figure import Figure
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.sides import COMPARING, Direction
from assistant.answering.verification.span import in_unit, range_in
from assistant.language.quantities.units import convert

_ABOUT = Decimal("0.05")
_AS_SAID = Decimal("0.025")
_FARTHEST_ABOVE = Decimal("0.3")


def figures_hold(
    reading: Reading,
    held: Mapping[str, Sequence[Carrier]],
    pairs: Sequence[tuple[Carrier, Carrier]],
    direction: Direction,
) -> bool:
    """True where each figure is the value of the side that it is said of, or tells the two apart."""
    unplaced: list[Figure] = []
    for figure in reading.whole.numbers:
        if not _states_value(figure, reading):
            if not any(_derives(figure, one, other, direction) for one, other in pairs):
                return False
            continue
        owner = _owner(figure, reading, set(held))
        if owner is None:
            unplaced.append(figure)
        elif not is_value(figure, held[owner]):
            return False
    # "More than the H100: 141 GB against 80 GB" gives the values in the order of the names.
    order = list(dict.fromkeys(m.entity for m in reading.whole.mentions if m.entity in held)) or list(held)
    order = order if len(order) == len(held) else list(held)
    return len(unplaced) <= len(order) and all(
        is_value(figure, held[name]) for figure, name in zip(unplaced, order, strict=False)
    )


def _states_value(figure: Figure, reading: Reading) -> bool:
    """True for a figure that one side has, as against one that tells them apart ("32 GB more than")."""
    if figure.unit in ("x", "%"):
        return False
    segment = _segment_of(figure, reading)
    words = [word for word in segment.words if word.roles & COMPARING]
    if not words:
        return True
    if _is_introduced(figure, segment):
        return True
    last = words[-1]
    if re.search("[:：]", reading.text[figure.end : words[0].start]):
        return True
    if re.search("[:：]", reading.text[last.end : figure.start]):
        return True
    if reading.language == "zh":
        return figure.end <= last.start
    return any(last.end <= m.start < figure.start or figure.end <= m.start < words[0].start for m in segment.mentions)


def _is_introduced(figure: Figure, segment: Segment) -> bool:
    """True for the figure of "with 750 W", but not for that of "with 50 W more"."""
    before = next((word for word in reversed(segment.words) if word.end <= figure.start), None)
    behind = next((word for word in segment.words if word.start >= figure.end), None)
    if before is None or "beside" not in before.roles or figure.start - before.end > 1:
        return False
    return behind is None or behind.start - figure.end > 1 or not behind.roles & COMPARING


def _owner(figure: Figure, reading: Reading, sides: set[str]) -> str | None:
    """The side that a figure is said of: the name in front of it, or behind it where none is; None where no name is."""
    segment = _segment_of(figure, reading)
    near = [m for m in segment.mentions if m.entity in sides]
    if not near and segment.words and "following" in segment.words[0].roles:
        # "…, which has 141 GB" is said of the name in front of it.
        earlier = [m for m in reading.whole.mentions if m.end <= segment.start and m.entity in sides]
        return earlier[-1].entity if earlier else None
    before = [m for m in near if m.end <= figure.start]
    if before and re.search("[:：]", reading.text[before[-1].end : figure.start]):
        return None
    return before[-1].entity if before else near[0].entity if near else None


def _segment_of(figure: Figure, reading: Reading) -> Segment:
    return next(part for part in reading.segments if part.start <= figure.start < part.end)


def is_value(figure: Figure, carriers: Sequence[Carrier]) -> bool:
    """True for a figure that merely states what one side has."""
    return any(
        span is not None and (figure.low, figure.high) == span
        for span in (range_in(carrier, figure.unit) for carrier in carriers)
    )


def _derives(figure: Figure, one: Carrier, other: Carrier, direction: Direction) -> bool:
    """True where the figure is the ratio, the share or the difference of the two sides."""
    if figure.low is None or figure.is_range:
        return False
    unit = (one.fact.unit if one.fact else None) or ""
    first, second = in_unit(one, unit), in_unit(other, unit)
    if first is None or second is None or second == 0 or first == 0:
        return False
    if figure.unit == "x":
        ratio = first / second
        if figure.low < 1 and direction in ("more", "less"):
            # "A third more" is a share of the other's figure.
            return _near(abs(first - second) / second, figure) or _near(ratio, figure)
        return _near(ratio, figure) or (direction == "less" and _near(second / first, figure))
    if figure.unit == "%":
        return _near(abs(first - second) / second * 100, figure)
    apart = convert(abs(first - second), unit, figure.unit)
    return apart is not None and (apart == figure.low or (figure.approximate and _near(apart, figure)))


def _near(exact: Decimal, figure: Figure) -> bool:
    """True where the computed number rounds to the one said; "more than twice" leaves room above."""
    if figure.low is None or exact == 0:
        return False
    if figure.bound == "at_least":
        return figure.low <= exact <= figure.low * (1 + _FARTHEST_ABOVE)
    if figure.bound == "at_most":
        return figure.low * (1 - _FARTHEST_ABOVE) <= exact <= figure.low
    apart = abs(exact - figure.low)
    slack = _ABOUT if figure.approximate else _AS_SAID
    return apart <= (figure.step or Decimal(0)) / 2 and apart <= slack * exact
