"""Words of a sentence by what they do to it, and whether a source accounts for them."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from assistant.answering.verification.lexicon import alike_words, phrase_pattern, roles_of_phrases
from assistant.language.tongue import Language

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:['’.-][^\W_\u3400-\u9fff]+)*")
_LONGEST_ENDING = 3
_LINKS = ("", "s", "e", "en", "er", "-")
# Words of the trade in whatever language; they assert nothing.
_FILLERS = frozenset({"gpu", "gpus", "ai", "e.g", "i.e", "bijv", "f.eks", "ca", "pr", "nr", "s", "er", "en", "ere"})


class Word(NamedTuple):
    """A word or listed phrase; `roles` is empty for a word that asserts something of its own."""

    text: str
    start: int
    end: int
    roles: frozenset[str]


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with the spans replaced by a sign that no word holds, so that offsets stay as they are."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = "\0" * (end - start)
    return "".join(characters)


def lower(text: str) -> str:
    """The text in lower case at the same length, so that offsets stay as they are."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text).replace("’", "'")


def read_words(text: str, taken: Sequence[tuple[int, int]], language: Language) -> list[Word]:
    """The words of `text` outside the spans that names and figures take, in order."""
    lowered = blank(lower(text), taken)
    roles = roles_of_phrases(language)
    words = [
        Word(match[0], match.start(), match.end(), roles[" ".join(match[0].split())])
        for match in phrase_pattern(language).finditer(lowered)
    ]
    rest = blank(lowered, [(word.start, word.end) for word in words])
    words += [
        Word(match[0], match.start(), match.end(), frozenset({"plain"} if _is_filler(match[0]) else ()))
        for match in _PIECE.finditer(rest)
    ]
    return sorted(words, key=lambda word: word.start)


def pieces(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [piece for piece in _PIECE.findall(lower(text)) if not _is_filler(piece)]


def _is_filler(word: str) -> bool:
    return word in _FILLERS or (len(word) == 1 and not word.isdigit() and not _HAN_RUN.match(word))


class Vocabulary:
    """What a source says, as words that account for those of a draft."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._latin: set[str] = set()
        self._han: set[str] = set()
        for text in texts:
            for piece in _PIECE.findall(lower(text)):
                if _HAN_RUN.match(piece):
                    self._han.update(piece)
                    self._han.update(piece[n : n + 2] for n in range(len(piece) - 1))
                else:
                    self._latin.update((piece, alike_words().get(piece, piece)))
                    self._latin.update(re.split(r"['’.-]", piece))

    @cached_property
    def _by_start(self) -> dict[str, list[str]]:
        grouped: dict[str, list[str]] = {}
        for word in self._latin:
            grouped.setdefault(word[:3], []).append(word)
        return grouped

    def __or__(self, other: "Vocabulary") -> "Vocabulary":
        joined = Vocabulary(())
        joined._latin = self._latin | other._latin
        joined._han = self._han | other._han
        return joined

    def covers(self, word: str) -> bool:
        """True where the source has the word: in another inflection, or as the parts of a compound."""
        if _HAN_RUN.match(word):
            return self._covers_han(word)
        if self._has(word):
            return True
        if any(c.isdigit() for c in word):
            return False
        parts = [part for part in re.split(r"['’.-]", word) if part]
        if len(parts) > 1 and all(self._has(part) or _is_filler(part) for part in parts):
            return True
        return any(
            self._has(word[:cut])
            and any(word[cut:].startswith(link) and self._has(word[cut + len(link) :]) for link in _LINKS)
            for cut in range(3, len(word) - 2)
        )

    def _covers_han(self, run: str) -> bool:
        """True where the run falls into words of the source, as 桌面独立 does into 桌面 and 独立."""
        if run in self._han:
            return True
        reached = [True] + [False] * len(run)
        for end in range(2, len(run) + 1):
            if run[end - 2 : end] in self._han:
                # A word begins here, or the one before goes on.
                reached[end] = reached[end - 2] or reached[end - 1]
        return len(run) > 1 and reached[-1]

    def _has(self, word: str) -> bool:
        if word in self._latin or alike_words().get(word) in self._latin:
            return True
        if any(c.isdigit() for c in word) or len(word) < 3:
            return False
        return any(same_word(word, other) for other in self._by_start.get(word[:3], ()))


def same_word(one: str, other: str) -> bool:
    """True for two inflections of a word: long enough a common beginning, and short endings."""
    if one == other:
        return True
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    longer = max(len(one), len(other))
    return (
        shared >= max(4, 0.7 * longer)
        and len(one) - shared <= _LONGEST_ENDING
        and len(other) - shared <= _LONGEST_ENDING
        and not any(c.isdigit() for c in one + other)
    )
