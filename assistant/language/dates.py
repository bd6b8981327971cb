"""Dates in four languages, to the precision in which they're written: a day, a month, a quarter, a half or a year."""

import re
from datetime import date
from typing import NamedTuple

from assistant.language.date_words import date_words
from assistant.language.number_lists import number_lists
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_QUARTER = re.compile(r"[QqKk]([1-4])")
_HALF = re.compile(r"[Hh]([12])")
_QUARTER_YEAR = re.compile(r"(?:[QqKk]([1-4])|[Hh]([12]))")
_SHORT_YEAR = re.compile(r"[2-4][0-9]")
_DOTTED = re.compile(r"([0-9]{1,4})\.([0-9]{1,2})\.([0-9]{1,4})")
_DAY_WORDS = {"th", "st", "nd", "rd", "e", "de", "ste"}


class DateReading(NamedTuple):
    """A date up to the token `end`. `period` is a Period's text, or --09-09 for a day whose year isn't written."""

    end: int
    period: str
    approximate: bool = False
    other: str = ""
    """The other reading of a date in digits, where day and month could be swapped."""


def read_date(tokens: Tokens, place: int, language: Language | None, year: str = "") -> DateReading | None:
    """The date that starts at a token, if one does. `year` is the one the text has named before, "" for none.

    A bare year isn't read here: whether 2026 is one depends on what stands around it (`read_year`).
    """
    words = date_words()
    part = words.parts_before.longest(tokens, place)
    if part is not None:
        at = _past_articles(tokens, part[0])
        dated = _whole_date(tokens, at, language, year) or _plain_year(tokens, at)
        return dated._replace(approximate=True) if dated else None
    return _whole_date(tokens, place, language, year)


def read_year(tokens: Tokens, place: int, unit_behind: str) -> DateReading | None:
    """A bare year: four digits that a word (since, in, siden) or the lack of any unit makes one."""
    words = date_words()
    token = tokens[place]
    number = _year_number(token)
    if number is None:
        return None
    before = tokens.at(place - 1)
    dated = token.near and before.key in words.lists.before_years
    if unit_behind and not (dated and unit_behind == "count"):
        return None
    if number in words.lists.doubtful_years and not dated:
        return None
    end = place + 1
    slash, short = tokens.at(end), tokens.at(end + 1)
    if slash.text == "/" and slash.glued and short.glued and _SHORT_YEAR.fullmatch(short.text):
        end += 2
    return DateReading(end, str(number))


def _whole_date(tokens: Tokens, place: int, language: Language | None, year: str) -> DateReading | None:
    token = tokens.at(place)
    if token.kind == "number":
        return (
            _iso(tokens, place)
            or _in_digits(tokens, place, language)
            or _chinese(tokens, place, year)
            or _year_and_quarter(tokens, place)
            or _day_and_month(tokens, place, year)
            or _quarter_by_ordinal(tokens, place, year)
            or _digit_quarter(tokens, place)
        )
    if token.kind == "name":
        return _named_quarter(tokens, place, year)
    if token.kind == "han":
        return _chinese_digits(tokens, place, year) or _quarter_by_ordinal(tokens, place, year)
    if token.kind == "word":
        return _month_first(tokens, place, year) or _quarter_by_ordinal(tokens, place, year)
    return None


def _iso(tokens: Tokens, place: int) -> DateReading | None:
    """2026-09-09, 2026/9/9, 2026-09."""
    if _year_number(tokens[place], 1900, 2099) is None:
        return None
    sign, month = tokens.at(place + 1), tokens.at(place + 2)
    if sign.text not in ("-", "/") or not sign.glued or not month.glued or _number(month, 12) is None:
        return None
    second, day = tokens.at(place + 3), tokens.at(place + 4)
    if second.text == sign.text and second.glued and day.glued and _number(day, 31):
        return _day(place + 5, tokens[place].text, month.text, day.text)
    if day.glued and second.glued and day.kind == "name" and second.text == sign.text and day.key[0] == "t":
        return None
    if len(month.text) == 2 and sign.text == "-":
        return DateReading(place + 3, f"{tokens[place].text}-{month.text}")
    return None


def _in_digits(tokens: Tokens, place: int, language: Language | None) -> DateReading | None:
    """27.8.2026, 27-08-2026, 8/27/2026, 27/8-2026, 2026.8.27."""
    dotted = _DOTTED.fullmatch(tokens[place].text)
    if dotted is not None:
        if len(dotted[1]) == 4:
            return _day(place + 1, dotted[1], dotted[2], dotted[3])
        if len(dotted[3]) == 4 and _year_text(dotted[3]):
            return _day(place + 1, dotted[3], dotted[2], dotted[1])
        return None
    first, sign, second = tokens[place], tokens.at(place + 1), tokens.at(place + 2)
    third, year = tokens.at(place + 3), tokens.at(place + 4)
    if (
        sign.text not in ("-", "/")
        or not (sign.glued and second.glued)
        or not _number(first, 31)
        or not _number(second, 31)
    ):
        return None
    if third.text in ("-", "/") and third.glued and year.glued and _year_text(year.text):
        end = place + 5
    elif third.gap == " " and sign.text == "/" and _year_text(third.text):
        end, year = place + 4, third
    else:
        return None
    day_first = _day(end, year.text, second.text, first.text)
    month_first = _day(end, year.text, first.text, second.text)
    if sign.text == "/" and language == "en":
        day_first, month_first = month_first, day_first
    if day_first and month_first and day_first.period != month_first.period and sign.text == "/":
        return day_first._replace(other=month_first.period)
    return day_first or month_first


def _chinese(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """2026年9月9日, 2026 年 9 月, 9月9日, 2026年第三季度, 2026年底, 2007年."""
    number, sign = tokens[place], tokens.at(place + 1)
    if not sign.near:
        return None
    if sign.text == "年" and _year_number(number, 1900, 2099) is not None:
        return _after_chinese_year(tokens, place + 2, number.text)
    if sign.text == "月" and _number(number, 12):
        return _chinese_day(tokens, place, year)
    return None


def _after_chinese_year(tokens: Tokens, place: int, year: str) -> DateReading | None:
    words = date_words()
    if tokens.at(place).text == "代":
        return None
    if tokens.at(place).text == "的" and tokens.at(place + 1).text == "第":
        place += 1
    month, sign = tokens.at(place), tokens.at(place + 1)
    month_number = _number(month, 12) if month.kind == "number" else _han_number(tokens, place, 12)
    if month.near and month_number:
        at = place + 1 if month.kind == "number" else place + month_number[1]
        sign = tokens.at(at)
        if sign.text == "月" and sign.near:
            value = month_number if isinstance(month_number, int) else month_number[0]
            return _chinese_month(tokens, at + 1, year, value)
    half = words.named_halves.longest(tokens, place - 1) or words.named_halves.longest(tokens, place)
    if half is not None:
        return DateReading(half[0], f"{year}-H{half[1]}")
    quarter = _ordinal_quarter(tokens, place)
    if quarter is not None:
        return DateReading(quarter[0], f"{year}-{quarter[1]}")
    named = _QUARTER_YEAR.fullmatch(month.text) if month.near else None
    if named is not None:
        return DateReading(place + 1, f"{year}-{'Q' + named[1] if named[1] else 'H' + named[2]}")
    part = words.parts_after.longest(tokens, place - 1) or (
        words.parts_after.longest(tokens, place) if month.near else None
    )
    if part is not None and part[0] > place:
        return DateReading(part[0], year, approximate=True)
    return DateReading(place, year)


def _chinese_month(tokens: Tokens, place: int, year: str, month: int) -> DateReading | None:
    day = tokens.at(place)
    number = _number(day, 31)
    if day.near and number and tokens.at(place + 1).text in ("日", "号"):
        return _day(place + 2, year, str(month), str(number))
    spelled = _han_number(tokens, place, 31)
    if spelled is not None and tokens.at(place + spelled[1]).text in ("日", "号"):
        return _day(place + spelled[1] + 1, year, str(month), str(spelled[0]))
    part = date_words().parts_after.longest(tokens, place)
    if part is not None:
        return DateReading(part[0], f"{year}-{month:02}", approximate=True)
    return DateReading(place, f"{year}-{month:02}")


def _chinese_day(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """9月9日, in the year that the text has named before."""
    month, day = int(tokens[place].text), tokens.at(place + 2)
    if not day.near or not _number(day, 31) or tokens.at(place + 3).text not in ("日", "号"):
        return None
    return _day(place + 4, year, str(month), day.text)


def _chinese_digits(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """二〇二六年九月, 九月九日."""
    digits = number_lists().han.digits
    text = "".join(str(digits.get(tokens.at(place + step).text, "x")) for step in range(4))
    if text.isdigit() and tokens.at(place + 4).text == "年" and _year_text(text):
        return _after_chinese_year(tokens, place + 5, text)
    month = _han_number(tokens, place, 12)
    if month is None or tokens.at(place + month[1]).text != "月":
        return None
    at = place + month[1] + 1
    day = _han_number(tokens, at, 31)
    if day is None or tokens.at(at + day[1]).text not in ("日", "号"):
        return None
    return _day(at + day[1] + 1, year, str(month[0]), str(day[0]))


def _year_and_quarter(tokens: Tokens, place: int) -> DateReading | None:
    """2026 Q3, 2026Q3, 2026-H2, 2026 third quarter."""
    if _year_number(tokens[place]) is None:
        return None
    at = place + 2 if tokens.at(place + 1).text == "-" and tokens.at(place + 1).glued else place + 1
    token = tokens.at(at)
    named = _QUARTER_YEAR.fullmatch(token.text) if token.near else None
    if named is not None:
        return DateReading(at + 1, f"{tokens[place].text}-{'Q' + named[1] if named[1] else 'H' + named[2]}")
    return None


def _day_and_month(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """9. september 2026, 27 augustus, the 9th of September 2026, 26-28 August 2026."""
    if not _number(tokens[place], 31):
        return None
    words = date_words()
    at = place + 1
    if tokens.at(at).glued and (tokens.at(at).text == "." or tokens.at(at).key in _DAY_WORDS):
        at += 1
    if tokens.at(at).key in ("of", "van", "af"):
        at += 1
    month = words.months.longest(tokens, at) if tokens.at(at).near else None
    if month is None:
        return None
    end, dated = _year_behind(tokens, month[0], tokens[at].key)
    if not dated and tokens[at].key in words.lists.careful_months and not tokens[at].text.istitle():
        return None
    return _day(end, dated or year, str(month[1]), tokens[place].text)


def _month_first(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """August 27, 2026, sept. 2026."""
    words = date_words()
    found = words.months.longest(tokens, place)
    if found is None:
        return None
    after, month = found
    careful = tokens[place].key in words.lists.careful_months
    day = tokens.at(after)
    if day.near and day.gap != "" and _number(day, 31) and len(day.text) <= 2:
        at = after + 2 if tokens.at(after + 1).glued and tokens.at(after + 1).key in _DAY_WORDS else after + 1
        end, dated = _year_behind(tokens, at, "")
        behind = tokens.at(at)
        if dated or (
            tokens[place].text.istitle() and not (behind.near and behind.kind in ("word", "name")) and not careful
        ):
            return _day(end if dated else at, dated or year, str(month), day.text)
    end, dated = _year_behind(tokens, after, tokens[place].key)
    if not dated or (careful and end == after):
        return None
    return DateReading(end, f"{dated}-{month:02}")


def _quarter_by_ordinal(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """tredje kvartal 2026, 3. kvartal af 2026, second half of 2027, 第三季度, last quarter of 2026."""
    found = _ordinal_quarter(tokens, place)
    if found is None:
        return None
    end, dated = _year_behind(tokens, found[0], "")
    dated = dated or year
    return DateReading(end, f"{dated}-{found[1]}") if dated else None


def _ordinal_quarter(tokens: Tokens, place: int) -> tuple[int, str] | None:
    words = date_words()
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
    if tokens.at(at).text == "个":
        at += 1
    quarter = words.quarters.longest(tokens, at)
    if quarter is not None:
        return quarter[0], f"Q{number}"
    half_word = words.halves.longest(tokens, at) if number <= 2 and tokens[place].kind != "han" else None
    return (half_word[0], f"H{number}") if half_word is not None else None


def _named_quarter(tokens: Tokens, place: int, year: str) -> DateReading | None:
    """Q3 2026, H2 of 2026, Q3'26, Q3-2026."""
    named = _QUARTER_YEAR.fullmatch(tokens[place].text)
    if named is None:
        return None
    name = f"Q{named[1]}" if named[1] else f"H{named[2]}"
    sign, short = tokens.at(place + 1), tokens.at(place + 2)
    if sign.text == "'" and sign.near and short.glued and _SHORT_YEAR.fullmatch(short.text):
        return DateReading(place + 3, f"20{short.text}-{name}")
    end, dated = _year_behind(tokens, place + 1, "")
    if not dated or (tokens[place].key.startswith("k") and end != place + 2):
        return None
    return DateReading(end, f"{dated}-{name}")


def _digit_quarter(tokens: Tokens, place: int) -> DateReading | None:
    """3Q 2026, 3Q26, 1H27."""
    letter = tokens.at(place + 1)
    if not letter.glued or tokens[place].text not in ("1", "2", "3", "4"):
        return None
    short = re.fullmatch(r"([QH])(2[0-9]|20[2-4][0-9])", letter.text)
    if short is not None:
        end, year = place + 2, short[2] if len(short[2]) == 4 else f"20{short[2]}"
    elif letter.text in ("Q", "H"):
        end, year = _year_behind(tokens, place + 2, "")
    else:
        return None
    if not year or (letter.text[0] == "H" and tokens[place].text not in ("1", "2")):
        return None
    return DateReading(end, f"{year}-{letter.text[0]}{tokens[place].text}")


def _year_behind(tokens: Tokens, place: int, before: str) -> tuple[int, str]:
    """The year at `place`, with the words that may stand in between; the place behind it, or `place` and ""."""
    at = place
    if tokens.at(at).text == "." and tokens.at(at).glued and before:
        at += 1
    of = date_words().of.longest(tokens, at) if tokens.at(at).near else None
    if of is not None:
        at = of[0]
    year = tokens.at(at)
    if year.near and _year_text(year.text):
        end = at + 1
        if tokens.at(end).text == "年" and tokens.at(end).near:
            end += 1
        return end, year.text
    return place, ""


def _plain_year(tokens: Tokens, place: int) -> DateReading | None:
    token = tokens.at(place)
    return DateReading(place + 1, token.text) if token.near and _year_number(token) is not None else None


def _past_articles(tokens: Tokens, place: int) -> int:
    while tokens.at(place).near and (
        tokens.at(place).key in ("the", "het", "de", "den", "det", "i", "in") or tokens.at(place).text == "-"
    ):
        place += 1
    return place


def _han_number(tokens: Tokens, place: int, most: int) -> tuple[int, int] | None:
    """A day or month in characters, and how many characters it takes."""
    han = number_lists().han
    text = ""
    while (
        len(text) < 3 and tokens.at(place + len(text)).text in {*han.digits, "十"} and tokens.at(place + len(text)).near
    ):
        text += tokens.at(place + len(text)).text
    if not text:
        return None
    tens, ten, ones = text.rpartition("十")
    value = (han.digits.get(tens, 1) * 10 if ten else 0) + (han.digits.get(ones, 0) if ones else 0)
    return (value, len(text)) if 1 <= value <= most and len(ones) <= 1 else None


def _number(token: Token, most: int) -> int | None:
    if token.kind != "number" or not token.text.isdigit() or len(token.text) > 2:
        return None
    value = int(token.text)
    return value if 1 <= value <= most else None


def _year_number(token: Token, first: int | None = None, last: int | None = None) -> int | None:
    if token.kind != "number" or len(token.text) != 4 or not token.text.isdigit():
        return None
    lists = date_words().lists
    value = int(token.text)
    return value if (first or lists.first_year) <= value <= (last or lists.last_year) else None


def _year_text(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and 1900 <= int(text) <= 2099


def _day(end: int, year: str, month: str, day: str) -> DateReading | None:
    """A day, where it exists."""
    try:
        date(int(year or "2024"), int(month), int(day))
    except ValueError:
        return None
    return DateReading(end, f"{year or '-'}-{int(month):02}-{int(day):02}")
