"""Dates in four languages, to the precision in which they're written: a day, a month, a quarter, a half or a year."""

import re

from assistant.language.quantities.date_parts import (
    DateReading,
    day_reading,
    is_year,
    likely_year,
    named_part,
    small_number,
    spelled_part,
    year_behind,
)
from assistant.language.quantities.date_words import date_words
from assistant.language.quantities.han_dates import read_han_date
from assistant.language.tokens import Tokens
from assistant.language.tongue import Language

_SHORT_YEAR = re.compile(r"[2-4][0-9]")
_DOTTED = re.compile(r"([0-9]{1,4})\.([0-9]{1,2})\.([0-9]{1,4})")
_QUARTER_AND_YEAR = re.compile(r"([QH])(2[0-9]|20[2-4][0-9])")


def read_date(tokens: Tokens, place: int, language: Language | None) -> DateReading | None:
    """The date that starts at a token, if one does.

    A bare year isn't read here: whether 2026 is one depends on what stands around it (`read_year`). A year that isn't
    written isn't guessed either.
    """
    part = date_words().parts_before.longest(tokens, place)
    if part is None:
        return _whole_date(tokens, place, language)
    at = _past_articles(tokens, part[0])
    dated = _whole_date(tokens, at, language)
    if dated is not None:
        return dated._replace(approximate=True)
    year = tokens.at(at)
    return DateReading(at + 1, year.text, approximate=True) if year.near and likely_year(year) else None


def read_year(tokens: Tokens, place: int, unit_behind: str) -> DateReading | None:
    """A bare year: four digits that a word (since, in, siden) or the lack of any unit makes one."""
    lists = date_words().lists
    token = tokens[place]
    year = likely_year(token)
    if year is None:
        return None
    if {tokens.at(place - 2).key, tokens.at(place - 1).key, tokens.at(place + 1).key} & lists.fiscal:
        return None
    dated = token.near and tokens.at(place - 1).key in lists.before_years
    if unit_behind and not (dated and unit_behind in ("count", "gpu")):
        return None
    if year in lists.doubtful_years and not dated:
        return None
    slash, short = tokens.at(place + 1), tokens.at(place + 2)
    season = slash.text == "/" and slash.glued and short.glued and _SHORT_YEAR.fullmatch(short.text)
    return DateReading(place + 3 if season else place + 1, str(year))


def _whole_date(tokens: Tokens, place: int, language: Language | None) -> DateReading | None:
    kind = tokens.at(place).kind
    if kind == "number":
        return (
            _year_first(tokens, place)
            or _in_digits(tokens, place, language)
            or read_han_date(tokens, place)
            or _year_and_part(tokens, place)
            or _day_and_month(tokens, place)
            or _first_of_days(tokens, place)
            or _spelled_part(tokens, place)
            or _digit_and_part(tokens, place)
        )
    if kind == "name":
        return _named_part(tokens, place)
    if kind == "han":
        return read_han_date(tokens, place) or _spelled_part(tokens, place)
    if kind != "word":
        return None
    return _month_first(tokens, place) or _spelled_part(tokens, place) or _numbered_part(tokens, place)


def _year_first(tokens: Tokens, place: int) -> DateReading | None:
    """2026-09-09, 2026/9/9, 2026-09, 2026.8.27."""
    dotted = _DOTTED.fullmatch(tokens[place].text)
    if dotted is not None and is_year(dotted[1]):
        return day_reading(place + 1, dotted[1], int(dotted[2]), int(dotted[3]))
    sign, month, second, day = (tokens.at(place + step) for step in range(1, 5))
    number = small_number(month, 12)
    if not is_year(tokens[place].text) or sign.text not in ("-", "/") or number is None:
        return None
    if not (sign.glued and month.glued):
        return None
    if second.text == sign.text and second.glued and day.glued:
        day_number = small_number(day, 31)
        return day_reading(place + 5, tokens[place].text, number, day_number) if day_number else None
    if sign.text == "-" and len(month.text) == 2:
        return DateReading(place + 3, f"{tokens[place].text}-{month.text}")
    return None


def _in_digits(tokens: Tokens, place: int, language: Language | None) -> DateReading | None:
    """27.8.2026, 27-08-2026, 27/8-2026, 8/27/2026 (in English the month may come first)."""
    dotted = _DOTTED.fullmatch(tokens[place].text)
    if dotted is not None:
        return day_reading(place + 1, dotted[3], int(dotted[2]), int(dotted[1])) if is_year(dotted[3]) else None
    first, second = small_number(tokens[place], 31), small_number(tokens.at(place + 2), 31)
    sign, third = tokens.at(place + 1), tokens.at(place + 3)
    if first is None or second is None or sign.text not in ("-", "/"):
        return None
    if not (sign.glued and tokens.at(place + 2).glued):
        return None
    if third.text in ("-", "/") and third.glued and tokens.at(place + 4).glued:
        end = place + 5
    elif third.gap == " " and sign.text == "/":
        end = place + 4
    else:
        return None
    year = tokens.at(end - 1).text
    if sign.text == third.text == "/" and _SHORT_YEAR.fullmatch(year):
        year = f"20{year}"
    return _day_or_month_first(end, year, first, second, sign.text, language) if is_year(year) else None


def _day_or_month_first(
    end: int, year: str, first: int, second: int, sign: str, language: Language | None
) -> DateReading | None:
    usual, other = day_reading(end, year, second, first), day_reading(end, year, first, second)
    if sign != "/":
        return usual
    if language == "en":
        usual, other = other, usual
    if usual is not None and other is not None and usual.period != other.period:
        return usual._replace(other=other.period)
    return usual or other


def _year_and_part(tokens: Tokens, place: int) -> DateReading | None:
    """2026 Q3, 2026Q3, 2026-H2."""
    if likely_year(tokens[place]) is None:
        return None
    at = place + 2 if tokens.at(place + 1).text == "-" and tokens.at(place + 1).glued else place + 1
    part = named_part(tokens.at(at)) if tokens.at(at).near else None
    return DateReading(at + 1, f"{tokens[place].text}-{part}") if part is not None else None


def _day_and_month(tokens: Tokens, place: int) -> DateReading | None:
    """9. september 2026, 27 augustus, the 9th of September 2026."""
    words = date_words()
    day = small_number(tokens[place], 31)
    at = _past_ordinal(tokens, place + 1)
    at = at + 1 if tokens.at(at).key in words.lists.between_day_and_month else at
    month = words.months.longest(tokens, at) if day and tokens.at(at).near else None
    if day is None or month is None:
        return None
    end, year = year_behind(tokens, month[0])
    if not year and tokens[at].key in words.lists.careful_months and not tokens[at].text.istitle():
        return None
    return day_reading(end, year, month[1], day)


def _first_of_days(tokens: Tokens, place: int) -> DateReading | None:
    """The 1 of "1.-3. september 2026" and "26 and 27 August", which shares the month behind the last day."""
    first = small_number(tokens[place], 31)
    if first is None:
        return None
    end = _past_ordinal(tokens, place + 1)
    joined, last = tokens.at(end), tokens.at(end + 1)
    if joined.key not in date_words().lists.between_days or not joined.near or not last.near or last.kind != "number":
        return None
    shared = _day_and_month(tokens, end + 1)
    if shared is None or first >= int(shared.period[-2:]):
        return None
    return DateReading(end, f"{shared.period[:-2]}{first:02}")


def _month_first(tokens: Tokens, place: int) -> DateReading | None:
    """August 27, 2026, September 9th, sept. 2026."""
    words = date_words()
    found = words.months.longest(tokens, place)
    if found is None:
        return None
    after, month = found
    careful = tokens[place].key in words.lists.careful_months
    day = small_number(tokens.at(after), 31) if tokens.at(after).near and not tokens.at(after).glued else None
    if day is not None:
        at = _past_ordinal(tokens, after + 1)
        end, year = year_behind(tokens, at)
        goes_on = tokens.at(at).near and tokens.at(at).kind in ("word", "name")
        if year or (tokens[place].text.istitle() and not goes_on and not careful):
            return day_reading(end if year else at, year, month, day)
    end, year = year_behind(tokens, after)
    return DateReading(end, f"{year}-{month:02}") if year else None


def _spelled_part(tokens: Tokens, place: int) -> DateReading | None:
    """tredje kvartal 2026, 3. kvartal af 2026, second half of 2027."""
    part = spelled_part(tokens, place)
    if part is None:
        return None
    end, year = year_behind(tokens, part[0])
    return DateReading(end, f"{year}-{part[1]}") if year else None


def _numbered_part(tokens: Tokens, place: int) -> DateReading | None:
    """kwartaal 3 van 2026."""
    quarter = date_words().quarters.longest(tokens, place)
    number = tokens.at(quarter[0]) if quarter else None
    if quarter is None or number is None or not number.near or number.text not in ("1", "2", "3", "4"):
        return None
    end, year = year_behind(tokens, quarter[0] + 1)
    return DateReading(end, f"{year}-Q{number.text}") if year else None


def _named_part(tokens: Tokens, place: int) -> DateReading | None:
    """Q3 2026, H2 of 2026, Q3'26, Q3-2026; never Q3 alone."""
    part = named_part(tokens[place])
    if part is None:
        return None
    sign, short = tokens.at(place + 1), tokens.at(place + 2)
    if sign.text == "'" and sign.near and short.glued and _SHORT_YEAR.fullmatch(short.text):
        return DateReading(place + 3, f"20{short.text}-{part}")
    end, year = year_behind(tokens, place + 1)
    if not year or (tokens[place].key.startswith("k") and end != place + 2):
        return None
    return DateReading(end, f"{year}-{part}")


def _digit_and_part(tokens: Tokens, place: int) -> DateReading | None:
    """3Q 2026, 3Q26, 1H27."""
    letter = tokens.at(place + 1)
    if not letter.glued or tokens[place].text not in ("1", "2", "3", "4"):
        return None
    short = _QUARTER_AND_YEAR.fullmatch(letter.text)
    if short is not None:
        end, year = place + 2, short[2] if len(short[2]) == 4 else f"20{short[2]}"
    elif letter.text in ("Q", "H"):
        end, year = year_behind(tokens, place + 2)
    else:
        return None
    if not year or (letter.text[0] == "H" and tokens[place].text not in ("1", "2")):
        return None
    return DateReading(end, f"{year}-{letter.text[0]}{tokens[place].text}")


def _past_ordinal(tokens: Tokens, place: int) -> int:
    """Past the dot of 9. and the letters of 9th."""
    token = tokens.at(place)
    return place + 1 if token.glued and (token.text == "." or token.key in date_words().lists.day_endings) else place


def _past_articles(tokens: Tokens, place: int) -> int:
    lists = date_words().lists
    while tokens.at(place).near and tokens.at(place).key in lists.behind_parts:
        place += 1
    return place
