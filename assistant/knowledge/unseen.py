"""What stands in a text unseen: control, zero-width, direction and tag characters, comments, hidden HTML."""

import re

# Joiners stay: emoji and some scripts need them. Line ends and tabs stay too.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_HIDING = re.compile(
    r"<(?P<tag>[a-z]{1,12})\b[^<>]{0,500}?(?:\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0"
    r"|opacity\s*:\s*0(?![.\d]*[1-9]))[^<>]{0,500}>.{0,20000}?</(?P=tag)\s*>",
    re.IGNORECASE | re.DOTALL,
)
_ACTING = re.compile(r"<(?P<tag>script|style|template|noscript)\b.{0,20000}?</(?P=tag)\s*>", re.IGNORECASE | re.DOTALL)

_MARKUP = re.compile(
    r"!?\[[^\]\n]{0,300}\]\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)|<(?:https?|javascript|data|mailto):[^<>\s]{0,2000}>"
    r"|</?[a-z][^<>\n]{0,2000}>|\b(?:https?|javascript|data|vbscript|file):\S{1,2000}|\bwww\.\S{1,500}",
    re.IGNORECASE,
)


def without_markup(text: str) -> str:
    """A title or statement without links, images, HTML and addresses, which it has no use for."""
    return " ".join(_MARKUP.sub("", text).split()) if _MARKUP.search(text) else text


def as_seen(text: str) -> str:
    """The text as a reader sees it. A comment that is never closed is text."""
    text = _without_comments(_UNSEEN.sub("", text))
    return _ACTING.sub("", _HIDING.sub("", text)) if "<" in text else text


def _without_comments(text: str) -> str:
    kept: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return "".join([*kept, text[place:]])
