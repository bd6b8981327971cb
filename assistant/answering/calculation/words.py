"""The words of words.yaml, by which a question says what to calculate with, as patterns."""

import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from assistant.answering.calculation.word_patterns import ByLanguage, any_word, compiled, one_of
from assistant.knowledge.schema import read_yaml
from assistant.tools.memory.cache_layout import Engine

_FILE = Path(__file__).with_name("words.yaml")


class Beside(NamedTuple):
    """Patterns of words right behind and right before a place in a text."""

    behind: re.Pattern[str]
    before: re.Pattern[str]


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
        return compiled(rf"\s*{any_word(self.pieces)}")

    @cached_property
    def behind_memory(self) -> re.Pattern[str]:
        """A card, right behind a memory size, with the kind of its memory between them: "24 GB of GDDR6 VRAM"."""
        return compiled(rf"\s*(?:{any_word(self.holder_link)}\s+)?(?:g?ddr\d\w*|hbm\d?\w*)?\s*{any_word(self.holder)}")

    @cached_property
    def before_memory(self) -> re.Pattern[str]:
        return compiled(rf"{any_word(self.place)}\s*$")

    @cached_property
    def before_need(self) -> re.Pattern[str]:
        """What takes a memory size, at most one word before it: "takes about 40 GB"."""
        return compiled(rf"{any_word(self.takes)}\s+\S{{0,12}}\s*$")

    @cached_property
    def of_context(self) -> re.Pattern[str]:
        return compiled(any_word(self.context))

    @cached_property
    def of_model(self) -> re.Pattern[str]:
        return compiled(any_word(self.model))

    @cached_property
    def of_any_model(self) -> re.Pattern[str]:
        return compiled(any_word(self.any_model))

    @cached_property
    def of_all_parameters(self) -> re.Pattern[str]:
        return compiled(any_word(self.all_parameters))

    @cached_property
    def of_duration(self) -> dict[str, re.Pattern[str]]:
        return {unit: compiled(any_word(words)) for unit, words in self.durations.items()}

    @cached_property
    def beside_duration(self) -> dict[str, "Beside"]:
        """A period right behind or before a number of hours, by its unit: "40 hours a week"."""
        return {
            unit: Beside(compiled(rf"\s*{any_word(words)}"), compiled(rf"{any_word(words)}\s*$"))
            for unit, words in self.durations.items()
        }

    @cached_property
    def behind_past(self) -> re.Pattern[str]:
        return compiled(rf"\s*{any_word(self.past)}")

    @cached_property
    def before_counted(self) -> re.Pattern[str]:
        """What asks how many there are of what stands right behind it."""
        return compiled(rf"{any_word(self.how_many)}\s*$")

    @cached_property
    def of_card_count(self) -> re.Pattern[str]:
        """How many cards, of whatever kind."""
        return compiled(rf"{any_word(self.how_many)}\s*{any_word(self.holder)}")

    @cached_property
    def of_electricity(self) -> re.Pattern[str]:
        return compiled(any_word(self.electricity))

    @cached_property
    def beside_each(self) -> Beside:
        """That an amount is meant for each card, right behind or before it."""
        return Beside(compiled(rf"\s*{any_word(self.each)}"), compiled(rf"{any_word(self.each)}\s*$"))

    @cached_property
    def of_engine(self) -> dict[Engine, re.Pattern[str]]:
        return {engine: compiled(one_of(words)) for engine, words in self.engines.items()}

    @cached_property
    def of_currency(self) -> dict[str, re.Pattern[str]]:
        return {code: compiled(one_of(words)) for code, words in self.currencies.items()}


@lru_cache(maxsize=1)
def calculation_words() -> CalculationWords:
    """The words, read once. Raises CorpusError naming what is wrong with the file."""
    return read_yaml(_FILE, CalculationWords)
