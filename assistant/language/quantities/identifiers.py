"""Numbers that are part of a name, a version, a list or a clock time, and so are no quantities."""

import re

from assistant.language.card_names import identifier_lists
from assistant.language.quantities.han_numerals import read_han_scale
from assistant.language.quantities.number_lists import number_lists, number_words
from assistant.language.quantities.numerals import read_numeral
from assistant.language.quantities.size_letters import read_size_letter
from assistant.language.quantities.unit_names import UnitNames
from assistant.language.quantities.units import unit_named
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language

_CLOCK_SIGNS = ("点", "月", "日", "号", "财")
_COMPARISONS = ("=", "<", ">", "≥", "≤", "~", "!")
_SHORT = re.compile(r"[0-9]{1,2}")


class Names:
    """Finds the numbers of one text that are names; it remembers those it found, for when they come back alone."""

    def __init__(self, tokens: Tokens, units: UnitNames, language: Language | None) -> None:
        self.tokens = tokens
        self.units = units
        self.language = language
        self.lists = identifier_lists()
        self.scales = number_words(language).scales
        self.found: set[str] = set()
        self.last_end = -1
        self.last_text = ""

    def end_of_name(self, place: int) -> int | None:
        """The place behind the name that the number at `place` is or begins; None where it's a quantity."""
        end = self._end(place)
        if end is not None:
            text = self.tokens[place].text
            self.last_end, self.last_text = end, text
            if "." in text or len(text) > 3:
                self.found.add(text)
        return end

    def _end(self, place: int) -> int | None:
        token = self.tokens[place]
        return (
            self._lettered_card(place)
            or self._mark(place)
            or self._clock(place)
            or self._enumerator(place)
            or self._decade(place)
            or self._mixture(place)
            or self._glued(place)
            or self._ending(place)
            or (place + 1 if self._is_named(place, token) else None)
        )

    def _is_named(self, place: int, token: Token) -> bool:
        if read_numeral(self.tokens, place) is None:
            return True
        unit = self.unit_behind(place + 1)
        if self._hyphenated(place):
            return not unit or not (unit in ("gpu", "any") or self.tokens.at(place + 1).glued)
        if unit and unit not in ("count", "gpu"):
            return False
        return (
            self._behind_a_name(place, unit)
            or (unit in ("", "gpu") and token.text in self.lists.bare_cards)
            or (not unit and (token.text in self.found or self._continues(place)))
            or (not unit and self._ordinal(place))
        )

    def unit_behind(self, place: int) -> str:
        """The unit at `place`: "count" for what is merely counted, "" for none."""
        named = self.units.read(self.tokens, place)
        if named is None and (self.scales.longest(self.tokens, place) or read_han_scale(self.tokens, place)):
            return "scale"
        if named is None:
            letter = self.tokens.at(place).glued and read_size_letter(self.tokens, place, self.language, money=False)
            return "letter" if letter else ""
        if named.unit == "gpu":
            return "gpu"
        unit = unit_named(named.unit)
        return "count" if unit is not None and unit.kind == "count" else named.unit

    def _lettered_card(self, place: int) -> int | None:
        """910B, which isn't 910 billion."""
        letter = self.tokens.at(place + 1)
        return place + 2 if letter.glued and self.tokens[place].text + letter.text in self.lists.bare_cards else None

    def _mark(self, place: int) -> int | None:
        """[1], 7.x, #276, § 5, 24/7, +31 20 123 4567."""
        if self._telephone(place):
            return self._telephone(place)
        before, after = self.tokens.at(place - 1), self.tokens.at(place + 1)
        token = self.tokens[place]
        if before.text == "[" and after.text == "]":
            return place + 2
        if after.text == "." and after.glued and self.tokens.at(place + 2).key == "x":
            return place + 3
        if before.text in ("#", "§", "_", "@", "\\", "№", "^", "v") and token.glued:
            return place + 1
        if after.glued and after.text:
            third = self.tokens.at(place + 2)
            if f"{token.text}{after.text}{third.text}" in self.lists.idioms:
                again = self.tokens.at(place + 3).text == after.text and self.tokens.at(place + 3).glued
                return place + 5 if again else place + 3
        return None

    def _telephone(self, place: int) -> int | None:
        """+31 20 123 4567, tlf. 12 34 56 78: groups of digits behind a plus or the word for telephone."""
        plus, word = self.tokens.at(place - 1), self.tokens.at(place - 2)
        if plus.text != "+" and not {plus.key, word.key} & self.lists.telephones:
            return None
        end = place + 1
        while self.tokens.at(end).kind == "number" and self.tokens.at(end).gap == " " and end - place < 8:
            end += 1
        return end if end - place > (1 if plus.text == "+" else 0) else None

    def _clock(self, place: int) -> int | None:
        """7:00, 16:9, 10 am, om 10 uur, 下午3点, 9月, 9日."""
        after, behind = self.tokens.at(place + 1), self.tokens.at(place + 2)
        if after.near and after.text in _CLOCK_SIGNS and behind.text not in ("内", "之"):
            return None if self.units.names.longest(self.tokens, place + 1) else place + 2
        if self.tokens[place].text.isdigit() and after.near and self._says_the_hour(place, after, behind):
            return place + 2
        end = place
        while (
            self.tokens.at(end + 1).text == ":"
            and self.tokens.at(end + 1).glued
            and self.tokens.at(end + 2).glued
            and self.tokens.at(end + 2).kind == "number"
            and end - place < 6
        ):
            end += 2
        return end + 1 if end > place else None

    def _says_the_hour(self, place: int, after: Token, behind: Token) -> bool:
        dotted = after.key in ("a", "p") and behind.text == "." and self.tokens.at(place + 3).key == "m"
        at_the_hour = after.key == "uur" and self.tokens.at(place - 1).key == "om"
        return dotted or at_the_hour or after.key in ("am", "pm", "o'clock")

    def _mixture(self, place: int) -> int | None:
        """8x7B, the size of a mixture of experts as models are named by it."""
        times, size, letter = (self.tokens.at(place + step) for step in (1, 2, 3))
        glued = times.glued and size.glued and letter.glued
        return place + 4 if glued and times.text == "×" and size.kind == "number" and letter.key == "b" else None

    def _enumerator(self, place: int) -> int | None:
        """The number of a list item at the start of a line: "1. ", "2) ", "3、", "(4)"."""
        token, before, after = self.tokens[place], self.tokens.at(place - 1), self.tokens.at(place + 1)
        if not _SHORT.fullmatch(token.text) or not after.glued:
            return None
        behind = self.tokens.at(place + 2)
        if before.text == "(" and after.text == ")" and token.glued:
            return place + 2
        if behind.kind == "number":
            return None
        starts_line = place == 0 or "\n" in token.gap
        if starts_line and after.text in (".", ")", "、") and behind.text and (after.text == "、" or not behind.glued):
            return place + 2
        return None

    def _decade(self, place: int) -> int | None:
        """1990s, 90'erne, 90年代, 21世纪."""
        if _behind_han_number(self.tokens, place + 1):
            return place + 3
        token, after = self.tokens[place], self.tokens.at(place + 1)
        if not token.text.endswith("0") or not token.text.isdigit() or len(token.text) not in (2, 4) or not after.glued:
            return None
        if after.key == "s" and len(token.text) == 4:
            return place + 2
        if after.text == "'" and self.tokens.at(place + 2).key in ("s", "er", "erne"):
            return place + 3
        if after.key in ("er", "erne") and len(token.text) == 4:
            return place + 2
        return None

    def _glued(self, place: int) -> int | None:
        """4090D, 3D, 2nd, 7900XTX: letters behind digits that are no unit."""
        after = self.tokens.at(place + 1)
        if not after.glued or after.kind not in ("word", "name"):
            return None
        if self.units.read(self.tokens, place + 1) or self.scales.longest(self.tokens, place + 1):
            return None
        return None if read_size_letter(self.tokens, place + 1, self.language, money=False) else place + 2

    def _ending(self, place: int) -> int | None:
        """4070 Ti, 40-serien, 7900 XTX."""
        token, after = self.tokens[place], self.tokens.at(place + 1)
        at = place + 2 if after.text == "-" and after.glued and self.tokens.at(place + 2).glued else place + 1
        if not self.tokens.at(at).near or self.tokens.at(at).key not in self.lists.name_endings:
            return None
        if not token.text.isdigit() or not (len(token.text) in (3, 4) or at == place + 2):
            return None
        return at + 1

    def _hyphenated(self, place: int) -> bool:
        """GPT-4, Llama-3.3: a number that a hyphen joins to a word or a name."""
        hyphen, word = self.tokens.at(place - 1), self.tokens.at(place - 2)
        joined = hyphen.text in ("-", ".") and hyphen.glued and self.tokens[place].glued
        return joined and word.kind in ("word", "name") and not word.text.endswith("'")

    def _behind_a_name(self, place: int, unit: str) -> bool:
        token, before = self.tokens[place], self.tokens.at(place - 1)
        if token.gap not in ("", " ", "\u00a0", "\n"):
            return False
        if before.text == "." and before.glued and token.near:
            before = self.tokens.at(place - 2)
            return f"{before.key}." in self.lists.named_by_number and not unit
        if before.text == ":" and before.glued and token.glued:
            return self.tokens.at(place - 2).key in self.lists.named_by_number and not unit
        if before.text in _COMPARISONS:
            return not unit and self._compared(place)
        if before.kind == "name":
            return False
        if before.key in self.lists.named_by_number:
            return self._named_by(before, place, unit)
        return before.kind == "word" and token.gap != "" and not unit and self._looks_like_a_name(before, place)

    def _compared(self, place: int) -> bool:
        """PyTorch >= 2.6, transformers==4.57.1: the version of something that is named in front."""
        at = place - 1
        while self.tokens.at(at).text in _COMPARISONS and place - at < 4:
            at -= 1
        name = self.tokens.at(at)
        return name.key in self.lists.named_by_number or (name.kind == "word" and self._has_capitals(name, at))

    def _named_by(self, before: Token, place: int, unit: str) -> bool:
        if before.key not in self.lists.ordinary:
            return True
        return not unit and not self._noun(place + 1)

    def _looks_like_a_name(self, before: Token, place: int) -> bool:
        """ROCm 10, vLLM 0.11, met Ubuntu 24.04: capitals inside, or a capital in the middle of a sentence."""
        if self._has_capitals(before, place - 1):
            return True
        hyphen, head = self.tokens.at(place - 2), self.tokens.at(place - 3)
        if hyphen.text == "-" and before.glued and self._has_capitals(head, place - 3):
            return True
        if before.key in self.lists.not_names or self.units.names.longest(self.tokens, place - 1):
            return False
        following = self.tokens.at(place + 1)
        noun = following.near and following.kind in ("word", "han")
        inside = before.near and self.tokens.at(place - 2).kind in ("word", "han", "name")
        return before.text.istitle() and inside and not noun and len(before.text) > 2

    def _has_capitals(self, word: Token, place: int) -> bool:
        """ROCm, vLLM, CUDA: capitals behind the first letter, in a word that is no unit, currency or quantity."""
        if word.key in self.lists.not_names or self.units.names.longest(self.tokens, place):
            return False
        if self.units.money_before.longest(self.tokens, place):
            return False
        return len(word.text) > 1 and word.text.isalpha() and not word.text[1:].islower() and not word.text.islower()

    def _continues(self, place: int) -> bool:
        """RTX 4090 and 5090; 13.4 and 13.4.1: a number of the same shape in a row with a name."""
        token = self.tokens[place]
        joining = self.tokens[self.last_end : place] if 0 < self.last_end < place <= self.last_end + 2 else []
        if not joining or any(part.key not in self.lists.joining for part in joining) or self._noun(place + 1):
            return False
        alike = len(token.text) == len(self.last_text) or max(len(token.text), len(self.last_text)) <= 2
        return alike and ("." in token.text) == ("." in self.last_text)

    def _noun(self, place: int) -> bool:
        """True where a word that can be counted stands at `place`."""
        token = self.tokens.at(place)
        plain = token.near and token.kind == "word" and token.text.islower() and token.text.isalpha()
        return plain and token.key not in self.lists.function_words

    def _ordinal(self, place: int) -> bool:
        """Danish 3. generation."""
        dot, noun = self.tokens.at(place + 1), self.tokens.at(place + 2)
        if self.language != "da" or not _SHORT.fullmatch(self.tokens[place].text) or dot.text != "." or not dot.glued:
            return False
        return noun.gap == " " and noun.kind == "word" and noun.text.islower()


def _behind_han_number(tokens: Tokens, place: int) -> bool:
    words = number_lists().han.not_before_words
    return any(tokens.at(place).text + tokens.at(place + 1).text == word for word in words)
