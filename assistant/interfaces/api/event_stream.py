"""Server-sent events: sent as they come, kept alive while none comes, ended when the listener leaves."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import anyio
from anyio import CancelScope
from anyio.abc import ObjectSendStream
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import BaseModel
from starlette.responses import Response

from assistant.interfaces.asgi import Receive, Scope, Send

KEPT_ALIVE_S = 15.0
MEDIA_TYPE = "text/event-stream"


def event(name: str | None, data: BaseModel | str) -> bytes:
    """One event as it is sent."""
    return format_sse_event(event=name, data_str=data if isinstance(data, str) else data.model_dump_json())


def described(*events: dict[str, Any]) -> dict[str, Any]:
    """The content of a response of events, for the API's description: each is one of those (`shape`).

    `itemSchema` is OpenAPI 3.2's word for what each event of a stream is.
    """
    return {MEDIA_TYPE: {"itemSchema": {"anyOf": list(events)}}}


def shape(name: str | None, data: dict[str, Any]) -> dict[str, Any]:
    """The schema of events of one name, given that of their data; those without a name are called `message`."""
    return {
        "type": "object",
        "required": ["data"] if name is None else ["event", "data"],
        "properties": {"event": {"const": name or "message"}, "data": data},
    }


def json_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of data that is JSON."""
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}


class EventStream(Response):
    """A response of events. Where the client leaves, the work that makes them is stopped."""

    def __init__(self, events: AsyncGenerator[bytes], keep_alive_s: float = KEPT_ALIVE_S) -> None:
        super().__init__(media_type=MEDIA_TYPE, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._keep_alive_s = keep_alive_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sender, receiver = anyio.create_memory_object_stream[bytes](0)
        async with anyio.create_task_group() as tasks, receiver:
            tasks.start_soon(self._produce, sender)
            tasks.start_soon(end_with_client, receive, tasks.cancel_scope)
            while True:
                block = KEEPALIVE_COMMENT
                try:
                    with anyio.move_on_after(self._keep_alive_s):
                        block = await receiver.receive()
                except anyio.EndOfStream:
                    break
                await send({"type": "http.response.body", "body": block, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
            tasks.cancel_scope.cancel()

    async def _produce(self, sender: ObjectSendStream[bytes]) -> None:
        async with sender, aclosing(self._events) as events:
            async for block in events:
                await sender.send(block)


async def end_with_client(receive: Receive, work: CancelScope) -> None:
    """Cancel the work once the client has gone."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            work.cancel()
            return
