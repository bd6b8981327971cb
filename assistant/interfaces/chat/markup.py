"""Answers and calculator texts as HTML: Markdown without raw HTML, links or images, and markers that open a source."""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKER = re.compile(r"\s*((?:\[\d{1,3}\])+)")
_NUMBER = re.compile(r"\[(\d{1,3})\]")
# Control characters other than tab and line ends; NUL among them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def clean(text: str) -> str:
    """Text without control characters and half surrogate pairs, which no page or hash can hold."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL.sub(" ", whole)


def plain(text: str) -> str:
    """Text as HTML that shows it exactly, line ends included."""
    return escape(clean(text)).replace("\r\n", "\n").replace("\n", "<br>")


def one_line(html: str) -> str:
    """HTML without line ends: the page's Markdown parser then passes it on as one block, untouched."""
    return html.strip().replace("\n", "&#10;")


def render(markdown: str, markers: Mapping[int, str] | None = None) -> str:
    """Markdown as HTML. `markers` maps each [n] that has a source to the HTML that stands for it."""
    parser = _parser()
    tokens = parser.parse(clean(markdown))
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = [piece for child in token.children for piece in _with_markers(child, markers or {})]
    return one_line(parser.renderer.render(tokens, parser.options, {}))


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["link", "image", "autolink", "reference", "html_inline", "html_block"])
    parser.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _with_markers(token: "Token", markers: Mapping[int, str]) -> "list[Token]":
    if token.type != "text" or not _NUMBER.search(token.content):
        return [token]
    pieces: list[Token] = []
    place = 0
    for match in _MARKER.finditer(token.content):
        shown = "".join(markers.get(int(number), f"[{number}]") for number in _NUMBER.findall(match[1]))
        pieces.append(token.copy(content=token.content[place : match.start()]))
        # A word joiner keeps the markers on the line of the word that they belong to.
        pieces.append(token.copy(type="html_inline", content=f'\u2060<span class="cites">{shown}</span>'))
        place = match.end()
    pieces.append(token.copy(content=token.content[place:]))
    return pieces
