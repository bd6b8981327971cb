"""Scores as a table per language and kind, and each failure in three lines."""

from collections import Counter
from collections.abc import Callable, Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table

from assistant.language.tongue import LANGUAGES
from evals.cases import KINDS, SILENT, Suite
from evals.scoring import Score

_WIDTH = 110


def share(scores: Sequence[Score], holds: Callable[[Score], bool]) -> float | None:
    """The part of the scores for which something holds; None where there are none."""
    return sum(map(holds, scores)) / len(scores) if scores else None


def answerable(scores: Sequence[Score]) -> list[Score]:
    return [score for score in scores if score.case.kind not in SILENT]


def of_kind(scores: Sequence[Score], kind: str) -> list[Score]:
    return [score for score in scores if score.case.kind == kind]


def pairs_right(scores: Sequence[Score]) -> tuple[int, int]:
    """Of the matched pairs whose halves were both asked, how many were answered and refused as they should."""
    by_id = {score.case.id: score for score in scores}
    pairs = [(score, by_id[score.case.pair]) for score in scores if score.case.pair in by_id]
    return sum(one.passed and other.states_and_cites for one, other in pairs), len(pairs)


def table(scores: Sequence[Score], title: str) -> str:
    """Passed of asked, by kind and language."""
    shown = Table(title=title)
    shown.add_column("kind")
    for language in (*LANGUAGES, "all"):
        shown.add_column(language, justify="right")
    for kind in KINDS:
        of = of_kind(scores, kind)
        if of:
            counts = [[score for score in of if score.case.language == language] for language in LANGUAGES]
            shown.add_row(kind, *(_count(some) for some in counts), _count(of))
    shown.add_section()
    counts = [[score for score in scores if score.case.language == language] for language in LANGUAGES]
    shown.add_row("all", *(_count(some) for some in counts), _count(scores))
    out = StringIO()
    Console(file=out, width=_WIDTH).print(shown)
    return out.getvalue()


def _count(scores: Sequence[Score]) -> str:
    return f"{sum(score.passed for score in scores)}/{len(scores)}" if scores else "–"


def summary(scores: Sequence[Score]) -> str:
    """The figures that thresholds are set on, and which checks failed how often."""
    asked = answerable(scores)
    right, pairs = pairs_right(scores)
    lines = [
        f"value stated and cited: {_percent(share(asked, lambda score: score.states_and_cites))} of {len(asked)}",
        f"answerable questions right in every check: {_percent(share(asked, lambda score: score.passed))}",
        f"cited on the line that says it: {_percent(share(asked, lambda score: any(f.beside for f in score.facts)))}",
        f"said in the first line: {_percent(share(asked, lambda score: any(fact.first for fact in score.facts)))}",
    ]
    for kind, name in (("unanswerable", "unanswerable questions refused"), ("out_of_scope", "out of scope told")):
        of = of_kind(scores, kind)
        if of:
            lines.append(f"{name}: {_percent(share(of, lambda score: score.passed))} of {len(of)}")
    if pairs:
        lines.append(f"matched pairs right in both halves: {right} of {pairs}")
    failed = Counter(check.name for score in scores for check in score.failed)
    if failed:
        lines.append("failed checks: " + ", ".join(f"{name} {count}" for name, count in failed.most_common()))
    return "\n".join(lines)


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def failure(score: Score, suite: Suite, cause: str = "") -> str:
    """A failed question in three lines: asked, got, expected."""
    case, answer = score.case, score.answer
    asked = " → ".join([*case.history, case.question])
    got = " ".join(answer.text.split())
    wanted = "; ".join(map(str, suite.expected(case))) or "/".join(case.statuses)
    if case.at_least:
        wanted = f"{case.at_least} of: {wanted}"
    wrong = "; ".join(f"{check.name}: {check.found}" for check in score.failed)
    return "\n".join(
        [
            f"{case.id} [{case.kind}] {asked}",
            f"  got ({answer.status}) {_shortened(got, 420)}",
            f"  expected {_shortened(wanted, 260)} | {wrong}{f' | {cause}' if cause else ''}",
        ]
    )


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
