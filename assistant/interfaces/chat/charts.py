"""Charts as HTML that follows the width and the theme of the page, each with its figures as a table.

Places are shares of the plot, written in percent: text keeps its size on a phone, and the page's sanitiser lets
nothing through that a scalable drawing would need besides.
"""

from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise
from math import floor, log10
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.interfaces.chat.markup import clean, one_line

Tone = Literal["a", "b", "c", "d", "e", "f", "range"]
TICKS_AT_MOST = 7
_ROOM = 1.06


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Segment(_Frozen):
    """A part of a bar: its size in the chart's unit, and how the size is written."""

    label: str
    size: float = Field(ge=0)
    shown: str
    tone: Tone


class Bar(_Frozen):
    """Segments side by side, beginning at nought."""

    label: str
    segments: tuple[Segment, ...]

    @property
    def length(self) -> float:
        return sum(segment.size for segment in self.segments)


class Limit(_Frozen):
    """A line across all bars."""

    label: str
    place: float


class BarChart(_Frozen):
    """Bars from nought to the longest, and a limit that they may pass."""

    title: str
    bars: tuple[Bar, ...] = Field(min_length=1)
    limit: Limit | None = None
    legend: bool = True

    @property
    def longest(self) -> float:
        return max([bar.length for bar in self.bars] + ([self.limit.place] if self.limit else [])) or 1.0


class Point(_Frozen):
    """A value, or the range it lies in, at a place on the axis."""

    x: float
    low: float
    high: float


class Line(_Frozen):
    """One series."""

    label: str
    tone: Tone
    points: tuple[Point, ...] = Field(min_length=2)


class Crossing(_Frozen):
    """Where two series meet: a place, or the places between which it lies."""

    label: str
    low: float
    high: float


class LineChart(_Frozen):
    """Series over time; `write` gives the figures on the axis and in the table."""

    title: str
    detail: str = ""
    x_label: str
    lines: tuple[Line, ...] = Field(min_length=1)
    crossing: Crossing | None = None
    write: Callable[[float], str] = Field(exclude=True)

    @property
    def right(self) -> float:
        return max(point.x for line in self.lines for point in line.points) or 1.0

    @property
    def top(self) -> float:
        return (max(point.high for line in self.lines for point in line.points) or 1.0) * _ROOM


def ticks(top: float, at_most: int = TICKS_AT_MOST) -> list[float]:
    """Round values from nought up to `top`: steps of 1, 2 or 5 times a power of ten."""
    if top <= 0:
        return [0.0]
    rough = top / at_most
    scale = floor(log10(rough))
    steps = (float(f"{factor}e{scale}") for factor in (1, 2, 5, 10))
    step = next(step for step in steps if step >= rough * (1 - 1e-9))
    count = floor(top / step * (1 + 1e-9))
    return [float(f"{number * step:.12g}") for number in range(count + 1)]


def _percent(share: float) -> str:
    return f"{max(0.0, min(1.0, share)) * 100:.2f}%"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """The figures of a chart for those who can't see it, or want to copy them."""
    header = "".join(f"<th>{escape(clean(cell))}</th>" if cell else "<td></td>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(clean(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<details class="figures"><summary>{escape(caption)}</summary><div class="table" tabindex="0">'
        f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def bar_chart_html(chart: BarChart, figures: str) -> str:
    """A bar chart; `figures` names its table."""
    whole = chart.longest * _ROOM
    limit = ""
    if chart.limit:
        place = chart.limit.place / whole
        side = "left" if place > 0.5 else "right"
        limit = (
            f'<span class="limit" style="left:{_percent(place)}"></span>'
            f'<span class="limit-label {side}" style="left:{_percent(place)}">{escape(chart.limit.label)}</span>'
        )
    bars = "".join(_bar(bar, whole, alone=len(chart.bars) == 1) for bar in chart.bars)
    rows = [
        [*([bar.label] if len(chart.bars) > 1 else []), segment.label, segment.shown]
        for bar in chart.bars
        for segment in bar.segments
    ]
    legend = _legend(chart.bars[0].segments) if chart.legend else ""
    head = [chart.title, *([""] if len(chart.bars) > 1 else []), ""]
    return one_line(
        f'<figure class="chart bars{" limited" if chart.limit else ""}" role="group">'
        f"<figcaption>{escape(chart.title)}</figcaption>"
        f'<div class="plot-bars">{limit}{bars}</div>{legend}{_table(head, rows, figures)}</figure>'
    )


def _bar(bar: Bar, whole: float, *, alone: bool) -> str:
    parts = "".join(
        f'<span class="segment tone-{segment.tone}" style="width:{_percent(segment.size / whole)}"'
        f' title="{escape(clean(segment.label))}: {escape(segment.shown)}"></span>'
        for segment in bar.segments
        if segment.size > 0
    )
    if alone:
        return f'<div class="bar">{parts}</div>'
    shown = bar.segments[-1].shown
    return (
        f'<div class="bar-row"><span class="bar-label">{escape(clean(bar.label))}</span>'
        f'<div class="bar">{parts}</div><span class="bar-value">{escape(shown)}</span></div>'
    )


def _legend(segments: Sequence[Segment]) -> str:
    items = "".join(
        f'<li><span class="swatch tone-{segment.tone}"></span>{escape(clean(segment.label))}'
        f'<span class="legend-value">{escape(segment.shown)}</span></li>'
        for segment in segments
        if segment.shown
    )
    return f'<ul class="legend">{items}</ul>'


def line_chart_html(chart: LineChart, figures: str) -> str:
    """A line chart with a band where a series is a range; `figures` names its table."""
    right, top = chart.right, chart.top
    grid = "".join(
        f'<span class="y-tick" style="bottom:{_percent(value / top)}"><span>{escape(chart.write(value))}</span></span>'
        for value in ticks(top)
    )
    below = "".join(
        f'<span class="x-tick" style="left:{_percent(value / right)}">{value:g}</span>' for value in ticks(right)
    )
    bands = "".join(_band(line, right, top) for line in chart.lines)
    strokes = "".join(_strokes(line, right, top) for line in chart.lines)
    legend = "".join(
        f'<li><span class="swatch tone-{line.tone}"></span>{escape(clean(line.label))}</li>' for line in chart.lines
    )
    detail = f'<p class="chart-detail">{escape(chart.detail)}</p>' if chart.detail else ""
    return one_line(
        f'<figure class="chart lines" role="group"><figcaption>{escape(chart.title)}</figcaption>{detail}'
        f'<ul class="legend">{legend}</ul><div class="plot-lines"><div class="plot">{grid}{bands}'
        f'<svg class="strokes">{strokes}</svg>{_crossing(chart)}</div><div class="x-axis">{below}</div>'
        f'<div class="x-label">{escape(chart.x_label)}</div></div>{_line_table(chart, figures)}</figure>'
    )


def _band(line: Line, right: float, top: float) -> str:
    """The area between the low and the high end of a series, where they differ."""
    if all(point.low == point.high for point in line.points):
        return ""
    upper = [f"{_percent(point.x / right)} {_percent(1 - point.high / top)}" for point in line.points]
    lower = [f"{_percent(point.x / right)} {_percent(1 - point.low / top)}" for point in reversed(line.points)]
    return f'<span class="band tone-{line.tone}" style="clip-path:polygon({", ".join([*upper, *lower])})"></span>'


def _strokes(line: Line, right: float, top: float) -> str:
    """Straight strokes between the points: along the middle, or along both ends of a range."""
    ends: list[Literal["low", "high"]] = ["low", "high"] if any(p.low != p.high for p in line.points) else ["low"]
    strokes = []
    for end in ends:
        for one, two in pairwise(_corners(line.points, end)):
            strokes.append(
                f'<line class="stroke tone-{line.tone}" x1="{_percent(one[0] / right)}"'
                f' y1="{_percent(1 - one[1] / top)}" x2="{_percent(two[0] / right)}"'
                f' y2="{_percent(1 - two[1] / top)}"></line>'
            )
    return "".join(strokes)


def _corners(points: Sequence[Point], end: Literal["low", "high"]) -> list[tuple[float, float]]:
    """Points at which a series changes direction, with its first and last."""
    places = [(point.x, float(getattr(point, end))) for point in points]
    kept = places[:1]
    for before, here, after in zip(places, places[1:], places[2:], strict=False):
        slope = (here[1] - before[1]) * (after[0] - here[0]) - (after[1] - here[1]) * (here[0] - before[0])
        if abs(slope) > 1e-6 * (abs(here[1]) + 1):
            kept.append(here)
    return [*kept, places[-1]]


def _crossing(chart: LineChart) -> str:
    crossing = chart.crossing
    if crossing is None:
        return ""
    low, high = crossing.low / chart.right, crossing.high / chart.right
    side = "left" if low > 0.5 else "right"
    place = low if side == "left" else high
    return (
        f'<span class="crossing" style="left:{_percent(low)};width:{_percent(high - low)}"></span>'
        f'<span class="crossing-label {side}" style="left:{_percent(place)}">{escape(crossing.label)}</span>'
    )


def _line_table(chart: LineChart, figures: str) -> str:
    longest = max(chart.lines, key=lambda line: len(line.points)).points
    step = max(1, len(longest) // 12)
    places = [point.x for number, point in enumerate(longest) if number % step == 0 or number == len(longest) - 1]
    rows = []
    for place in places:
        row = [f"{place:g}"]
        for line in chart.lines:
            point = next((point for point in line.points if point.x == place), None)
            row.append(_written(point, chart.write) if point else "")
        rows.append(row)
    return _table([chart.x_label, *(line.label for line in chart.lines)], rows, figures)


def _written(point: Point, write: Callable[[float], str]) -> str:
    low, high = write(point.low), write(point.high)
    return low if low == high else f"{low} – {high}"
