"""Text cut into words, numerals, names with digits in them, Chinese characters and symbols."""

import re
from typing import Literal, NamedTuple

from assistant.language.characters import FoldedText

TokenKind = Literal["number", "word", "name", "han", "symbol"]

LETTERS = "A-Za-zªµ\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\u3007\uf900-\ufaff"

# Money and approximation glued to a number (USD500, kr12.999) would otherwise look like a product name.
_GLUED_WORDS = "USD|EUR|DKK|CNY|RMB|JPY|GBP|SEK|NOK|CHF|HKD|TWD|kr|ca"
_TOKEN = re.compile(
    rf"""
      (?P<url>(?:https?|ftp|file)://[!-~]+|www\.[!-~]+)
    | (?P<hex>\b0[xX][0-9A-Fa-f]+)
    | (?P<glued>(?<![{LETTERS}0-9_])(?:{_GLUED_WORDS})(?=[0-9]))
    | (?P<cross>(?<=[0-9])[xX*](?=[0-9A-Z]))
    | (?P<name>[{LETTERS}]+_?[0-9][0-9{LETTERS}_]*(?:\.[0-9]+[0-9{LETTERS}_]*)*)
    | (?P<number>[0-9]+(?:[.,'][0-9]+)*(?:[eE][+-]?[0-9]{{1,3}}(?![0-9{LETTERS}]))?)
    | (?P<word>[{LETTERS}]+(?:'[{LETTERS}]+)*)
    | (?P<han>[{HAN}])
    | (?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)
    | (?P<emphasis>\*\*+|`+|\*(?![0-9A-Za-z])|(?<![0-9A-Za-z])\*)
    | (?P<space>\s+)
    | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A piece of folded text; `key` is its lower-case form, `gap` the white space before it."""

    kind: TokenKind
    text: str
    key: str
    start: int
    end: int
    gap: str

    @property
    def glued(self) -> bool:
        return self.gap == ""

    @property
    def near(self) -> bool:
        """True where it continues the phrase before it: no tab, no paragraph break, no wide space between."""
        return self.gap in _NEAR_GAPS


_NEAR_GAPS = {"", " ", "\u00a0", "\n", "\r\n", "  ", " \u00a0", "\u00a0 ", " \n", "\n "}
_KINDS: dict[str, TokenKind] = {
    "url": "name", "hex": "name", "name": "name", "glued": "word", "word": "word", "number": "number", "han": "han",
    "cross": "symbol", "power": "symbol", "symbol": "symbol",
}  # fmt: skip
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
_END = Token("symbol", "", "", 0, 0, "\t")


class Tokens(list[Token]):
    """The tokens of a text; asking beyond either end gives an empty one, so that looking around needs no bounds."""

    def at(self, place: int) -> Token:
        return self[place] if 0 <= place < len(self) else _END


def tokenize(folded: FoldedText) -> Tokens:
    """Cut folded text into tokens in one pass, in time linear in its length."""
    tokens = Tokens()
    gap = ""
    for match in _TOKEN.finditer(folded.text):
        group = match.lastgroup or "symbol"
        text = match[0]
        if group == "space":
            gap += text
            continue
        if group == "emphasis":
            continue
        if group == "number" and _is_list(text):
            _add_list(tokens, text, match.start(), gap)
        else:
            text = "×" if group == "cross" else text
            tokens.append(Token(_KINDS[group], text, text.lower(), match.start(), match.end(), gap))
        gap = ""
    return tokens


def _is_list(text: str) -> bool:
    """True for 2,4,8: commas between numbers that can't be groups of one number."""
    return text.count(",") >= 2 and "." not in text and "'" not in text and not _GROUPED.fullmatch(text)


def _add_list(tokens: Tokens, text: str, start: int, gap: str) -> None:
    for part in re.finditer(r"[0-9]+|,", text):
        kind: TokenKind = "symbol" if part[0] == "," else "number"
        place = start + part.start()
        tokens.append(Token(kind, part[0], part[0], place, place + len(part[0]), gap if part.start() == 0 else ""))
