"""The tools under /mcp of the web server, over the protocol's streamable HTTP."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from assistant.interfaces.asgi import Receive, Scope, Send
from assistant.interfaces.chat.opening import Opening

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"


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
        await self._sessions.handle_request(scope, receive, send)
