"""One text read from left to right: dates, names that are no quantities, and amounts with the words around them."""

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assistant.language.card_names import is_card
from assistant.language.quantities.amount import Amount
from assistant.language.quantities.amounts import AmountReader
from assistant.language.quantities.before_words import BeforeWords
from assistant.language.quantities.bounds import bound_words
from assistant.language.quantities.date_parts import DateReading
from assistant.language.quantities.date_words import date_words
from assistant.language.quantities.dates import read_date, read_year
from assistant.language.quantities.figures import FigureReader
from assistant.language.quantities.han_numerals import phrase_that_is_no_number
from assistant.language.quantities.identifiers import Names
from assistant.language.quantities.number_lists import number_lists, number_words
from assistant.language.quantities.number_words import word_value
from assistant.language.quantities.ranges import between, share_units, with_tolerance, with_upper_end
from assistant.language.quantities.unit_names import NamedUnit, UnitName, unit_names
from assistant.language.quantities.units import currencies
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_MOST_CARD_DIGITS = 4
_SIGN_NEIGHBOURS = ("(", "|", "[", "=", ":", "~")


class Found(NamedTuple):
    """A date or an amount, with its place in the folded text."""

    start: int
    end: int
    what: Amount | DateReading


class PassageReader:
    """Reads the quantities of one text."""

    def __init__(self, tokens: Tokens, language: Language | None) -> None:
        self.tokens = tokens
        self.language = language
        self.units = unit_names(language)
        self.bounds = bound_words(language)
        self.starters = _starters(language)
        self.names = Names(tokens, self.units, language)
        self.before = BeforeWords(tokens, self.units, self.bounds)
        figures = FigureReader(tokens, language, number_words(language), self.units)
        self.amounts = AmountReader(tokens, language, figures, self.units, self.bounds)
        self.dates: list[tuple[int, DateReading]] = []
        self.found: list[Amount] = []

    def read(self) -> list[Found]:
        """The dates and amounts of the text, in order."""
        place = 0
        while place < len(self.tokens):
            place = self._step(place)
        shared = share_units(self.tokens, self.found, self.bounds)
        counted = [self._half_as_share(amount) for amount in shared if self._counts(amount)]
        found = [self._located(amount.start, amount.end, amount) for amount in counted]
        found += [self._located(start, dated.end, dated) for start, dated in self.dates]
        return sorted(found, key=lambda one: one.start)

    def _step(self, place: int) -> int:
        """Read what starts at `place`; the place to go on from."""
        token = self.tokens[place]
        if self._is_passed_over(place, token):
            return place + 1
        dated = self._date(place, token)
        if dated is not None:
            self.dates.append((place, dated))
            return self._past_time_of_day(dated.end)
        past_name = self._past_name(place, token)
        if past_name is not None:
            return past_name
        amount = self._amount(place)
        if amount is not None:
            self.found.append(self.before.apply(amount))
            return max(amount.end, place + 1)
        return self.before.note(place)

    def _is_passed_over(self, place: int, token: Token) -> bool:
        """True for words that nothing can begin with, and for words inside others: time-to-market, model.to(device)."""
        if token.kind != "word":
            return False
        if token.key not in self.starters and word_value(token.key) is None:
            return True
        return self._is_joined(place) and not self.units.money_in_front(self.tokens, place)

    def _is_joined(self, place: int) -> bool:
        """True where a hyphen or dot joins the token to a word in front of it."""
        joint = self.tokens.at(place - 1)
        glued = joint.text in ("-", ".", "_", "#") and joint.glued and self.tokens[place].glued
        return glued and self.tokens.at(place - 2).kind in ("word", "name")

    def _date(self, place: int, token: Token) -> DateReading | None:
        if token.kind == "symbol" or (token.kind == "name" and len(token.text) > 2):
            return None
        dated = read_date(self.tokens, place, self.language)
        if dated is not None or token.kind != "number" or self._is_joined(place):
            return dated
        return read_year(self.tokens, place, self.names.unit_behind(place + 1))

    def _past_time_of_day(self, end: int) -> int:
        """Past the T10:00 of a date with a time."""
        following = self.tokens.at(end)
        if following.kind == "name" and following.glued and following.key.startswith("t"):
            end += 1
            while self.tokens.at(end).text == ":" and self.tokens.at(end + 1).kind in ("number", "name"):
                end += 2
        return end

    def _past_name(self, place: int, token: Token) -> int | None:
        if token.kind == "number":
            return self.names.end_of_name(place)
        if token.kind == "name" and not self._counts_cards(place):
            return place + 1
        return phrase_that_is_no_number(self.tokens, place) if token.kind == "han" else None

    def _amount(self, place: int) -> Amount | None:
        found = self._cards_behind(place) or between(self.tokens, place, self._single, self.bounds)
        if found is not None:
            return found
        amount = self.amounts.read(place)
        if amount is None:
            return None
        amount = with_upper_end(self.tokens, amount, self._single, self.bounds) or amount
        amount = self._with_rate_behind(amount)
        amount = with_tolerance(self.tokens, amount, self._single, self.bounds)
        after = self.bounds.read_after(self.tokens, amount.end)
        return self._signed(amount.with_manner(after[1]) if after else amount, place)

    def _single(self, place: int) -> Amount | None:
        """One amount, unless a date or a name stands there."""
        token = self.tokens.at(place)
        if token.kind == "number" and (self._date(place, token) or self.names.end_of_name(place) is not None):
            return None
        return self.amounts.read(place)

    def _with_rate_behind(self, amount: Amount) -> Amount:
        """The /hr of $3.59–4.59/hr."""
        if not amount.unit_in_front or amount.unit not in currencies():
            return amount
        rate = self.units.with_per(self.tokens, NamedUnit(amount.end, UnitName(amount.unit)))
        return replace(amount, unit=rate.unit, end=rate.end) if rate.unit != amount.unit else amount

    def _counts_cards(self, place: int) -> bool:
        """True for the x8 of "H100 x8"."""
        key = self.tokens[place].key
        count = key[0] == "x" and key[1:].isdigit() and len(key) <= _MOST_CARD_DIGITS + 1
        return count and is_card(self.tokens.at(place - 1))

    def _cards_behind(self, place: int) -> Amount | None:
        """H100 ×8, H100 x8: the count behind the card."""
        token, number = self.tokens[place], self.tokens.at(place + 1)
        if token.kind == "name" and self._counts_cards(place):
            return Amount(place, place + 1, Decimal(token.key[1:]), Decimal(1), "gpu")
        if token.text not in ("×", "*", "x") or not is_card(self.tokens.at(place - 1)):
            return None
        if number.kind != "number" or not number.text.isdigit() or number.gap not in ("", " "):
            return None
        if len(number.text) > _MOST_CARD_DIGITS or self.units.read(self.tokens, place + 2) is not None:
            return None
        return Amount(place, place + 2, Decimal(number.text), Decimal(1), "gpu")

    def _signed(self, amount: Amount, place: int) -> Amount:
        """-10 %, where the minus stands free in front; a dash that opens a list item is no minus."""
        sign, before = self.tokens.at(place - 1), self.tokens.at(place - 2)
        if sign.text != "-" or not self.tokens[place].glued:
            return amount
        if sign.glued and place >= 2 and before.text not in _SIGN_NEIGHBOURS:
            return amount
        if place == 1 and self.tokens.at(amount.end).kind == "word" and amount.unit not in ("%", "pp"):
            return amount
        if amount.low is not None:
            return replace(amount, low=-amount.low, start=place - 1)
        return replace(amount, value=-amount.value, start=place - 1)

    def _counts(self, amount: Amount) -> bool:
        """A single "one" or 一 is only a number where a unit makes it one; half of, de helft and 一半 need none."""
        if not (amount.weak and amount.bare):
            return True
        lists = number_lists()
        first, behind = self.tokens[amount.start], self.tokens.at(amount.end)
        if amount.step == 1 or self.tokens.at(amount.start - 1).key in lists.half_not_behind:
            return False
        return (
            behind.key in lists.half_of
            or first.key in lists.definite_halves
            or (first.kind == "han" and amount.end == amount.start + len("一半"))
        )

    def _half_as_share(self, amount: Amount) -> Amount:
        return replace(amount, unit="x") if amount.weak and amount.bare else amount

    def _located(self, start: int, end: int, what: Amount | DateReading) -> Found:
        return Found(self.tokens[start].start, self.tokens[end - 1].end, what)


@lru_cache(maxsize=8)
def _starters(language: Language | None) -> frozenset[str]:
    """The words at which something may begin; all others are passed over, which most words of a text are."""
    units, words, bounds, dates = unit_names(language), number_words(language), bound_words(language), date_words()
    first_keys = [
        phrases.first_keys
        for phrases in (units.money_before, units.before, words.fractions, words.multiples, words.unit_before)
    ]
    first_keys += [bounds.before.first_keys, bounds.open.first_keys, dates.months.first_keys, dates.quarters.first_keys]
    first_keys += [phrases.first_keys for phrases in (dates.ordinals, dates.last_quarter, dates.parts_before)]
    numbers = (words.below_hundred, words.hundred, words.thousand, words.articles, words.groups)
    return frozenset().union(*first_keys, *numbers)
