"""The words in front of an amount: about, at most, from, and the "per hour" that comes first."""

from dataclasses import replace

from assistant.language.quantities.amount import Amount
from assistant.language.quantities.bounds import AS_WRITTEN, BoundWords, Manner
from assistant.language.quantities.unit_names import UnitNames
from assistant.language.quantities.units import currencies, kind_of
from assistant.language.tokens import Tokens

_MOST_FILLERS = 4
_FARTHEST = 12


class BeforeWords:
    """Remembers such words of one text by the place where they end, until a number begins there."""

    def __init__(self, tokens: Tokens, units: UnitNames, bounds: BoundWords) -> None:
        self.tokens = tokens
        self.units = units
        self.bounds = bounds
        self.manners: dict[int, tuple[int, Manner]] = {}
        self.rates: dict[int, tuple[int, str]] = {}
        self.far: tuple[int, Manner] | None = None

    def note(self, place: int) -> int:
        """Remember the words that start at `place`; the place to read on from."""
        manner = self.bounds.before.longest(self.tokens, place)
        if manner is not None:
            self.manners.setdefault(manner[0], (place, manner[1]))
            if "".join(token.text for token in self.tokens[place : place + 2]) in self.bounds.far:
                self.far = manner
        rate = self.units.before.longest(self.tokens, place)
        if rate is None:
            return place + 1
        self.rates.setdefault(rate[0], (place, rate[1]))
        return rate[0]

    def apply(self, amount: Amount) -> Amount:
        """`amount` as the words in front of it say that it's meant; a few small words may stand in between."""
        at, fillers = amount.start, 0
        amount = amount.with_manner(self._from_afar(amount))
        while at > 0:
            manner = self.manners.get(at)
            if manner is not None:
                if not manner[1].only_money or self._is_lowest_price(amount):
                    amount = amount.with_manner(manner[1])
                at = manner[0]
            elif at in self.rates:
                return self._with_rate(amount, self.rates[at][1])
            elif fillers < _MOST_FILLERS and self._is_filler(at - 1):
                at, fillers = at - 1, fillers + 1
            else:
                break
        return amount

    def _from_afar(self, amount: Amount) -> Manner:
        """The 最高 of "最高达到 ROCm 7 的 3.3 倍", up to the next number and the end of the clause."""
        if self.far is None:
            return AS_WRITTEN
        end, manner = self.far
        self.far = None
        between = self.tokens[end : amount.start]
        same_clause = all(token.kind in ("han", "word", "name", "number") for token in between)
        return manner if same_clause and len(between) <= _FARTHEST else AS_WRITTEN

    def _is_filler(self, place: int) -> bool:
        key = self.tokens[place].key
        return key in self.bounds.fillers or (bool(self.rates) and key in self.units.fillers)

    def _is_lowest_price(self, amount: Amount) -> bool:
        """True for "from $1.99", but not for "from $3.90 to $2.18"."""
        money = amount.unit.partition("/")[0] in currencies()
        return money and not self.bounds.range.longest(self.tokens, amount.end)

    def _with_rate(self, amount: Amount, below: str) -> Amount:
        money = amount.unit in currencies()
        a_second = below == "s" and amount.unit and kind_of(amount.unit) in ("memory", "count")
        return replace(amount, unit=f"{amount.unit}/{below}") if money or a_second else amount
