"""Figures, units and dates as readers of each language write them."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal

from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.language.tongue import Language

WIDE = Context(prec=1_000)
"""For rounding what is written: division by the least number of JSON has more than the usual 28 digits."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9$€¥%+-]")
_MONTHS: dict[Language, tuple[str, ...]] = {
    "nl": ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
           "november", "december"),
    "da": ("januar", "februar", "marts", "april", "maj", "juni", "juli", "august", "september", "oktober",
           "november", "december"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
}  # fmt: skip
_QUARTER: dict[Language, str] = {"nl": "het {n}e kwartaal van {y}", "da": "{n}. kvartal {y}", "en": "Q{n} {y}",
                                 "zh": "{y} 年第 {n} 季度"}  # fmt: skip
_HALF: dict[Language, tuple[str, str]] = {
    "nl": ("de eerste helft van {y}", "de tweede helft van {y}"),
    "da": ("første halvår {y}", "andet halvår {y}"),
    "en": ("the first half of {y}", "the second half of {y}"),
    "zh": ("{y} 年上半年", "{y} 年下半年"),
}
_PER: dict[Language, dict[str, str]] = {
    "nl": {"h": "per uur", "month": "per maand", "kWh": "per kWh"},
    "da": {"h": "i timen", "month": "om måneden", "kWh": "pr. kWh"},
    "en": {"h": "per hour", "month": "per month", "kWh": "per kWh"},
    "zh": {"h": "每小时", "month": "每月", "kWh": "每千瓦时"},
}
_MONEY: dict[Language, dict[str, str]] = {
    "nl": {"USD": "{n} dollar", "EUR": "€ {n}", "DKK": "{n} Deense kronen", "CNY": "{n} yuan"},
    "da": {"USD": "{n} dollar", "EUR": "{n} euro", "DKK": "{n} kroner", "CNY": "{n} yuan"},
    "en": {"USD": "${n}", "EUR": "€{n}", "DKK": "DKK {n}", "CNY": "¥{n}"},
    "zh": {"USD": "{n} 美元", "EUR": "{n} 欧元", "DKK": "{n} 丹麦克朗", "CNY": "{n} 元"},
}
_ONE: dict[Language, dict[str, str]] = {
    "nl": {"DKK": "{n} Deense kroon"},
    "da": {"DKK": "{n} krone"},
    "en": {},
    "zh": {},
}
_COUNTED: dict[Language, dict[str, tuple[str, str]]] = {
    "nl": {"gpu": ("GPU", "GPU's"), "cpu": ("processor", "processors"), "week": ("week", "weken"),
           "month": ("maand", "maanden"), "h": ("uur", "uur"), "unit": ("stuk", "stuks"),
           "generation": ("generatie", "generaties"), "x": ("keer", "keer"), "day": ("dag", "dagen"),
           "year": ("jaar", "jaar")},
    "da": {"gpu": ("GPU", "GPU'er"), "cpu": ("processor", "processorer"), "week": ("uge", "uger"),
           "month": ("måned", "måneder"), "h": ("time", "timer"), "unit": ("enhed", "enheder"),
           "generation": ("generation", "generationer"), "x": ("gange", "gange"), "day": ("dag", "dage"),
           "year": ("år", "år")},
    "en": {"gpu": ("GPU", "GPUs"), "cpu": ("processor", "processors"), "week": ("week", "weeks"),
           "month": ("month", "months"), "h": ("hour", "hours"), "unit": ("unit", "units"),
           "generation": ("generation", "generations"), "x": ("times", "times"), "day": ("day", "days"),
           "year": ("year", "years")},
    "zh": {"gpu": ("块 GPU", "块 GPU"), "cpu": ("颗处理器", "颗处理器"), "week": ("周", "周"),
           "month": ("个月", "个月"), "h": ("小时", "小时"), "unit": ("件", "件"), "generation": ("代", "代"),
           "x": ("倍", "倍"), "day": ("天", "天"), "year": ("年", "年")},
}  # fmt: skip


def format_number(value: Decimal, language: Language, places: int | None = None) -> str:
    """A number with the language's own separators; `places` rounds half up, None keeps every digit given."""
    if places is not None:
        value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=WIDE)
    text = f"{value:f}"
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, fraction = text.partition(".")
    if places is None and fraction and set(fraction) == {"0"}:
        fraction = ""
    # Chinese figures run on without separators up to five digits; the others group from four on.
    if len(whole) > (4 if language == "zh" else 3):
        whole = f"{int(whole):,}"
    if language in ("nl", "da"):
        whole = whole.replace(",", ".")
        return sign + whole + ("," + fraction if fraction else "")
    return sign + whole + ("." + fraction if fraction else "")


def format_money(value: Decimal, currency: str, language: Language, places: int | None = None) -> str:
    """An amount with its currency; where `places` is None, two decimals unless it is a whole number."""
    if places is None:
        places = 0 if value == value.to_integral_value() else 2
    number = format_number(value, language, places)
    written = _ONE[language].get(currency) if value == 1 else None
    return (written or _MONEY[language].get(currency, "{n} " + currency)).format(n=number)


def format_quantity(value: Decimal | Range, unit: str | None, language: Language) -> str:
    """A figure or range with its unit: 3,35 TB/s, 1.400 W, 1,99 dollar per uur, 18 processors."""
    if isinstance(value, Range):
        low, high = (format_number(part, language) for part in (value.low, value.high))
        joined = {"nl": f"{low} tot {high}", "da": f"{low} til {high}", "zh": f"{low}–{high}", "en": f"{low}–{high}"}
        number, single = joined[language], False
    else:
        number, single = format_number(value, language), value == 1
    unit = unit or ""
    currency, _, per = unit.partition("/")
    if currency in _MONEY[language]:
        if isinstance(value, Decimal):
            money = format_money(value, currency, language)
        else:
            money = _MONEY[language][currency].format(n=number)
        if not per:
            return money
        spoken = _PER[language].get(per, f"/{per}")
        return f"{spoken} {money}" if language == "zh" else f"{money} {spoken}"
    if unit in _COUNTED[language]:
        return f"{number} {_COUNTED[language][unit][0 if single else 1]}"
    if unit == "%":
        return f"{number}%" if language in ("en", "zh") else f"{number} procent"
    return f"{number} {unit}".strip()


def format_period(period: Period, language: Language) -> str:
    """A date as it is written in running text."""
    text, year = period.text, period.text[:4]
    if "Q" in text:
        return _QUARTER[language].format(n=text[-1], y=year)
    if "H" in text:
        return _HALF[language][int(text[-1]) - 1].format(y=year)
    parts = [int(part) for part in text.split("-")]
    if language == "zh":
        return "".join(f" {n} {name}" for n, name in zip(parts, "年月日", strict=False)).strip()
    if len(parts) == 1:
        return year
    month = _MONTHS[language][parts[1] - 1]
    if len(parts) == 2:
        return f"{month} {year}"
    return f"{parts[2]}{'.' if language == 'da' else ''} {month} {year}"


def join_words(words: list[str], language: Language) -> str:
    """A list in running text: A, B and C."""
    if len(words) < 2:
        return "".join(words)
    if language == "zh":
        return join_han(["、".join(words[:-1]), "和", words[-1]])
    last = {"nl": " en ", "da": " og ", "en": " and "}[language]
    return ", ".join(words[:-1]) + last + words[-1]


def join_han(pieces: Iterable[str]) -> str:
    """Pieces of a Chinese sentence put together, with a space just where Chinese meets Latin or a figure."""
    text = ""
    for piece in filter(None, pieces):
        end, start = text.rstrip(" ")[-1:], piece.lstrip(" ")[:1]
        if _HAN.match(end) and _HAN.match(start):
            text = text.rstrip(" ") + piece.lstrip(" ")
        elif (_HAN.match(end) and _LATIN.match(start)) or (_LATIN.match(end) and _HAN.match(start)):
            text = text.rstrip(" ") + " " + piece.lstrip(" ")
        else:
            text += piece
    return text
