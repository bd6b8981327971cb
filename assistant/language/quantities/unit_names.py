"""Units as texts spell them, in four languages: GB, gigabyte, 千瓦, $, kr., per uur, i timen, 每小时."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from assistant.language.card_names import adjectives
from assistant.language.characters import fold
from assistant.language.lexical_data import by_precedence
from assistant.language.phrases import Phrases
from assistant.language.quantities.number_lists import number_words
from assistant.language.quantities.units import Currency, Unit, currencies, dimension_of, unit_lists
from assistant.language.tokens import Tokens, tokenize
from assistant.language.tongue import Language

_TIMES = ("time", "calendar")
_PER_TIME = {"data", "tokens", "requests", "images", "samples", "frames", "steps", "operations"}


class UnitName(NamedTuple):
    """A unit spelled out; `times` is the size of a minor unit (cents) in it, `homes` where the spelling is at home."""

    unit: str
    times: Decimal = Decimal(1)
    homes: frozenset[Language] = frozenset()
    other: str = ""
    """Another unit that the same sign stands for."""
    reason: str = ""


class NamedUnit(NamedTuple):
    """A unit in a text, up to the token `end`."""

    end: int
    name: UnitName

    @property
    def unit(self) -> str:
        return self.name.unit


class UnitNames:
    """The spellings to read text of one language with."""

    def __init__(self, language: Language | None) -> None:
        lists = unit_lists()
        self.language = language
        self.names: Phrases[UnitName] = Phrases()
        self.per_names: Phrases[UnitName] = Phrases()
        self.money_before: Phrases[UnitName] = Phrases()
        for own in by_precedence(language):
            for unit in lists.units:
                self._add_words(unit, own, language, Decimal(1))
            for currency in lists.currencies:
                self._add_words(currency, own, language, currency.times)
        for unit in lists.units:
            self._add_symbols(unit)
        for currency in lists.currencies:
            self._add_signs(currency)
        self._add_shared_signs(language)
        self.not_units = _phrases(lists.not_units)
        self.markers = _phrases(lists.per.markers)
        self.loosely = _phrases(lists.per.loosely)
        self.scopes = _phrases(lists.per.scopes)
        self.behind = _values(lists.per.behind)
        self.before = _values(lists.per.before)
        self.fillers = lists.per.fillers
        for unit_name, spellings in lists.per.after_marker.items():
            self.per_names.add_all(spellings, UnitName(unit_name))

    def _add_words(self, unit: Unit | Currency, own: Language, language: Language | None, times: Decimal) -> None:
        name = UnitName(unit.unit, times, _homes(unit, own))
        self.names.add_all(unit.words.get(own, ()), name)
        self.per_names.add_all(unit.words.get(own, ()), name)
        self.per_names.add_all(unit.own_words.get(own, ()), name)
        if own == language:
            self.names.add_all(unit.own_words.get(own, ()), name, replace=True)

    def _add_symbols(self, unit: Unit) -> None:
        name = UnitName(unit.unit)
        for names in (self.names, self.per_names):
            names.add_all(unit.symbols, name, exact=True)
            names.add_all(unit.loose, name)

    def _add_signs(self, currency: Currency) -> None:
        home: frozenset[Language] = frozenset({"da"}) if currency.unit == "DKK" else frozenset()
        name = UnitName(currency.unit, currency.times, home)
        for sign in currency.before:
            self.money_before.add(sign, name, exact=True)
            self.names.add(sign, name, exact=True)

    def _add_shared_signs(self, language: Language | None) -> None:
        for shared in unit_lists().shared_signs:
            sure = language == "zh"
            name = UnitName(shared.usual, other="" if sure else shared.other, reason=shared.reason)
            self.money_before.add(shared.sign, name, exact=True)
            self.names.add(shared.sign, name, exact=True)

    def read(self, tokens: Tokens, place: int) -> NamedUnit | None:
        """The unit at `place`, with what it's per: GB, TB/s, € … per uur. "80-GB" and "2-gigawatt" hold one too."""
        joined, place = place, past_hyphen(tokens, place)
        if not tokens.at(place).near:
            return None
        found = self.names.longest(tokens, place)
        if found is None:
            return self._start_of_compound(tokens, place) if joined != place else None
        end, name = found
        if not _whole_word(tokens, end) or self.not_units.longest(tokens, place):
            return None
        return self.with_per(tokens, NamedUnit(end, name))

    def _start_of_compound(self, tokens: Tokens, place: int) -> NamedUnit | None:
        """The bits of 16-bitsgewichten."""
        token = tokens.at(place)
        if token.kind != "word":
            return None
        start = next((start for start in unit_lists().compound_starts if token.key.startswith(start)), None)
        name = self.names.longest(tokenize(fold(start)), 0) if start else None
        return NamedUnit(place + 1, name[1]) if name else None

    def money_in_front(self, tokens: Tokens, place: int) -> NamedUnit | None:
        """A currency at `place` that stands in front of its amount."""
        found = self.money_before.longest(tokens, place)
        return NamedUnit(*found) if found else None

    def with_per(self, tokens: Tokens, named: NamedUnit) -> NamedUnit:
        """Take along what the unit is per, where that makes a rate; what it's for (per GPU) is passed over."""
        end, scoped = named.end, False
        for _ in range(3):
            step = self._per(tokens, end, named.unit, scoped)
            if step is None:
                break
            end, below = step
            if below:
                return NamedUnit(end, named.name._replace(unit=f"{named.unit}/{below}"))
            scoped = True
        return named

    def _per(self, tokens: Tokens, place: int, above: str, scoped: bool) -> tuple[int, str] | None:
        """One "per …" at `place`: the place behind it and the unit below the line, or "" for a scope."""
        if not tokens.at(place).near:
            return None
        fits = _fits(above)
        behind = self.behind.longest(tokens, place)
        if behind is not None and fits(behind[1]):
            return behind
        marker = self.markers.longest(tokens, place)
        if marker is None:
            return self._loosely(tokens, place, fits) or (self._time_of_scope(tokens, place, fits) if scoped else None)
        return self._below(tokens, marker[0], fits)

    def _below(self, tokens: Tokens, place: int, fits: Callable[[str], bool]) -> tuple[int, str] | None:
        if not tokens.at(place).near:
            return None
        many = self._many_tokens(tokens, place)
        if many is not None and fits(many[1]):
            return many
        scope = self.scopes.longest(tokens, place)
        if scope is not None:
            return self._time_of_scope(tokens, scope[0], fits) or (scope[0], "")
        name = self.per_names.longest(tokens, place)
        if name is not None and fits(name[1].unit) and _whole_word(tokens, name[0]):
            return name[0], name[1].unit
        return None

    def _time_of_scope(self, tokens: Tokens, place: int, fits: Callable[[str], bool]) -> tuple[int, str] | None:
        """The hour of "per GPU-hour"."""
        place = past_hyphen(tokens, place)
        if not tokens.at(place).near:
            return None
        name = self.per_names.longest(tokens, place)
        if name is None or not fits(name[1].unit) or dimension_of(name[1].unit) not in _TIMES:
            return None
        return name[0], name[1].unit

    def _loosely(self, tokens: Tokens, place: int, fits: Callable[[str], bool]) -> tuple[int, str] | None:
        """$2 an hour, 14 kr. i timen, 15元一小时."""
        marker = self.loosely.longest(tokens, place)
        if marker is None or not tokens.at(marker[0]).near:
            return None
        name = self.per_names.longest(tokens, marker[0])
        if name is None or not fits(name[1].unit) or dimension_of(name[1].unit) not in _TIMES:
            return None
        return name[0], name[1].unit

    def _many_tokens(self, tokens: Tokens, place: int) -> tuple[int, str] | None:
        """The million tokens that a price of a language model is for."""
        if tokens.at(place).text == "1":
            place += 1
        token = tokens.at(place)
        scale = number_words(self.language).scales.longest(tokens, place)
        if scale is not None and scale[1].power in (3, 6):
            end, power = scale[0], scale[1].power
        elif token.text in _THOUSANDS:
            end, power = place + 1, _THOUSANDS[token.text]
        elif token.text in ("M", "K", "k"):
            end, power = place + 1, 6 if token.text == "M" else 3
        elif token.text in ("百", "千"):
            end, power = (place + 2, 6) if token.text == "百" and tokens.at(place + 1).text == "万" else (place + 1, 3)
        elif token.key in ("mtok", "mtoken", "mtokens"):
            return place + 1, "Mtoken"
        else:
            return None
        adjective = adjectives().longest(tokens, end)
        name = self.names.longest(tokens, adjective[0] if adjective else end)
        if name is None or name[1].unit != "token":
            return None
        return name[0], "Mtoken" if power == 6 else "ktoken"


# How "per 1,000 tokens" is written, with the power of ten meant.
_THOUSANDS = {"1000": 3, "1,000": 3, "1.000": 3, "1000000": 6, "1,000,000": 6, "1.000.000": 6}


def past_hyphen(tokens: Tokens, place: int) -> int:
    """The place of the gigawatt in 2-gigawatt."""
    token, following = tokens.at(place), tokens.at(place + 1)
    hyphen = token.text == "-" and token.glued and following.glued and following.kind in ("word", "han")
    return place + 1 if hyphen else place


def _whole_word(tokens: Tokens, end: int) -> bool:
    """False where digits or letters are glued on, so that it's part of a longer name: x86, 80GBe."""
    following = tokens.at(end)
    last = tokens.at(end - 1)
    return not (following.glued and last.kind == "word" and following.kind in ("number", "word", "name"))


def _fits(above: str) -> Callable[[str], bool]:
    """Which units can stand below the line under `above`."""
    dimension = dimension_of(above)
    money = above in currencies()

    def fits(below: str) -> bool:
        other = dimension_of(below)
        if money:
            return other in (*_TIMES, "energy", "tokens", "power", "data", "gpu_time") or below in currencies() - {
                above
            }
        return dimension in _PER_TIME and other in _TIMES

    return fits


def _homes(unit: Unit | Currency, own: Language) -> frozenset[Language]:
    words = set(unit.words.get(own, ()))
    shared = [other for other in unit.words if words & set(unit.words[other])]
    return frozenset(shared) if own != "en" else frozenset()


def _phrases(words: tuple[str, ...]) -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(words, True)
    return phrases


def _values(words: dict[str, tuple[str, ...]]) -> Phrases[str]:
    phrases: Phrases[str] = Phrases()
    for value, spellings in words.items():
        phrases.add_all(spellings, value)
    return phrases


@lru_cache(maxsize=8)
def unit_names(language: Language | None) -> UnitNames:
    return UnitNames(language)
