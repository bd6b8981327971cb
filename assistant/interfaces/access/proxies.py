"""What the proxies in front of the server say of a request, believed only from those that are configured."""

from collections.abc import Sequence

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from assistant.interfaces.asgi import Application, Receive, Scope, Send

_FORWARDED = (b"forwarded", b"x-forwarded-", b"x-real-ip", b"x-original-", b"x-gradio-server")


class Proxies:
    """Takes address, scheme, host and person of a request from trusted proxies, and puts it under its prefix.

    From anybody else those headers are dropped, so that nothing behind this can take them for true.
    """

    def __init__(
        self, app: Application, trusted: Sequence[str], root_path: str = "", identity_header: str | None = None
    ) -> None:
        self._app = app
        self._root_path = root_path
        self._identity = identity_header.lower().encode() if identity_header else None
        self._reader = ProxyHeadersMiddleware(self._under_prefix, trusted_hosts=list(trusted))  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else ""
        headers = scope["headers"]
        if peer in self._reader.trusted_hosts:
            self._believe(scope)
            await self._reader(scope, receive, send)  # type: ignore[arg-type]
            return
        scope["headers"] = [pair for pair in headers if pair[0] != self._identity and not _is_forwarded(pair[0])]
        await self._under_prefix(scope, receive, send)

    def _believe(self, scope: Scope) -> None:
        """Host and person as the proxy gives them."""
        named = dict(scope["headers"])
        host = named.get(b"x-forwarded-host", b"").split(b",")[0].strip()
        if host:
            scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"host"] + [(b"host", host)]
        if self._identity is not None and (person := named.get(self._identity, b"").strip()):
            scope.setdefault("state", {})["person"] = person.decode("utf-8", "replace")[:200]

    async def _under_prefix(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Gradio would take its own address from what is left of them.
        scope["headers"] = [pair for pair in scope["headers"] if not _is_forwarded(pair[0])]
        prefix = self._root_path
        if prefix:
            path, raw = scope["path"], scope.get("raw_path")
            if path == prefix and scope["type"] == "http":
                from starlette.responses import RedirectResponse

                await RedirectResponse(f"{prefix}/")(scope, receive, send)
                return
            # A proxy may pass the prefix on or take it off.
            if not path.startswith(f"{prefix}/"):
                scope["path"] = prefix + path
                scope["raw_path"] = prefix.encode() + raw if raw is not None else None
            scope["root_path"] = prefix
        await self._app(scope, receive, send)


def _is_forwarded(name: bytes) -> bool:
    return name.startswith(_FORWARDED)
