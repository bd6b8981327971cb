"""`gpu-assistant sources gaps`: which questions got no answer, grouped by what was missing."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.errors import InvalidInput
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped, without_controls
from assistant.settings import Settings

if TYPE_CHECKING:
    from evals.gaps.asked import AskedQuestion, Origin


@click.command()
@click.option(
    "--from", "origins", multiple=True, type=click.Choice(("feedback", "log", "evals")),
    help="Only questions from there; can be repeated. All three if left out.",
)  # fmt: skip
@click.option(
    "--log", "logs", multiple=True, type=click.Path(path_type=Path),
    help="A log of the server, also as .gz; can be repeated. If left out: ASSISTANT_LOG_FILE and its older ones.",
)  # fmt: skip
@click.option(
    "--lang", "languages", multiple=True, type=click.Choice(LANGUAGES), help="Only questions in this language."
)
@click.option(
    "--most", type=click.IntRange(1, 100_000), default=2_000, show_default=True,
    help="Questions that are asked again at most, those most asked by readers first.",
)  # fmt: skip
@click.option(
    "--examples", type=click.IntRange(0, 1_000), default=3, show_default=True, help="Questions shown of each gap."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object with every question.")
@click.pass_obj
def gaps(
    settings: Settings,
    origins: tuple["Origin", ...],
    logs: tuple[Path, ...],
    languages: tuple[Language, ...],
    most: int,
    examples: int,
    as_json: bool,
) -> None:
    """List the questions that get no answer, by what is missing, so that you know what to write next.

    Questions come from feedback, from the server's log where questions stand in it, and from the evaluations. Each is
    asked again, without a language model, so that what has been written since is no gap any more.
    """
    from assistant.answering.assistant import Assistant
    from evals.gaps.asked import ORIGINS, merged
    from evals.gaps.gap import gaps_of
    from evals.gaps.grouping import listing, report_of

    chosen = merged(_questions(settings, origins or ORIGINS, logs), languages)
    if not chosen:
        raise InvalidInput(
            "There is no question to look at.", "Name a log with --log, or take the evaluations along: --from evals."
        )
    assistant = Assistant.open(settings.model_copy(update={"llm_model": None}))
    try:
        with click.progressbar(chosen[:most], label="Asking", file=sys.stderr) as asked:
            found = [(one, gaps_of(one, assistant)) for one in asked]
    finally:
        assistant.index.close()
    report = report_of(found, len(chosen[most:]))
    if as_json:
        click.echo(json_escaped(report.model_dump_json(indent=2)))
        return
    for line in listing(report, examples):
        click.echo(without_controls(line))


def _questions(settings: Settings, origins: tuple["Origin", ...], logs: tuple[Path, ...]) -> Iterator["AskedQuestion"]:
    from evals.gaps.asked import log_files, of_cases, of_feedback, of_log
    from evals.suite.reader import CASES, read_cases, read_questions

    if "feedback" in origins:
        yield from of_feedback(settings.data)
    if "log" in origins:
        own = log_files(settings.log_file) if settings.log_file and settings.log_file.exists() else []
        for path in logs or (own if settings.log_questions else ()):
            yield from of_log(path)
    if "evals" in origins:
        yield from of_cases([*read_cases(CASES), *read_questions()])
