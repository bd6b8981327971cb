"""The sentences of sentences.yaml, and how a value can be written."""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.knowledge.schema import read_yaml
from assistant.language.formatting import format_number, format_period, format_quantity
from assistant.language.tongue import Language, Translated

_PER_HOUR: dict[Language, str] = {"en": "per hour", "nl": "per uur", "da": "i timen", "zh": "每小时"}


class Sentences(BaseModel):
    """The file sentences.yaml, which says what its sentences are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stated: dict[str, dict[Language, tuple[str, ...]]]
    more: Translated
    less: Translated
    difference: Translated
    ratio: Translated
    equal: Translated
    total: Translated
    respectively: Translated
    each: Translated
    fastest: Translated
    rank: Translated
    pronoun: Translated
    clause: Translated
    adjective: Translated
    invented: Translated
    opinion: Translated
    attributed: Translated
    currently: Translated
    independently: Translated
    at_least: Translated
    at_most: Translated
    denied: Translated
    confirmed: Translated
    link: Translated
    real: Translated
    faster: Translated
    faster_claimed: Translated
    task_inference: Translated
    task_training: Translated
    question: Translated
    question_price: Translated
    question_pair: Translated

    def say(self, name: str, language: Language, /, **fields: str) -> str:
        phrase: Translated = getattr(self, name)
        return phrase.in_language(language).format(**fields)


@lru_cache(maxsize=1)
def sentences() -> Sentences:
    return read_yaml(Path(__file__).with_name("sentences.yaml"), Sentences)


def written(value: Decimal | Range, unit: str | None, language: Language) -> str:
    """A value as the corpus writes it."""
    return format_quantity(value, unit, language)


def other_writings(value: Decimal | Range, unit: str, language: Language) -> Iterator[str]:
    """The same value in other units, signs and number formats; the first is the corpus's own."""
    yield written(value, unit, language)
    per = _PER_HOUR[language]
    if unit == "USD/h":
        yield from _dollars(value, language, per)
    if isinstance(value, Range):
        return
    number = format_number(value, language)
    if unit == "GB":
        yield f"{number}GB"
        yield f"{format_number(value / 1000, language)} TB"
    elif unit == "TB/s":
        yield f"{number}TB/s"
        yield f"{format_number(value * 1000, language)} GB/s"
    elif unit == "W":
        yield f"{number}W"
        yield f"{format_number((value / 1000).normalize() + 0, language)} kW"
        yield f"{value:f} watt" if language != "zh" else f"{value:f} 瓦"


def _dollars(value: Decimal | Range, language: Language, per: str) -> Iterator[str]:
    low, high = (value.low, value.high) if isinstance(value, Range) else (value, value)
    first, last = format_number(low, language), format_number(high, language)
    span = first if low == high else f"{first}–{last}"
    if language == "zh":
        yield f"{per} {span} 美元"
        yield f"{per} ${span}"
        return
    yield f"${span} {per}"
    yield f"{span} USD {per}"
    yield f"{span} $ {per}"
    yield f"{span} dollar{'s' if language == 'en' else ''} {per}"


def shown_date(period: Period, language: Language) -> str:
    return format_period(period, language)


def stated(fact: Fact, name: str, language: Language, value: str, provider: str = "") -> list[str]:
    """Sentences that state a value of the fact's property in other words than the corpus."""
    forms = sentences().stated.get(fact.attribute, {}).get(language, ())
    date = shown_date(fact.as_of, language) if fact.as_of else ""
    return [form.format(name=name, value=value, provider=provider, date=date) for form in forms]
