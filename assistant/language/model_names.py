"""Names written as those of language models are: a family's word, or any name, with a version and a size behind it."""

import difflib
import re
from collections.abc import Iterable, Iterator

from assistant.knowledge.entity import Entity
from assistant.language.card_names import identifier_lists

# A size as models carry it in their names: 70B, 8x7B, 235B-A22B.
SIZE = r"\d+(?:\.\d+)?(?:[x×]\d+(?:\.\d+)?)?[bB](?:-[aA]\d+(?:\.\d+)?[bB])?(?![A-Za-z0-9])"
_VERSION = r"[vV]?\d+(?:\.[0-9A-Za-z]+)*(?![0-9A-Za-z.]*%)"
_PIECE = r"(?:\d[0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*|[A-Z][0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*)"
_SIZE_BEHIND = re.compile(rf"(?:[ -]?{_VERSION})?[ -]{SIZE}")
_LETTERS = re.compile(r"[^\W\d_]+")
_ALIKE = 0.7
_SIZE_NEXT = re.compile(rf"[ -]?{SIZE}")


class ModelNames:
    """Finds what is written as a model's name, whether or not the knowledge base has that model."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        held = {
            re.sub(r"[\d.]+$", "", entity.name.split()[0].split("-")[0]) or entity.name
            for entity in entities
            if entity.kind == "model"
        }
        self._with_version = _pattern({word for word in held if len(word) > 2}, rf"[ -]?{_PIECE}")
        others = held | identifier_lists().model_families
        self._with_size = _pattern(others, rf"(?:[ -]?{_PIECE}){{0,2}}?[ -]?{SIZE}")

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where such a name starts and ends, those with a size first: "Llama 9 70B", "Qwen 8"."""
        for pattern in (self._with_size, self._with_version):
            for match in pattern.finditer(text):
                yield match.span()


def end_with_size(text: str, end: int) -> int | None:
    """Where a name that ends at `end` is over with the size, and perhaps a version, that follows; None without one."""
    match = _SIZE_BEHIND.match(text, end)
    return match.end() if match is not None else None


def end_of_size(text: str, end: int) -> int | None:
    """Where the size right behind a name that ends at `end` is over; None without one."""
    match = _SIZE_NEXT.match(text, end)
    return match.end() if match is not None else None


def called_alike(one: str, other: str) -> bool:
    """True for folded names that start with nearly the same word: a shared size makes no two models alike."""
    first, second = _LETTERS.match(one), _LETTERS.match(other)
    if first is None or second is None:
        return False
    return difflib.SequenceMatcher(None, first[0], second[0]).ratio() >= _ALIKE


def _pattern(words: Iterable[str], behind: str) -> re.Pattern[str]:
    listed = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.compile(rf"(?<![0-9A-Za-z])(?i:{listed}){behind}") if listed else re.compile(r"(?!)")
