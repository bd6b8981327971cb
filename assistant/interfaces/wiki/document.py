"""The page for a frame, in the visitor's language, and the script that brings it into a page."""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from assistant.answering.assistant import MAX_QUESTION_CHARACTERS
from assistant.interfaces.assets import Bundle
from assistant.interfaces.chat.text import LANGUAGE_TAGS, OPINION_WORDS, example_questions, page_wording
from assistant.language.tongue import LANGUAGES, Language

Theme = Literal["auto", "light", "dark"]

_FOLDER = Path(__file__).parent
_OWN_FILES = ("embed.css", "embed.js", "turn.js", "asking.js", "answer.js")
_SHARED_FILES = ("opinion.js", "opinion.css")
"""With the chat."""
BUNDLE = Bundle(
    [*(_FOLDER / name for name in _OWN_FILES), *(_FOLDER.parent / "chat" / name for name in _SHARED_FILES)],
    below="/embed",
)
_EXAMPLES = 3
_WIDGET_WORDS = ("title", "ask_here", "ask", "close", "question_placeholder", "frame_refused")
_PAGE_WORDS = (
    "title", "conversation", "question", "question_placeholder", "ask", "stop", "stopped", "retry", "edit", "copy",
    "copy_as", "copied", "open_whole", "needs_script", "sign_in", "log_in", "busy", "unreachable", "problem", "failure",
    "follow_ups", "would_change",
    "step_opening", "step_understanding", "step_gathering", "step_composing", "step_writing",
    "sources", "source", "based_on", "original", "kind_specification", "tool_fit", "tool_rent", "tool_train",
    "tool_compare", "tool_buy-or-rent", "tool_energy", "tool_other",
    "lang_nl", "lang_da", "lang_zh", "lang_en", *OPINION_WORDS,
)  # fmt: skip


class Framing(BaseModel):
    """What the page around the frame asks for, and says of itself."""

    model_config = ConfigDict(frozen=True)

    language: Language
    theme: Theme = "auto"
    context: Annotated[str, StringConstraints(max_length=300, strip_whitespace=True)] = ""
    """Title of the page around the frame; follow-up questions are understood from it."""
    origin: Annotated[str, StringConstraints(max_length=300, pattern=r"^(https?://[^\s/?#]+)?$")] = ""
    """Origin of the page around the frame, which alone is told how tall this one is."""


def embed_document(framing: Framing) -> str:
    """The page for a frame."""
    words = _words(tuple(dict.fromkeys(_PAGE_WORDS)), framing.language)
    data = {"words": words, "context": framing.context, "origin": framing.origin}
    shown = {name: escape(text) for name, text in words.items()}
    examples = "".join(
        f'<button type="button">{escape(example.in_language(framing.language))}</button>'
        for example in example_questions().examples[:_EXAMPLES]
    )
    return _template().format(
        **shown,
        tag=LANGUAGE_TAGS[framing.language],
        theme=framing.theme,
        style=f".{BUNDLE.address_of('embed.css')}",
        opinion_style=f".{BUNDLE.address_of('opinion.css')}",
        script=f".{BUNDLE.address_of('embed.js')}",
        longest=MAX_QUESTION_CHARACTERS,
        about=_about(framing),
        examples=examples,
        # Inside a script element nothing but "</" ends the data.
        settings=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )


def embed_policy(ancestors: Sequence[str]) -> str:
    """The content policy of the page for a frame: its own files alone, framed by this server and `ancestors`."""
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            " ".join(["frame-ancestors 'self'", *ancestors]),
        ]
    )


def may_frame(origin: str, host: str, ancestors: Sequence[str]) -> bool:
    """Whether pages of an origin may show that page: those of this server's own host, and those of `ancestors`."""
    scheme, _, site = origin.lower().partition("://")
    if site == host.lower():
        return True
    for ancestor in ancestors:
        wanted, _, name = ancestor.partition("://")
        # As a browser reads the policy: what holds for http holds for https too.
        if scheme in (wanted, f"{wanted}s") and (site == name or (name[:2] == "*." and site.endswith(name[1:]))):
            return True
    return False


@lru_cache(maxsize=1)
def widget_script() -> tuple[bytes, str]:
    """The script that brings the assistant into a page, and its entity tag."""
    words = {language: _words(_WIDGET_WORDS, language) for language in LANGUAGES}
    given = json.dumps(words, ensure_ascii=True)
    script = (_FOLDER / "widget.js").read_text(encoding="utf-8").replace("WORDS = null", f"WORDS = {given}", 1).encode()
    return script, f'"{hashlib.sha256(script).hexdigest()[:16]}"'


def _words(names: Sequence[str], language: Language) -> dict[str, str]:
    """Strings of the page; {fields} in them are filled in by its script."""
    phrases = page_wording().phrases
    return {name: phrases[name].in_language(language) for name in names}


def _about(framing: Framing) -> str:
    """Says which page is meant, with a button that lets go of it."""
    if not framing.context:
        return ""
    text, language = page_wording(), framing.language
    named = escape(text.say("about_page", language, page=framing.context))
    forget = escape(text.say("forget_page", language))
    button = f'<button type="button" aria-label="{forget}" title="{forget}">✕</button>'
    return f'<p id="about"><span>{named}</span>{button}</p>'


@lru_cache(maxsize=1)
def _template() -> str:
    return (_FOLDER / "embed.html").read_text(encoding="utf-8")
