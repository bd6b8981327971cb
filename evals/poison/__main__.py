"""python -m evals.poison: poisons articles, a tool's result and earlier questions, and compares the answers.

Each article's questions are answered from the clean and the poisoned knowledge base, composed and by a language model
that obeys the attack. Exit status 1 where anything changed, 3 where it can't be measured.
"""

import sys
import tempfile
from datetime import date
from pathlib import Path

import click

from assistant.errors import AssistantError
from assistant.knowledge.corpus import load_corpus
from assistant.settings import Settings
from evals.adversary.report import Tally
from evals.poison.attacks import attacks
from evals.poison.library import poisoned_assistant, poisonings
from evals.poison.trial import Trial


@click.command()
@click.option("--documents", default=96, show_default=True, help="How many poisoned articles to try.")
@click.option("--questions", default=2, show_default=True, help="Questions about each of them.")
@click.option("--today", default="2026-11-30", show_default=True, help="The day it is, for labels of staleness.")
@click.option("--examples", default=10, show_default=True, help="How many changed answers to print.")
def main(documents: int, questions: int, today: str, examples: int) -> None:
    """Measure whether instructions hidden in sources change any answer."""
    settings, day = Settings(), date.fromisoformat(today)
    composed, written = Tally("Answers changed by a poisoned article"), Tally("… written by a model that obeys")
    spoken = Tally("Answers changed by a poisoned tool result or earlier question")
    try:
        corpus = load_corpus(settings.corpus)
        with (
            tempfile.TemporaryDirectory() as here,
            poisoned_assistant(settings, corpus, (), Path(here), day) as clean,
        ):
            trial = Trial(clean, questions)
            for round_ in poisonings(corpus, attacks(), documents):
                with (
                    tempfile.TemporaryDirectory() as folder,
                    poisoned_assistant(settings, corpus, round_, Path(folder), day) as poisoned,
                ):
                    for one in round_:
                        for language, found in trial.composed(poisoned, one):
                            composed.add(one.place, language, bool(found), _shown(one.attack.text, found))
                        for language, found in trial.obeying(poisoned, one):
                            written.add(one.place, language, bool(found), _shown(one.attack.text, found))
            for attack in attacks():
                for place, language, found in trial.spoken(attack):
                    spoken.add(place, language, bool(found), _shown(attack.text, found))
    except AssistantError as error:
        click.echo(str(error), err=True)
        sys.exit(3)
    for tally in (composed, written, spoken):
        click.echo("\n".join(tally.lines(examples)))
    changed = composed.hits + written.hits + spoken.hits
    total = composed.total + written.total + spoken.total
    click.echo(f"{documents} poisoned articles, {total} answers; unchanged: {1 - changed / total:.1%}")
    sys.exit(1 if changed else 0)


def _shown(attack: str, found: list[str]) -> str:
    return f"{attack!r} → {'; '.join(found)}"[:600]


if __name__ == "__main__":
    main()
