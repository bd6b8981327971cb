"""Words of several languages as patterns: Latin ones are matched whole, Chinese ones and signs anywhere."""

import re
from collections.abc import Iterable

from assistant.language.tongue import Language

LATIN = r"A-Za-z\u00c0-\u024f"
ByLanguage = dict[Language, tuple[str, ...]]


def any_word(words: ByLanguage) -> str:
    """A pattern for any of the words, the longest first."""
    return one_of(word for group in words.values() for word in group)


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    longest_first = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(bounded(word) for word in longest_first)})"


def bounded(word: str) -> str:
    """The word alone, not as part of another; digits and Chinese characters may touch it."""
    left = rf"(?<![{LATIN}])" if re.match(rf"[{LATIN}]", word) else ""
    right = rf"(?![{LATIN}])" if re.search(rf"[{LATIN}]$", word) else ""
    return left + re.escape(word).replace(r"\ ", r"\s+") + right


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, upper and lower case alike."""
    return re.compile(pattern, re.IGNORECASE)
