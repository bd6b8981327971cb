"""A run as the comment under a merge request: what changed in the sources, what that broke, then the figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from assistant.language.tongue import LANGUAGES
from evals.reports.matrix import cell_of, figures, matrix
from evals.runs.comparison import Comparison, Decision, Exit
from evals.runs.record import Result, Run

MARK = "<!-- gpu-assistant eval -->"
"""By this line a later run finds the comment that it replaces."""
_SHOWN = 40
_WORDS = {
    Exit.HELD: "Nothing got worse",
    Exit.REGRESSED: "A regression was measured",
    Exit.NOT_MEASURED: "It could not be measured",
}


def markdown(run: Run, comparison: Comparison, decision: Decision) -> str:
    """The whole comment."""
    parts = [MARK, f"## {_WORDS[decision.status]}", "", *[f"- {reason}" for reason in decision.reasons[:_SHOWN]], ""]
    parts += sources_part(comparison)
    parts += affected_part(comparison)
    worse = {result.key for result in comparison.worse}
    parts += _flips("Must pass and fail", [r for r in comparison.must_pass if r.key not in worse], run)
    parts += _flips("Must pass, accepted as failing", comparison.accepted, run)
    parts += _flips("Got worse", comparison.worse, run)
    shown = {result.key for result in comparison.must_pass}
    new = [r for r in comparison.new if r.verdict == "failed" and r.key not in shown]
    parts += _flips("Fail and are new", new, run)
    parts += _flips("Got better", comparison.better, run)
    if comparison.gone:
        parts += [f"### No longer asked: {len(comparison.gone)}", "", ", ".join(comparison.gone[:_SHOWN]), ""]
    if comparison.reworded:
        languages = Counter(key.rpartition("@")[2] for key in comparison.reworded)
        counted = ", ".join(f"{name} {count}" for name, count in sorted(languages.items()))
        parts += [f"Answers that read otherwise and are judged the same: {len(comparison.reworded)} ({counted}).", ""]
    parts += _table(run)
    parts += [f"- {figure.name}: {figure.value}" for figure in figures(run)]
    header = run.header
    parts += [
        "",
        f"McNemar's exact test against the baseline: {len(comparison.worse)} worse, {len(comparison.better)} better, "
        f"p = {comparison.chance:.3g}. Knowledge {header.corpus}, code {header.code}, cases {header.cases}, "
        f"engine {header.engine}, clock {header.clock}, model {header.model or 'none'}.",
    ]
    return "\n".join(parts) + "\n"


def sources_part(comparison: Comparison) -> list[str]:
    """Claims that broke, by state, and new disagreements."""
    parts: list[str] = []
    if comparison.broken:
        parts += [
            f"### Claims whose source changed: {len(comparison.broken)}",
            "",
            "| claim | state | was | is |",
            "|---|---|---|---|",
        ]
        for standing in comparison.broken:
            now = standing.found or standing.note
            parts.append(f"| {standing.id} | {standing.state} | {_cell(standing.value)} | {_cell(now)} |")
        rows = [(row, standing.id) for standing in comparison.broken for row in standing.rows]
        if rows:
            parts += ["", "Specification rows that still give the old value:", ""]
            parts += [f"- {row} (as {id_} did)" for row, id_ in rows]
        parts.append("")
    if comparison.disputes:
        parts += [f"### New disagreements: {len(comparison.disputes)}", ""]
        parts += [f"- {' and '.join(ids)}" for ids in comparison.disputes] + [""]
    if comparison.expired:
        parts += [f"### Out of date since the baseline: {len(comparison.expired)}", ""]
        parts += [f"- {s.id} ({s.note})" for s in comparison.expired[:_SHOWN]] + [""]
    return parts


def affected_part(comparison: Comparison) -> list[str]:
    """Cases whose expectation rests on what broke, with their languages and verdicts."""
    if not comparison.affected:
        return []
    by_case: dict[str, list[Result]] = defaultdict(list)
    for result in comparison.affected:
        by_case[result.case].append(result)
    parts = [
        f"### Cases that rest on them: {len(by_case)}",
        "",
        "| case | " + " | ".join(LANGUAGES) + " |",
        "|---|" + "---|" * len(LANGUAGES),
    ]
    for case, results in by_case.items():
        verdicts = {result.language: result.verdict for result in results}
        parts.append(f"| {case} | " + " | ".join(verdicts.get(language, "") for language in LANGUAGES) + " |")
    return [*parts, ""]


def _flips(title: str, results: Iterable[Result], run: Run) -> list[str]:
    flips = list(results)
    if not flips:
        return []
    parts = [f"### {title}: {len(flips)}", ""]
    for result in flips[:_SHOWN]:
        parts.append(f"- **{result.key}** ({result.kind}, {result.severity}): {_cell(result.question)}")
        if result.verdict != "passed":
            parts.append(f"  - expected {_cell('; '.join(result.expected))}")
            parts.append(f"  - {_cell(result.why)}")
            if result.answer is not None:
                parts.append(f"  - answered: {_cell(result.answer.text)[:300]}")
    if len(flips) > _SHOWN:
        parts.append(f"- and {len(flips) - _SHOWN} more in report.html")
    return [*parts, ""]


def _table(run: Run) -> list[str]:
    parts = ["| kind | " + " | ".join(LANGUAGES) + " | all | 95 % |", "|---|" + "---:|" * (len(LANGUAGES) + 2)]
    for row in matrix(run):
        cells = [f"{cell.passed}/{cell.asked}" if cell.asked else "–" for cell in row.cells]
        last = row.cells[-1]
        parts.append(f"| {row.kind} | " + " | ".join(cells) + f" | {last.low:.0%}–{last.high:.0%} |")
    skipped, errors = len(run.of("skipped")), len(run.of("error"))
    whole = cell_of(run.results)
    return [*parts, "", f"{whole.passed} of {whole.asked} passed; {skipped} skipped, {errors} could not be asked.", ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
