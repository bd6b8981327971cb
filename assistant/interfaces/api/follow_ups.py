"""`POST /api/follow-ups`: questions to go on with after an answer."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from assistant.answering.assistant import MAX_HISTORY
from assistant.answering.evidence import Question
from assistant.feedback.record import QuestionText
from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.problem import problems

router = APIRouter()


class FollowUpsRequest(BaseModel):
    """A question that was answered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: QuestionText
    history: tuple[QuestionText, ...] = Field(default=(), max_length=MAX_HISTORY, description="Earlier questions.")


class FollowUpsAnswer(BaseModel):
    """Questions in the language of the one before; each has an answer in the sources."""

    model_config = ConfigDict(frozen=True)

    questions: tuple[str, ...]


@router.post("/follow-ups", responses=problems(408, 413))
async def follow_ups(asked: FollowUpsRequest, knowledge: Knowledge, threads: Threads) -> FollowUpsAnswer:
    """Offer questions to go on with."""
    question = Question(text=asked.question, history=asked.history)
    return FollowUpsAnswer(questions=await threads.run(lambda: knowledge.follow_ups().after(question)))
