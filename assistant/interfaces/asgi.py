"""Types of the ASGI interface between a web server and an application."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def received_first(message: Message, receive: Receive) -> Receive:
    """Receives what has been received already, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return message

    return again


def path_within(scope: Scope) -> str:
    """The path of a request without the prefix under which a proxy serves the application."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(prefix) :] or "/" if prefix and (path == prefix or path.startswith(f"{prefix}/")) else path
