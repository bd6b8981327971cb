"""python -m evals.conflicts: disagreement of the originals told in four languages, and none found where there is none.

Exit status 1 where something is left out, a false disagreement is found or a real one isn't; 3 where it can't be run.
"""

import sys
from datetime import date

import click

from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.settings import Settings
from evals.adversary.report import Tally
from evals.conflicts.originals import disclosures
from evals.conflicts.restated import restatements


@click.command()
@click.option("--restated", "count", default=240, show_default=True, help="How many facts to say again.")
@click.option("--seed", default=1, show_default=True, help="Which facts are chosen.")
@click.option("--today", default="2026-11-30", show_default=True, help="The day it is.")
@click.option("--examples", default=10, show_default=True, help="How many faults to print.")
def main(count: int, seed: int, today: str, examples: int) -> None:
    """Measure whether disagreement between sources is told, and only where there is some."""
    try:
        assistant = Assistant.open(Settings(), date.fromisoformat(today))
    except AssistantError as error:
        click.echo(str(error), err=True)
        sys.exit(3)
    untold = Tally("Disagreements of the originals not told in full")
    for one in disclosures(assistant):
        untold.add(one.id, one.language, bool(one.left_out), ", ".join(one.left_out))
    false = Tally("False disagreements with facts said again")
    missed = Tally("Altered facts without a disagreement")
    attributes = assistant.corpus.attributes
    for again in restatements(assistant.facts, attributes, count, seed, altered=False):
        false.add(again.kind, again.language, again.conflicts > 0, f"{again.fact.id}: {again.said}")
    for again in restatements(assistant.facts, attributes, count, seed, altered=True):
        missed.add(again.kind, again.language, again.conflicts == 0, f"{again.fact.id}: {again.said}")
    for tally in (untold, false, missed):
        click.echo("\n".join(tally.lines(examples)))
    sys.exit(1 if untold.hits or false.hits or missed.hits else 0)


if __name__ == "__main__":
    main()
