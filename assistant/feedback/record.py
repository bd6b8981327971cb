"""What somebody thought of an answer."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.language.tongue import Language
from assistant.printable import without_controls

Verdict = Literal["up", "down"]
Reason = Literal["wrong_figure", "wrong_source", "missing", "out_of_date", "unclear", "wrong_language", "other"]
FeedbackKey = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{16,64}$")]
QuestionText = Annotated[str, StringConstraints(max_length=MAX_QUESTION_CHARACTERS)]
_Remark = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(without_controls)]


class Feedback(BaseModel):
    """A verdict on an answer, with the question so that it can be asked again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    question: QuestionText
    history: tuple[QuestionText, ...] = Field(default=(), max_length=MAX_HISTORY, description="Earlier questions.")
    language: Language
    verdict: Verdict
    reason: Reason | None = None
    comment: _Remark = ""
    knowledge: Annotated[str, StringConstraints(max_length=100)] = Field(
        default="", description="Of the answer: the hash of what it was made from."
    )
    key: FeedbackKey | None = Field(
        default=None, description="A secret of whoever gives it; feedback with the same key takes its place."
    )


class FeedbackRecord(BaseModel):
    """Feedback as it is kept. `id` counts from 1."""

    model_config = ConfigDict(frozen=True)

    id: int
    given: datetime
    feedback: Feedback

    @staticmethod
    def now() -> datetime:
        return datetime.now(UTC).replace(microsecond=0)
