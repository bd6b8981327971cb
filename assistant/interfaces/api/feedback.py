"""`POST /api/feedback`: what somebody thought of an answer; `DELETE` takes it back."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict

from assistant.feedback.record import Feedback, FeedbackKey
from assistant.feedback.store import FeedbackStore, FeedbackUnavailable
from assistant.interfaces.api.context import Threads
from assistant.interfaces.problem import problems

router = APIRouter()


class FeedbackKept(BaseModel):
    """The number under which the feedback is kept."""

    model_config = ConfigDict(frozen=True)

    id: int


@router.post("/feedback", status_code=201, responses=problems(408, 413))
async def feedback(request: Request, given: Feedback, threads: Threads) -> FeedbackKept:
    """Keep a verdict on an answer, on this machine alone; a later one with the same key takes its place."""
    store = FeedbackStore(request.app.state.settings.data)
    with _nothing_told():
        return FeedbackKept(id=(await threads.run(lambda: store.add(given))).id)


@router.delete("/feedback/{key}", status_code=204, responses=problems())
async def withdraw(request: Request, key: FeedbackKey, threads: Threads) -> None:
    """Take a verdict back; whether there was one with that key isn't told."""
    store = FeedbackStore(request.app.state.settings.data)
    with _nothing_told():
        await threads.run(lambda: store.withdraw(key))


@contextmanager
def _nothing_told() -> Iterator[None]:
    """Where the file lies is no business of the caller's."""
    try:
        yield
    except FeedbackUnavailable as error:
        raise FeedbackUnavailable("Feedback can't be kept at present.") from error
