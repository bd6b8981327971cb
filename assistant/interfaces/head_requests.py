"""HEAD is answered as GET is, without the body: by monitors and caches it is asked of any page."""

from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send, path_within

_LASTING = ("/gradio_api/", "/mcp")
"""Below these a GET may stream for as long as somebody listens."""


class HeadRequests:
    """Gives the application a GET for a HEAD, and drops what it sends after the head."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or path_within(scope).startswith(_LASTING):
            await self._app(scope, receive, send)
            return
        asked = {**scope, "method": "GET"}

        async def head_alone(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        try:
            await self._app(asked, receive, head_alone)
        finally:
            scope["route"] = asked.get("route")
