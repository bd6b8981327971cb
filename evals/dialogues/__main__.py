"""Asks each dialogue turn by turn, with no language model, and checks every answer that has something to check."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.answer import Answer, AnswerStatus
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from evals.grounding import unsupported_numbers
from evals.wording import carries, carries_each

DIRECTORY = Path(__file__).parent
SETS = ("dialogues", "fresh", "later", "premises", "variants", "threads")


class Turn(BaseModel):
    """One question, and what its answer must be where that is checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: str = Field(min_length=1)
    status: tuple[AnswerStatus, ...] = ()
    says: tuple[str, ...] = ()
    """Wordings that the answer must carry, all of them; | separates alternatives."""
    lacks: tuple[str, ...] = ()
    """Wordings of which it must carry none."""
    language: Language | None = None
    """The language of the answer, where it isn't the dialogue's."""

    @property
    def is_checked(self) -> bool:
        return bool(self.status or self.says or self.lacks)


class Dialogue(BaseModel):
    """Questions in turn. The id starts with the language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^(nl|da|zh|en)-[a-z0-9-]{1,60}$")
    turns: tuple[Turn, ...] = Field(min_length=1)

    @property
    def language(self) -> Language:
        return next(language for language in LANGUAGES if self.id.startswith(f"{language}-"))


class DialoguesFile(BaseModel):
    """One file of dialogues."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dialogues: tuple[Dialogue, ...]


class Failure(BaseModel):
    """A turn that was answered wrongly, and why."""

    model_config = ConfigDict(frozen=True)

    dialogue: Dialogue
    turn: int
    answer: Answer
    why: tuple[str, ...]


def read_dialogues(name: str) -> tuple[Dialogue, ...]:
    """The dialogues of one file. Raises CorpusError naming the entry at fault."""
    return read_yaml(DIRECTORY / f"{name}.yaml", DialoguesFile).dialogues


def problems(turn: Turn, language: Language, answer: Answer, history: Sequence[str]) -> list[str]:
    """What is wrong with an answer; empty where nothing is."""
    found: list[str] = []
    if turn.status and answer.status not in turn.status:
        found.append(f"status {answer.status}")
    found += [f"lacks {wording!r}" for wording in turn.says if not carries_each(answer.text, [wording])]
    found += [f"says {wording!r}" for wording in turn.lacks if carries(answer.text, [wording])]
    if answer.language != (turn.language or language):
        found.append(f"in {answer.language}")
    if answer.status in ("answered", "partly_answered") and not answer.citations:
        found.append("cites nothing")
    invented = unsupported_numbers(answer, Question(text=" ".join([*history, turn.ask])))
    return found + ([f"unsupported {', '.join(invented)}"] if invented else [])


def hold(dialogue: Dialogue, assistant: Assistant) -> list[Failure]:
    """Ask every turn that is checked, with the questions before it as its history."""
    failed: list[Failure] = []
    asked: list[str] = []
    for place, turn in enumerate(dialogue.turns, 1):
        if turn.is_checked:
            answer = assistant.answer(Question(text=turn.ask, history=tuple(asked)))
            why = problems(turn, dialogue.language, answer, asked)
            if why:
                failed.append(Failure(dialogue=dialogue, turn=place, answer=answer, why=tuple(why)))
        asked.append(turn.ask)
    return failed


def table(dialogues: Sequence[Dialogue], failed: Sequence[Failure]) -> str:
    """Right of held, per language and over all."""
    wrong = {failure.dialogue.id for failure in failed}
    shown: list[str] = []
    for language in (*LANGUAGES, "all"):
        some = [one for one in dialogues if language in ("all", one.language)]
        right = sum(one.id not in wrong for one in some)
        shown.append(f"{language} {right}/{len(some)}")
    return "  ".join(shown)


@click.command(help=__doc__)
@click.option("--set", "which", type=click.Choice([*SETS, "all"]), default="all", show_default=True)
@click.option("--min-right", type=click.FloatRange(0, 1), default=0.95, show_default=True)
@click.option("--quiet", is_flag=True, help="Print the scores alone.")
def command(which: str, min_right: float, quiet: bool) -> None:
    assistant = Assistant.open(Settings().model_copy(update={"llm_model": None}))
    missed = False
    for name in SETS if which == "all" else (which,):
        dialogues = read_dialogues(name)
        failed = [failure for dialogue in dialogues for failure in hold(dialogue, assistant)]
        click.echo(f"{name}: {table(dialogues, failed)}")
        for failure in failed if not quiet else ():
            asked = " → ".join(turn.ask for turn in failure.dialogue.turns[: failure.turn])
            click.echo(f"{failure.dialogue.id} {asked}\n  {'; '.join(failure.why)}")
            click.echo(f"  got ({failure.answer.status}) {' '.join(failure.answer.text.split())[:320]}")
        right = 1 - len({failure.dialogue.id for failure in failed}) / len(dialogues)
        missed = missed or right < min_right
    if missed:
        sys.exit(1)


if __name__ == "__main__":
    try:
        command()
    except AssistantError as error:
        click.echo(f"evals.dialogues: {error}", err=True)
        sys.exit(error.exit_status)
