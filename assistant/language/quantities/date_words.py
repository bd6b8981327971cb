"""How dates are written in the four languages: the lists of data/dates.yaml, made ready for looking words up."""

from functools import lru_cache

from assistant.language.lexical_data import WordLists, load
from assistant.language.phrases import Phrases


class Parts(WordLists):
    """Words for a part of a period, in front of it and behind it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class DateLists(WordLists):
    """The file data/dates.yaml, which says what each list is."""

    months: dict[int, tuple[str, ...]]
    careful_months: frozenset[str]
    ordinals: dict[int, tuple[str, ...]]
    quarters: tuple[str, ...]
    last_quarter: tuple[str, ...]
    halves: tuple[str, ...]
    named_halves: dict[str, int]
    of: tuple[str, ...]
    day_endings: frozenset[str]
    between_day_and_month: frozenset[str]
    between_days: frozenset[str]
    behind_parts: frozenset[str]
    parts: Parts
    before_years: frozenset[str]
    fiscal: frozenset[str]
    first_year: int
    last_year: int
    doubtful_years: frozenset[int]


class DateWords:
    """The words of dates, of all four languages: they don't contradict each other."""

    def __init__(self) -> None:
        lists = load("dates", DateLists)
        self.lists = lists
        self.months: Phrases[int] = Phrases()
        self.ordinals: Phrases[int] = Phrases()
        for month, names in lists.months.items():
            self.months.add_all(names, month)
        for number, names in lists.ordinals.items():
            self.ordinals.add_all(names, number)
        self.quarters = _phrases(lists.quarters)
        self.last_quarter = _phrases(lists.last_quarter)
        self.halves = _phrases(lists.halves)
        self.named_halves: Phrases[int] = Phrases()
        for name, half in lists.named_halves.items():
            self.named_halves.add(name, half)
        self.of = _phrases(lists.of)
        self.parts_before = _phrases(lists.parts.before)
        self.parts_after = _phrases(lists.parts.after)


def _phrases(words: tuple[str, ...]) -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(words, True)
    return phrases


@lru_cache(maxsize=1)
def date_words() -> DateWords:
    return DateWords()
