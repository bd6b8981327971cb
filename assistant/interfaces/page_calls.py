"""What the page's own script may ask of the part of the server that runs the page: its few calls, and nothing else."""

import re
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from assistant.interfaces.asgi import Application, Receive, Scope, Send, path_within, received_first
from assistant.interfaces.problem import NOTHING_HERE, refusal
from assistant.reason import reason

_PAGE_API = "/gradio_api/"
# Everything else below it makes calls without the queue, takes uploads, or fetches for whoever asks.
_OPEN = re.compile(r"/gradio_api/(queue/(join|data)|heartbeat/[^/]+|cancel|reset|info|startup-events|app_id|file=.*)/?")
# The framework's descriptions of its own inside and its pages for developers; the page asks for none of them.
_CLOSED = frozenset({"/openapi.json", "/docs", "/redoc", "/monitoring"})
_LONGEST_NAME = 255
"""Of a file, on most systems: a longer one can't even be looked for."""


Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]


class QueueCall(BaseModel):
    """A call of one of the page's functions."""

    model_config = ConfigDict(extra="allow", frozen=True)

    data: list[Any]
    fn_index: int
    session_hash: Key


class EndedCall(BaseModel):
    """A call that the page gives up, by its event."""

    model_config = ConfigDict(extra="allow", frozen=True)

    event_id: Key
    fn_index: int | None = None
    session_hash: Key | None = None


_BODIES: dict[str, type[QueueCall | EndedCall]] = {
    "/gradio_api/queue/join": QueueCall,
    "/gradio_api/cancel": EndedCall,
    "/gradio_api/reset": EndedCall,
}


class PageCalls:
    """Lets through the calls that the page makes. The framework would answer others with an error of its own."""

    def __init__(self, page: Application, functions: Collection[int]) -> None:
        self._page = page
        self._functions = frozenset(functions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_within(scope)
        closed = path.rstrip("/") in _CLOSED or (path.startswith(_PAGE_API) and not _OPEN.fullmatch(path))
        if closed or any(len(name.encode()) > _LONGEST_NAME for name in path.split("/")):
            await refusal(path, 404, NOTHING_HERE)(scope, receive, send)
        elif (body := _BODIES.get(path.rstrip("/"))) is not None and scope["method"] == "POST":
            await self._looked_at(body, path, scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _looked_at(
        self, model: type[QueueCall | EndedCall], path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """The whole body is here already, so that it can be looked at before it is passed on."""
        received = await receive()
        problem = self._problem_of(model, received.get("body", b""))
        if problem:
            await refusal(path, 422, problem)(scope, receive, send)
            return
        await self._page(scope, received_first(received, receive), send)

    def _problem_of(self, model: type[QueueCall | EndedCall], body: bytes) -> str:
        if not body:
            return "The body is missing."
        try:
            call = model.model_validate_json(body)
        except ValidationError as error:
            return f"{reason(error.errors())}."
        if call.fn_index is None or call.fn_index in self._functions:
            return ""
        return f"fn_index: the page has no function {call.fn_index}."
