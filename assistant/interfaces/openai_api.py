"""The assistant as a model behind the OpenAI chat protocol: `/v1/models` and `/v1/chat/completions`."""

import json
import secrets
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from assistant.answering.answer import Answer
from assistant.answering.assistant import MAX_HISTORY
from assistant.answering.events import AnswerReady, Event, TextVerified
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.interfaces.api.ask import whole
from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.api.event_stream import EventStream, described, event, json_of, shape
from assistant.interfaces.footnotes import Annotation, annotations, what_else
from assistant.interfaces.increments import Increments
from assistant.interfaces.problem import OPENAI_PREFIX, OpenAIError, leads_to, openai_error, status_of
from assistant.whole_number import NO_SWITCH

router = APIRouter(prefix=OPENAI_PREFIX, tags=["OpenAI"])

MODEL = "gpu-assistant"
MAX_MESSAGES = 200
MAX_CHARACTERS = 100_000
DONE = "[DONE]"


class TextPart(BaseModel):
    """A piece of a message; pictures, sound and files can't be read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Literal["text"]
    text: Annotated[str, Field(max_length=MAX_CHARACTERS)]

    @model_validator(mode="before")
    @classmethod
    def _only_text(cls, given: Any) -> Any:
        kind = given.get("type") if isinstance(given, dict) else None
        if isinstance(kind, str) and kind != "text":
            raise PydanticCustomError("no_text", "of type {kind}; only text can be read", {"kind": repr(kind[:40])})
        return given


class Message(BaseModel):
    """One message. Those of the user are questions; what others say is not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: (
        Annotated[str, Field(max_length=MAX_CHARACTERS)]
        | Annotated[tuple[TextPart, ...], Field(max_length=MAX_MESSAGES)]
        | None
    ) = None

    @property
    def text(self) -> str:
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content)


class StreamOptions(BaseModel):
    """What a stream ends with besides the answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    include_usage: StrictBool | None = None


class ChatRequest(BaseModel):
    """A chat. Settings of other models, such as a temperature, change nothing here and are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    model: Annotated[str, Field(max_length=200)] = MODEL
    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: StrictBool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1), NO_SWITCH] | None = None

    def asked(self) -> Question:
        """The last message of the user, after the ones before it. Raises HTTPException where there is none."""
        said = [message.text for message in self.messages if message.role == "user"]
        if not said:
            raise HTTPException(422, "messages: none is of the user, so nothing is asked.")
        return Question(text=said[-1], history=tuple(said[:-1][-MAX_HISTORY:]))


class ModelCard(BaseModel):
    """A model that can be asked."""

    model_config = ConfigDict(frozen=True)

    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = MODEL


class ModelList(BaseModel):
    """The models that can be asked: the assistant."""

    model_config = ConfigDict(frozen=True)

    object: Literal["list"] = "list"
    data: tuple[ModelCard, ...] = (ModelCard(),)


class Usage(BaseModel):
    """Tokens, which the assistant doesn't count."""

    model_config = ConfigDict(frozen=True)

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class Reply(BaseModel):
    """The answer with footnotes, and where in its text each citation stands."""

    model_config = ConfigDict(frozen=True)

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: tuple[Annotation, ...] = ()


class Choice(BaseModel):
    """The only choice there is."""

    model_config = ConfigDict(frozen=True)

    index: int = 0
    message: Reply
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    """A whole answer. `gpu_assistant` is the answer as `/api/ask` gives it."""

    model_config = ConfigDict(frozen=True)

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str = MODEL
    choices: tuple[Choice, ...]
    usage: Usage = Usage()
    gpu_assistant: Answer


_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": OpenAIError} for status in (400, 401, 403, 404, 408, 413, 421, 422, 429, 503)
}
_CHUNK: dict[str, Any] = {
    "type": "object",
    "required": ["id", "object", "created", "model", "choices"],
    "properties": {
        "id": {"type": "string"},
        "object": {"const": "chat.completion.chunk"},
        "created": {"type": "integer"},
        "model": {"const": MODEL},
        "choices": {
            "type": "array",
            "maxItems": 1,
            "items": {
                "type": "object",
                "required": ["index", "delta", "finish_reason"],
                "properties": {
                    "index": {"const": 0},
                    "delta": {"type": "object", "properties": {"content": {"type": "string"}}},
                    "finish_reason": {"enum": ["stop", None]},
                },
            },
        },
        "usage": {"$ref": "#/components/schemas/Usage"},
    },
}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, chunks of it.",
        "content": described(
            shape(None, json_of({"anyOf": [_CHUNK, {"$ref": "#/components/schemas/OpenAIError"}]})),
            shape(None, {"const": DONE}),
        ),
    }
}


@router.get("/models", responses={200: {"links": leads_to("model", model="/data/0/id")}, **_REFUSALS})
def models() -> ModelList:
    """List what can be asked."""
    return ModelList()


@router.get("/models/{model}", operation_id="model", responses=_REFUSALS)
def model(model: str) -> ModelCard:
    """Tell of the assistant as a model."""
    if model != MODEL:
        raise HTTPException(404, f"There is no such model; ask {MODEL}.")
    return ModelCard()


@router.post("/chat/completions", response_model=Completion, responses={**_STREAMED, **_REFUSALS})
async def complete(request: Request, chat: ChatRequest, knowledge: Knowledge, threads: Threads) -> Response:
    """Answer the last question of a chat, whole or with `stream` as it is made."""
    if chat.model != MODEL:
        raise HTTPException(404, f"There is no model {chat.model[:80]!r}; ask {MODEL}.")
    base = str(request.base_url)
    events = threads.iterate(knowledge.ask(chat.asked()))
    if chat.stream:
        counted = chat.stream_options is not None and bool(chat.stream_options.include_usage)
        return EventStream(chunks(events, base, knowledge.folder, counted=counted))
    answer = await whole(events, request)
    reply = Reply(content=answer.text + what_else(answer, knowledge.folder), annotations=annotations(answer, base))
    completion = Completion(
        id=f"chatcmpl-{answer.id}", created=int(time.time()), choices=(Choice(message=reply),), gpu_assistant=answer
    )
    return Response(completion.model_dump_json(), media_type="application/json")


async def chunks(events: AsyncGenerator[Event], base: str, corpus: Path, *, counted: bool) -> AsyncGenerator[bytes]:
    """The answer as the chunks of a stream: its text, its footnotes, then its annotations."""
    made = _Chunks()
    increments = Increments()
    yield made.chunk({"role": "assistant", "content": ""})
    try:
        async for one in events:
            match one:
                case TextVerified():
                    for piece in increments.appended(one.text):
                        yield made.chunk({"content": piece})
                case AnswerReady():
                    for piece in increments.appended(one.answer.text):
                        yield made.chunk({"content": piece})
                    if notes := what_else(one.answer, corpus):
                        yield made.chunk({"content": notes})
                    placed = [note.model_dump() for note in annotations(one.answer, base)]
                    yield made.chunk({"annotations": placed} if placed else {}, ended=True)
        if counted:
            yield made.usage()
    except AssistantError as error:
        yield event(None, openai_error(status_of(error), str(error)))
    finally:
        await events.aclose()
    yield event(None, DONE)


class _Chunks:
    """Makes the chunks of one stream, which share an id and a time."""

    def __init__(self) -> None:
        self._head = {
            "id": f"chatcmpl-{secrets.token_hex(8)}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": MODEL,
        }

    def chunk(self, delta: dict[str, Any], *, ended: bool = False) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": "stop" if ended else None}
        return self._sent({**self._head, "choices": [choice]})

    def usage(self) -> bytes:
        return self._sent({**self._head, "choices": [], "usage": Usage().model_dump()})

    def _sent(self, chunk: dict[str, Any]) -> bytes:
        return event(None, json.dumps(chunk, ensure_ascii=False))
