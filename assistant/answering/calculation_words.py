"""The words of calculation_words.yaml, by which a question says what to calculate with, as patterns."""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language

_FILE = Path(__file__).with_name("calculation_words.yaml")
_LATIN = r"A-Za-z\u00c0-\u024f"

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
    all_parameters: ByLanguage
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
    def of_all_parameters(self) -> re.Pattern[str]:
        return _compiled(_any(self.all_parameters))

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
