"""A run as one self-contained HTML page: no script from elsewhere, no font, no picture."""

from pathlib import Path

from jinja2 import Environment, StrictUndefined

from assistant.language.tongue import LANGUAGES
from evals.reports.matrix import figures, matrix
from evals.runs.comparison import Comparison, Decision
from evals.runs.record import Result, Run

_TEMPLATE = Path(__file__).with_name("page.html")
_HTML_LANGUAGES = {"nl": "nl", "da": "da", "zh": "zh-Hans", "en": "en"}


def page(run: Run, baseline: Run | None, comparison: Comparison, decision: Decision) -> str:
    """The whole page; everything that an answer or a question says is escaped."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    flipped = {result.key for result in (*comparison.worse, *comparison.better)}
    affected = {result.key for result in comparison.affected}
    must = {result.key for result in (*comparison.must_pass, *comparison.accepted)}
    shown = flipped | must
    failed = [r for r in run.results if r.verdict == "failed" and r.key not in shown]
    return template.render(
        header=run.header,
        decision=decision,
        comparison=comparison,
        rows=matrix(run),
        figures=figures(run),
        languages=LANGUAGES,
        html_languages=_HTML_LANGUAGES,
        groups=[
            ("Must pass and fail", [r for r in comparison.must_pass if r.key not in flipped]),
            ("Must pass, accepted as failing", [r for r in comparison.accepted if r.key not in flipped]),
            ("Got worse", list(comparison.worse)),
            ("Got better", list(comparison.better)),
            ("Rest on a source that changed", [r for r in comparison.affected if r.key not in shown]),
            ("Fail as before, or are new", [r for r in failed if r.key not in affected]),
            ("Could not be asked", run.of("error")),
            ("Skipped", run.of("skipped")),
        ],
        before=baseline.by_key if baseline is not None else {},
        cases=_by_case(comparison),
    )


def _by_case(comparison: Comparison) -> list[tuple[str, dict[str, Result]]]:
    found: dict[str, dict[str, Result]] = {}
    for result in comparison.affected:
        found.setdefault(result.case, {})[result.language] = result
    return list(found.items())
