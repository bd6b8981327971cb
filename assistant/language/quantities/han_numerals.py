"""Numbers in Chinese characters: 七百亿, 一万五千, 百分之十二点五, and the 亿 behind a number in digits."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assistant.language.phrases import Phrases
from assistant.language.quantities.number_lists import HanNumbers, number_lists
from assistant.language.tokens import Tokens

_MOST_CHARACTERS = 24
_NO_UNIT = 99
_HUNDRED = 2


class HanNumber(NamedTuple):
    """A number in characters up to the token `end`. A `weak` one (一, 十) is only a number next to a unit."""

    end: int
    value: Decimal
    step: Decimal
    weak: bool = False


class HanScale(NamedTuple):
    """A power of ten in characters: 万亿 is 10 to the 12th."""

    end: int
    power: int


@lru_cache(maxsize=1)
def _not_numbers() -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(number_lists().han.words, True)
    return phrases


def phrase_that_is_no_number(tokens: Tokens, place: int) -> int | None:
    """The place behind a phrase that only looks like a number (十分) or isn't exact (数百)."""
    found = _not_numbers().longest(tokens, place)
    if found is None or tokens.at(found[0]).text == number_lists().han.parts[-1]:
        return None
    return found[0]


def read_han_number(tokens: Tokens, place: int) -> HanNumber | None:
    """The number in Chinese characters that starts at a token, if one does."""
    han = number_lists().han
    first = tokens.at(place)
    if first.kind != "han" or (first.text not in han.digits and first.text not in han.small and first.text != han.half):
        return None
    if _inside_a_word(tokens, place, han):
        return None
    if first.text == han.half:
        return HanNumber(place + 1, Decimal("0.5"), Decimal("0.1"), weak=True)
    characters = _run(tokens, place, han)
    number = _digit_by_digit(characters, place, han) or _composed(characters, place, han)
    if number is None or _dates_a_period(tokens, number.end, han):
        return None
    if number.end == place + 1:
        following = tokens.at(number.end)
        if following.glued and following.kind == "han" and following.text in han.not_before:
            return None
        return number._replace(weak=True)
    return number


def read_han_scale(tokens: Tokens, place: int) -> HanScale | None:
    """The characters 十 百 千 万 亿 behind digits, multiplied with each other."""
    han = number_lists().han
    power, end = 0, place
    while end - place < 4:
        token = tokens.at(end)
        if not token.near or token.kind != "han":
            break
        step = han.small.get(token.text, han.large.get(token.text))
        if step is None:
            break
        power, end = power + step, end + 1
    return HanScale(end, power) if end > place else None


def _inside_a_word(tokens: Tokens, place: int, han: HanNumbers) -> bool:
    before = tokens.at(place - 1)
    if before.kind != "han" or not tokens.at(place).glued or tokens.at(place - 2).text + before.text == han.parts:
        return False
    return before.text in han.not_behind or (tokens[place].text == "一" and before.text in han.not_behind_one)


def _dates_a_period(tokens: Tokens, place: int, han: HanNumbers) -> bool:
    """二十一世纪, 九十年代."""
    return tokens.at(place).text + tokens.at(place + 1).text in han.not_before_words


def _run(tokens: Tokens, place: int, han: HanNumbers) -> str:
    characters = ""
    while len(characters) < _MOST_CHARACTERS:
        token = tokens.at(place + len(characters))
        known = (
            token.text in han.digits or token.text in han.small or token.text in han.large or token.text == han.point
        )
        if token.kind != "han" or not known or (characters and not token.glued):
            break
        characters += token.text
    return characters


def _digit_by_digit(characters: str, place: int, han: HanNumbers) -> HanNumber | None:
    """二〇二六: digits in a row, as years and versions are written."""
    length = 0
    while length < len(characters) and characters[length] in han.digits:
        length += 1
    if length < 3:
        return None
    value = Decimal("".join(str(han.digits[character]) for character in characters[:length]))
    return HanNumber(place + length, value, Decimal(1))


class _Composition:
    """Adds up 一万五千零三 one character at a time."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.section = Decimal(0)
        """What stands since the last 万 or 亿."""
        self.digit: Decimal | None = None
        self.last_unit = 0
        self.smallest = self.largest = _NO_UNIT
        self.after_zero = False

    def takes(self, character: str, first: bool, han: HanNumbers) -> bool:
        """Add a character; False where the number has ended before it."""
        if character in han.digits:
            return self._take_digit(han.digits[character], first)
        if character in han.small:
            return self._take_small(han.small[character], first)
        return character in han.large and self._take_large(han.large[character])

    def value(self) -> Decimal:
        digit = self.digit or Decimal(0)
        # 一万五 is 15,000: a last digit counts the next lower unit, unless 零 says otherwise.
        if self.last_unit >= _HUNDRED and not self.after_zero:
            digit = digit.scaleb(self.last_unit - 1)
        return self.total + self.section + digit

    def _take_digit(self, value: int, first: bool) -> bool:
        if self.digit is not None:
            return False
        if value == 0 and not first:
            self.after_zero = True
        else:
            self.digit = Decimal(value)
        return True

    def _take_small(self, power: int, first: bool) -> bool:
        if power >= self.smallest or (self.digit is None and power != 1 and not first):
            return False
        self.section += (self.digit if self.digit is not None else Decimal(1)).scaleb(power)
        self.digit, self.last_unit, self.smallest, self.after_zero = None, power, power, False
        return True

    def _take_large(self, power: int) -> bool:
        counted = self.section + (self.digit or Decimal(0))
        if counted == 0 and self.total == 0:
            return False
        if counted == 0 or power > self.largest:
            self.total = (self.total + counted).scaleb(power)
        else:
            self.total += counted.scaleb(power)
        self.section, self.digit, self.after_zero = Decimal(0), None, False
        self.last_unit, self.smallest, self.largest = power, _NO_UNIT, power
        return True


def _composed(characters: str, place: int, han: HanNumbers) -> HanNumber | None:
    """一万五千, 三千零五十, 十二点五."""
    composition, length = _Composition(), 0
    for character in characters:
        if not composition.takes(character, length == 0, han):
            break
        length += 1
    if length == 0:
        return None
    decimals = _decimals(characters[length:], han)
    if decimals and composition.last_unit < _HUNDRED:
        rest = characters[length + 1 + len(decimals) :]
        return _with_decimals(composition.value(), decimals, rest, place + length, han)
    return HanNumber(place + length, composition.value(), Decimal(1))


def _decimals(rest: str, han: HanNumbers) -> str:
    if not rest.startswith(han.point):
        return ""
    digits = ""
    for character in rest[1:]:
        if character not in han.digits:
            break
        digits += str(han.digits[character])
    return digits


def _with_decimals(whole: Decimal, decimals: str, rest: str, end: int, han: HanNumbers) -> HanNumber:
    """一点五万亿: the decimals, and what they're multiplied with."""
    value, step = whole + Decimal(f"0.{decimals}"), Decimal(1).scaleb(-len(decimals))
    end += 1 + len(decimals)
    for character in rest:
        power = han.large.get(character, han.small.get(character))
        if power is None:
            break
        value, step, end = value.scaleb(power), step.scaleb(power), end + 1
    return HanNumber(end, value, step)
