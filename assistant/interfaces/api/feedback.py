"""`POST /api/feedback`: what somebody thought of an answer."""

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict

from assistant.feedback.record import Feedback
from assistant.feedback.store import FeedbackStore, FeedbackUnavailable
from assistant.interfaces.api.context import Threads
from assistant.interfaces.problem import problems

router = APIRouter()


class FeedbackKept(BaseModel):
    """The number under which the feedback is kept."""

    model_config = ConfigDict(frozen=True)

    id: int


@router.post("/feedback", status_code=201, responses=problems(413))
async def feedback(request: Request, given: Feedback, threads: Threads) -> FeedbackKept:
    """Keep a verdict on an answer, on this machine alone."""
    store = FeedbackStore(request.app.state.settings.data)
    try:
        return FeedbackKept(id=(await threads.run(lambda: store.add(given))).id)
    except FeedbackUnavailable as error:
        # Where the file lies is no business of the caller's.
        raise FeedbackUnavailable("Feedback can't be kept at present.") from error
