"""What pages of other origins may ask (CORS): those listed everything, all others nothing."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import Message, Send

from assistant.interfaces.problem import refusal


class CrossOrigin(CORSMiddleware):
    """Answers preflights. A refused one says why as problem details, and holds nothing that allows a part of it."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """200 for what a page of a listed origin may ask; 403 for another origin, 400 for a method or header."""
        allowed = super().preflight_response(request_headers)
        if allowed.status_code == 200:
            return Response(status_code=200, headers={k: v for k, v in allowed.headers.items() if _lasts(k)})
        varies = {"vary": allowed.headers["vary"]}
        if not self.is_allowed_origin(request_headers["origin"]):
            return refusal("", 403, "Pages of this origin may not call this server.", varies)
        methods, headers = ", ".join(self.allow_methods), ", ".join(self.allow_headers)
        return refusal("", 400, f"Pages of other origins may send {methods} with the headers {headers}.", varies)

    async def send(self, message: Message, send: Send, request_headers: Headers) -> None:
        """Names the origin on a response to a listed page, and on others only that it depends on the origin."""
        if self.is_allowed_origin(request_headers.get("origin", "")):
            await super().send(message, send, request_headers)
            return
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Origin")
        await send(message)


def _lasts(header: str) -> bool:
    return header not in ("content-length", "content-type")
