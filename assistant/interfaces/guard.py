"""What the web server refuses, and the security headers on all that it sends."""

from collections.abc import Sequence

import anyio

from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send, path_within, received_first
from assistant.interfaces.problem import refusal

MAX_BODY_BYTES = 2_000_000
BODY_LIMIT_S = 20


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
    """Refuses bodies that are too long or too slow, and sets the security headers.

    Responses pass as they are: a middleware that buffers would hold answers back while they stream.
    """

    def __init__(self, app: Application, frame_ancestors: Sequence[str] = ()) -> None:
        self._app = app
        headers = {"content-security-policy": content_policy(ancestors=frame_ancestors), **SECURITY_HEADERS}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = path_within(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._guarded(list(message.get("headers", [])))
            await send(message)

        try:
            received = await received_body(scope, receive)
        except BadRequest as error:
            await refusal(path, error.status, str(error))(scope, receive, send_guarded)
            return
        await self._app(scope, received, send_guarded)

    def _guarded(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers with those security headers that they don't hold yet."""
        present = {name.lower(): value for name, value in headers}
        wanted = self._headers
        if present.get(b"content-type", b"").startswith(b"text/event-stream"):
            # nginx would hold back what streams, the chat's events among it, unless it is told otherwise.
            wanted = [*wanted, (b"x-accel-buffering", b"no")]
        return [*headers, *(pair for pair in wanted if pair[0] not in present)]


class BadRequest(Exception):
    """A request that is refused before anything reads it."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


async def received_body(scope: Scope, receive: Receive) -> Receive:
    """Receives the whole body within its bounds, then gives it out again. Raises BadRequest.

    What reads it then never waits for a slow sender, and sees nothing oversized however its length was announced.
    """
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        raise BadRequest(413, f"The body is longer than {MAX_BODY_BYTES:,} bytes.")
    body, more = bytearray(), True
    with anyio.move_on_after(BODY_LIMIT_S) as waiting:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_BODY_BYTES:
                raise BadRequest(413, f"The body is longer than {MAX_BODY_BYTES:,} bytes.")
    if waiting.cancelled_caught:
        raise BadRequest(408, f"The body did not arrive within {BODY_LIMIT_S} seconds.")
    return received_first({"type": "http.request", "body": bytes(body), "more_body": False}, receive)
