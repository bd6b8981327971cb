"""Writes the reports of a run into a folder, and says in a few lines what they hold."""

from collections import Counter
from pathlib import Path

from evals.reports.junit import write_junit
from evals.reports.markdown import affected_part, markdown, sources_part
from evals.reports.matrix import cell_of
from evals.reports.page import page
from evals.runs.comparison import Comparison, Decision
from evals.runs.record import Run

_SHOWN = 25


def write_reports(run: Run, baseline: Run | None, comparison: Comparison, decision: Decision, folder: Path) -> None:
    """report.md, report.html and junit.xml, beside the results.jsonl that they are made from."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(markdown(run, comparison, decision), encoding="utf-8")
    (folder / "report.html").write_text(page(run, baseline, comparison, decision), encoding="utf-8", errors="replace")
    write_junit(run, folder / "junit.xml")


def summary_lines(run: Run, comparison: Comparison, decision: Decision, folder: Path) -> list[str]:
    """What a person at a terminal needs: what broke, what it affects, and the decision."""
    lines = [line for line in (*sources_part(comparison), *affected_part(comparison)) if line]
    for title, results in (("worse", comparison.worse), ("better", comparison.better)):
        lines += [f"{title}: {result.key}: {result.why or result.question}" for result in results[:_SHOWN]]
        if len(results) > _SHOWN:
            lines.append(f"… and {len(results) - _SHOWN} more {title}")
    failed = Counter(check.name for result in run.results for check in result.failed)
    whole = cell_of(run.results)
    counted = "".join(f", {name} {count}" for name, count in failed.most_common())
    skipped, errors = len(run.of("skipped")), len(run.of("error"))
    lines.append(f"{whole.passed} of {whole.asked} passed, {skipped} skipped, {errors} could not be asked")
    lines += [f"failed checks: {counted.removeprefix(', ')}"] if counted else []
    lines += [f"{decision.status.name.replace('_', ' ').lower()}: {reason}" for reason in decision.reasons[:_SHOWN]]
    lines.append(f"Reports: {folder / 'report.html'}, report.md, junit.xml, results.jsonl")
    return lines
