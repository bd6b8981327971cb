"""Connections whose request does not come in time are closed, so that slow ones don't pile up."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT_S = 15
"""From opening the connection, or beginning a further request, to the end of the request's head."""


MAX_HEAD_BYTES = 64 * 1024
_TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: application/problem+json\r\nconnection: close\r\n\r\n"
    b'{"type":"about:blank","title":"Request Header Fields Too Large","status":431,'
    b'"detail":"The head of the request is longer than 65,536 bytes."}'
)


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection with a limit on the time that the head of a request may take, and on its length."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        if self._head_timer is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LONG)
            self.transport.close()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._forget_head()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_LIMIT_S, self._close)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        self._head_bytes = 0

    def _close(self) -> Any:
        self.transport.close()
