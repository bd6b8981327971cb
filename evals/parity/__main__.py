"""Asks each question in four languages and compares what the answers state, with which status, from which sources."""

import re
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import click
from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.knowledge.schema import read_yaml
from assistant.language.quantities.quantity import read_quantities
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from evals.grounding import plain_text

QUESTIONS = Path(__file__).with_name("questions.yaml")
_TITLE = re.compile(r"“[^”]*”|《[^》]*》")


class ParityQuestion(BaseModel):
    """One question in each language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    nl: str
    da: str
    zh: str
    en: str

    def in_language(self, language: Language) -> str:
        text: str = getattr(self, language)
        return text


class QuestionsFile(BaseModel):
    """questions.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: tuple[ParityQuestion, ...]


class Told(BaseModel):
    """What an answer comes to, in any language."""

    model_config = ConfigDict(frozen=True)

    status: str
    sources: frozenset[tuple[str, str]]
    """Each cited source with the section cited."""
    figures: frozenset[tuple[Decimal, str]]
    """Figures with a unit, of the prose alone."""
    results: frozenset[str]
    """What calculations came to."""


def told(answer: Answer) -> Told:
    """The language-free content of an answer."""
    runs = frozenset(str(sorted(run.result.items())) for run in answer.tool_runs if run.tool == "fit")
    # A calculation is compared by its result; the words around its figures count cards differently in each language.
    figures = (
        set()
        if runs
        else {
            (value.normalize(), quantity.unit)
            for quantity in read_quantities(_TITLE.sub("", plain_text(answer.text)), answer.language)
            if quantity.unit
            for value in (quantity.value, quantity.low, quantity.high)
            if value is not None
        }
    )
    return Told(
        status=answer.status,
        sources=frozenset((citation.source_id, citation.section) for citation in answer.citations),
        figures=frozenset(figures),
        results=runs,
    )


def differences(question: ParityQuestion, assistant: Assistant) -> list[str]:
    """Where a language differs from what most of them say; empty where all agree."""
    answers = {
        language: told(assistant.answer(Question(text=question.in_language(language)))) for language in LANGUAGES
    }
    found: list[str] = []
    for field in Told.model_fields:
        values = {language: getattr(answer, field) for language, answer in answers.items()}
        usual, count = Counter(values.values()).most_common(1)[0]
        if count < len(LANGUAGES):
            found += [
                f"{question.id} {language}: {field} {_shown(value)}, not {_shown(usual)}"
                for language, value in values.items()
                if value != usual
            ]
    return found


def _shown(value: object) -> str:
    return str(sorted(map(str, value)) if isinstance(value, frozenset) else value)[:260]


@click.command(help=__doc__)
@click.option("--min-same", type=click.FloatRange(0, 1), default=0.97, show_default=True)
@click.option("--quiet", is_flag=True, help="Print the score alone.")
def command(min_same: float, quiet: bool) -> None:
    assistant = Assistant.open(Settings().model_copy(update={"llm_model": None}))
    questions = read_yaml(QUESTIONS, QuestionsFile).questions
    apart = {question.id: found for question in questions if (found := differences(question, assistant))}
    same = len(questions) - len(apart)
    click.echo(f"same facts, figures and sources in four languages: {same} of {len(questions)} questions")
    for found in apart.values() if not quiet else ():
        click.echo("\n".join(found))
    if same / len(questions) < min_same:
        sys.exit(1)


if __name__ == "__main__":
    try:
        command()
    except AssistantError as error:
        click.echo(f"evals.parity: {error}", err=True)
        sys.exit(error.exit_status)
