"""Passed of asked by language and kind, with intervals, and the figures of a run as a whole."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from assistant.language.tongue import LANGUAGES
from evals.runs.comparison import pass_power, wilson
from evals.runs.record import Result, Run
from evals.suite.case import CASE_KINDS


class Cell(BaseModel):
    """Passed of asked. `low` and `high` are the ends of Wilson's 95 % interval of the share."""

    model_config = ConfigDict(frozen=True)

    passed: int
    asked: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.passed / self.asked if self.asked else 0.0


def cell_of(results: Sequence[Result]) -> Cell:
    measured = [result for result in results if result.verdict in ("passed", "failed")]
    passed = sum(result.verdict == "passed" for result in measured)
    low, high = wilson(passed, len(measured))
    return Cell(passed=passed, asked=len(measured), low=low, high=high)


class Row(BaseModel):
    """One kind of question in every language, and in all."""

    model_config = ConfigDict(frozen=True)

    kind: str
    cells: tuple[Cell, ...]


def matrix(run: Run) -> list[Row]:
    """A row for each kind that was asked, then one of all; columns are the languages, then all."""
    rows = []
    for kind in (*CASE_KINDS, "all"):
        of = [result for result in run.results if kind in (result.kind, "all")]
        if of:
            cells = [cell_of([r for r in of if r.language == language]) for language in LANGUAGES]
            rows.append(Row(kind=kind.replace("_", " "), cells=(*cells, cell_of(of))))
    return rows


class Figure(BaseModel):
    """One measured figure with its name."""

    model_config = ConfigDict(frozen=True)

    name: str
    value: str


def figures(run: Run) -> list[Figure]:
    """Citations, refusals, agreement between languages, retrieval and latency of a run."""
    shown: list[Figure] = []

    def add(name: str, value: str) -> None:
        shown.append(Figure(name=name, value=value))

    spans: Counter[str] = Counter()
    for result in run.results:
        spans.update(result.spans)
    if spans["statements"]:
        add("Citation recall (statements carried by what they mark)", _share(spans["grounded"], spans["statements"]))
        add("Citation precision (marks whose passage supports them)", _share(spans["useful"], spans["marks"]))
    silent = [r for r in run.results if r.kind == "unanswerable" and r.answer]
    told = [r for r in run.results if r.kind != "unanswerable" and r.answer and "not_in_sources" not in r.expected]
    if silent:
        refused = sum(check.passed for r in silent for check in r.checks if check.name == "status")
        add("Unanswerable questions refused", _share(refused, len(silent)))
    if told:
        add(
            "Answerable questions refused",
            _share(sum(r.answer.status == "not_in_sources" for r in told if r.answer), len(told)),
        )
    agreeing, several = agreement(run)
    if several:
        add("Cases with the same verdict and facts in every language", _share(agreeing, several))
    for name, label in (("ndcg", "nDCG@10"), ("recall", "recall@10"), ("mrr", "reciprocal rank")):
        values = [r.retrieval[name] for r in run.results if name in r.retrieval]
        if values:
            add(f"Search alone, {label}", f"{statistics.fmean(values):.3f} over {len(values)} questions")
    totals = sorted(sum(r.timings_ms.values()) for r in run.results if r.timings_ms)
    if totals:
        add("Latency, median", f"{totals[len(totals) // 2]:.0f} ms")
        add("Latency, 95th percentile", f"{totals[int(len(totals) * 0.95)]:.0f} ms")
    several_runs = [r for r in run.results if r.attempts]
    if several_runs:
        k = len(several_runs[0].attempts)
        add(f"pass^{k}", f"{statistics.fmean(pass_power(r.attempts, k) for r in several_runs):.3f}")
    return shown


def agreement(run: Run) -> tuple[int, int]:
    """Cases asked in several languages that got the same verdict and stated the same facts, and all such cases."""
    by_case: dict[str, list[Result]] = defaultdict(list)
    for result in run.results:
        if result.answer is not None:
            by_case[result.case].append(result)
    several = [results for results in by_case.values() if len(results) > 1]
    same = [
        results
        for results in several
        if len({(r.verdict, r.answer.status if r.answer else "", frozenset(r.stated)) for r in results}) == 1
    ]
    return len(same), len(several)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "n/a"
