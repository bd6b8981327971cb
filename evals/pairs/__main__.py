"""Asks both halves of each pair: the one must be answered, the other refused."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click
from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES
from assistant.settings import Settings
from evals.grounding import unsupported_numbers
from evals.wording import carries_each

DIRECTORY = Path(__file__).parent
_REFUSED = ("not_in_sources", "out_of_scope", "needs_input")


class Pair(BaseModel):
    """Two questions of one shape, of which the sources answer the first only."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^(nl|da|zh|en)-f?[0-9]{2}$")
    apart: Literal["card", "version", "date", "provider", "attribute"]
    answerable: str
    holds: tuple[str, ...] = Field(min_length=1)
    """Wordings that the answer must carry, all of them; | separates alternatives."""
    unanswerable: str
    names: tuple[str, ...] = ()
    """What the refusal must name."""
    partly: bool = False
    """True where the rest of the question can be answered, such as what other providers ask."""


class PairsFile(BaseModel):
    """One file of pairs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pairs: tuple[Pair, ...]


class Outcome(BaseModel):
    """What became of a pair."""

    model_config = ConfigDict(frozen=True)

    pair: Pair
    answered: Answer
    refused: Answer

    @property
    def is_over_refused(self) -> bool:
        return self.answered.status in _REFUSED

    @property
    def is_right(self) -> bool:
        """The answerable half is answered, with what it must hold."""
        return not self.is_over_refused and carries_each(self.answered.text, self.pair.holds)

    @property
    def is_refused(self) -> bool:
        """The other half is refused by name, and no figure in it is made up."""
        missing = self.refused.status == "partly_answered" and self.refused.missing is not None
        silent = self.refused.status in _REFUSED or (self.pair.partly and missing)
        invented = unsupported_numbers(self.refused, Question(text=self.pair.unanswerable))
        # A refusal names the nearest cards, and figures that stand in their names are none.
        stated = self.refused.status not in _REFUSED and bool(invented)
        return silent and carries_each(self.refused.text, self.pair.names) and not stated


def read_pairs(name: str) -> tuple[Pair, ...]:
    """The pairs of one file. Raises CorpusError naming the entry at fault."""
    return read_yaml(DIRECTORY / f"{name}.yaml", PairsFile).pairs


def ask_pairs(pairs: Sequence[Pair], assistant: Assistant) -> list[Outcome]:
    return [
        Outcome(
            pair=pair,
            answered=assistant.answer(Question(text=pair.answerable)),
            refused=assistant.answer(Question(text=pair.unanswerable)),
        )
        for pair in pairs
    ]


def recall(outcomes: Sequence[Outcome]) -> float:
    """The share of unanswerable questions that are refused."""
    return sum(outcome.is_refused for outcome in outcomes) / len(outcomes)


def over_refusal(outcomes: Sequence[Outcome]) -> float:
    """The share of answerable questions that are refused."""
    return sum(outcome.is_over_refused for outcome in outcomes) / len(outcomes)


def table(outcomes: Sequence[Outcome]) -> str:
    """Per language and over all: refused, refused wrongly, and answered with what the answer must hold."""
    lines = ["language  pairs  refused  over-refused  answered right"]
    for language in (*LANGUAGES, "all"):
        some = [one for one in outcomes if language == "all" or one.pair.id.startswith(language)]
        right = sum(one.is_right for one in some)
        lines.append(
            f"{language:8}  {len(some):5}  {100 * recall(some):6.1f}%  {100 * over_refusal(some):11.1f}%  "
            f"{right:7}/{len(some)}"
        )
    return "\n".join(lines)


def failures(outcomes: Sequence[Outcome]) -> list[str]:
    """What went wrong, a line each."""
    lines: list[str] = []
    for one in outcomes:
        for right, question, answer in (
            (one.is_right, one.pair.answerable, one.answered),
            (one.is_refused, one.pair.unanswerable, one.refused),
        ):
            if not right:
                lines.append(f"{one.pair.id} {question}\n  got ({answer.status}) {' '.join(answer.text.split())[:300]}")
    return lines


@click.command(help=__doc__)
@click.option("--set", "which", type=click.Choice(["first", "fresh", "all"]), default="all", show_default=True)
@click.option("--min-refused", type=click.FloatRange(0, 1), default=0.95, show_default=True)
@click.option("--max-over-refused", type=click.FloatRange(0, 1), default=0.03, show_default=True)
@click.option("--quiet", is_flag=True, help="Print the scores alone.")
def command(which: str, min_refused: float, max_over_refused: float, quiet: bool) -> None:
    assistant = Assistant.open(Settings().model_copy(update={"llm_model": None}))
    missed = False
    for name in ("first", "fresh") if which == "all" else (which,):
        outcomes = ask_pairs(read_pairs(name), assistant)
        click.echo(f"{name}\n{table(outcomes)}\n")
        if not quiet:
            click.echo("".join(f"{line}\n" for line in failures(outcomes)))
        missed = missed or recall(outcomes) < min_refused or over_refusal(outcomes) > max_over_refused
    if missed:
        sys.exit(1)


if __name__ == "__main__":
    try:
        command()
    except AssistantError as error:
        click.echo(f"evals.pairs: {error}", err=True)
        sys.exit(error.exit_status)
