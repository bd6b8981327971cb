"""A letter behind a number: 70B parameters, 32k context, 80G 显存, $5M, 3W 人."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assistant.language.card_names import identifier_lists
from assistant.language.phrases import Phrases
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_THOUSAND, _MILLION, _BILLION, _TRILLION = 3, 6, 9, 12
_LOOK_BACK = 4


class OtherSize(NamedTuple):
    """Another thing that the letter can mean: the number's factor and unit."""

    factor: Decimal
    unit: str
    reason: str


class SizeLetter(NamedTuple):
    """What the letter does to its number: a power of ten, and a unit ("" where the unit is yet to come)."""

    end: int
    power: int
    unit: str
    others: tuple[OtherSize, ...] = ()


class _Contexts:
    def __init__(self) -> None:
        lists = identifier_lists()
        self.memory = _phrases(lists.memory_words)
        self.tokens = _phrases(lists.token_words)
        self.parameters = _phrases(lists.parameter_words)
        self.million = _phrases(lists.million_words)
        self.ten_thousand = _phrases(lists.ten_thousand_words)


@lru_cache(maxsize=1)
def _contexts() -> _Contexts:
    return _Contexts()


def read_size_letter(tokens: Tokens, place: int, language: Language | None, money: bool) -> SizeLetter | None:
    """The letter at `place`, glued to a number; `money` where a currency stands in front of that number."""
    token, following = tokens.at(place), tokens.at(place + 1)
    if (
        token.kind != "word"
        or len(token.text) != 1
        or (following.glued and following.kind in ("word", "number", "name"))
    ):
        return None
    chinese = language == "zh" and token.text in "GBTKM"
    if not token.glued and not (token.gap == " " and (token.text == "B" or chinese)):
        return None
    letter = token.text
    if letter in "wW":
        return _ten_thousand(tokens, place, language)
    if money:
        power = {"k": _THOUSAND, "m": _MILLION, "b": _BILLION, "t": _TRILLION}.get(letter.lower())
        return SizeLetter(place + 1, power, "") if power else None
    reader = {"k": _k, "K": _k, "M": _m, "m": _small_m, "B": _b, "b": _b, "T": _t, "G": _g, "g": _g}.get(letter)
    return reader(tokens, place) if reader else None


def _k(tokens: Tokens, place: int) -> SizeLetter | None:
    after = tokens.at(place + 1)
    if tokens[place].text == "K" and after.near and _behind(tokens, place).key in identifier_lists().displays:
        return None
    if not _near(tokens, place, _contexts().tokens):
        return SizeLetter(place + 1, _THOUSAND, "")
    other = OtherSize(Decimal("1.024"), "token", "k counts 1,024 in context lengths")
    return SizeLetter(place + 1, _THOUSAND, "token", (other,))


def _m(tokens: Tokens, place: int) -> SizeLetter:
    if _follows(tokens, place, _contexts().parameters):
        return SizeLetter(place + 1, _MILLION, "param")
    if _near(tokens, place, _contexts().tokens):
        return SizeLetter(place + 1, _MILLION, "token")
    if _near(tokens, place, _contexts().memory):
        return SizeLetter(place + 1, 0, "MB")
    return SizeLetter(place + 1, _MILLION, "", (OtherSize(Decimal(1), "param", "M alone may count parameters"),))


def _small_m(tokens: Tokens, place: int) -> SizeLetter | None:
    """2.5m users."""
    return SizeLetter(place + 1, _MILLION, "") if _follows(tokens, place, _contexts().million) else None


def _b(tokens: Tokens, place: int) -> SizeLetter | None:
    if not tokens[place].glued and not _follows(tokens, place, _contexts().parameters):
        return None
    if _follows(tokens, place, _contexts().tokens):
        return SizeLetter(place + 1, _BILLION, "token")
    return SizeLetter(place + 1, _BILLION, "param")


def _t(tokens: Tokens, place: int) -> SizeLetter:
    if _follows(tokens, place, _contexts().tokens):
        return SizeLetter(place + 1, _TRILLION, "token")
    if not _follows(tokens, place, _contexts().parameters) and _near(tokens, place, _contexts().memory):
        return SizeLetter(place + 1, 0, "TB")
    other = OtherSize(Decimal("1e-12"), "TB", "T alone may be terabytes")
    return SizeLetter(place + 1, _TRILLION, "param", (other,))


def _g(tokens: Tokens, place: int) -> SizeLetter | None:
    if tokens[place].text == "g" and not _near(tokens, place, _contexts().memory):
        return None
    return SizeLetter(place + 1, 0, "GB", (OtherSize(Decimal(1), "GiB", "G alone may be gibibytes"),))


def _ten_thousand(tokens: Tokens, place: int, language: Language | None) -> SizeLetter | None:
    """3W人 and 预算 3w: ten thousands rather than watts."""
    following = tokens.at(place + 1)
    if language != "zh" and not (language is None and following.kind == "han"):
        return None
    small = tokens[place].text == "w" and len(tokens.at(place - 1).text) == 1
    if not small and not (following.near and _contexts().ten_thousand.longest(tokens, place + 1)):
        return None
    return SizeLetter(place + 1, 4, "", (OtherSize(Decimal("1e-4"), "W", "W may be watt or 万"),))


def _behind(tokens: Tokens, place: int) -> Token:
    after = tokens.at(place + 1)
    return tokens.at(place + 2) if after.text == "-" else after


def _follows(tokens: Tokens, place: int, phrases: Phrases[bool]) -> bool:
    """True where one of the phrases stands behind the letter, a hyphen or one word in between allowed."""
    start = place + 2 if tokens.at(place + 1).text == "-" else place + 1
    for at in (start, start + 1):
        if not tokens.at(at).near:
            return False
        if phrases.longest(tokens, at):
            return True
        if tokens.at(at).kind not in ("word", "name"):
            return False
    return False


def _near(tokens: Tokens, place: int, phrases: Phrases[bool]) -> bool:
    """True where one of the phrases stands behind the letter or shortly in front of its number."""
    if _follows(tokens, place, phrases):
        return True
    return any(phrases.longest(tokens, at) for at in range(max(0, place - 1 - _LOOK_BACK), place - 1))


def _phrases(words: tuple[str, ...]) -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(words, True)
    return phrases
