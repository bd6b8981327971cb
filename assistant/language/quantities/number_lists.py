"""How each language writes numbers out: the lists of data/numbers.yaml, made ready for looking words up."""

from decimal import Decimal
from functools import lru_cache
from typing import Annotated

from pydantic import BeforeValidator, Field

from assistant.language.lexical_data import WordLists, by_precedence, load
from assistant.language.phrases import Phrases
from assistant.language.tongue import Language


def _quotient(written: object) -> object:
    """Fractions are written 2/3 in the file."""
    above, divided, below = str(written).partition("/")
    return Decimal(above) / Decimal(below) if divided else written


class SpelledNumbers(WordLists):
    """The number words of one alphabetic language; the YAML file says what each list is."""

    ones: dict[str, int]
    in_compounds: dict[str, int] = Field(default_factory=dict)
    tens: dict[str, int]
    join: tuple[str, ...]
    ones_first: bool
    hundred: tuple[str, ...]
    thousand: tuple[str, ...]
    scales: dict[str, int]
    articles: frozenset[str]
    and_: frozenset[str]
    point: frozenset[str]
    fractions: dict[str, Annotated[Decimal, BeforeValidator(_quotient)]]
    half_added: tuple[str, ...]
    multiples: dict[str, Decimal]
    groups: dict[str, int]
    own: frozenset[str]

    def below_hundred(self) -> dict[str, int]:
        """Every word for 0 to 99."""
        words = {**self.ones, **self.tens}
        for ten, tens in self.tens.items():
            for one, ones in {**self.ones, **self.in_compounds}.items():
                if 0 < ones < 10:
                    for join in self.join:
                        words[f"{one}{join}{ten}" if self.ones_first else f"{ten}{join}{one}"] = tens + ones
        return words


class HanNumbers(WordLists):
    """The characters of Chinese numbers; the YAML file says what each list is."""

    digits: dict[str, int]
    small: dict[str, int]
    large: dict[str, int]
    point: str
    half: str
    parts: str
    tenths: str
    not_behind_tenths: frozenset[str]
    not_behind: str
    not_behind_one: str
    not_before: str
    not_before_words: tuple[str, ...]
    more: str
    words: tuple[str, ...]
    multiples: dict[str, Decimal]
    halves: dict[str, Decimal]
    cards: dict[str, int]


class NumberLists(WordLists):
    """The file data/numbers.yaml."""

    nl: SpelledNumbers
    da: SpelledNumbers
    en: SpelledNumbers
    unit_before: dict[str, tuple[str, ...]]
    indefinite: frozenset[str]
    not_multiples: frozenset[str]
    half_of: frozenset[str]
    half_not_behind: frozenset[str]
    definite_halves: frozenset[str]
    han: HanNumbers

    def spelled(self, language: Language) -> SpelledNumbers | None:
        lists: dict[str, SpelledNumbers] = {"nl": self.nl, "da": self.da, "en": self.en}
        return lists.get(language)


class Scale:
    """A power of ten by name; `others` are what the same word means elsewhere (billion)."""

    __slots__ = ("homes", "others", "power")

    def __init__(self, power: int, homes: frozenset[Language], others: tuple[int, ...]) -> None:
        self.power = power
        self.homes = homes
        self.others = others


class NumberWords:
    """The number words to read text of one language with: its own first, then what other languages don't contradict."""

    def __init__(self, language: Language | None) -> None:
        lists = number_lists()
        self.lists = lists
        self.below_hundred: dict[str, int] = {}
        self.elsewhere: dict[str, Language] = {}
        """Words that another language uses for something else, and the language they're numbers in."""
        self.hundred: set[str] = set()
        self.thousand: set[str] = set()
        self.articles: set[str] = set()
        self.and_: set[str] = set()
        self.one: set[str] = set()
        """Articles that are a one at the end of a number: hundrede og en."""
        self.point: set[str] = set()
        self.fractions: Phrases[Decimal] = Phrases()
        self.half_added: Phrases[Decimal] = Phrases()
        self.multiples: Phrases[Decimal] = Phrases()
        self.groups: dict[str, int] = {}
        self.scales: Phrases[Scale] = Phrases()
        for own in by_precedence(language):
            spelled = lists.spelled(own)
            if spelled is not None:
                self._take(spelled, own, own == language)
        self._take_scales(language)
        self.unit_before: Phrases[str] = Phrases()
        for unit, markers in lists.unit_before.items():
            self.unit_before.add_all(markers, unit)
        for word, value in lists.han.multiples.items():
            self.multiples.add(word, value)
        for word, value in lists.han.halves.items():
            self.fractions.add(word, value)

    def _take(self, spelled: SpelledNumbers, home: Language, own: bool) -> None:
        for word, value in spelled.below_hundred().items():
            self.below_hundred.setdefault(word, value)
            if word in spelled.own and not own:
                self.elsewhere[word] = home
        self.hundred.update(spelled.hundred)
        self.thousand.update(spelled.thousand)
        self.articles.update(spelled.articles)
        self.and_.update(spelled.and_)
        self.one.update(word for word, value in spelled.in_compounds.items() if value == 1)
        self.point.update(spelled.point)
        for word, factor in spelled.fractions.items():
            self.fractions.add(word, factor)
        for word in spelled.half_added:
            self.half_added.add(word, Decimal("0.5"))
        for word, factor in spelled.multiples.items():
            self.multiples.add(word, factor)
        self.groups.update(spelled.groups)

    def _take_scales(self, language: Language | None) -> None:
        powers: dict[str, dict[Language, int]] = {}
        for own in by_precedence(language):
            spelled = self.lists.spelled(own)
            for word, power in spelled.scales.items() if spelled else ():
                powers.setdefault(word, {})[own] = power
        for word, meanings in powers.items():
            usual = next(iter(meanings.values()))
            homes = frozenset(own for own, power in meanings.items() if power == usual)
            others = tuple(dict.fromkeys(power for power in meanings.values() if power != usual))
            self.scales.add(word, Scale(usual, homes, others))


@lru_cache(maxsize=1)
def number_lists() -> NumberLists:
    return load("numbers", NumberLists)


@lru_cache(maxsize=8)
def number_words(language: Language | None) -> NumberWords:
    return NumberWords(language)
