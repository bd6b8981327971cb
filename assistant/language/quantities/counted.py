"""What a number without a unit counts: cards (two H100), a noun further on, or Chinese pieces (三个平台)."""

from dataclasses import replace

from assistant.language.card_names import adjectives, identifier_lists, is_card, names_a_card
from assistant.language.quantities.amount import Amount, Other
from assistant.language.quantities.number_lists import number_lists
from assistant.language.quantities.unit_names import NamedUnit, UnitName, UnitNames, past_hyphen
from assistant.language.quantities.units import unit_named
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_MOST_BETWEEN = 5
_LOOK_BACK = 8
_COUNTED_KINDS = ("count", "parameters", "duration")
_BIT_WIDTHS = frozenset((1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 128, 256))
_ADJECTIVE_ENDS = ("e", "ed", "al", "ic", "ive")
_SHORTEST_ADJECTIVE = 4
_LEAST_YUAN = 100
"""Fewer 块 are rather pieces than yuan, where nothing else tells."""


class CountedThings:
    """Finds what the numbers of one text count."""

    def __init__(self, tokens: Tokens, language: Language | None, units: UnitNames) -> None:
        self.tokens = tokens
        self.language = language
        self.units = units
        self.lists = identifier_lists()

    def give_unit(self, amount: Amount, place: int) -> Amount:
        """`amount` with what it counts, where that stands at `place`."""
        token = self.tokens.at(place)
        if not token.near:
            return amount
        noun = self.noun(place)
        if noun is not None:
            return amount.with_unit(noun.unit, noun.end)
        return self._pieces(amount, place) if token.text in self.lists.counters else amount

    def noun(self, place: int) -> NamedUnit | None:
        """What is counted at `place`, past adjectives, card names and the first half of a compound.

        The name of a card counts cards, where no noun follows it: two H100, 4 modified RTX 2080 Ti.
        """
        at, cards = past_hyphen(self.tokens, place), False
        for _ in range(_MOST_BETWEEN):
            token = self.tokens.at(at)
            if not token.near:
                break
            named = self.units.read(self.tokens, at) or self._compound(at)
            if named is not None and not self.qualifies_a_noun(named, at):
                counted = self._counted(named, at)
                if counted is not None:
                    return counted
                break
            cards = cards or names_a_card(self.tokens, at)
            following = self._past_qualifier(at, token, named)
            if following is None:
                break
            at = past_hyphen(self.tokens, following)
        return NamedUnit(place, UnitName("gpu")) if cards else None

    def _counted(self, named: NamedUnit, place: int) -> NamedUnit | None:
        """The unit at `place`, where it's one of things; hours behind a card (H800-uren) are hours of a card."""
        unit = unit_named(named.unit)
        if unit is None:
            return None
        if unit.unit == "h" and (is_card(self.tokens.at(place - 1)) or is_card(self.tokens.at(place - 2))):
            return NamedUnit(named.end, UnitName("gpu-h"))
        things = unit.whole and unit.kind in _COUNTED_KINDS
        return named if things or unit.unit == "gpu-h" else None

    def qualifies_a_noun(self, named: NamedUnit, place: int) -> bool:
        """True for the GPU of "two GPU servers" and "twee GPU-platforms", which isn't what is counted."""
        unit, noun = self.tokens.at(named.end - 1), self.tokens.at(named.end)
        if unit.key not in ("gpu", "cpu") or place != named.end - 1:
            return False
        if noun.text == "-" and noun.glued and self.tokens.at(place - 1).text != "-":
            return self.tokens.at(named.end + 1).glued and self.tokens.at(named.end + 1).kind == "word"
        if self.language == "zh":
            return False
        plain = noun.near and noun.gap != "" and noun.kind == "word" and noun.text.islower() and noun.text.isalpha()
        return plain and noun.key not in self.lists.function_words

    def _past_qualifier(self, at: int, token: Token, named: NamedUnit | None) -> int | None:
        if named is not None:
            return named.end
        adjective = adjectives().longest(self.tokens, at)
        if adjective is not None:
            return adjective[0]
        half = token.kind in ("word", "name") and self.tokens.at(at + 1).text == "-"
        return at + 1 if half or self._is_adjective(token) or names_a_card(self.tokens, at) else None

    def _is_adjective(self, token: Token) -> bool:
        """A guess from the ending of a word; what is counted must still follow."""
        if token.kind != "word" or not token.text.islower() or len(token.text) < _SHORTEST_ADJECTIVE:
            return False
        return token.key.endswith(_ADJECTIVE_ENDS) and token.key not in self.lists.not_adjectives

    def _compound(self, place: int) -> NamedUnit | None:
        """arkitekturgenerationer: the unit at the end of one long word."""
        token = self.tokens.at(place)
        if token.kind != "word":
            return None
        for end, unit in self.lists.compound_ends.items():
            if token.key.endswith(end) and len(token.key) > len(end) + 2:
                return NamedUnit(place + 1, UnitName(unit))
        return None

    def _pieces(self, amount: Amount, place: int) -> Amount:
        """三个小时, 8 块 H100, 16 位, 两种: what stands behind a Chinese word for pieces."""
        tokens = self.tokens
        counter, following = tokens.at(place), tokens.at(place + 1)
        if following.text == number_lists().han.half and following.glued:
            return self._and_a_half(amount, place + 2)
        if counter.text == "位" and amount.value in _BIT_WIDTHS and following.text not in self.lists.person_signs:
            return amount.with_unit("bit", place + 1)
        if counter.text in self.lists.kind_counters:
            return amount if amount.weak and amount.value == 1 else replace(amount, end=place + 1, weak=False)
        named = self.units.read(tokens, place + 1) if following.near else None
        if named is not None and (unit := unit_named(named.unit)) is not None and unit.kind in _COUNTED_KINDS:
            return amount.with_unit(named.unit, named.end)
        noun = self.noun(place + 1) or self._card_further_on(place)
        if noun is not None:
            return amount.with_unit(noun.unit, max(noun.end, place + 1))
        if counter.text == "张" and following.kind != "han":
            return amount.with_unit("gpu", place + 1)
        if counter.text == "块":
            return self._yuan(amount, place + 1)
        if amount.weak and amount.value == 1:
            return amount
        return replace(amount, end=place + 1, weak=False)

    def _and_a_half(self, amount: Amount, place: int) -> Amount:
        """两个半小时, 3个半月."""
        named = self.units.read(self.tokens, place)
        if self.tokens.at(place).text == "月":
            named = NamedUnit(place + 1, UnitName("month"))
        more = amount.with_half_more(place)
        return more.with_unit(named.unit, named.end) if named else more

    def _card_further_on(self, place: int) -> NamedUnit | None:
        """8 张高端显卡: only where the word for pieces is one that cards have."""
        if self.tokens[place].text not in self.lists.card_counters:
            return None
        for at in range(place + 1, place + 2 + _MOST_BETWEEN):
            token = self.tokens.at(at)
            if not token.near:
                return None
            named = self.units.read(self.tokens, at)
            if named is not None:
                return named if named.unit == "gpu" else None
            if token.kind != "han":
                return None
        return None

    def _yuan(self, amount: Amount, end: int) -> Amount:
        """块 counts yuan (3000 块, 15 块一小时) or pieces (卖出 100 万块)."""
        rate = self.units.with_per(self.tokens, NamedUnit(end, UnitName("CNY")))
        before = range(amount.start - _LOOK_BACK, amount.start)
        sold = any(self.tokens.at(at).text in self.lists.sold for at in before)
        many = amount.value >= _LEAST_YUAN and not sold and self.tokens.at(end).kind != "han"
        if "/" not in rate.unit and not many:
            return replace(amount, end=end)
        other = Other(amount.value, "", "块 counts yuan or pieces")
        return replace(amount, unit=rate.unit, end=rate.end, others=(*amount.others, other))
