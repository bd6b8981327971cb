"""Where a request goes that no route of ours answers."""

import json
from http import HTTPStatus

from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send, path_within
from assistant.interfaces.problem import NOTHING_HERE, OPENAI_PREFIX, detail_of, is_below, refusal
from assistant.interfaces.refusals import broken_rule

INTERFACES = ("/api", OPENAI_PREFIX)
"""Paths below which nothing is but what the description of the API names."""
_KEPT = (b"allow", b"retry-after", b"www-authenticate")


class Fallback:
    """The page answers, except below the paths of the API: there is nothing more there.

    What the page refuses is told as problem details, as everywhere; its own script reads the same field of them.
    """

    def __init__(self, page: Application) -> None:
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._page(scope, receive, send)
            return
        path = path_within(scope)
        if any(is_below(path, interface) for interface in INTERFACES):
            await refusal(path, 404, NOTHING_HERE)(scope, receive, send)
            return
        refused: Message | None = None
        body = b""

        async def send_or_keep(message: Message) -> None:
            nonlocal refused, body
            if message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST:
                refused = message
            elif refused is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    kept = {name.decode(): value.decode() for name, value in refused["headers"] if name in _KEPT}
                    detail = _detail(refused["status"], body, kept.get("allow", ""))
                    await refusal(path, refused["status"], detail, kept)(scope, receive, send)

        await self._page(scope, receive, send_or_keep)


def _detail(status: int, body: bytes, allowed: str) -> str:
    """What the page's refusal says, where it says more than its status does."""
    try:
        said = json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError):
        said = None
    if isinstance(said, list) and said:
        return broken_rule(said)
    return detail_of(status, said if isinstance(said, str) else "", allowed)
