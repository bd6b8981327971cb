"""`POST /api/ask`: a question, answered whole or as it is made."""

from collections.abc import AsyncGenerator
from typing import Any, Literal

import anyio
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from assistant.answering.answer import Answer
from assistant.answering.assistant import MAX_HISTORY
from assistant.answering.events import AnswerReady, Event, StepBegun, StepName, TextVerified
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.feedback.record import QuestionText
from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.api.event_stream import (
    MEDIA_TYPE,
    EventStream,
    described,
    end_with_client,
    event,
    json_of,
    shape,
)
from assistant.interfaces.increments import Increment, Increments
from assistant.interfaces.problem import leads_to, problem_of, problems
from assistant.language.tongue import Language

router = APIRouter()


class AskRequest(BaseModel):
    """A question, with the questions that were asked before it in the same conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra={
        "examples": [{"question": "How much memory does the MI355X have?"}]
    })  # fmt: skip

    question: QuestionText
    history: tuple[QuestionText, ...] = Field(default=(), max_length=MAX_HISTORY, description="Earlier questions.")
    language: Language | None = Field(default=None, description="Of the answer; the question's own if left out.")
    id: str = Field(default="", max_length=100, description="Given back with the answer; made if left out.")

    def asked(self) -> Question:
        return Question(id=self.id, text=self.question, history=self.history, language=self.language)


class Status(BaseModel):
    """Data of the event `status`: the step that has begun."""

    model_config = ConfigDict(frozen=True)

    step: StepName | Literal["opening"]


_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `Accept: text/event-stream`, events: `status` (a step has begun), `sentence` "
        "(a verified piece of the text and its offset), `citation`, and last `answer` (the whole) or `problem`.",
        "content": described(
            shape("status", json_of(Status.model_json_schema())),
            shape("sentence", json_of(Increment.model_json_schema())),
            shape("citation", json_of({"$ref": "#/components/schemas/Citation"})),
            shape("answer", json_of({"$ref": "#/components/schemas/Answer"})),
            shape("problem", json_of({"$ref": "#/components/schemas/Problem"})),
        ),
        "links": leads_to("source", id="/citations/0/source_id", start="/citations/0/start", end="/citations/0/end"),
    }
}


@router.post("/ask", response_model=Answer, responses={**_STREAMED, **problems(408, 413)})
async def ask(request: Request, asked: AskRequest, knowledge: Knowledge, threads: Threads) -> Response:
    """Answer a question in Dutch, Danish, Chinese or English, with the passages that each statement rests on."""
    events = threads.iterate(knowledge.ask(asked.asked()))
    if MEDIA_TYPE in request.headers.get("accept", ""):
        return EventStream(told(events))
    return Response((await whole(events, request)).model_dump_json(), media_type="application/json")


async def whole(events: AsyncGenerator[Event], request: Request) -> Answer:
    """The answer at the end of its events; the work ends early where the client has gone."""
    answer: Answer | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end_with_client, request.receive, tasks.cancel_scope)
        async for one in events:
            if isinstance(one, AnswerReady):
                answer = one.answer
        tasks.cancel_scope.cancel()
    if answer is None:
        raise ClientLeft
    return answer


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


async def told(events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    """The events of an answer as server-sent events."""
    increments = Increments()
    yield event("status", Status(step="opening"))
    try:
        async for one in events:
            match one:
                case StepBegun():
                    yield event("status", Status(step=one.step))
                case TextVerified():
                    for increment in increments.of(one.text):
                        yield event("sentence", increment)
                case AnswerReady():
                    for increment in increments.of(one.answer.text):
                        yield event("sentence", increment)
                    for citation in one.answer.citations:
                        yield event("citation", citation)
                    yield event("answer", one.answer)
    except AssistantError as error:
        yield event("problem", problem_of(error))
    finally:
        await events.aclose()
