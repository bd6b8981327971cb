"""One spelling for the many ways a character can be written, without losing where it stood."""

import re
import unicodedata
from typing import NamedTuple

_FULL_WIDTH: dict[int, int | str | None] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code != 0xFF0C}
_GROUP_SPACES = dict.fromkeys([0x00A0, 0x202F, *range(0x2002, 0x200B), 0x205F], "\u00a0")
_HYPHENS = dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE58, 0xFE63, 0xFF0D], "-")
_OTHER = {
    "\u3000": " ", "\u301c": "~", "\u223c": "~", "\uff5e": "~", "\u2014": "—", "\u2015": "—",
    "\u2715": "×", "\u2716": "×", "\u2a2f": "×", "\u2573": "×", "\u2217": "*",
    "\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2032": "'", "\u02b9": "'",
    "\u2044": "/", "\u2248": "≈", "\u2243": "≈", "\u2245": "≈", "\u2264": "≤", "\u2a7d": "≤", "\u2266": "≤",
    "\u2265": "≥", "\u2a7e": "≥", "\u2267": "≥", "\uffe5": "¥", "\uffe1": "£", "\u03bc": "µ", "\u066b": ".",
    "\u2236": ":", "\u22c5": "·", "\ufe6a": "%",
}  # fmt: skip
_ONE_TO_ONE: dict[int, int | str | None] = {
    **_FULL_WIDTH,
    **_GROUP_SPACES,
    **_HYPHENS,
    **{ord(old): new for old, new in _OTHER.items()},
}
_SQUARED = {
    "㎅": "KB", "㎆": "MB", "㎇": "GB", "㎐": "Hz", "㎑": "kHz", "㎒": "MHz", "㎓": "GHz", "㎔": "THz", "㎰": "ps",
    "㎱": "ns", "㎲": "µs", "㎳": "ms", "㎼": "µW", "㎽": "mW", "㎾": "kW", "㎿": "MW", "㎚": "nm", "㎜": "mm",
    "℃": "°C",
}  # fmt: skip
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_COMBINING = "\u0300-\u036f"
_MATHEMATICAL = "\U0001d400-\U0001d7ff"
_CHANGES_LENGTH = re.compile(f"[{_INVISIBLE}{_COMBINING}{''.join(_SQUARED)}]")
_STYLED = re.compile(f"[{_MATHEMATICAL}]|(?![0-9])\\d")
_INVISIBLE_CHARACTER = re.compile(f"[{_INVISIBLE}]")
_FULL_WIDTH_COMMA = re.compile(r"(?<=[０-９])，(?=[０-９]{3})")


class FoldedText(NamedTuple):
    """A text in folded characters; `origins` gives each one's place in the original, None where they're the same."""

    text: str
    origins: tuple[int, ...] | None
    length: int

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Where the folded characters `start` to `end` stand in the original text."""
        if self.origins is None or start >= end:
            return start, end
        last = self.origins[end] if end < len(self.origins) else self.length
        return self.origins[start], max(last, self.origins[end - 1] + 1)


def fold(text: str) -> FoldedText:
    """Fold full-width, squared and styled characters, dashes, quotes and spaces to one spelling each.

    No-break and thin spaces become U+00A0, so that a digit group can still be told from two words. Dots and commas
    between digits stay what they are. Superscripts stay too: 10⁹ isn't 109.
    """
    if text.isascii():
        return FoldedText(text, None, len(text))
    folded = _FULL_WIDTH_COMMA.sub(",", text).translate(_ONE_TO_ONE)
    folded = _STYLED.sub(lambda match: _plain(match[0]), folded)
    if _CHANGES_LENGTH.search(folded) is None:
        return FoldedText(folded, None, len(text))
    return _fold_one_by_one(folded)


def _plain(character: str) -> str:
    """The ordinary letter or digit of a styled one, always a single character."""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    normal = unicodedata.normalize("NFKC", character)
    return normal if len(normal) == 1 else character


def _fold_one_by_one(text: str) -> FoldedText:
    characters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        if _INVISIBLE_CHARACTER.match(character):
            continue
        if unicodedata.combining(character) and characters:
            joined = unicodedata.normalize("NFC", characters[-1] + character)
            if len(joined) == 1:
                characters[-1] = joined
            continue
        for plain in _SQUARED.get(character, character):
            characters.append(plain)
            origins.append(place)
    return FoldedText("".join(characters), tuple(origins), len(text))
