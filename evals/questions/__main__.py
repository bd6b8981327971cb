"""`python -m evals.questions`: ask every question, score the answers, print what failed and why."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.errors import AssistantError, InvalidInput
from assistant.language.tongue import LANGUAGES
from assistant.settings import Settings
from evals.cases import SILENT, Case, Suite, questions_jsonl, read_suite
from evals.diagnosis import cause_of
from evals.report import answerable, failure, of_kind, share, summary, table
from evals.scoring import Score, question_of, score

if TYPE_CHECKING:
    from assistant.answering.assistant import Assistant


@click.command()
@click.option(
    "--set", "which", type=click.Choice(["first", "dev", "seen", "held", "all"]), default="all", show_default=True
)
@click.option("--lang", type=click.Choice(LANGUAGES), help="Only questions in this language.")
@click.option("--only", multiple=True, help="Only the question with this id; can be repeated.")
@click.option("--kind", help="Only questions of this kind.")
@click.option("--export", type=click.Path(path_type=Path), help="Write the questions for `ask --questions`; ask none.")
@click.option("--corpus", type=click.Path(path_type=Path), help="Folder of the knowledge base.")
@click.option("--index", type=click.Path(path_type=Path), help="Folder of the search index.")
@click.option("--min-right", type=click.FloatRange(0, 1), default=0.95, show_default=True, help="Stated and cited.")
@click.option(
    "--min-refused", type=click.FloatRange(0, 1), default=0.9, show_default=True, help="Unanswerable refused."
)
@click.option("--min-scope", type=click.FloatRange(0, 1), default=0.9, show_default=True, help="Out of scope told.")
def command(
    which: str,
    lang: str | None,
    only: tuple[str, ...],
    kind: str | None,
    export: Path | None,
    corpus: Path | None,
    index: Path | None,
    min_right: float,
    min_refused: float,
    min_scope: float,
) -> None:
    """Score the assistant's answers to the questions of evals/questions. Exit status 1 where a threshold is missed."""
    suite = read_suite()
    cases = [
        case
        for case in suite.cases
        if which in ("all", case.set)
        and lang in (None, case.language)
        and kind in (None, case.kind)
        and (not only or case.id in only)
    ]
    if not cases:
        raise InvalidInput("No question fits these options.")
    if export is not None:
        export.write_text(questions_jsonl(cases), encoding="utf-8")
        return
    from assistant.answering.assistant import Assistant

    given = {name: path for name, path in (("corpus", corpus), ("index", index)) if path is not None}
    assistant = Assistant.open(Settings().model_copy(update={**given, "llm_model": None}))
    scores = ask_all(cases, suite, assistant)
    seen = [one for one in scores if one.case.set != "held"]
    held = [one for one in scores if one.case.set == "held"]
    for some, title in ((seen, "seen questions (first, dev and seen)"), (held, "held-out questions")):
        if some:
            click.echo(table(some, title))
            click.echo(summary(some) + "\n")
    # What a held-out question asks and got is never shown: it would no longer be held out.
    report_failures(seen, suite, assistant)
    if not meets(scores, min_right, min_refused, min_scope):
        sys.exit(1)


def ask_all(cases: list[Case], suite: Suite, assistant: "Assistant") -> list[Score]:
    """Ask and score each question, with a progress bar where someone watches."""
    with click.progressbar(cases, label="Asking", file=sys.stderr) as shown:
        return [score(case, assistant.answer(question_of(case)), suite) for case in shown]


def report_failures(scores: list[Score], suite: Suite, assistant: "Assistant") -> None:
    """Each failure in three lines, under the step at which it went wrong."""
    by_cause: dict[str, list[str]] = defaultdict(list)
    for one in scores:
        if not one.passed:
            cause, found = cause_of(one, suite.expected(one.case), assistant)
            by_cause[cause].append(failure(one, suite, found if one.case.kind not in SILENT else ""))
    for step, failures in sorted(by_cause.items(), key=lambda item: -len(item[1])):
        click.echo(f"== {step}: {len(failures)}")
        for text in failures:
            click.echo(text)
        click.echo("")


def meets(scores: list[Score], min_right: float, min_refused: float, min_scope: float) -> bool:
    """True where every threshold that applies to what was asked is met."""
    shares = (
        (share(answerable(scores), lambda one: one.states_and_cites), min_right),
        (share(of_kind(scores, "unanswerable"), lambda one: one.passed), min_refused),
        (share(of_kind(scores, "out_of_scope"), lambda one: one.passed), min_scope),
    )
    return all(reached is None or reached >= least for reached, least in shares)


if __name__ == "__main__":
    try:
        command()
    except AssistantError as error:
        click.echo(f"evals.questions: {error}", err=True)
        sys.exit(error.exit_status)
