"""The gate before every route: who asks, whether they may, how often, and a line in the log for each call."""

import logging
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from assistant.errors import AssistantError
from assistant.interfaces import metrics
from assistant.interfaces.access.caller import Caller
from assistant.interfaces.access.hosts import Hosts
from assistant.interfaces.access.limits import RateLimits
from assistant.interfaces.access.origin import is_foreign
from assistant.interfaces.access.tokens import Scope as TokenScope
from assistant.interfaces.access.tokens import TokenRefused, TokenStore
from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send, path_within
from assistant.interfaces.problem import OPENAI_PREFIX, is_below, refusal, status_of
from assistant.settings import Settings

SESSION_COOKIE = "gpu-assistant-session"
LOGIN_PATH = "/login"
# Files that are the same for everybody, and what a load balancer asks.
_PUBLIC = frozenset({"/healthz", "/readyz", LOGIN_PATH, "/favicon.ico", "/widget.js", "/embed"})
_PUBLIC_FOLDERS = ("/page/", "/embed/", "/assets/", "/static/")
_AUDIT = logging.getLogger("assistant.audit")
_ROUTERS = ("/api", OPENAI_PREFIX)
_CALLS = ("/api", "/v1", "/mcp", "/metrics", LOGIN_PATH)


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, detail: str, reason: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.reason = reason
        self.headers = headers or {}


class Gate:
    """Lets a request through to the application, or refuses it with the reason."""

    def __init__(self, app: Application, settings: Settings) -> None:
        self._app = app
        self._mode = settings.access_mode
        self._hosts = Hosts(settings.host, settings.public_hosts)
        self._allowed = frozenset(settings.cors_origins)
        self._tokens = TokenStore(settings.data)
        self._limits = RateLimits(settings.rate_per_caller, settings.rate_per_address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # The page speaks HTTP alone.
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        call = _Call(scope)
        status = 500
        try:
            self._let_through(call)
            scope.setdefault("state", {})["caller"] = call.caller

            async def noting(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                    MutableHeaders(scope=message)["x-request-id"] = call.id
                await send(message)

            await self._app(scope, receive, noting)
        except Refused as refused:
            status = refused.status
            metrics.refused(refused.reason)
            response = _response(call, refused)
            response.headers["x-request-id"] = call.id
            await response(scope, receive, send)
        finally:
            call.finish(status)

    def _let_through(self, call: "_Call") -> None:
        """Finds out who calls. Raises Refused."""
        if (unknown := self._hosts.problem_of(call.scope)) is not None:
            raise Refused(*unknown, "host")
        if is_foreign(call.method, call.headers, self._allowed):
            raise Refused(403, "Pages of this origin may not call this server.", "foreign_origin")
        if call.path in _PUBLIC or call.path.startswith(_PUBLIC_FOLDERS):
            if call.method == "POST":
                self._count(self._limits.wait_for_address(call.address))
            return
        call.caller = self._identified(call)
        if (needed := scope_of(call.path)) not in call.caller.scopes:
            raise Refused(403, f"This token has no scope {needed!r}.", "scope")
        if call.asks_for_work:
            self._count(self._limits.wait_for(call.caller, call.address))

    def _identified(self, call: "_Call") -> Caller:
        if self._mode == "open":
            return Caller()
        if self._mode == "proxy" and call.person:
            return Caller(kind="person", id=call.person)
        if call.token is None:
            raise Refused(401, "A token is needed: Authorization: Bearer …", "no_token", {"www-authenticate": "Bearer"})
        try:
            token = self._tokens.check(call.token)
        except TokenRefused as error:
            # Guessing counts against the address.
            self._count(self._limits.wait_for_address(call.address))
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            raise Refused(401, str(error), "bad_token", challenge) from error
        except AssistantError as error:
            raise Refused(status_of(error), "Tokens can't be checked at present.", "no_tokens") from error
        return Caller(kind="token", id=token.id, scopes=token.scopes)

    def _count(self, wait_s: int) -> None:
        if wait_s:
            raise Refused(429, f"Too many requests; try again in {wait_s} s.", "rate", {"retry-after": str(wait_s)})


def scope_of(path: str) -> TokenScope:
    """The scope that a path asks of a token."""
    if is_below(path, "/metrics"):
        return "metrics"
    return "feedback" if is_below(path, "/api/feedback") else "ask"


class _Call:
    """A request as the gate sees it, and the time that it takes."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._begun = time.perf_counter()
        self.id = secrets.token_hex(6)
        self.caller = Caller()
        self.method: str = scope["method"]
        self.path = path_within(scope)
        self.prefix: str = scope.get("root_path", "")
        self.headers = Headers(scope=scope)
        self.address: str = scope["client"][0] if scope.get("client") else ""
        self.person: str | None = scope.get("state", {}).get("person")

    @property
    def token(self) -> str | None:
        """From the header of a program, or from the cookie that logging in sets."""
        kind, _, text = self.headers.get("authorization", "").partition(" ")
        if text:
            return text.strip() if kind.lower() == "bearer" else ""
        return cookie(self.headers.get("cookie", ""), SESSION_COOKIE)

    @property
    def target(self) -> str:
        """Path and query within the application, as far as they fit an address."""
        query = self.scope["query_string"].decode("latin-1")
        return f"{self.path}?{query}"[:2_000] if query else self.path[:2_000]

    @property
    def asks_for_work(self) -> bool:
        return self.method == "POST" or any(is_below(self.path, prefix) for prefix in ("/api", "/v1"))

    @property
    def wants_page(self) -> bool:
        return self.method == "GET" and "text/html" in self.headers.get("accept", "")

    @property
    def _route(self) -> str:
        """The template of the path, of which there are few whatever is asked for."""
        route: str = getattr(self.scope.get("route"), "path", "page")
        # A router that is part of another doesn't know the prefix that it has there.
        prefix = next((one for one in _ROUTERS if is_below(self.path, one) and not is_below(route, one)), "")
        return f"{prefix}{route}" if route.startswith("/") else route

    def finish(self, status: int) -> None:
        seconds = time.perf_counter() - self._begun
        metrics.answered_request(self._route, self.method, status, seconds)
        if is_below(self.path, "/healthz") or is_below(self.path, "/readyz"):
            return
        called = self.method == "POST" or status >= 400 or any(is_below(self.path, prefix) for prefix in _CALLS)
        _AUDIT.log(
            logging.INFO if called else logging.DEBUG,
            "call",
            extra={
                "fields": {
                    "request": self.id, "method": self.method, "path": self.path[:200], "status": status,
                    "ms": round(seconds * 1000, 1), "caller": str(self.caller), "address": self.address,
                }
            },
        )  # fmt: skip


def cookie(header: str, name: str) -> str | None:
    """The value of a cookie of a request."""
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return found.value if found else None


def _response(call: _Call, refused: Refused) -> Response:
    """The refusal; somebody who opens a page without being logged in is led to where they can."""
    if refused.status == 401 and call.wants_page:
        return RedirectResponse(f"{call.prefix}{LOGIN_PATH}?{urlencode({'next': call.target})}", 303)
    return refusal(call.path, refused.status, refused.detail, refused.headers)
