"""Gradio's document with a head of our own, and a policy that lets only its own scripts run."""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from assistant.interfaces.asgi import Application, Message, Receive, Scope, Send, path_within
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording, preferred_language
from assistant.language.tongue import Language

LANGUAGE_COOKIE = "gpu-assistant-language"

_FOLDER = Path(__file__).parent
_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_META = re.compile(r"<meta\s+(?:property=\"og:|name=\"twitter:)[^>]*>\s*|<title>.*?</title>\s*", re.DOTALL)
_HTML_LANG = re.compile(r"(<html\s[^>]*?)lang=\"[^\"]*\"", re.DOTALL)
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect x='3' y='3' width='26'"
    " height='26' rx='7' fill='%230f6a64'/%3E%3Cpath d='M10 12h12M10 16h12M10 20h7' stroke='white' stroke-width='2.4'"
    " stroke-linecap='round'/%3E%3C/svg%3E"
)


@lru_cache
def asset(name: str) -> bytes:
    """The style sheet or a script of the page."""
    return (_FOLDER / name).read_bytes()


def address_of(name: str) -> str:
    """Where an asset is served; the address changes with its contents, so that it may be kept for long."""
    return f"/page/{hashlib.sha256(asset(name)).hexdigest()[:12]}/{name}"


def visitor_language(cookies: str, accept_language: str) -> Language:
    """The language in which to greet a visitor, by the headers of a request."""
    try:
        chosen = SimpleCookie(cookies).get(LANGUAGE_COOKIE)
    except CookieError:
        chosen = None
    return preferred_language(accept_language, chosen.value if chosen else None)


def with_head(html: str, language: Language, prefix: str = "") -> str:
    """The document with our head first, so that the page has its language and theme before anything is drawn.

    `prefix` is the path under which a proxy serves the page.
    """
    title, promise = (escape(page_wording().say(name, language)) for name in ("title", "promise"))
    head = (
        f'<title>{title}</title><meta name="description" content="{promise}">'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="{_ICON}">'
        f'<script src="{prefix}{address_of("page.js")}"></script>'
        f'<script defer src="{prefix}{address_of("conversation.js")}"></script>'
        f'<link rel="modulepreload" id="opinion-script" href="{prefix}{address_of("opinion.js")}">'
    )
    html = _HTML_LANG.sub(rf'\1lang="{LANGUAGE_TAGS[language]}"', _META.sub("", html), count=1)
    html = html.replace("<head>", f"<head>{head}", 1)
    styles = "".join(
        f'<link rel="stylesheet" href="{prefix}{address_of(name)}">' for name in ("opinion.css", "style.css")
    )
    return html.replace("</head>", f"{styles}</head>", 1)


def script_policy(html: str) -> str:
    """The script-src of a document: this server, and the scripts that stand in the document, by their hashes."""
    digests = [hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(html)]
    return " ".join(["'self'", *(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)])


class PageDocument:
    """Rewrites the document on its way out; everything else passes as it is, so that answers stream."""

    def __init__(self, app: Application, policy: Callable[[str], str]) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or path_within(scope) != "/" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        language = visitor_language(
            headers.get(b"cookie", b"").decode("latin-1"), headers.get(b"accept-language", b"").decode("latin-1")
        )
        # Compressed, the document could not be rewritten.
        scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        start: Message = {}
        body = b""

        async def collect(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
            elif message["type"] != "http.response.body":
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await self._finish(start, body, language, scope.get("root_path", ""), send)

        await self._app(scope, receive, collect)

    async def _finish(self, start: Message, body: bytes, language: Language, prefix: str, send: Send) -> None:
        headers = [pair for pair in start["headers"] if pair[0] != b"content-length"]
        if any(value.startswith(b"text/html") for name, value in headers if name == b"content-type"):
            html = with_head(body.decode("utf-8"), language, prefix)
            body = html.encode("utf-8")
            headers.append((b"content-security-policy", self._policy(script_policy(html)).encode()))
        headers.append((b"content-length", str(len(body)).encode()))
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": body})
