"""`gpu-assistant eval`: ask the cases, compare with the baseline, say what a changed source breaks."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.errors import AssistantError, InvalidInput
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings

if TYPE_CHECKING:
    from evals.runs.runner import Progress
    from evals.suite.case import Asked

RESULTS = Path("eval-results")
_NOT_MEASURED = 2
_DAY = click.DateTime(["%Y-%m-%d"])


@click.group(invoke_without_command=True)
@click.option(
    "--cases", type=click.Path(path_type=Path), help="Folder of cases; evals/suite/cases and the questions if left out."
)
@click.option("--only", multiple=True, help="Only the case with this id, or id@language; can be repeated.")
@click.option("--tag", "tags", multiple=True, help="Only cases with this tag, kind or severity; can be repeated.")
@click.option("--lang", "languages", multiple=True, type=click.Choice(LANGUAGES), help="Only in this language.")
@click.option(
    "--changed-since", metavar="REV", help="Only cases that rest on what changed since a git revision or folder."
)
@click.option("--as-of", type=_DAY, help="The day that counts as today; the baseline's if left out.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Results to compare with; evals/baseline.jsonl if left out."
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=RESULTS, show_default=True, help="Folder for the reports."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Questions asked at a time.")
@click.option(
    "--runs",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="Askings of each question with a language model.",
)
@click.option("--no-llm", is_flag=True, help="Score composed answers, even where a language model is configured.")
@click.option(
    "--significance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Of McNemar's test over the suite.",
)
@click.option(
    "--least-passed",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of the questions that must pass.",
)
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path | None,
    only: tuple[str, ...],
    tags: tuple[str, ...],
    languages: tuple[Language, ...],
    changed_since: str | None,
    as_of: datetime | None,
    baseline: Path | None,
    out: Path,
    jobs: int,
    runs: int,
    no_llm: bool,
    significance: float,
    least_passed: float,
) -> None:
    """Ask every case, check the sources, and compare with the baseline.

    Exit status: 0 nothing got worse, 1 a regression was measured, 2 it could not be measured.
    """
    if ctx.invoked_subcommand is not None:
        return
    from evals.reports.writing import summary_lines, write_reports
    from evals.runs.comparison import Thresholds, compare, decide
    from evals.runs.record import write_run
    from evals.runs.session import BASELINE, Choice, Session, check_cases, clock_of, read_asked, read_baseline

    settings: Settings = ctx.obj
    if no_llm:
        settings = settings.model_copy(update={"llm_model": None})
    thresholds = Thresholds(significance=significance, least_passed=least_passed)
    before = read_baseline(baseline or BASELINE)
    if baseline is not None and before is None:
        raise InvalidInput(
            f"{baseline}: there is no such baseline.", "Make one with: gpu-assistant eval bless --reason …"
        )
    suite = read_asked(cases)
    check_cases(suite, settings.corpus, before, str(cases or "evals/suite/cases"))
    clock = clock_of(as_of.date() if as_of else None, before, settings.corpus)
    resting_on, tied = _changed_since(changed_since, settings, clock, suite)
    chosen = Choice(only=only, tags=tags, languages=languages, resting_on=resting_on, tied=tied).of(suite, before)
    if not chosen:
        raise InvalidInput("No case fits these options, so nothing was measured.")
    session = Session(settings, clock, runs if settings.llm_model else 1, before.header.sources if before else None)
    try:
        with _bar() as show:
            run = session.run(suite, chosen, out / "results.partial.jsonl", jobs, show)
    except AssistantError as error:
        # Whatever keeps the run from ending, nothing was measured.
        error.exit_status = _NOT_MEASURED
        raise
    finally:
        session.close()
    write_run(run, out / "results.jsonl")
    (out / "results.partial.jsonl").unlink(missing_ok=True)
    comparison = compare(run, before)
    decision = decide(run, comparison, thresholds, before is not None)
    write_reports(run, before, comparison, decision, out)
    for line in summary_lines(run, comparison, decision, out):
        click.echo(line)
    sys.exit(decision.status)


def _changed_since(
    rev: str | None, settings: Settings, clock: date, suite: "Sequence[Asked]"
) -> tuple[frozenset[str] | None, dict[str, tuple[str, ...]]]:
    """What changed since a revision, and which claims of it each case writes out the value of."""
    if rev is None:
        return None, {}
    from assistant.knowledge.edition import changes_between, opened
    from evals.suite.ties import ties_of

    with opened(rev, settings.corpus) as old:
        ties = ties_of({one.case.id: one.case for one in suite}.values(), old)
        return changes_between(old, settings.corpus, clock).touched, ties


@contextmanager
def _bar(label: str = "Asking") -> Iterator["Progress"]:
    with click.progressbar(length=1, label=label, file=sys.stderr, show_pos=True) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield show


@command.command()
@click.option(
    "--results", type=click.Path(path_type=Path), help="The run to accept; results.jsonl in --out if left out."
)
@click.option("--reason", required=True, help="Why it is right that answers are as they are now; kept in the baseline.")
@click.option(
    "--accept-failing",
    "accepted",
    multiple=True,
    metavar="ID@LANG",
    help="A must-pass question that may go on failing; can be repeated. Any other that fails is refused.",
)
@click.pass_context
def bless(ctx: click.Context, results: Path | None, reason: str, accepted: tuple[str, ...]) -> None:
    """Make a finished run the baseline that later runs are compared with. Nothing else changes the baseline."""
    from evals.runs.record import read_run, slim, write_run
    from evals.runs.session import BASELINE

    parent = ctx.parent.params if ctx.parent else {}
    path = results or parent["out"] / "results.jsonl"
    run = read_run(path)
    if not run.header.whole:
        raise InvalidInput(f"{path} is of a part of the cases.", "Bless a run of all of them.")
    if run.of("error") or not (run.of("passed") or run.of("failed")):
        raise InvalidInput(f"{path} has questions that could not be asked.", "Bless a run in which all were.")
    if len(reason.strip()) < 3:
        raise InvalidInput("The reason says nothing.", "Say why these answers are right.")
    failing = [result.key for result in run.of("failed") if result.severity == "must_pass"]
    if unnamed := [key for key in failing if key not in accepted]:
        raise InvalidInput(
            f"{', '.join(unnamed)} must pass and fail{'s' * (len(unnamed) == 1)}.",
            "Mend the answer, or name each with --accept-failing.",
        )
    if passing := [key for key in accepted if key not in failing]:
        raise InvalidInput(f"{passing[0]} is no must-pass question that fails.", "Leave it out of --accept-failing.")
    target = parent.get("baseline") or BASELINE
    header = run.header.model_copy(update={"reason": reason.strip(), "accepted": tuple(sorted(accepted))})
    write_run(slim(run.model_copy(update={"header": header})), target)
    click.echo(f"{target}: {len(run.of('passed'))} of {len(run.results)} passed. Commit it.")


@command.command()
@click.option("--results", type=click.Path(path_type=Path), help="The run; results.jsonl in --out if left out.")
@click.pass_context
def rescore(ctx: click.Context, results: Path | None) -> None:
    """Score the answers of a finished run again, with the cases and thresholds of now. Nothing is asked."""
    from assistant.knowledge.corpus import load_corpus
    from evals.checks.bench import Bench
    from evals.runs.comparison import Thresholds, compare, decide
    from evals.runs.record import Run, read_run, write_run
    from evals.runs.runner import rescored
    from evals.runs.session import BASELINE, check_cases, read_asked, read_baseline

    settings: Settings = ctx.obj
    given = ctx.parent.params if ctx.parent else {}
    from evals.reports.writing import summary_lines, write_reports

    out: Path = given["out"]
    run = read_run(results or out / "results.jsonl")
    before = read_baseline(given["baseline"] or BASELINE)
    suite = read_asked(given["cases"])
    check_cases(suite, settings.corpus, before, str(given["cases"] or "evals/suite/cases"))
    corpus = load_corpus(settings.corpus)
    if corpus.hash != run.header.corpus:
        raise InvalidInput("The knowledge base has changed since that run.", "Run `gpu-assistant eval` anew.")
    again = rescored(run.results, {one.key: one for one in suite}, Bench(corpus, settings.corpus, run.header.standings))
    scored = Run(header=run.header, results=tuple(again))
    thresholds = Thresholds(significance=given["significance"], least_passed=given["least_passed"])
    comparison = compare(scored, before)
    decision = decide(scored, comparison, thresholds, before is not None)
    write_run(scored, out / "results.jsonl")
    write_reports(scored, before, comparison, decision, out)
    for line in summary_lines(scored, comparison, decision, out):
        click.echo(line)
    sys.exit(decision.status)


@command.command()
@click.option("--results", type=click.Path(path_type=Path), help="The run; results.jsonl in --out if left out.")
@click.option("--model", help="The judging model at OPENAI_BASE_URL; ASSISTANT_LLM_MODEL if left out.")
@click.pass_context
def judge(ctx: click.Context, results: Path | None, model: str | None) -> None:
    """Let another language model say what it thinks of the answers of a finished run.

    Its opinions stand in judge.md and judge.jsonl of --out, beside what the checks found. They decide nothing.
    """
    from evals.judge.judging import judge_run
    from evals.judge.report import judge_report
    from evals.runs.record import read_run

    settings: Settings = ctx.obj
    named = model or settings.llm_model
    if named is None:
        raise InvalidInput("No judge is named.", "Name a model with --model, or set ASSISTANT_LLM_MODEL.")
    out: Path = ctx.parent.params["out"] if ctx.parent else RESULTS
    run = read_run(results or out / "results.jsonl")
    with _bar("Judging") as show:
        opinions = judge_run(run, settings, named, out / "judge.jsonl", show)
    report = judge_report(run, opinions)
    (out / "judge.md").write_text(report, encoding="utf-8")
    click.echo(report, nl=False)


@command.command()
@click.argument("question")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the question, where it can't be told.")
@click.option(
    "--to", type=click.Path(path_type=Path), help="File of cases to append the draft to; printed if left out."
)
@click.pass_obj
def new(settings: Settings, question: str, lang: Language | None, to: Path | None) -> None:
    """Draft a case from the present answer to QUESTION, for a person to read, correct and approve."""
    from evals.suite.draft import append_draft, draft_of

    draft, shown = draft_of(settings, question, lang)
    if to is not None:
        append_draft(draft, to)
        click.echo(f"{to}: a draft was added. Read the answer, correct the case, and take `draft` out of its tags.")
    else:
        click.echo(draft)
    click.echo(f"\n# The answer now:\n{shown}" if to is None else shown)
