"""The table and the plots of growth.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

MILLION = 1_000_000
Row = dict[str, Any]
LINES: tuple[tuple[str, str, str], ...] = (
    ("disk_mb", "disk", "MB"),
    ("build_s", "index, but for embedding", "s"),
    ("build_processor_s", "  its processor time", "s"),
    ("build_mb", "  its peak memory", "MB"),
    ("embed_s", "embedding, at the speed measured", "s"),
    ("open_s", "opening", "s"),
    ("ask_mb", "memory while answering", "MB"),
    ("search_p50_ms", "search, question embedded before, p50", "ms"),
    ("search_p95_ms", "  p95", "ms"),
    ("answer_p50_ms", "composed answer, p50", "ms"),
    ("answer_p95_ms", "  p95", "ms"),
    ("reindex_s", "one article changed, whole command", "s"),
    ("reindex_processor_s", "  its processor time", "s"),
)
PLOTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("index", "seconds", ("build_s", "embed_s", "reindex_s")),
    ("memory", "MB", ("disk_mb", "build_mb", "ask_mb")),
    ("latency", "milliseconds", ("search_p50_ms", "search_p95_ms", "answer_p50_ms", "answer_p95_ms")),
)


def projected(rows: list[Row], key: str) -> float:
    """The value at a million, on the straight line through the two largest sizes."""
    (x1, y1), (x2, y2) = ((row["passages"], row[key]) for row in rows[-2:])
    return float(y2 + (y2 - y1) / (x2 - x1) * (MILLION - x2))


def _with_embedding(figures: dict[str, Any]) -> list[Row]:
    speed = figures["embedding"]["passages_per_second"]
    return [{**row, "embed_s": row["passages"] / speed} for row in figures["sizes"]]


def print_table(figures: dict[str, Any]) -> None:
    rows = _with_embedding(figures)
    speed = figures["embedding"]
    table = Table(
        title=f"Growth; {speed['passages_per_second']:.0f} passages a second embedded, "
        f"{speed['passages_per_processor_second']:.0f} a processor second; load {rows[-1]['load']:.1f}"
    )
    table.add_column("what")
    for row in rows:
        table.add_column(f"{row['passages']:,}", justify="right")
    many = len(rows) > 1
    if many:
        table.add_column("1,000,000 (projected)", justify="right")
    for key, what, unit in LINES:
        values = [row[key] for row in rows] + ([projected(rows, key)] if many else [])
        table.add_row(what, *(f"{value:,.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}" for value in values))
    if many:
        ratio = rows[-1]["search_p95_ms"] / rows[0]["search_p95_ms"]
        table.add_row("search p95, largest against smallest", *[""] * (len(rows) - 1), f"{ratio:.2f} ×", "")
    Console(width=140).print(table)


def write_plots(figures: dict[str, Any], directory: Path) -> None:
    """One plot for each group of figures, both axes logarithmic, the projection dashed."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "growth"
    from matplotlib import pyplot

    rows, names = _with_embedding(figures), {key: what.strip() for key, what, _ in LINES}
    names |= {
        "search_p95_ms": "search, p95",
        "answer_p95_ms": "composed answer, p95",
        "build_mb": "peak while indexing",
    }
    sizes = np.array([row["passages"] for row in rows])
    for name, unit, keys in PLOTS:
        figure, axes = pyplot.subplots(figsize=(7, 4.2))
        for key in keys:
            values = [row[key] for row in rows]
            [line] = axes.plot(sizes, values, marker="o", label=names[key])
            ends = [values[-1], projected(rows, key)]
            axes.plot([sizes[-1], MILLION], ends, "--o", markerfacecolor="none", color=line.get_color())
        _finish(axes, unit)
        figure.tight_layout()
        figure.savefig(directory / f"growth-{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


def _finish(axes: Any, unit: str) -> None:
    setters: tuple[Callable[[str], Any], ...] = (axes.set_xscale, axes.set_yscale)
    for scale in setters:
        scale("log")
    axes.set_xlabel("passages (1,000,000 projected)")
    axes.set_ylabel(unit)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
