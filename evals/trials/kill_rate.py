"""`python -m evals.trials.kill_rate`: how many spoilt answers the checks notice, and how many right ones they fault.

Right answers of the suite are spoilt in one place each, and said otherwise without changing what they say, as many in
each language. Exit status 1 where fewer than 98 % of the spoilt ones are noticed or more than 2 % of the others
faulted; 2 where there are too few to measure.
"""

import random
import sys
from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeVar

import click

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.language.tongue import LANGUAGES
from assistant.settings import Settings
from evals.adversary.report import Tally
from evals.checks.bench import Bench
from evals.checks.score import question_of, score
from evals.runs.opening import open_assistant
from evals.runs.session import BASELINE, clock_of, read_asked, read_baseline
from evals.suite.case import Asked
from evals.trials.mutants import AnswerMutator, Mutant
from evals.trials.rewrites import Rewrite, free_wordings, rewrites

LEAST_KILLED, MOST_FLAGGED = 0.98, 0.02
_Changed = TypeVar("_Changed", Mutant, Rewrite)


def right_answers(suite: Sequence[Asked], assistant: Assistant, bench: Bench) -> list[tuple[Asked, Answer]]:
    """The questions that are answered as they should be, with their answers."""
    found = []
    for asked in suite:
        answer = assistant.answer(question_of(asked))
        if score(asked, answer, bench).passed:
            found.append((asked, answer))
    return found


def evenly(items: Sequence[_Changed], count: int, seed: int, kind_of: Callable[[_Changed], str]) -> list[_Changed]:
    """As many items of each language, and within it of each kind as far as there are any; always the same ones."""
    chosen: list[_Changed] = []
    for language in LANGUAGES:
        by_kind: dict[str, list[_Changed]] = {}
        for item in items:
            if item.asked.language == language:
                by_kind.setdefault(kind_of(item), []).append(item)
        for kind in by_kind:
            random.Random(f"{language} {kind} {seed}").shuffle(by_kind[kind])  # noqa: S311 (repeatable choice)
        wanted = count // len(LANGUAGES)
        while wanted and any(by_kind.values()):
            for kind in sorted(by_kind):
                if by_kind[kind] and wanted:
                    chosen.append(by_kind[kind].pop())
                    wanted -= 1
    return chosen


def measured(items: Sequence[_Changed], title: str, bench: Bench, *, hit_is_passed: bool) -> Tally:
    """How many of the changed answers pass, or fail, the checks."""
    tally = Tally(title)
    for item in items:
        scored = score(item.asked, item.answer, bench)
        why = "; ".join(f"{check.name}: {check.found}" for check in scored.failed)
        hit = scored.passed if hit_is_passed else not scored.passed
        tally.add(item.kind, item.asked.language, hit, f"{item.asked.key}: {item.change} {why}".strip())
    return tally


def survivors(right: Sequence[tuple[Asked, Answer]], count: int, seed: int, bench: Bench) -> Tally:
    mutator = AnswerMutator(bench, seed)
    mutants = [mutant for asked, answer in right for mutant in mutator.mutants(asked, answer)]
    return measured(
        evenly(mutants, count, seed, lambda m: m.kind), "Spoilt answers that pass", bench, hit_is_passed=True
    )


def faulted(right: Sequence[tuple[Asked, Answer]], count: int, seed: int, bench: Bench) -> Tally:
    found = [rewrite for asked, answer in right for rewrite in rewrites(asked, answer, seed)]
    found += free_wordings(bench)
    return measured(evenly(found, count, seed, lambda r: r.kind), "Right answers faulted", bench, hit_is_passed=False)


@click.command()
@click.option("--count", default=300, show_default=True, help="Spoilt answers, and as many said otherwise.")
@click.option("--seed", default=1, show_default=True, help="Which places are spoilt, and which answers are chosen.")
@click.option("--examples", default=10, show_default=True, help="How many of those that got through to print.")
def main(count: int, seed: int, examples: int) -> None:
    """Measure how well the checks tell right answers from spoilt ones."""
    settings = Settings().model_copy(update={"llm_model": None})
    clock: date = clock_of(None, read_baseline(BASELINE), settings.corpus)
    assistant = open_assistant(settings, clock)
    bench = Bench(assistant.corpus, settings.corpus)
    right = right_answers([one for one in read_asked(None) if not one.case.beside], assistant, bench)
    passed, flagged = survivors(right, count, seed, bench), faulted(right, count, seed, bench)
    for tally in (passed, flagged):
        click.echo("\n".join(tally.lines(examples)))
    click.echo(
        f"noticed: {1 - passed.share:.1%} of {passed.total} spoilt answers; faulted: {flagged.share:.1%} of "
        f"{flagged.total} right ones"
    )
    if min(passed.total, flagged.total) < count // len(LANGUAGES) * len(LANGUAGES):
        click.echo("evals.trials: too few answers to measure", err=True)
        sys.exit(2)
    sys.exit(0 if 1 - passed.share >= LEAST_KILLED and flagged.share <= MOST_FLAGGED else 1)


if __name__ == "__main__":
    try:
        main()
    except AssistantError as error:
        click.echo(f"evals.trials: {error}", err=True)
        sys.exit(error.exit_status)
