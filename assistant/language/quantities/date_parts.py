"""The pieces that dates of every language are made of: days, months, quarters, halves and years."""

import re
from datetime import date
from typing import NamedTuple

from assistant.language.quantities.date_words import date_words
from assistant.language.tokens import Token, Tokens

_NAMED_PART = re.compile(r"[QqKk](?P<quarter>[1-4])|[Hh](?P<half>[12])")
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_LEAP_YEAR = 2024


class DateReading(NamedTuple):
    """A date up to the token `end`. `period` is a Period's text, or --09-09 for a day whose year isn't written."""

    end: int
    period: str
    approximate: bool = False
    other: str = ""
    """The other reading of a date in digits, where day and month could be swapped."""


def day_reading(end: int, year: str, month: int, day: int) -> DateReading | None:
    """The reading of a day, where the calendar has it; `year` is "" where it isn't written."""
    try:
        date(int(year) if year else _LEAP_YEAR, month, day)
    except ValueError:
        return None
    return DateReading(end, f"{year or '-'}-{month:02}-{day:02}")


def small_number(token: Token, most: int) -> int | None:
    """The value of a token that can be a day (`most` 31) or a month (12)."""
    if token.kind != "number" or len(token.text) > 2 or not token.text.isdigit():
        return None
    value = int(token.text)
    return value if 1 <= value <= most else None


def is_year(text: str) -> bool:
    """True for four digits that can be a year where a month or a word already says that it's a date."""
    return len(text) == 4 and text.isdigit() and _FIRST_YEAR <= int(text) <= _LAST_YEAR


def likely_year(token: Token) -> int | None:
    """The year that four digits are even where nothing else says that it's a date."""
    lists = date_words().lists
    if token.kind != "number" or not is_year(token.text):
        return None
    value = int(token.text)
    return value if lists.first_year <= value <= lists.last_year else None


def named_part(token: Token) -> str | None:
    """Q3 and H2 as a Period writes them."""
    match = _NAMED_PART.fullmatch(token.text)
    if match is None:
        return None
    return f"Q{match['quarter']}" if match["quarter"] else f"H{match['half']}"


def spelled_part(tokens: Tokens, place: int) -> tuple[int, str] | None:
    """third quarter, tredje kvartal, 第三季度, tweede helft, 下半年: the place behind it, and Q3 or H2."""
    words = date_words()
    if tokens.at(place - 1).text == "前":
        return None
    last = words.last_quarter.longest(tokens, place)
    if last is not None:
        return last[0], "Q4"
    half = words.named_halves.longest(tokens, place)
    if half is not None:
        return half[0], f"H{half[1]}"
    ordinal = words.ordinals.longest(tokens, place)
    if ordinal is None or not tokens.at(ordinal[0]).near:
        return None
    at, number = ordinal
    quarter = words.quarters.longest(tokens, at + 1 if tokens.at(at).text == "个" else at)
    if quarter is not None:
        return quarter[0], f"Q{number}"
    halves = words.halves.longest(tokens, at) if number <= 2 and tokens[place].kind != "han" else None
    return (halves[0], f"H{number}") if halves is not None else None


def year_behind(tokens: Tokens, place: int) -> tuple[int, str]:
    """The year at `place`, past the words in front of it, and the place behind; "" where there's none."""
    of = date_words().of.longest(tokens, place) if tokens.at(place).near else None
    year_at = of[0] if of else place
    year = tokens.at(year_at)
    if not year.near or not is_year(year.text):
        return place, ""
    sign = tokens.at(year_at + 1)
    return (year_at + 2 if sign.text == "年" and sign.near else year_at + 1), year.text
