"""Questions that were asked: in feedback, in the server's log, in the evaluations. The same one asked twice is one."""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.answering.evidence import Question
from assistant.errors import FileUnavailable, InvalidInput
from assistant.feedback.store import FeedbackStore
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from evals.suite.case import SILENT_KINDS, Case
from evals.suite.reader import asked as each_asked

Origin = Literal["feedback", "log", "evals"]
ORIGINS: tuple[Origin, ...] = ("feedback", "log", "evals")
_MAX_LINE = 1_000_000


def by_people(origins: Mapping[Origin, int]) -> int:
    """How often readers asked, as against the evaluations."""
    return sum(times for origin, times in origins.items() if origin != "evals")


class AskedQuestion(BaseModel):
    """A question, and how often it was asked where."""

    model_config = ConfigDict(frozen=True)

    question: Question
    origins: dict[Origin, int] = Field(default_factory=dict)
    found_wanting: bool = False
    """A reader said of an answer to it that something was missing."""
    meant_silent: bool = False
    """A case of the evaluations that is right to get no answer."""

    @property
    def by_people(self) -> int:
        """How often readers asked it."""
        return by_people(self.origins)

    @property
    def language(self) -> Language:
        return self.question.language or detect_language(self.question.text, self.question.history)

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(" ".join(text.split()).casefold() for text in (*self.question.history, self.question.text))


def of_feedback(folder: Path) -> Iterator[AskedQuestion]:
    """The questions that readers gave a verdict on. Raises FeedbackUnavailable."""
    for record in FeedbackStore(folder).records():
        given = record.feedback
        question = Question(text=given.question, history=given.history, language=given.language)
        yield AskedQuestion(
            question=question,
            origins={"feedback": 1},
            found_wanting=given.verdict == "down" and given.reason == "missing",
        )


def log_files(path: Path) -> list[Path]:
    """A log with those that were put away beside it, as logrotate names them: log.1, log.2.gz."""
    return [path, *sorted(path.parent.glob(f"{path.name}.*"))]


def of_log(path: Path) -> Iterator[AskedQuestion]:
    """The questions in a log of the server; lines of anything else are passed over.

    Raises FileUnavailable where it can't be read, InvalidInput where it tells of answers and of no question.
    """
    answers = questions = 0
    for line in _lines(path):
        try:
            row = json.loads(line)
            if not isinstance(row, dict) or row.get("event") != "answer":
                continue
            answers += 1
            if "question" not in row:
                continue
            question = _question_of(row)
        except (ValueError, TypeError, RecursionError):
            continue
        questions += 1
        yield AskedQuestion(question=question, origins={"log": 1})
    if answers and not questions:
        raise InvalidInput(
            f"{path} tells of {answers} answers and not what was asked.",
            "Questions stand in the log from when ASSISTANT_LOG_QUESTIONS=true is set.",
        )


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(_MAX_LINE):
                yield line.decode("utf-8", "replace")
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileUnavailable(f"{path}: the log can't be read: {why}.") from error


def _question_of(row: dict[str, object]) -> Question:
    history = row.get("history", ())
    if not isinstance(history, list | tuple):
        raise TypeError
    return Question.model_validate(
        {
            "text": str(row["question"])[:MAX_QUESTION_CHARACTERS],
            "history": tuple(str(text)[:MAX_QUESTION_CHARACTERS] for text in history[-MAX_HISTORY:]),
            "language": row.get("language"),
        }
    )


def of_cases(cases: Iterable[Case]) -> Iterator[AskedQuestion]:
    """The questions of the evaluations; those asked beside further files are about those files."""
    for one in each_asked(case for case in cases if not case.beside):
        question = Question(text=one.question, history=one.history, language=one.language)
        silent = one.case.kind in SILENT_KINDS or "not_in_sources" in one.case.statuses
        yield AskedQuestion(question=question, origins={"evals": 1}, meant_silent=silent)


def merged(questions: Iterable[AskedQuestion], languages: Sequence[Language] = ()) -> list[AskedQuestion]:
    """Each question once, those most asked by people first."""
    found: dict[tuple[str, ...], AskedQuestion] = {}
    for one in questions:
        if languages and one.language not in languages:
            continue
        known = found.get(one.key)
        if known is not None:
            one = AskedQuestion(
                question=known.question,
                origins=dict(Counter(known.origins) + Counter(one.origins)),
                found_wanting=known.found_wanting or one.found_wanting,
                meant_silent=known.meant_silent or one.meant_silent,
            )
        found[one.key] = one
    return sorted(found.values(), key=lambda one: -one.by_people)
