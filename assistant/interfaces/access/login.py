"""The page on which a person gives a token once; a cookie that no script can read then stands for it."""

from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from assistant.interfaces.access.gate import LOGIN_PATH, SESSION_COOKIE
from assistant.interfaces.access.tokens import Token, TokenRefused, TokenStore
from assistant.interfaces.api.context import Threads
from assistant.interfaces.chat.document import visitor_language
from assistant.interfaces.chat.text import LANGUAGE_TAGS
from assistant.interfaces.page_style import page_style
from assistant.language.tongue import Language
from assistant.language.wording import Wording, read_wording

router = APIRouter(include_in_schema=False)

SESSION_S = 30 * 24 * 3600
Target = Annotated[str, Query(max_length=2_100)]


@lru_cache(maxsize=1)
def _wording() -> Wording:
    return read_wording(Path(__file__).with_name("login.yaml"))


@router.get(LOGIN_PATH)
def login_page(request: Request, next: Target = "/") -> Response:  # noqa: A002
    """The form."""
    return HTMLResponse(_page(_language(request), request.scope.get("root_path", ""), next))


@router.post(LOGIN_PATH)
async def log_in(
    request: Request,
    threads: Threads,
    token: Annotated[str, Form(max_length=200)] = "",
    next: Annotated[str, Form(max_length=2_100)] = "/",  # noqa: A002
) -> Response:
    """Set the cookie and go on to the page that was asked for."""
    language, prefix = _language(request), request.scope.get("root_path", "")
    store = TokenStore(request.app.state.settings.data)
    try:
        known = await threads.run(lambda: store.check(token.strip()))
    except TokenRefused:
        return HTMLResponse(_page(language, prefix, next, "refused"), 401)
    if "ask" not in known.scopes:
        return HTMLResponse(_page(language, prefix, next, "missing_scope"), 403)
    response = RedirectResponse(prefix + _within(next), 303)
    # A frame of another site gets the cookie only so, and only over https.
    secure = request.url.scheme == "https"
    framed = secure and bool(request.app.state.settings.frame_ancestors)
    response.set_cookie(
        SESSION_COOKIE,
        token.strip(),
        max_age=_lifetime(known),
        path=f"{prefix}/",
        secure=secure,
        httponly=True,
        samesite="none" if framed else "lax",
    )
    if framed:
        # Partitioned: in a frame the login holds under that one site alone, which browsers ask of such cookies.
        response.headers["set-cookie"] += "; Partitioned"
    return response


@router.post("/logout")
def log_out(request: Request) -> Response:
    """Forget the cookie."""
    prefix = request.scope.get("root_path", "")
    response = RedirectResponse(f"{prefix}{LOGIN_PATH}", 303)
    response.delete_cookie(SESSION_COOKIE, path=f"{prefix}/")
    return response


def _lifetime(token: Token) -> int:
    if token.expires is None:
        return SESSION_S
    return max(1, min(SESSION_S, int((token.expires - datetime.now(UTC)).total_seconds())))


def _within(target: str) -> str:
    """The target, if it is a path of this server: a link must not lead people elsewhere by way of this page."""
    plain = target.isprintable() and "\\" not in target
    return target if plain and target.startswith("/") and not target.startswith("//") else "/"


def _language(request: Request) -> Language:
    return visitor_language(request.headers.get("cookie", ""), request.headers.get("accept-language", ""))


def _page(language: Language, prefix: str, target: str, problem: str | None = None) -> str:
    def say(phrase: str) -> str:
        return escape(_wording().say(phrase, language))

    refused = f'<p role="alert">{say(problem)}</p>' if problem else ""
    return (
        f'<!doctype html><html lang="{LANGUAGE_TAGS[language]}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{say("title")}</title>'
        f"<style>{page_style()}</style></head><body><main><h1>{say('title')}</h1><p>{say('explanation')}</p>{refused}"
        f'<form method="post" action="{escape(prefix)}{LOGIN_PATH}">'
        f'<input type="hidden" name="next" value="{escape(_within(target))}">'
        f'<label>{say("token")}<input type="password" name="token" autocomplete="current-password" required></label>'
        f'<button type="submit">{say("submit")}</button></form></main></body></html>'
    )
