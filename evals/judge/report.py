"""A judge's opinions beside what the checks found, as Markdown."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from evals.judge.opinion import Judgement, Opinion
from evals.runs.record import Run

_SHOWN = 60
_AGREEING = {("passed", "right"), ("failed", "wrong")}


def judge_report(run: Run, opinions: Sequence[Opinion]) -> str:
    """Counts, and each answer on which judge and checks are of two minds."""
    judge = opinions[0].judge if opinions else "none"
    counts = Counter((one.verdict, one.judgement) for one in opinions)
    judgements = get_args(Judgement)
    parts = [
        "# What a judge thinks",
        "",
        f"{judge} read {len(opinions)} answers. This is an opinion: it changes no verdict, report or exit status.",
        "",
        "| checks | " + " | ".join(judgements) + " |",
        "|---|" + "---:|" * len(judgements),
    ]
    parts += [
        f"| {verdict} | " + " | ".join(str(counts[verdict, one]) for one in judgements) + " |"
        for verdict in ("passed", "failed")
    ]
    decided = [one for one in opinions if one.judgement in ("right", "wrong")]
    agreeing = sum((one.verdict, one.judgement) in _AGREEING for one in decided)
    if decided:
        parts += ["", f"Of the same mind as the checks: {agreeing} of {len(decided)} ({agreeing / len(decided):.1%})."]
    apart = [one for one in decided if (one.verdict, one.judgement) not in _AGREEING]
    if apart:
        results = run.by_key
        parts += ["", f"## Of two minds: {len(apart)}", ""]
        for one in apart[:_SHOWN]:
            parts.append(f"- **{one.key}**: {one.verdict}, {one.judgement}: {_line(one.why)}")
            parts.append(f"  - {_line(results[one.key].question)}")
        if len(apart) > _SHOWN:
            parts.append(f"- and {len(apart) - _SHOWN} more in judge.jsonl")
    return "\n".join(parts) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
