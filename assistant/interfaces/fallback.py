"""Where a request goes that no route of ours answers."""

from starlette._utils import get_route_path

from assistant.interfaces.asgi import Application, Receive, Scope, Send
from assistant.interfaces.problem import problem_response

INTERFACES = ("/api", "/v1")
"""Paths below which nothing is but what the description of the API names."""


class Fallback:
    """The page answers, except below the paths of the API: there is nothing more there."""

    def __init__(self, page: Application) -> None:
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = get_route_path(scope)
        if any(path == interface or path.startswith(f"{interface}/") for interface in INTERFACES):
            await problem_response(404, "There is nothing at this path.")(scope, receive, send)
            return
        await self._page(scope, receive, send)
