"""One run beside the baseline: which verdicts flipped, whether the whole got worse, and what that means for a merge."""

from enum import IntEnum
from math import comb, sqrt

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.freshness import BROKEN, Standing
from evals.runs.record import Result, Run

Z_95 = 1.959964
"""Two-sided 95 % of the normal distribution."""


class Exit(IntEnum):
    """Exit statuses of an evaluation."""

    HELD = 0
    REGRESSED = 1
    NOT_MEASURED = 2


class Thresholds(BaseModel):
    """What counts as a regression."""

    model_config = ConfigDict(frozen=True)

    significance: float = Field(default=0.05, gt=0, lt=1)
    """Above this chance of arising without any change, more failures than before aren't called a regression."""
    least_passed: float = Field(default=0.0, ge=0, le=1)
    """The part of the questions that must pass, whatever the baseline says."""


class Comparison(BaseModel):
    """What differs between a run and the baseline."""

    model_config = ConfigDict(frozen=True)

    worse: tuple[Result, ...] = ()
    """Passed in the baseline and don't any more."""
    better: tuple[Result, ...] = ()
    new: tuple[Result, ...] = ()
    gone: tuple[str, ...] = ()
    """Keys that the baseline has and this run doesn't."""
    reworded: tuple[str, ...] = ()
    """Keys whose verdict is the same and whose answer isn't."""
    chance: float = 1.0
    """McNemar's exact test: how likely a split as uneven as this is if nothing got better or worse."""
    broken: tuple[Standing, ...] = ()
    """Claims whose source no longer says what they say, and did in the baseline."""
    expired: tuple[Standing, ...] = ()
    disputes: tuple[tuple[str, ...], ...] = ()
    """Disagreements that the baseline doesn't have."""
    must_pass: tuple[Result, ...] = ()
    """Must-pass questions that fail, whatever the baseline says of them, but for those accepted by name."""
    accepted: tuple[Result, ...] = ()
    """Must-pass questions that fail and were accepted by name as failing."""
    outdated: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Keys of questions that write out a value, each with the claims that had it in the baseline and don't any more."""
    affected: tuple[Result, ...] = ()
    """Questions whose expectation rests on a claim that broke or is newly disputed."""


class Decision(BaseModel):
    """What a merge check says, and why."""

    model_config = ConfigDict(frozen=True)

    status: Exit
    reasons: tuple[str, ...]


def mcnemar(worse: int, better: int) -> float:
    """Two-sided exact p of McNemar's test over the pairs that differ (a binomial test with probability one half)."""
    differing = worse + better
    if differing == 0:
        return 1.0
    tail = sum(comb(differing, count) for count in range(min(worse, better) + 1))
    return float(min(1.0, 2 * tail / 2**differing))


def wilson(passed: int, asked: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share; (0, 1) where nothing was asked."""
    if asked == 0:
        return 0.0, 1.0
    share = passed / asked
    middle = share + Z_95**2 / (2 * asked)
    spread = Z_95 * sqrt(share * (1 - share) / asked + Z_95**2 / (4 * asked**2))
    scale = 1 + Z_95**2 / asked
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def pass_power(attempts: tuple[bool, ...], k: int) -> float:
    """pass^k: the chance that k askings drawn from those made all pass, C(passed, k) / C(made, k)."""
    return comb(sum(attempts), k) / comb(len(attempts), k) if k <= len(attempts) else 0.0


def compare(run: Run, baseline: Run | None) -> Comparison:
    """What changed since the baseline, over the questions that both have."""
    before = baseline.by_key if baseline is not None else {}
    worse = tuple(r for r in run.results if r.verdict != "passed" and _passed(before.get(r.key)))
    better = tuple(r for r in run.results if r.verdict == "passed" and _measured_not_passed(before.get(r.key)))
    stood = {s.id: s.state for s in baseline.header.standings} if baseline is not None else {}
    broken = tuple(s for s in run.header.standings if s.state in BROKEN and stood.get(s.id) != s.state)
    expired = tuple(s for s in run.header.standings if s.state == "EXPIRED" and baseline and s.id not in stood)
    known = set(baseline.header.disputes) if baseline is not None else set(run.header.disputes)
    disputes = tuple(d for d in run.header.disputes if not any(set(d) <= set(old) for old in known))
    touched = {id_ for s in broken for id_ in (s.id, *s.rows)} | {id_ for dispute in disputes for id_ in dispute}
    must = [r for r in run.results if r.severity == "must_pass" and r.verdict == "failed"]
    accepted = set(baseline.header.accepted) if baseline is not None else set()
    outdated = {r.key: gone for r in run.results if (gone := _untied(r, before.get(r.key)))}
    touched |= {id_ for gone in outdated.values() for id_ in gone}
    return Comparison(
        outdated=tuple(outdated.items()),
        must_pass=tuple(r for r in must if r.key not in accepted),
        accepted=tuple(r for r in must if r.key in accepted),
        worse=worse,
        better=better,
        new=tuple(r for r in run.results if baseline is not None and r.key not in before),
        gone=tuple(sorted(set(before) - set(run.by_key))) if run.header.whole else (),
        reworded=tuple(
            r.key
            for r in run.results
            if (old := before.get(r.key)) and old.verdict == r.verdict and old.answer and r.answer
            if old.answer.text != r.answer.text
        ),
        chance=mcnemar(len(worse), len(better)),
        broken=broken,
        expired=expired,
        disputes=disputes,
        affected=tuple(r for r in run.results if touched & set(_rests_on(r, before.get(r.key)))),
    )


def _rests_on(now: Result, before: Result | None) -> tuple[str, ...]:
    return (*now.rests_on, *(before.rests_on if before is not None else ()))


def _untied(now: Result, before: Result | None) -> tuple[str, ...]:
    return tuple(id_ for id_ in before.tied if id_ not in now.tied) if before is not None else ()


def _passed(result: Result | None) -> bool:
    return result is not None and result.verdict == "passed"


def _measured_not_passed(result: Result | None) -> bool:
    return result is not None and result.verdict == "failed"


def _broken_by_source(broken: tuple[Standing, ...]) -> list[str]:
    """One line for each source and state: the claim itself, or how many there are."""
    groups: dict[tuple[str, str], list[str]] = {}
    for standing in broken:
        groups.setdefault((standing.source, standing.state), []).append(standing.id)
    return [
        f"{ids[0]} is {state}" if len(ids) == 1 else f"{len(ids)} claims of {source} are {state}"
        for (source, state), ids in groups.items()
    ]


def decide(run: Run, comparison: Comparison, thresholds: Thresholds, has_baseline: bool) -> Decision:
    """Whether a regression was measured, nothing got worse, or it couldn't be measured."""
    measured = [result for result in run.results if result.verdict in ("passed", "failed")]
    errors = run.of("error")
    reasons = _broken_by_source(comparison.broken)
    reasons += [f"new disagreement: {', '.join(dispute)}" for dispute in comparison.disputes]
    reasons += [f"{key} writes out what {', '.join(ids)} said, and no longer says" for key, ids in comparison.outdated]
    if must := comparison.must_pass:
        reasons.append(
            f"{len(must)} must-pass question{'s fail' if len(must) > 1 else ' fails'}: {', '.join(r.key for r in must)}"
        )
    worse, better = len(comparison.worse), len(comparison.better)
    if worse > better and comparison.chance <= thresholds.significance:
        reasons.append(f"{worse} questions got worse and {better} better (McNemar p = {comparison.chance:.3g})")
    share = len(run.of("passed")) / len(measured) if measured else 0.0
    if measured and share < thresholds.least_passed:
        reasons.append(f"{share:.1%} passed, fewer than {thresholds.least_passed:.1%}")
    if reasons:
        return Decision(status=Exit.REGRESSED, reasons=tuple(reasons))
    if not measured:
        return Decision(
            status=Exit.NOT_MEASURED, reasons=("nothing was measured: every question was skipped or failed to run",)
        )
    if errors:
        return Decision(
            status=Exit.NOT_MEASURED, reasons=(f"{len(errors)} questions could not be asked: {errors[0].note}",)
        )
    if skipped := run.of("skipped"):
        return Decision(
            status=Exit.NOT_MEASURED, reasons=(f"{len(skipped)} questions were skipped: {skipped[0].note}",)
        )
    if not has_baseline:
        why = "there is no baseline to compare with; accept this run as one: gpu-assistant eval bless --reason …"
        return Decision(status=Exit.NOT_MEASURED, reasons=(why,))
    known = [f"{result.key} must pass and was accepted as failing" for result in comparison.accepted]
    return Decision(status=Exit.HELD, reasons=("nothing got worse", *known))
