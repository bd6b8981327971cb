"""What the web server refuses, and the security headers on all that it sends."""

from collections.abc import Sequence

from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send

MAX_BODY_BYTES = 2_000_000

# Gradio would take its own address from these, whoever sends them.
_MISLEADING_HEADERS = frozenset({b"x-forwarded-host", b"x-gradio-server"})
_CLOSED_PATHS = ("/gradio_api/upload", "/gradio_api/proxy=", "/gradio_api/vibe", "/gradio_api/monitoring")


def content_policy(scripts: str = "'self'", ancestors: Sequence[str] = ()) -> str:
    """Nothing comes from elsewhere, so that no answer can send anything out; only pages listed may frame this one."""
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            " ".join(["frame-ancestors 'self'", *ancestors]),
        ]
    )


SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """Refuses uploads and oversized bodies, drops misleading headers, sets the security headers.

    Works on the ASGI messages themselves: a middleware that buffers would hold answers back while they stream.
    """

    def __init__(self, app: Application, frame_ancestors: Sequence[str] = ()) -> None:
        self._app = app
        headers = {"content-security-policy": content_policy(ancestors=frame_ancestors), **SECURITY_HEADERS}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"].startswith(_CLOSED_PATHS):
            await self._refuse(send, 404)
            return
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            await self._refuse(send, 413)
            return
        scope["headers"] = [pair for pair in scope["headers"] if pair[0] not in _MISLEADING_HEADERS]

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._guarded(list(message.get("headers", [])))
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _guarded(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers with those security headers that they don't hold yet."""
        present = {name.lower() for name, _ in headers}
        return [*headers, *(pair for pair in self._headers if pair[0] not in present)]

    async def _refuse(self, send: Send, status: int) -> None:
        await send({"type": "http.response.start", "status": status, "headers": self._guarded([])})
        await send({"type": "http.response.body", "body": b""})
