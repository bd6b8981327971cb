"""The tools under /mcp of the web server, over the protocol's streamable HTTP."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response

from assistant.interfaces.asgi import Receive, Scope, Send, received_first
from assistant.interfaces.chat.opening import Opening

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
NO_MESSAGE = "Invalid request: the body is not one JSON-RPC 2.0 request, notification or response."


class McpEndpoint:
    """An ASGI application that answers while its `running` is entered."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._sessions: StreamableHTTPSessionManager | None = None

    def running(self, _: Any = None) -> AbstractAsyncContextManager[None]:
        """As long as the web server runs; takes the application, as a lifespan does."""
        return self._run()

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        from assistant.interfaces.mcp.server import http_sessions, mcp_server
        from assistant.interfaces.mcp.tools import Toolbox

        server = mcp_server(lambda: Toolbox(self._opening))
        # A manager runs once; an application may be started again.
        self._sessions = http_sessions(server)
        async with self._sessions.run():
            yield
        self._sessions = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._sessions is None:
            raise RuntimeError("the endpoint is called outside its server's life")
        if scope["method"] == "POST":
            body = await Request(scope, receive).body()
            if refused := _refusal(body):
                await refused(scope, receive, send)
                return
            receive = received_first({"type": "http.request", "body": body, "more_body": False}, receive)
        await self._sessions.handle_request(scope, receive, send)


def _refusal(body: bytes) -> Response | None:
    """The answer to JSON that is no message of the protocol, which the library would answer with every shape tried."""
    from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, jsonrpc_message_adapter

    try:
        sent = from_json(body)
        jsonrpc_message_adapter.validate_python(sent, by_name=False)
    except ValidationError:
        asked = sent.get("id") if isinstance(sent, dict) else None
        error = JSONRPCError(
            jsonrpc="2.0",
            id=asked if type(asked) in (str, int) else None,
            error=ErrorData(code=INVALID_REQUEST, message=NO_MESSAGE),
        )
        return Response(error.model_dump_json(by_alias=True, exclude_unset=True), 400, media_type="application/json")
    except ValueError:
        pass  # No JSON at all, which the library tells in a line.
    return None
