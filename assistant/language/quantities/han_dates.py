"""Dates in Chinese: 2026年9月9日, 二〇二六年九月, 2026年第三季度, 2026年底, 9月9日."""

import re
from typing import NamedTuple

from assistant.language.quantities.date_parts import (
    DateReading,
    day_reading,
    is_year,
    named_part,
    small_number,
    spelled_part,
)
from assistant.language.quantities.date_words import date_words
from assistant.language.quantities.number_lists import number_lists
from assistant.language.tokens import Tokens

_SHORT_YEAR = re.compile(r"[2-4][0-9]")
_DAY_SIGNS = ("日", "号")
_YEAR_DIGITS = 4
_MOST_CHARACTERS = 3


class _Small(NamedTuple):
    """A day or a month, up to the token `end`."""

    end: int
    value: int


def read_han_date(tokens: Tokens, place: int) -> DateReading | None:
    """The Chinese date that starts at a token, in digits or in characters."""
    year_end, year = _year(tokens, place)
    if year:
        return _behind_year(tokens, year_end, year)
    month = _small(tokens, place, 12)
    if month is None or tokens.at(month.end).text != "月":
        return None
    day = _small(tokens, month.end + 1, 31)
    if day is None or tokens.at(day.end).text not in _DAY_SIGNS:
        return None
    return day_reading(day.end + 1, "", month.value, day.value)


def _year(tokens: Tokens, place: int) -> tuple[int, str]:
    """2026年 and 二〇二六年: the place behind, and the year; "" where there's none."""
    digits = number_lists().han.digits
    token = tokens.at(place)
    if token.kind == "number":
        end, text = place + 1, token.text
    else:
        end = place + _YEAR_DIGITS
        text = "".join(str(digits.get(tokens.at(at).text, "-")) for at in range(place, end))
    sign, behind = tokens.at(end), tokens.at(end + 1)
    if (
        _SHORT_YEAR.fullmatch(text)
        and sign.text == "年"
        and behind.kind == "number"
        and tokens.at(end + 2).text == "月"
    ):
        text = f"20{text}"
    if not is_year(text) or sign.text != "年" or not sign.near or (behind.text == "代" and behind.glued):
        return place, ""
    return end + 1, text


def _behind_year(tokens: Tokens, place: int, year: str) -> DateReading | None:
    words = date_words()
    if tokens.at(place).text == "的" and tokens.at(place + 1).text == "第":
        place += 1
    month = _small(tokens, place, 12)
    if month is not None and tokens.at(month.end).text == "月" and tokens.at(month.end).near:
        return _behind_month(tokens, month.end + 1, year, month.value)
    # 年 is part of the words for a half and for the end of a year: 下半年, 年底.
    for at in (place - 1, place):
        half = words.named_halves.longest(tokens, at)
        if half is not None:
            return DateReading(half[0], f"{year}-H{half[1]}")
    part = spelled_part(tokens, place)
    if part is not None:
        rough = words.parts_after.longest(tokens, part[0])
        return DateReading(rough[0] if rough else part[0], f"{year}-{part[1]}", approximate=rough is not None)
    named = named_part(tokens.at(place)) if tokens.at(place).near else None
    if named is not None:
        return DateReading(place + 1, f"{year}-{named}")
    for at in (place - 1, place):
        rough = words.parts_after.longest(tokens, at)
        if rough is not None and rough[0] > place:
            return DateReading(rough[0], year, approximate=True)
    return DateReading(place, year)


def _behind_month(tokens: Tokens, place: int, year: str, month: int) -> DateReading | None:
    day = _small(tokens, place, 31)
    if day is not None and tokens.at(day.end).text in _DAY_SIGNS:
        return day_reading(day.end + 1, year, month, day.value)
    rough = date_words().parts_after.longest(tokens, place)
    end = rough[0] if rough else place
    return DateReading(end, f"{year}-{month:02}", approximate=rough is not None)


def _small(tokens: Tokens, place: int, most: int) -> _Small | None:
    """A day or month at `place`, in digits or in characters."""
    token = tokens.at(place)
    if not token.near and place > 0:
        return None
    value = small_number(token, most)
    if value is not None:
        return _Small(place + 1, value)
    han = number_lists().han
    text = ""
    while len(text) < _MOST_CHARACTERS:
        character = tokens.at(place + len(text)).text
        if character != "十" and character not in han.digits:
            break
        text += character
    tens, ten, ones = text.rpartition("十")
    if not text or len(tens) > 1 or len(ones) > 1:
        return None
    value = (han.digits.get(tens, 1) * 10 if ten else 0) + han.digits.get(ones, 0)
    return _Small(place + len(text), value) if 1 <= value <= most else None
