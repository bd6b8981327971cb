"""Sentences that speak to a machine that reads a source, not to the person who does."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo

from assistant.knowledge.schema import read_yaml
from assistant.knowledge.unseen import as_seen, without_markup

NOTHING = "–"
"""Stands where nothing of a text is meant for people."""
_CLAUSE_END = re.compile(r"(?<=[.!?;。！？；])(?=\s|[^\x00-\x7f])|\s[–—-]{1,2}\s|\n")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MOST_REMEMBERED = 30_000
# Text written so that only a machine reads it: long runs of base64, hexadecimal, escapes and entities.
_ENCODED = re.compile(
    r"(?<![\w/+])(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])[A-Za-z0-9+/]{32,}={0,2}(?![\w/+])"
    r"|(?:\b[0-9a-fA-F]{2}[ :]){12,}|\b(?:[0-9a-f]{2}){20,}\b|(?:\\u[0-9a-fA-F]{4}){6,}|(?:\\x[0-9a-fA-F]{2}){8,}"
    r"|(?:%[0-9A-Fa-f]{2}[\w.-]{0,3}){8,}|(?:&#x?[0-9A-Fa-f]{1,6};){6,}|\b(?:[01]{8}\s){6,}"
)
# Every text of that kind has one of these; most sentences have none, which is soon seen.
_DENSE = re.compile(r"[A-Za-z0-9+/]{32}|(?:[0-9a-fA-F]{2}[ :]){12}|[01]{8}\s|\\|&#|%(?:[^%]*%){7}")


class AddressedWords(BaseModel):
    """The file addressed.yaml, which says what its lists are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    together: tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class _AnyOf:
    """Finds any of some words. Beginnings are looked for first, as plain text, which takes a tenth of the time."""

    beginnings: tuple[str, ...]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, words: tuple[str, ...]) -> "_AnyOf":
        beginnings = dict.fromkeys(word.split()[0] for word in words)
        return cls(tuple(beginnings), re.compile("|".join(_form(word) for word in words)))

    def stands_in(self, lowered: str) -> bool:
        for beginning in self.beginnings:
            if beginning in lowered:
                return self.pattern.search(lowered) is not None
        return False


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[_AnyOf, ...], ...]:
    words = read_yaml(Path(__file__).with_name("addressed.yaml"), AddressedWords)
    return tuple(tuple(_AnyOf.of(group) for group in line) for line in words.together)


@lru_cache(maxsize=1)
def _openers() -> tuple[tuple[str, tuple[_AnyOf, ...]], ...]:
    """Each line under the beginnings of which it needs one: those of its group with the longest, which are rarest."""
    rarest = (
        (max(line, key=lambda group: min(len(word.encode()) for word in group.beginnings)), line) for line in _groups()
    )
    return tuple((beginning, line) for group, line in rarest for beginning in group.beginnings)


def _form(word: str) -> str:
    form = re.escape(word).replace(r"\ ", r"\s+")
    return form if _HAN.search(word) or not word[0].isalnum() else rf"(?<!\w){form}"


def _instructs(lowered: str) -> bool:
    """Whether a line of the file has a word of each of its groups in the text."""
    lines = [line for opener, line in _openers() if opener in lowered]
    return any(all(group.stands_in(lowered) for group in line) for line in lines)


@lru_cache(maxsize=_MOST_REMEMBERED)
def is_addressed_to_machine(sentence: str) -> bool:
    """True for an instruction to whatever program reads the source, or for text encoded so that no person reads it."""
    lowered = sentence.casefold()
    # Full-width letters and letters with something unseen between them read like plain ones.
    plain = lowered if lowered.isascii() else unicodedata.normalize("NFKC", as_seen(lowered))
    if _instructs(lowered) or (plain != lowered and _instructs(plain)):
        return True
    return _DENSE.search(sentence) is not None and _ENCODED.search(sentence) is not None


def instructs_machines(text: str) -> bool:
    """True where any sentence of a text is an instruction to the program that reads it."""
    return any(is_addressed_to_machine(clause.strip()) for clause in _CLAUSE_END.split(text))


def to_people(text: str) -> str:
    """What of a title or statement is meant for people: not what stands unseen in it or speaks to a machine."""
    seen = without_markup(as_seen(text))
    if not is_addressed_to_machine(seen):
        return seen
    kept = [part.strip() for part in _CLAUSE_END.split(seen) if not is_addressed_to_machine(part)]
    return " ".join(part for part in kept if part) or NOTHING


ALREADY_READ = {"already_read": True}
"""Context for validating what was written out after it had been read: nothing in it has to be left out again."""


def is_already_read(info: ValidationInfo) -> bool:
    return info.context is ALREADY_READ


def _to_people_once(text: str, info: ValidationInfo) -> str:
    return text if is_already_read(info) else to_people(text)


ToPeople = Annotated[str, AfterValidator(_to_people_once)]
