"""Where a request goes that no route of ours answers."""

from assistant.interfaces.asgi import Application, Receive, Scope, Send, path_within
from assistant.interfaces.problem import OPENAI_PREFIX, is_below, refusal

INTERFACES = ("/api", OPENAI_PREFIX)
"""Paths below which nothing is but what the description of the API names."""


class Fallback:
    """The page answers, except below the paths of the API: there is nothing more there."""

    def __init__(self, page: Application) -> None:
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_within(scope)
        if scope["type"] == "http" and any(is_below(path, interface) for interface in INTERFACES):
            await refusal(path, 404, "There is nothing at this path.")(scope, receive, send)
            return
        await self._page(scope, receive, send)
