"""A sweep as a table with bars, and as data for a chart."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.settings import ROOT
from assistant.tools.memory.description import fit_phrases, in_gb
from assistant.tools.memory.sweep import SweepPoint

_WIDTH = 40


def sweep_data(field: str, points: Sequence[SweepPoint]) -> dict[str, Any]:
    """One record a point, ready for a chart: bytes by term, total, usable and verdict."""
    records: list[dict[str, Any]] = []
    for point in points:
        if point.result is None:
            records.append({"value": point.value, "refusal": point.refusal})
            continue
        per_gpu = point.result.per_gpu.model_dump()
        records.append(
            {
                "value": point.value,
                "verdict": point.result.verdict,
                "per_gpu": per_gpu,
                "decode_ceiling_tokens_per_s": point.result.decode_ceiling_tokens_per_s,
            }
        )
    return {"sweep": field, "points": records}


def _bar(size: int, usable: int, largest: int) -> str:
    """Filled up to what is needed, with a mark where the usable memory ends."""
    filled = round(_WIDTH * size / largest)
    mark = min(_WIDTH, round(_WIDTH * usable / largest))
    cells = ["█"] * filled + ["·"] * (_WIDTH - filled)
    cells.insert(mark, "|")
    return "".join(cells)


def describe_sweep(field: str, points: Sequence[SweepPoint], language: Language, corpus: Path = ROOT / "corpus") -> str:
    """A Markdown table with a bar for each value; the mark in a bar is the usable memory."""
    phrases = fit_phrases(corpus)
    found = [point.result for point in points if point.result is not None]
    largest = max((max(r.per_gpu.total.high, r.per_gpu.usable) for r in found), default=1)
    head = (
        field,
        phrases.say("total", language),
        phrases.say("usable", language),
        phrases.say("verdict", language),
        "",
    )
    lines: list[tuple[str, ...]] = [head, ("---:", "---:", "---:", "---", "---")]
    for point in points:
        value = format_number(Decimal(point.value), language) if isinstance(point.value, int) else point.value
        if point.result is None:
            lines.append((value, "", "", point.refusal, ""))
            continue
        per_gpu = point.result.per_gpu
        span = phrases.say(
            "span", language, low=in_gb(per_gpu.total.low, language), high=in_gb(per_gpu.total.high, language)
        )
        word = phrases.say(f"verdict_{point.result.verdict}", language)
        bar = _bar(per_gpu.total.high, per_gpu.usable, largest)
        lines.append((value, span, in_gb(per_gpu.usable, language), word, bar))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
