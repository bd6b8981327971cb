"""The words of calculation_words.yaml, by which a question says what to calculate with, as patterns."""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language
from assistant.tools.memory.cache_layout import Engine

_FILE = Path(__file__).with_name("calculation_words.yaml")
_LATIN = r"A-Za-z\u00c0-\u024f"


class Beside(NamedTuple):
    """Patterns of words right behind and right before a place in a text."""

    behind: re.Pattern[str]
    before: re.Pattern[str]


ByLanguage = dict[Language, tuple[str, ...]]


class CalculationWords(BaseModel):
    """Words of all languages; the file says what each group stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pieces: ByLanguage
    holder: ByLanguage
    holder_link: ByLanguage
    place: ByLanguage
    takes: ByLanguage
    context: ByLanguage
    model: ByLanguage
    any_model: ByLanguage
    all_parameters: ByLanguage
    durations: dict[str, ByLanguage]
    past: ByLanguage
    how_many: ByLanguage
    electricity: ByLanguage
    each: ByLanguage
    engines: dict[Engine, tuple[str, ...]]
    currencies: dict[str, tuple[str, ...]]

    @cached_property
    def behind_count(self) -> re.Pattern[str]:
        return _compiled(rf"\s*{_any(self.pieces)}")

    @cached_property
    def behind_memory(self) -> re.Pattern[str]:
        """A card, right behind a memory size, with the kind of its memory between them: "24 GB of GDDR6 VRAM"."""
        return _compiled(rf"\s*(?:{_any(self.holder_link)}\s+)?(?:g?ddr\d\w*|hbm\d?\w*)?\s*{_any(self.holder)}")

    @cached_property
    def before_memory(self) -> re.Pattern[str]:
        return _compiled(rf"{_any(self.place)}\s*$")

    @cached_property
    def before_need(self) -> re.Pattern[str]:
        """What takes a memory size, at most one word before it: "takes about 40 GB"."""
        return _compiled(rf"{_any(self.takes)}\s+\S{{0,12}}\s*$")

    @cached_property
    def of_context(self) -> re.Pattern[str]:
        return _compiled(_any(self.context))

    @cached_property
    def of_model(self) -> re.Pattern[str]:
        return _compiled(_any(self.model))

    @cached_property
    def of_any_model(self) -> re.Pattern[str]:
        return _compiled(_any(self.any_model))

    @cached_property
    def of_all_parameters(self) -> re.Pattern[str]:
        return _compiled(_any(self.all_parameters))

    @cached_property
    def of_duration(self) -> dict[str, re.Pattern[str]]:
        return {unit: _compiled(_any(words)) for unit, words in self.durations.items()}

    @cached_property
    def beside_duration(self) -> dict[str, "Beside"]:
        """A period right behind or before a number of hours, by its unit: "40 hours a week"."""
        return {
            unit: Beside(_compiled(rf"\s*{_any(words)}"), _compiled(rf"{_any(words)}\s*$"))
            for unit, words in self.durations.items()
        }

    @cached_property
    def behind_past(self) -> re.Pattern[str]:
        return _compiled(rf"\s*{_any(self.past)}")

    @cached_property
    def before_counted(self) -> re.Pattern[str]:
        """What asks how many there are of what stands right behind it."""
        return _compiled(rf"{_any(self.how_many)}\s*$")

    @cached_property
    def of_card_count(self) -> re.Pattern[str]:
        """How many cards, of whatever kind."""
        return _compiled(rf"{_any(self.how_many)}\s*{_any(self.holder)}")

    @cached_property
    def of_electricity(self) -> re.Pattern[str]:
        return _compiled(_any(self.electricity))

    @cached_property
    def beside_each(self) -> Beside:
        """That an amount is meant for each card, right behind or before it."""
        return Beside(_compiled(rf"\s*{_any(self.each)}"), _compiled(rf"{_any(self.each)}\s*$"))

    @cached_property
    def of_engine(self) -> dict[Engine, re.Pattern[str]]:
        return {engine: _compiled(_one_of(words)) for engine, words in self.engines.items()}

    @cached_property
    def of_currency(self) -> dict[str, re.Pattern[str]]:
        return {code: _compiled(_one_of(words)) for code, words in self.currencies.items()}


@lru_cache(maxsize=1)
def calculation_words() -> CalculationWords:
    """The words, read once. Raises CorpusError naming what is wrong with the file."""
    return read_yaml(_FILE, CalculationWords)


def _any(words: ByLanguage) -> str:
    return _one_of(word for group in words.values() for word in group)


def _one_of(words: Iterable[str]) -> str:
    longest_first = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(_bounded(word) for word in longest_first)})"


def _bounded(word: str) -> str:
    """The word alone, not as part of another; digits and Chinese characters may touch it."""
    left = rf"(?<![{_LATIN}])" if re.match(rf"[{_LATIN}]", word) else ""
    right = rf"(?![{_LATIN}])" if re.search(rf"[{_LATIN}]$", word) else ""
    return left + re.escape(word).replace(r"\ ", r"\s+") + right


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
