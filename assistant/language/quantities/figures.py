"""The number of a quantity, without its unit: digits or words, and the million or 亿 behind them."""

from decimal import Decimal
from typing import NamedTuple

from assistant.language.quantities.bounds import AS_WRITTEN, Manner
from assistant.language.quantities.han_numerals import (
    HanScale,
    phrase_that_is_no_number,
    read_han_number,
    read_han_scale,
)
from assistant.language.quantities.number_lists import NumberWords, number_lists
from assistant.language.quantities.number_words import read_number_words
from assistant.language.quantities.numerals import Reading, read_numeral
from assistant.language.quantities.size_letters import OtherSize, SizeLetter, read_size_letter
from assistant.language.quantities.unit_names import UnitNames
from assistant.language.tokens import Tokens
from assistant.language.tongue import Language

_SIZES = frozenset("百千万亿")


class Figure(NamedTuple):
    """A number up to the token `end`, with every reading it has; `unit` where a letter (70B, 80G) already names one."""

    end: int
    readings: tuple[Reading, ...]
    unit: str = ""
    weak: bool = False
    power: int = 0
    """The power of ten that a word or letter multiplied it with: 9 for 70 billion."""
    homes: frozenset[Language] = frozenset()
    others: tuple[OtherSize, ...] = ()
    manner: Manner = AS_WRITTEN
    """How the number itself says that it's meant: 七十多亿 is somewhat more, 千亿 is a size rather than a count."""


class FigureReader:
    """Reads the numbers of one text."""

    def __init__(self, tokens: Tokens, language: Language | None, words: NumberWords, units: UnitNames) -> None:
        self.tokens = tokens
        self.language = language
        self.words = words
        self.units = units

    def read(self, place: int, money: bool = False) -> Figure | None:
        """The figure that starts at a token; `money` where a currency stands in front of it."""
        token = self.tokens.at(place)
        if token.kind in ("number", "symbol"):
            return self._in_digits(place, money)
        if token.kind == "word":
            written = read_number_words(self.tokens, place, self.words)
            if written is None:
                return None
            others = tuple(
                OtherSize(Decimal(1).scaleb(power), "", "the word is another power of ten elsewhere")
                for power in written.other_powers
            )
            reading = Reading(written.value, written.step, "plain")
            return Figure(written.end, (reading,), weak=written.weak, power=written.power, others=others)
        if token.kind == "han" and phrase_that_is_no_number(self.tokens, place) is None:
            share = self.words.fractions.longest(self.tokens, place)
            if share is not None:
                return Figure(share[0], (Reading(share[1], share[1] / 5, "plain"),), weak=True)
            number = read_han_number(self.tokens, place)
            if number is not None:
                rough = Manner(approximate=number.end > place + 1 and token.text in _SIZES)
                reading = Reading(number.value, number.step, "plain")
                figure = Figure(number.end, (reading,), weak=number.weak, manner=rough)
                return self._more(figure) or figure
        return None

    def _in_digits(self, place: int, money: bool) -> Figure | None:
        numeral = read_numeral(self.tokens, place)
        if numeral is None:
            return None
        figure = Figure(numeral.end, numeral.readings)
        letter = read_size_letter(self.tokens, numeral.end, self.language, money)
        if letter is not None:
            return _with_letter(figure, letter)
        return self._with_scale(figure)

    def _with_scale(self, figure: Figure) -> Figure:
        while True:
            scaled = self._by_word(figure) or self._by_characters(figure) or self._more(figure)
            if scaled is None:
                return figure
            figure = scaled

    def _by_word(self, figure: Figure) -> Figure | None:
        at = figure.end
        token = self.tokens.at(at)
        if token.text == "-" and token.glued and self.tokens.at(at + 1).glued:
            at += 1
        if not self.tokens.at(at).near:
            return None
        half = self.words.half_added.longest(self.tokens, at)
        if half is not None and not figure.power and figure.readings[0].separator == "plain":
            reading = figure.readings[0]
            return figure._replace(end=half[0], readings=(Reading(reading.value + half[1], half[1] / 5, "plain"),))
        found = self.words.scales.longest(self.tokens, at)
        if found is None:
            return None
        end, scale = found
        others = tuple(
            OtherSize(Decimal(1).scaleb(power - scale.power), "", "the word is another power of ten elsewhere")
            for power in scale.others
        )
        return _times(figure, end, scale.power)._replace(homes=scale.homes, others=others)

    def _by_characters(self, figure: Figure) -> Figure | None:
        """亿 behind digits, and the 2000万 of 1亿2000万 or the 5 of 3万5."""
        if self._is_unit(figure.end):
            return None
        scale = read_han_scale(self.tokens, figure.end)
        if scale is None:
            return None
        end = next((at for at in range(figure.end + 1, scale.end) if self._is_unit(at)), scale.end)
        power = scale.power if end == scale.end else _power(self.tokens, figure.end, end)
        scaled = _times(figure, end, power)
        return self._with_lower_part(scaled, power)

    def _more(self, figure: Figure) -> Figure | None:
        """The 多亿 of 70多亿."""
        sign = self.tokens.at(figure.end)
        if figure.manner.bound or sign.kind != "han" or sign.text not in number_lists().han.more:
            return None
        more = figure._replace(end=figure.end + 1, manner=Manner(bound="at_least"), weak=False)
        letter = read_size_letter(self.tokens, figure.end + 1, "zh", money=False)
        return _with_letter(more, letter) if letter else self._by_characters(more)

    def _is_unit(self, place: int) -> bool:
        """True for 千瓦 and 兆瓦, where the character belongs to the unit."""
        found = self.units.names.longest(self.tokens, place)
        return found is not None and found[0] > place + 1

    def _goes_on(self, place: int) -> bool:
        """True where a single digit behind 万 is no thousands: a unit or another letter follows it."""
        token = self.tokens.at(place)
        glued = token.glued and (token.kind in ("word", "name", "number") or token.text in (".", "%", "-"))
        return glued or self.units.read(self.tokens, place) is not None

    def _with_lower_part(self, figure: Figure, power: int) -> Figure:
        token = self.tokens.at(figure.end)
        if token.kind != "number" or not token.glued or not token.text.isdigit():
            return figure
        scale = read_han_scale(self.tokens, figure.end + 1)
        if scale is None and len(token.text) == 1 and power >= 4 and not self._goes_on(figure.end + 1):
            scale = HanScale(figure.end + 1, power - 1)
        if scale is None or scale.power >= power or self._is_unit(figure.end + 1):
            return figure
        part = Decimal(token.text).scaleb(scale.power)
        readings = tuple(
            reading._replace(value=reading.value + part, step=Decimal(1).scaleb(scale.power))
            for reading in figure.readings
        )
        return figure._replace(end=scale.end, readings=readings)


def _with_letter(figure: Figure, letter: SizeLetter) -> Figure:
    scaled = _times(figure, letter.end, letter.power)
    return scaled._replace(unit=letter.unit, others=letter.others)


def _times(figure: Figure, end: int, power: int) -> Figure:
    readings = tuple(
        reading._replace(value=reading.value.scaleb(power), step=reading.step.scaleb(power))
        for reading in figure.readings
    )
    return figure._replace(end=end, readings=readings, power=figure.power + power)


def _power(tokens: Tokens, start: int, end: int) -> int:
    han = number_lists().han
    return sum(han.small.get(tokens[at].text, han.large.get(tokens[at].text, 0)) for at in range(start, end))
