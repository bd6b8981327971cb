"""Which cases rest on claims or rows, by what they expect now and by what the baseline found them to rest on."""

from collections.abc import Iterable

from evals.runs.session import BASELINE, Choice, read_asked, read_baseline


def affected_cases(ids: Iterable[str]) -> dict[str, list[str]]:
    """Languages of each case whose expectation rests on one of the claims or rows, by the case's id."""
    chosen = Choice(resting_on=frozenset(ids)).of(read_asked(None), read_baseline(BASELINE))
    found: dict[str, list[str]] = {}
    for one in chosen:
        found.setdefault(one.case.id, []).append(one.language)
    return found
