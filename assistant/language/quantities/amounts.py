"""Reads one amount: its number with the currency or 百分之 in front of it, and the unit behind it."""

from dataclasses import replace
from decimal import Decimal

from assistant.language.card_names import names_a_card
from assistant.language.quantities.amount import OTHER_SEPARATOR, Amount, Other, likeliest
from assistant.language.quantities.bounds import AS_WRITTEN, BoundWords
from assistant.language.quantities.counted import CountedThings
from assistant.language.quantities.figures import Figure, FigureReader
from assistant.language.quantities.number_lists import number_lists
from assistant.language.quantities.shares import read_share
from assistant.language.quantities.unit_names import NamedUnit, UnitName, UnitNames
from assistant.language.quantities.units import currencies, unit_named
from assistant.language.tokens import Tokens
from assistant.language.tongue import Language

_SHOP_CURRENCIES: dict[Language | None, str] = {"da": "DKK", "nl": "EUR"}


class AmountReader:
    """Reads single amounts of one text."""

    def __init__(
        self, tokens: Tokens, language: Language | None, figures: FigureReader, units: UnitNames, bounds: BoundWords
    ) -> None:
        self.tokens = tokens
        self.language = language
        self.figures = figures
        self.units = units
        self.bounds = bounds
        self.counted = CountedThings(tokens, language, units)

    def read(self, place: int) -> Amount | None:
        """The amount that starts at a token: with its currency, 百分之 or "factor" in front, or with its number."""
        return self._multiple(place) or self._unit_first(place) or self._money(place) or self._number_first(place)

    def _multiple(self, place: int) -> Amount | None:
        """twice, dobbelt, 翻倍; 双 4090."""
        words, tokens = self.figures.words, self.tokens
        found = words.multiples.longest(tokens, place)
        if found is not None:
            following = tokens.at(found[0])
            if following.near and (following.key in words.lists.not_multiples or following.text == "-"):
                return None
            return Amount(place, found[0], found[1], Decimal(1), "x")
        cards = words.lists.han.cards.get(tokens.at(place).text)
        if cards is not None and (names_a_card(tokens, place + 1) or tokens.at(place + 1).text == "卡"):
            return Amount(place, place + 1, Decimal(cards), Decimal(1), "gpu")
        return None

    def _unit_first(self, place: int) -> Amount | None:
        """百分之三十, a factor of 3."""
        marker = self.figures.words.unit_before.longest(self.tokens, place)
        figure = self.figures.read(marker[0]) if marker else None
        if marker is None or figure is None:
            return None
        return self._amount(place, figure, NamedUnit(figure.end, UnitName(marker[1])), in_front=True)

    def _money(self, place: int) -> Amount | None:
        """€ 1.299,95, US$2.50 per GPU-hour, kr. 12.999,-."""
        money = self.units.money_in_front(self.tokens, place)
        if money is None:
            return None
        figure = self.figures.read(self._past_sign(money.end), money=True) if self.tokens.at(money.end).near else None
        if figure is None:
            return None
        end = _past_dash(self.tokens, figure.end)
        behind = self.units.read(self.tokens, end)
        if behind is not None and behind.unit.partition("/")[0] == money.unit:
            return self._amount(place, figure, behind, in_front=True)
        after = self.bounds.read_after(self.tokens, end)
        rate = self.units.with_per(self.tokens, NamedUnit(after[0] if after else end, money.name))
        return self._amount(place, figure, rate if "/" in rate.unit else rate._replace(end=end), in_front=True)

    def _past_sign(self, place: int) -> int:
        """Past the ~ or - of $~5 and $-5."""
        number = self.tokens.at(place + 1)
        signed = self.tokens.at(place).text in ("~", "-") and number.kind == "number" and number.glued
        return place + 1 if signed else place

    def _number_first(self, place: int) -> Amount | None:
        figure = self.figures.read(place)
        if figure is None:
            return None
        share = read_share(self.tokens, place, figure, self.figures, self.units)
        if share is not None:
            return share
        end, manner = figure.end, AS_WRITTEN
        after = self.bounds.read_after(self.tokens, end)
        if after is not None and self._unit_at(end) is None:
            end, manner = after
        named = self._unit_after_letter(figure, end) if figure.unit else self._unit_at(end)
        if named is not None and self.counted.qualifies_a_noun(named, end):
            named = None
        amount = self._amount(place, figure, named)
        if named is None:
            amount = self.counted.give_unit(amount, end)
        if manner == AS_WRITTEN:
            return amount
        return replace(amount.with_manner(manner), end=max(amount.end, end))

    def _unit_after_letter(self, figure: Figure, end: int) -> NamedUnit:
        """The word that says again what the letter said (70B parameters, 32k tokens), or what it's per (80G/s)."""
        named = self.units.read(self.tokens, end)
        if named is not None and named.unit.partition("/")[0] == figure.unit:
            return named
        return self.units.with_per(self.tokens, NamedUnit(figure.end, UnitName(figure.unit)))

    def _unit_at(self, place: int) -> NamedUnit | None:
        named = self.units.read(self.tokens, place)
        if named is None or self._opens_the_next(named, place):
            return self._shop_price(place)
        return self._times(named, place) if named.unit == "x" else named

    def _opens_the_next(self, named: NamedUnit, place: int) -> bool:
        """True for the sign of "5 $3.99", which belongs to the number behind it."""
        sign, number = self.tokens.at(place), self.tokens.at(named.end)
        apart = sign.gap != "" and not sign.text.isalpha()
        return named.unit in currencies() and apart and number.kind == "number" and number.glued

    def _shop_price(self, place: int) -> NamedUnit | None:
        """12.999,- in shops: kroner in Danish, euros in Dutch."""
        end = _past_dash(self.tokens, place)
        named = self.units.read(self.tokens, end) if end != place else None
        if named is not None and named.unit.partition("/")[0] in currencies():
            return named
        unit = _SHOP_CURRENCIES.get(self.language)
        return self.units.with_per(self.tokens, NamedUnit(end, UnitName(unit))) if unit and end != place else None

    def _times(self, named: NamedUnit, place: int) -> NamedUnit:
        """8x H100 counts cards; 8 × 80 GB counts; 3.3x is a multiple."""
        following = self.tokens.at(named.end)
        if self.tokens[place].text not in ("x", "X", "×") or not following.near:
            return named
        if following.kind == "number" and not names_a_card(self.tokens, named.end):
            return NamedUnit(named.end, UnitName(""))
        return self.counted.noun(named.end) or named

    def _amount(self, place: int, figure: Figure, named: NamedUnit | None, in_front: bool = False) -> Amount:
        name = named.name if named else UnitName("")
        homes = name.homes or figure.homes
        reading = likeliest(figure.readings, self.language, homes, name.unit, figure.power > 0)
        amount = Amount(
            place,
            max(figure.end, named.end if named else 0),
            reading.value * name.times,
            reading.step * name.times,
            name.unit,
            figure.manner,
            figure.weak,
            figure.power,
            in_front,
            readings=figure.readings,
            language=self.language,
            others=(*_other_separators(figure, reading, name), *_other_sizes(figure, reading.value, name)),
        )
        return self._with_half_behind(amount)

    def _with_half_behind(self, amount: Amount) -> Amount:
        """一年半, 3 小时半, 一倍半."""
        token = self.tokens.at(amount.end)
        if token.text != number_lists().han.half or not token.glued:
            return amount
        unit = unit_named(amount.unit)
        takes_half = unit is not None and unit.kind in ("duration", "multiple")
        return amount.with_half_more(amount.end + 1) if takes_half else amount


def _other_separators(figure: Figure, taken: object, name: UnitName) -> list[Other]:
    return [
        Other(reading.value * name.times, name.unit, OTHER_SEPARATOR)
        for reading in figure.readings
        if reading is not taken
    ]


def _other_sizes(figure: Figure, value: Decimal, name: UnitName) -> list[Other]:
    """What a letter (G), a word (billion) or a sign (¥) can also mean."""
    others = [
        Other(value * other.factor, other.unit or name.unit, other.reason)
        for other in figure.others
        if other.factor != 1 or (other.unit or name.unit) != name.unit
    ]
    if name.other:
        _money, _, below = name.unit.partition("/")
        unit = f"{name.other}/{below}" if below else name.other
        others.append(Other(value * name.times, unit, name.reason))
    return others


def _past_dash(tokens: Tokens, place: int) -> int:
    """Past the ,- or ,-- behind a price without cents."""
    comma, dash, following = (tokens.at(place + step) for step in range(3))
    if comma.text not in (",", ".") or not comma.glued or dash.text not in ("-", "—") or not dash.glued:
        return place
    if following.glued and following.kind in ("number", "word", "name"):
        return place
    return place + 3 if following.text == "-" and following.glued else place + 2
