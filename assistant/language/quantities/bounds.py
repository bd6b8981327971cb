"""Words around a number that make it an approximation or a limit, and the words that join two numbers."""

from functools import lru_cache
from typing import Literal, NamedTuple

from assistant.language.lexical_data import WordLists, load
from assistant.language.phrases import Phrases
from assistant.language.tokens import Tokens
from assistant.language.tongue import Language

Bound = Literal["at_most", "at_least"]


class Sides(WordLists):
    """Words in front of a number and behind it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Between(WordLists):
    """The opening word of a range, and the word between its ends."""

    open: tuple[str, ...]
    join: tuple[str, ...]


class BoundLists(WordLists):
    """The file data/bounds.yaml."""

    approximate: Sides
    at_most: Sides
    at_least: Sides
    own: dict[str, tuple[Language, ...]]
    before_money: dict[str, Bound]
    far: frozenset[str]
    fillers: frozenset[str]
    not_after: tuple[str, ...]
    range: tuple[str, ...]
    between: Between
    lists: tuple[str, ...]
    tolerance: tuple[str, ...]


class Manner(NamedTuple):
    """How a number is meant."""

    approximate: bool = False
    bound: Bound | None = None
    only_money: bool = False

    def with_(self, other: "Manner") -> "Manner":
        return Manner(self.approximate or other.approximate, self.bound or other.bound)


AS_WRITTEN = Manner()


class BoundWords:
    """The words to read text of one language with."""

    def __init__(self, language: Language | None) -> None:
        lists = bound_lists()
        self.before: Phrases[Manner] = Phrases()
        self.after: Phrases[Manner] = Phrases()
        manners = (
            (lists.at_most, Manner(bound="at_most")),
            (lists.at_least, Manner(bound="at_least")),
            (lists.approximate, Manner(approximate=True)),
        )
        for sides, manner in manners:
            self.before.add_all((word for word in sides.before if self._read(word, language)), manner)
            self.after.add_all((word for word in sides.after if self._read(word, language)), manner)
        for word, bound in lists.before_money.items():
            self.before.add(word, Manner(bound=bound, only_money=True))
        self.not_after = _phrases(lists.not_after)
        self.far = lists.far
        self.fillers = lists.fillers
        self.range = _phrases(self._own(lists.range, language))
        self.open = _phrases(lists.between.open)
        self.join = _phrases(lists.between.join)
        self.lists = _phrases(self._own(lists.lists, language))
        self.tolerance = _phrases(lists.tolerance)

    def _own(self, words: tuple[str, ...], language: Language | None) -> tuple[str, ...]:
        return tuple(word for word in words if self._read(word, language))

    @staticmethod
    def _read(word: str, language: Language | None) -> bool:
        homes = bound_lists().own.get(word)
        return homes is None or language in homes

    def read_after(self, tokens: Tokens, place: int) -> tuple[int, Manner] | None:
        """How the number in front of `place` is meant, by what stands behind it."""
        plus = tokens.at(place).text == "+"
        if plus and (not tokens.at(place).glued or tokens.at(place + 1).kind == "number"):
            return None
        if not tokens.at(place).near or self.not_after.longest(tokens, place):
            return None
        found = self.after.longest(tokens, place)
        return None if found is not None and self._belongs_to_the_next(tokens, place, found[0]) else found

    def _belongs_to_the_next(self, tokens: Tokens, place: int, end: int) -> bool:
        """True for the cirka of "1,99 $ cirka 14 kr."."""
        following = tokens.at(end)
        number = following.kind == "number" or (following.kind == "symbol" and tokens.at(end + 1).kind == "number")
        return number and following.near and self.before.longest(tokens, place) is not None


def _phrases(words: tuple[str, ...]) -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(words, True)
    return phrases


@lru_cache(maxsize=1)
def bound_lists() -> BoundLists:
    return load("bounds", BoundLists)


@lru_cache(maxsize=8)
def bound_words(language: Language | None) -> BoundWords:
    return BoundWords(language)
