"""What a memo keeps of an answer, so that a program can ask again; it survives in the text of any wiki page."""

import json
from datetime import date

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.answering.answer import Answer, AnswerStatus
from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.errors import InvalidInput
from assistant.knowledge.schema import first_problem
from assistant.language.tongue import Language

_MARK = '{"gpu_assistant_memo":'
VERSION = 1


class CitedSource(BaseModel):
    """A source as a check compares it: what it is called and the words quoted from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(max_length=300)
    title: str = Field(max_length=400)
    quote: str = Field(max_length=20_000)


class MemoRecord(BaseModel):
    """The question, and what came of it on a day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gpu_assistant_memo: int = Field(ge=VERSION, le=VERSION)
    question: str = Field(max_length=MAX_QUESTION_CHARACTERS)
    history: tuple[str, ...] = Field(default=(), max_length=MAX_HISTORY)
    language: Language
    asked: date
    status: AnswerStatus
    text: str = Field(max_length=100_000)
    sources: tuple[CitedSource, ...] = Field(default=(), max_length=500)
    model: str | None = None
    knowledge: str = Field(max_length=200)


def record_of(answer: Answer, history: tuple[str, ...], asked: date) -> MemoRecord:
    """What is kept of an answer. Raises InvalidInput for one that is longer than any that this product gives."""
    try:
        return _record(answer, history, asked)
    except ValidationError as error:
        raise InvalidInput(f"The answer is too long to keep: {first_problem(error)}.") from error


def _record(answer: Answer, history: tuple[str, ...], asked: date) -> MemoRecord:
    return MemoRecord(
        gpu_assistant_memo=VERSION,
        question=answer.question[:MAX_QUESTION_CHARACTERS],
        history=history,
        language=answer.language,
        asked=asked,
        status=answer.status,
        text=answer.text,
        sources=tuple(
            CitedSource(source=one.source_id, title=one.title, quote=one.quote[:20_000]) for one in answer.citations
        ),
        model=answer.model,
        knowledge=answer.knowledge,
    )


def written(record: MemoRecord) -> str:
    """The record on one line of ASCII, without the signs that end a comment or a code block."""
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=True, separators=(",", ":"))
    # They stand inside strings only, where the escape means the same.
    for sign in "<>`":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def read_record(page: str) -> MemoRecord:
    """The record in the text of a page, whatever stands around it. Raises InvalidInput where there is none."""
    place = page.find(_MARK)
    if place < 0:
        raise InvalidInput("The file holds no memo.", 'Make one with: gpu-assistant memo FILE --question "…".')
    try:
        found, _ = json.JSONDecoder().raw_decode(page, place)
        return MemoRecord.model_validate(found)
    except (ValidationError, ValueError, RecursionError) as error:
        raise InvalidInput("The memo's block has been altered, so that it can't be read.") from error
