"""Pages that stay open let go when the server stops, so that it waits for answers alone."""

import threading

import anyio

from assistant.interfaces.asgi import Application, Receive, Scope, Send, path_within

_LASTING = ("/gradio_api/heartbeat/",)
"""Responses that last as long as a page is open, and carry nothing."""
_LOOKED_AFTER_S = 0.2


class Departures:
    """Ends the lasting responses once the server begins to stop."""

    def __init__(self, app: Application, stopping: threading.Event) -> None:
        self._app = app
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not path_within(scope).startswith(_LASTING):
            await self._app(scope, receive, send)
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_when_stopping, tasks.cancel_scope)
            await self._app(scope, receive, send)
            tasks.cancel_scope.cancel()

    async def _end_when_stopping(self, response: anyio.CancelScope) -> None:
        # The signal arrives outside of the event loop, so it is looked for.
        while not self._stopping.is_set():
            await anyio.sleep(_LOOKED_AFTER_S)
        response.cancel()
