"""`gpu-assistant ask`: one question, or a file of them, answered with citations."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from assistant.answering.answer import Answer
from assistant.answering.cited import dated, shown_words
from assistant.answering.evidence import Question
from assistant.errors import FileUnavailable, InvalidInput
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

MAX_QUESTIONS_BYTES = 50_000_000


@click.command()
@click.argument("question", required=False)
@click.option("--questions", type=click.Path(path_type=Path), help="JSON Lines file with id, question and history.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer object.")
@click.option("--no-llm", is_flag=True, help="Compose the answer without a language model.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the answer; the question's own if left out.")
@click.pass_obj
def command(
    settings: Settings, question: str | None, questions: Path | None, as_json: bool, no_llm: bool, lang: Language | None
) -> None:
    """Answer a question in Dutch, Danish, Chinese or English, with the passages it rests on."""
    from assistant.answering.assistant import Assistant

    if (question is None) == (questions is None):
        raise InvalidInput("Give one question, or a file of them with --questions.")
    asked = read_questions(questions) if questions else iter([Question(text=question or "")])
    assistant = Assistant.open(settings.model_copy(update={"llm_model": None}) if no_llm else settings)
    for item in asked:
        answer = assistant.answer(item.model_copy(update={"language": lang}) if lang else item)
        told = json_escaped(answer.model_dump_json()) if as_json else readable(answer)
        click.echo(f"{item.id}: {item.text}\n\n{told}\n" if questions and not as_json else told)
        sys.stdout.flush()


def read_questions(path: Path) -> Iterator[Question]:
    """Questions of a JSON Lines file. Raises InvalidInput naming the line that isn't one, FileUnavailable."""
    try:
        if path.stat().st_size > MAX_QUESTIONS_BYTES:
            raise InvalidInput(f"{path} is larger than {MAX_QUESTIONS_BYTES // 1_000_000} MB.", "Split it.")
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 at byte {error.start}.") from error
    except OSError as error:
        raise FileUnavailable(f"{path}: {error.strerror or error}.") from error
    questions: list[Question] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            questions.append(
                Question(
                    id=str(row["id"]), text=str(row["question"]), history=tuple(map(str, row.get("history") or ()))
                )
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InvalidInput(
                f"{path}, line {number}: not a question.", 'Write {"id": "…", "question": "…"}, one a line.'
            ) from error
    return iter(questions)


def readable(answer: Answer) -> str:
    """The answer for a terminal: its text, then the passages it rests on."""
    lines = [answer.text]
    if answer.citations:
        lines.append("")
    for citation in answer.citations:
        work = citation.based_on[0] if citation.based_on else None
        parts = [citation.title, work.title if work else None, work.publisher if work else citation.publisher]
        written_in = citation.language if citation.kind == "article" else None
        described = dict.fromkeys(part for part in [*parts, dated(citation, answer.language), written_in] if part)
        lines += [f"[{citation.marker}] {', '.join(described)}", f"    {shown_words(citation)}"]
    return "\n".join(lines)
