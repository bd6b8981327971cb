"""The words of fit_options.yaml, by which a question sets the choices of the memory calculator, as patterns."""

import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from assistant.answering.calculation.word_patterns import ByLanguage, any_word, compiled, one_of
from assistant.knowledge.schema import read_yaml

_FILE = Path(__file__).with_name("fit_options.yaml")
Value = Literal["count", "tokens", "share", "format", "word", "switch"]

_NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?![\d.,]*\d)|\d{1,9}(?![.,]?\d)"
# How each kind of value is written; nothing of a longer word or number follows.
_WRITTEN: dict[Value, str] = {
    "count": rf"(?:{_NUMBER})(?!\s?%|[A-Za-z])",
    "tokens": rf"(?:(?:\d+(?:[.,]\d+)?)\s?[km]i?|{_NUMBER})(?![%A-Za-z])",
    "share": r"(?:0?[.,]\d+|1\.0+)(?![\d%])|\d{1,3}(?:[.,]\d+)?\s?(?:%|procent\b|percent\b|pct\b)",
    "format": r"(?:auto|fp8(?:_e4m3|_e5m2|_ds_mla)?|bf16|fp16|f16|fp32|f32|i?q\d_(?:\d|nl)|int[48]|"
              r"(?:4|8|16)[-\s]?(?:bits?\b|位))(?![A-Za-z0-9])",
}  # fmt: skip
# A length that is written with a k can stand without a word for what it is.
_THOUSANDS = r"\d+(?:[.,]\d+)?\s?k(?![A-Za-z])"
_BETWEEN = r"[\s=:：-]*"


class OptionPatterns(NamedTuple):
    """Where an option stands in a text; the group `value` is its value."""

    with_value: tuple[re.Pattern[str], ...]
    """The one that is preferred first."""
    named: tuple[tuple[str, re.Pattern[str]], ...]
    """Values that words name by themselves."""


class OptionWords(BaseModel):
    """How one choice is said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Value
    before: ByLanguage = {}
    behind: ByLanguage = {}
    place: ByLanguage = {}
    said: dict[str, tuple[str, ...]] = {}
    unsaid: str | None = None
    """The value where a word stands of which it is said that it is not used."""
    flags: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    """Values that no calculation knows; an answer tells that they play no part in it."""


class FitOptionWords(BaseModel):
    """Words of all options; the file says what each group stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    links: ByLanguage
    without: ByLanguage
    options: dict[str, OptionWords]

    @cached_property
    def patterns(self) -> dict[str, OptionPatterns]:
        return {name: self._patterns(option) for name, option in self.options.items()}

    @cached_property
    def by_flag(self) -> dict[str, str]:
        """The field of each name that an option has on some command line."""
        return {flag: name for name, option in self.options.items() for flag in option.flags}

    @cached_property
    def uncounted(self) -> re.Pattern[str]:
        """Values that no calculation knows."""
        return compiled(one_of(word for option in self.options.values() for word in option.uncounted))

    @cached_property
    def behind_without(self) -> re.Pattern[str]:
        """That what stands right behind is not used."""
        return compiled(rf"{any_word(self.without)}\s*$")

    def _patterns(self, option: OptionWords) -> OptionPatterns:
        found: list[re.Pattern[str]] = []
        if option.before:
            links = rf"(?:{any_word(self.links)}{_BETWEEN}){{0,3}}"
            found.append(compiled(rf"{any_word(option.before)}{_BETWEEN}{links}(?P<value>{_WRITTEN[option.value]})"))
        if option.behind:
            left = rf"(?<![A-Za-z0-9_.,])(?P<value>{_WRITTEN[option.value]})"
            found.append(compiled(rf"{left}[\s-]*{any_word(option.behind)}"))
        if option.place:
            found.append(compiled(rf"{any_word(option.place)}\s*(?P<value>{_THOUSANDS})"))
        named = tuple((value, compiled(one_of(words))) for value, words in option.said.items())
        return OptionPatterns(tuple(found), named)


@lru_cache(maxsize=1)
def fit_option_words() -> FitOptionWords:
    """The words, read once. Raises CorpusError naming what is wrong with the file."""
    return read_yaml(_FILE, FitOptionWords)
