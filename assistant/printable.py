"""Text that others wrote, made safe to print: a terminal obeys control characters, and bidi marks reorder a line."""

import json
import re
import unicodedata
from collections.abc import Callable

# They join the signs of an emoji or of a word, and move nothing.
_JOINERS = "\u200c\u200d"
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NOT_ASCII = re.compile(r"[^\n -~]")


def one_line(text: str) -> str:
    """The text on one line, without the signs that aren't seen."""
    return "".join(sign for sign in " ".join(text.split()) if _is_seen(sign))


def without_controls(text: str) -> str:
    """The text with its line breaks and tabs, and without other signs that aren't seen."""
    return "".join(sign for sign in _LINE_BREAK.sub("\n", text) if _is_seen(sign) or sign in "\n\t")


def json_line(value: object) -> str:
    """A value as JSON on one line that reads back the same; signs that aren't seen stand in it as escapes."""
    return json_escaped(json.dumps(value, ensure_ascii=False, default=str))


def json_escaped(text: str) -> str:
    """JSON with every sign that isn't seen written as an escape."""
    return _escaped(text, _json_escape)


def yaml_escaped(text: str) -> str:
    """YAML with every sign that isn't seen written as an escape; such signs must stand between double quotes."""
    return _escaped(text, lambda sign: f"\\U{ord(sign):08x}")


def is_plain(text: str) -> bool:
    """Whether the text is one line of signs that are seen."""
    return all(map(_is_seen, text))


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    return _NOT_ASCII.sub(lambda match: match[0] if _is_seen(match[0]) else escape(match[0]), text)


def _json_escape(sign: str) -> str:
    """One escape of four digits, or two; of a delete sign as well, which JSON lets stand as it is."""
    digits = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{digits[first : first + 4]}" for first in range(0, len(digits), 4))


def _is_seen(sign: str) -> bool:
    return sign.isprintable() or sign in _JOINERS or unicodedata.category(sign) == "Zs"
