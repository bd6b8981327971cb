"""Which cases rest on claims or rows, by what they expect now and by what the baseline found them to rest on."""

from collections.abc import Iterable
from pathlib import Path

from evals.runs.session import BASELINE, Choice, read_asked, read_baseline
from evals.suite.ties import ties_of


def affected_cases(ids: Iterable[str], before: Path) -> dict[str, list[str]]:
    """Languages of each case whose expectation rests on one of the claims or rows, by the case's id.

    A case that writes out a value rests on the claims that have it in the knowledge base `before` the change.
    """
    suite = read_asked(None)
    tied = ties_of({one.case.id: one.case for one in suite}.values(), before)
    chosen = Choice(resting_on=frozenset(ids), tied=tied).of(suite, read_baseline(BASELINE))
    found: dict[str, list[str]] = {}
    for one in chosen:
        found.setdefault(one.case.id, []).append(one.language)
    return found
