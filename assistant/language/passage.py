"""One text read from left to right: dates, names that are no quantities, and amounts with the words around them."""

from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from assistant.language.amounts import Amount, AmountReader
from assistant.language.bounds import Manner, bound_words
from assistant.language.dates import DateReading, read_date, read_year
from assistant.language.figures import FigureReader
from assistant.language.han_numerals import phrase_that_is_no_number
from assistant.language.card_names import is_card
from assistant.language.identifiers import Names
from assistant.language.number_lists import number_lists, number_words
from assistant.language.ranges import between, share_units, with_tolerance, with_upper_end
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language
from assistant.language.unit_names import NamedUnit, UnitName, unit_names
from assistant.language.units import currencies, kind_of, unit_named

_MOST_FILLERS = 3


class Found(NamedTuple):
    """A date or an amount, with its place in the folded text."""

    start: int
    end: int
    amount: Amount | None = None
    date: DateReading | None = None


class PassageReader:
    """Reads the quantities of one text."""

    def __init__(self, tokens: Tokens, language: Language | None) -> None:
        self.tokens = tokens
        self.language = language
        self.units = unit_names(language)
        self.words = number_words(language)
        self.bounds = bound_words(language)
        self.names = Names(tokens, self.units, language)
        figures = FigureReader(tokens, language, self.words, self.units)
        self.amounts = AmountReader(tokens, language, figures, self.units, self.bounds)
        self.manners: dict[int, tuple[int, Manner]] = {}
        self.rates: dict[int, tuple[int, str]] = {}
        self.found: list[tuple[int, int, Amount | DateReading]] = []
        self.year = ""

    def read(self) -> list[Found]:
        place = 0
        while place < len(self.tokens):
            place = self._step(place)
        self._share_units()
        return [self._located(start, end, one) for start, end, one in self.found if self._counts(one)]

    def _step(self, place: int) -> int:
        """Read what starts at `place`; the place to go on from."""
        token = self.tokens[place]
        if token.kind == "name" and not self._times_behind_a_card(place):
            dated = read_date(self.tokens, place, self.language, self.year) if len(token.text) == 2 else None
            return self._take_date(place, dated) if dated else place + 1
        dated = self._date(place, token)
        if dated is not None:
            return self._take_date(place, dated)
        if token.kind == "number":
            end = self.names.end_of_name(place)
            if end is not None:
                return end
        if token.kind == "han":
            skipped = phrase_that_is_no_number(self.tokens, place)
            if skipped is not None:
                return skipped
        amount = self._amount(place)
        if amount is not None:
            self._take(amount)
            return max(amount.end, place + 1)
        return self._note_words(place)

    def _date(self, place: int, token: Token) -> DateReading | None:
        if token.kind == "symbol":
            return None
        dated = read_date(self.tokens, place, self.language, self.year)
        if dated is None and token.kind == "number" and len(token.text) == 4:
            dated = read_year(self.tokens, place, self._unit_behind(place + 1))
            if dated is not None and self._bound_to_name(place):
                return None
        return dated

    def _bound_to_name(self, place: int) -> bool:
        before = self.tokens.at(place - 1)
        glued = before.text in ("-", ".", "_", "#") and before.glued and self.tokens[place].glued
        return glued and self.tokens.at(place - 2).kind in ("word", "name")

    def _unit_behind(self, place: int) -> str:
        named = self.units.read(self.tokens, place)
        if named is None:
            return "letter" if self.tokens.at(place).glued and self.tokens.at(place).kind in ("word", "name") else ""
        unit = unit_named(named.unit)
        return "count" if unit is not None and unit.kind == "count" else named.unit

    def _take_date(self, place: int, dated: DateReading) -> int:
        self.found.append((place, dated.end, dated))
        if not dated.period.startswith("-"):
            self.year = dated.period[:4]
        end = dated.end
        following = self.tokens.at(end)
        if following.kind == "name" and following.glued and following.key.startswith("t"):
            end += 1
            while self.tokens.at(end).text == ":" and self.tokens.at(end + 1).kind in ("number", "name"):
                end += 2
        return end

    def _times_behind_a_card(self, place: int) -> bool:
        """The x8 of "H100 x8"."""
        token = self.tokens[place]
        return (
            token.key[0] == "x"
            and token.key[1:].isdigit()
            and len(token.key) <= 4
            and is_card(self.tokens.at(place - 1))
        )

    def _amount(self, place: int) -> Amount | None:
        token = self.tokens[place]
        cards = self._cards_behind(place)
        if cards is not None:
            return cards
        ranged = between(self.tokens, place, self._single, self.bounds)
        if ranged is not None:
            return ranged
        amount = self._single(place)
        if amount is None:
            return None
        amount = with_upper_end(self.tokens, amount, self._single, self.bounds) or amount
        amount = self._with_rate_behind(amount)
        amount = with_tolerance(self.tokens, amount, self._single, self.bounds)
        after = self.bounds.read_after(self.tokens, amount.end)
        if after is not None:
            amount = replace(amount, manner=amount.manner.with_(after[1]))
        return self._signed(amount, place)

    def _with_rate_behind(self, amount: Amount) -> Amount:
        """The /hr of $3.59–4.59/hr."""
        if not amount.unit_in_front or amount.unit not in currencies():
            return amount
        rate = self.units.with_per(self.tokens, NamedUnit(amount.end, UnitName(amount.unit)))
        return replace(amount, unit=rate.unit, end=rate.end) if rate.unit != amount.unit else amount

    def _cards_behind(self, place: int) -> Amount | None:
        """H100 ×8, H100 x8: the count behind the card."""
        token, number = self.tokens[place], self.tokens.at(place + 1)
        if token.kind == "name" and self._times_behind_a_card(place):
            return Amount(place, place + 1, Decimal(token.key[1:]), Decimal(1), "gpu")
        if token.text not in ("×", "*", "x") or not is_card(self.tokens.at(place - 1)):
            return None
        if number.kind != "number" or not number.text.isdigit() or len(number.text) > 4 or number.gap not in ("", " "):
            return None
        if self.units.read(self.tokens, place + 2) is not None:
            return None
        return Amount(place, place + 2, Decimal(number.text), Decimal(1), "gpu")

    def _single(self, place: int) -> Amount | None:
        """One amount, unless a date or a name stands there."""
        token = self.tokens.at(place)
        if token.kind == "number":
            if read_date(self.tokens, place, self.language, self.year) is not None:
                return None
            if self.names.end_of_name(place) is not None:
                return None
        return self.amounts.read(place)

    def _signed(self, amount: Amount, place: int) -> Amount:
        """-10 %, where the minus stands free in front."""
        sign, before = self.tokens.at(place - 1), self.tokens.at(place - 2)
        if sign.text != "-" or not self.tokens[place].glued or amount.low is not None:
            return amount
        if sign.glued and place >= 2 and before.text not in ("(", "|", "[", "=", ":", "~"):
            return amount
        if place == 1 and self.tokens.at(amount.end).kind == "word" and amount.unit not in ("%", "pp"):
            return amount
        return replace(amount, value=-amount.value, start=place - 1)

    def _take(self, amount: Amount) -> None:
        start = amount.start
        manner = amount.manner
        fillers = 0
        at = start
        while at > 0:
            known = self.manners.get(at)
            if known is not None:
                if not known[1].only_money or self._starts_at_price(amount):
                    manner = manner.with_(known[1])
                at = known[0]
            elif at in self.rates:
                amount = self._with_rate(amount, self.rates[at][1])
                break
            elif fillers < _MOST_FILLERS and self.tokens[at - 1].key in self._fillers(at):
                at, fillers = at - 1, fillers + 1
            else:
                break
        self.found.append((start, amount.end, replace(amount, manner=manner)))

    def _starts_at_price(self, amount: Amount) -> bool:
        """True for "from $1.99", but not for "from $3.90 to $2.18"."""
        money = amount.unit.partition("/")[0] in currencies()
        return money and not self.bounds.range.longest(self.tokens, amount.end)

    def _fillers(self, place: int) -> frozenset[str]:
        return self.bounds.fillers | self.units.fillers if self.rates else self.bounds.fillers

    def _with_rate(self, amount: Amount, below: str) -> Amount:
        """每小时 15 元: what stands in front says per what."""
        money = amount.unit in currencies()
        if not money and not (below == "s" and kind_of(amount.unit) in ("memory", "count") and amount.unit):
            return amount
        return replace(amount, unit=f"{amount.unit}/{below}")

    def _note_words(self, place: int) -> int:
        """Remember the words of approximation, limit and rate that end where a number may begin; the next place."""
        manner = self.bounds.before.longest(self.tokens, place)
        if manner is not None:
            self.manners.setdefault(manner[0], (place, manner[1]))
        rate = self.units.before.longest(self.tokens, place)
        if rate is not None:
            self.rates.setdefault(rate[0], (place, rate[1]))
            return max(rate[0], place + 1)
        return place + 1

    def _share_units(self) -> None:
        amounts = [one for _, _, one in self.found if isinstance(one, Amount)]
        shared = iter(share_units(self.tokens, amounts, self.bounds))
        self.found = [(start, end, next(shared) if isinstance(one, Amount) else one) for start, end, one in self.found]

    def _counts(self, one: Amount | DateReading) -> bool:
        """A single "one" or 一 is only a number where a unit makes it one."""
        if isinstance(one, DateReading):
            return True
        return not (one.weak and one.bare) or self._half_of(one)

    def _half_of(self, amount: Amount) -> bool:
        """True for half of, de helft and 一半, which need no unit to be numbers."""
        lists = number_lists()
        first, behind = self.tokens[amount.start], self.tokens.at(amount.end)
        if amount.step == 1 or self.tokens.at(amount.start - 1).key in lists.half_not_behind:
            return False
        return behind.key in lists.half_of or first.key in ("helft", "halvdelen", "det") or first.kind == "han"

    def _located(self, start: int, end: int, one: Amount | DateReading) -> Found:
        if isinstance(one, DateReading):
            return Found(self.tokens[start].start, self.tokens[end - 1].end, date=one)
        if one.weak and one.bare:
            one = replace(one, unit="x")
        return Found(self.tokens[one.start].start, self.tokens[one.end - 1].end, amount=one)
