"""`gpu-assistant feedback`: what people thought of answers, to read and to export."""

import click

from assistant.settings import Settings


@click.group()
def command() -> None:
    """Verdicts on answers that the server has kept on this machine."""


@command.command(name="list")
@click.pass_obj
def list_(settings: Settings) -> None:
    """Print each verdict on a line, the newest last."""
    from assistant.feedback.store import FeedbackStore
    from assistant.printable import one_line

    for record in FeedbackStore(settings.data).records():
        given = record.feedback
        said = one_line(" ".join([given.reason or "", given.comment]))
        question = one_line(given.question)
        click.echo(
            f"{record.id}  {record.given:%Y-%m-%d %H:%M}  {given.verdict}  {question}{f'  ({said})' if said else ''}"
        )


@command.command()
@click.option("--verdict", type=click.Choice(("up", "down")), help="Only these; all if left out.")
@click.option("--cases", "as_cases", is_flag=True, help="As drafts of cases for the evaluations, in YAML.")
@click.pass_obj
def export(settings: Settings, verdict: str | None, as_cases: bool) -> None:
    """Print every verdict as a JSON object a line, with the question and its history."""
    from assistant.feedback.case_draft import case_drafts
    from assistant.feedback.store import FeedbackStore
    from assistant.printable import json_line

    every = FeedbackStore(settings.data).records()
    records = [record for record in every if verdict in (None, record.feedback.verdict)]
    if as_cases:
        click.echo(case_drafts(records), nl=False)
    else:
        for record in records:
            fields = {
                "id": record.id,
                "given": record.given.isoformat(),
                **record.feedback.model_dump(mode="json", exclude={"key"}),
            }
            click.echo(json_line(fields))
