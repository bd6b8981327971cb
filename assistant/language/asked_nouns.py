"""The nouns by which a question says what it wants to know: "how many fans", "the readership of X"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from assistant.language.lexical_data import WordLists, load
from assistant.language.mention import Mention, UnknownName
from assistant.language.tongue import Language

_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"
_HAN = r"[\u3400-\u9fff]"
_NAME = "Xx"
_GRAM = 4
_ALIKE = 0.5
_IN_TEXT = re.compile(r"[^\W\d_]+")


class _AskedNouns(WordLists):
    patterns: dict[Language, tuple[str, ...]]
    open_nouns: frozenset[str]


@lru_cache(maxsize=1)
def _data() -> _AskedNouns:
    return load("asked_nouns", _AskedNouns)


@lru_cache(maxsize=4)
def _patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern.format(word=_WORD, han=_HAN)) for pattern in _data().patterns[language])


def asked_nouns(text: str, named: Sequence[Mention | UnknownName], language: Language) -> tuple[str, ...]:
    """The nouns asked for, in lower case, without repeats; none where the question says it by other words."""
    for name in sorted(named, key=lambda name: -name.start):
        text = f"{text[: name.start]} {_NAME}{text[name.end :]}"
    lowered = text.lower()
    found = (match[1].strip() for pattern in _patterns(language) for match in pattern.finditer(lowered))
    return tuple(dict.fromkeys(noun for noun in found if noun not in _data().open_nouns))


def stands_in(noun: str, text: str) -> bool:
    """True where most of every word of a noun, or of the words that it is made of, stands in a text in lower case.

    Of a Chinese noun half of its pairs of characters must.
    """
    if re.search(_HAN, noun):
        pairs = [noun[place : place + 2] for place in range(len(noun) - 1)] or [noun]
        return sum(pair in text for pair in pairs) >= _ALIKE * len(pairs)
    held = frozenset().union(*(_grams(word) for word in set(_IN_TEXT.findall(text))))
    # How a word begins tells most: a laptop market shares its end with a desktop market.
    return all(part[:_GRAM] in text and len(_grams(part) & held) >= _ALIKE * len(_grams(part)) for part in noun.split())


@lru_cache(maxsize=4096)
def _grams(word: str) -> frozenset[str]:
    bounded = f"<{word}>"
    return frozenset(bounded[place : place + _GRAM] for place in range(max(len(bounded) - _GRAM + 1, 1)))
