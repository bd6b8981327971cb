"""Numbers written out in Dutch, Danish and English: zeventig miljard, halvfjerds, two and a half."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assistant.language.quantities.number_lists import NumberWords, number_lists
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_LONGEST_WORD = 70
_MOST_WORDS = 16


class Written(NamedTuple):
    """A number in words up to the token `end`. A `weak` one (one, half) is only a number next to a unit."""

    end: int
    value: Decimal
    step: Decimal
    weak: bool = False
    other_powers: tuple[int, ...] = ()
    """Powers of ten that its last scale word has in other languages, relative to the one taken."""
    power: int = 0
    """The power of ten of its scale word: 9 for seventy billion."""


def read_number_words(tokens: Tokens, place: int, words: NumberWords) -> Written | None:
    """The number in words that starts at a token, if one does."""
    fraction = _read_fraction(tokens, place, words)
    plain = _Reader(tokens, place, words).read()
    if fraction is not None and (plain is None or fraction.end >= plain.end):
        return fraction
    return plain


def _read_fraction(tokens: Tokens, place: int, words: NumberWords) -> Written | None:
    found = words.fractions.longest(tokens, place)
    if found is None:
        return None
    end, value = found
    scale = words.scales.longest(tokens, end) if tokens.at(end).near else None
    if scale is not None:
        power = Decimal(1).scaleb(scale[1].power)
        return Written(scale[0], value * power, power / 10, power=scale[1].power)
    following = tokens.at(end)
    if following.near and following.key in words.hundred:
        return Written(end + 1, value * 100, Decimal(10))
    if (following.near and following.key in words.lists.not_multiples) or following.text == "-":
        return None
    return Written(end, value, Decimal("0.1"), weak=True)


class _Reader:
    """Reads one number; `total` holds what is closed by a scale word, `group` what is being counted below it."""

    def __init__(self, tokens: Tokens, place: int, words: NumberWords) -> None:
        self.tokens, self.words, self.place, self.start = tokens, words, place, place
        self.total = Decimal(0)
        self.group: Decimal | None = None
        self.power = 99
        self.step = Decimal(1)
        self.closed = False
        self.other_powers: tuple[int, ...] = ()

    def read(self) -> Written | None:
        if not self._start():
            return None
        while self.place - self.start < _MOST_WORDS and self._more():
            pass
        if self.group is None and not self.closed:
            return None
        value = self.total + (self.group or 0)
        alone = self.place == self.start + 1 and value == 1
        power = self.power if self.closed and self.group is None else 0
        alone = alone or (value == 1 and self.tokens[self.start].key in self.words.articles and not self.closed)
        return Written(self.place, value, self.step, alone, self.other_powers, power)

    def _start(self) -> bool:
        token = self.tokens.at(self.place)
        if token.kind != "word" or not (token.text.islower() or token.text.istitle() or token.text.isupper()):
            return False
        following = self.tokens.at(self.place + 1)
        large = token.key in self.words.hundred or token.key in self.words.thousand
        if large and self.tokens.at(self.place - 1).key in self.words.lists.indefinite:
            return False
        if token.key in self.words.articles and self._counts_on(following):
            self.group, self.place = Decimal(1), self.place + 1
            return True
        if token.key in self.words.articles and following.near and following.kind == "word":
            counts = following.key in self.words.hundred or following.key in self.words.groups
            if counts or self.words.scales.longest(self.tokens, self.place + 1):
                self.group, self.place = Decimal(1), self.place + 1
                return True
        if token.key in self.words.elsewhere and not self._scale_of(self.words.elsewhere[token.key], following):
            return False
        if word_value(token.key) is not None or token.key in self.words.below_hundred:
            return True
        return token.key in self.words.groups and self.place > 0

    def _counts_on(self, following: Token) -> bool:
        """True for the article of "en til to uger", which counts."""
        number = self.tokens.at(self.place + 2)
        joined = following.near and following.key in ("til", "tot", "of", "eller", "à") and number.near
        return joined and (number.key in self.words.below_hundred or number.kind == "number")

    def _scale_of(self, language: Language, following: Token) -> bool:
        """True for the Danish "to" of "to milliarder", in text of any language."""
        scale = self.words.scales.longest(self.tokens, self.place + 1) if following.near else None
        return scale is not None and language in scale[1].homes

    def _more(self) -> bool:
        token = self.tokens.at(self.place)
        if self.place > self.start and not token.near:
            return False
        if token.text == "-" and token.glued and self.tokens.at(self.place + 1).glued:
            return self._small(self.tokens.at(self.place + 1).key, 2, joined=True)
        if token.kind != "word":
            return False
        return (
            self._half()
            or self._scale()
            or self._hundred(token.key)
            or self._small(token.key, 1)
            or self._compound(token.key)
            or self._and(token.key)
            or self._point(token.key)
            or self._dozen(token.key)
            or self._article(token.key)
        )

    def _small(self, key: str, length: int, joined: bool = False) -> bool:
        value = self.words.below_hundred.get(key)
        if self.place > self.start and key in self.words.elsewhere:
            return False
        if value is None or (self.step != 1 and not self.closed):
            return False
        if self.group is None:
            if joined:
                return False
            self.group = Decimal(value)
        elif (self.group % 100 == 0 and self.group > 0 and not joined) or (
            self.group % 100 >= 20 and self.group % 10 == 0 and 0 < value < 10
        ):
            self.group += value
        else:
            return False
        self.place += length
        self.step = Decimal(1)
        return True

    def _compound(self, key: str) -> bool:
        value = word_value(key)
        if value is None:
            return False
        if self.group is not None and (self.group < 1000 or self.group % 1000 != 0 or value >= 1000):
            return False
        self.group = (self.group or Decimal(0)) + value
        self.place += 1
        return True

    def _hundred(self, key: str) -> bool:
        if key not in self.words.hundred or (self.group is not None and self.group >= 100):
            return False
        self.group = (self.group if self.group is not None else Decimal(1)) * 100
        self.place += 1
        return True

    def _scale(self) -> bool:
        found = self.words.scales.longest(self.tokens, self.place)
        if found is None or found[1].power >= self.power:
            return False
        if self.group is None:
            if self.closed or self.tokens[self.place].key not in self.words.thousand:
                return False
            self.group = Decimal(1)
        self.place, scale = found
        size = Decimal(1).scaleb(scale.power)
        self.total += self.group * size
        self.step *= size
        self.group, self.power, self.closed = None, scale.power, True
        self.other_powers = tuple(other - scale.power for other in scale.others)
        return True

    def _and(self, key: str) -> bool:
        if key not in self.words.and_ or (self.group is not None and self.group % 100 != 0):
            return False
        following = self.tokens.at(self.place + 1)
        known = following.key in self.words.below_hundred or word_value(following.key) is not None
        known = known or following.key in self.words.one
        if not following.near or not known or self.step < 1:
            return False
        if self.group is None and self.power > 3:
            return False
        self.place += 1
        if following.key in self.words.one:
            self.group, self.place = (self.group or Decimal(0)) + 1, self.place + 1
        return True

    def _half(self) -> bool:
        found = self.words.half_added.longest(self.tokens, self.place)
        if found is None or self.group is None or self.group % 1 != 0:
            return False
        self.place = found[0]
        self.group += found[1]
        self.step = Decimal("0.1")
        return True

    def _point(self, key: str) -> bool:
        if key not in self.words.point or self.group is None or self.group % 1 != 0:
            return False
        digits, place = "", self.place + 1
        while place - self.place < 8:
            token = self.tokens.at(place)
            value = self.words.below_hundred.get(token.key) if token.near else None
            if value is None or (digits and value > 9):
                break
            digits, place = digits + str(value), place + 1
            if value > 9:
                break
        if not digits:
            return False
        self.group += Decimal(f"0.{digits}")
        self.step = Decimal(1).scaleb(-len(digits))
        self.place = place
        return True

    def _article(self, key: str) -> bool:
        """The "et" of "to tusind et hundrede"."""
        following = self.tokens.at(self.place + 1)
        if key not in self.words.articles or not following.near or following.key not in self.words.hundred:
            return False
        if self.group is not None or not self.closed:
            return False
        self.group, self.place = Decimal(1), self.place + 1
        return True

    def _dozen(self, key: str) -> bool:
        size = self.words.groups.get(key)
        if size is None:
            return False
        self.group = (self.group if self.group is not None else Decimal(1)) * size
        self.place += 1
        return True


@lru_cache(maxsize=4096)
def word_value(key: str) -> int | None:
    """The value of a number of a hundred or more that is written as one word, such as tohundredefemogtyve."""
    if len(key) > _LONGEST_WORD:
        return None
    lists = number_lists()
    for spelled in (lists.nl, lists.da):
        small = {**_below_hundred(spelled is lists.nl), "": 0}
        value = _compound_value(key, small, spelled.hundred, spelled.thousand, spelled.join)
        if value is not None and value >= 100:
            return value
    return None


@lru_cache(maxsize=2)
def _below_hundred(dutch: bool) -> dict[str, int]:
    spelled = number_lists().nl if dutch else number_lists().da
    return {**spelled.below_hundred(), **spelled.in_compounds}


def _compound_value(
    key: str, small: dict[str, int], hundreds: tuple[str, ...], thousands: tuple[str, ...], joins: tuple[str, ...]
) -> int | None:
    for thousand in thousands:
        head, found, rest = key.partition(thousand)
        if found:
            front = _below_thousand(head, small, hundreds, joins) if head else 1
            back = _below_thousand(_without_join(rest, joins), small, hundreds, joins)
            return None if front is None or back is None or front == 0 else front * 1000 + back
    return _below_thousand(key, small, hundreds, joins)


def _below_thousand(key: str, small: dict[str, int], hundreds: tuple[str, ...], joins: tuple[str, ...]) -> int | None:
    for hundred in hundreds:
        head, found, rest = key.partition(hundred)
        if found:
            front = small.get(head) if head else 1
            back = small.get(_without_join(rest, joins))
            return None if front is None or back is None or front == 0 else front * 100 + back
    return small.get(key)


def _without_join(rest: str, joins: tuple[str, ...]) -> str:
    """honderdenvijf and tohundredeogfem: the joining word between hundreds and the rest."""
    for join in joins:
        if join and rest.startswith(join) and rest != join:
            return rest.removeprefix(join)
    return rest
