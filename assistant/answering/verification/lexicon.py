"""The words that verification reads a sentence with: what they do to a statement, in four languages."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language

Words = dict[Language, tuple[str, ...]]
_HAN = re.compile(r"[\u3400-\u9fff]")


class Lexicon(BaseModel):
    """The file lexicon.yaml, which says what each list is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    negation: Words
    hedge: Words
    merely: Words
    condition: Words
    cause: Words
    universal: Words
    claimed: Words
    expected: Words
    made_up: Words
    present: Words
    more: Words
    less: Words
    swiftness: Words
    strictly: Words
    cheaper: Words
    dearer: Words
    thriftier: Words
    equal: Words
    most: Words
    least: Words
    compared_ones: Words
    than: Words
    against: Words
    outdoing: Words
    half: Words
    difference: Words
    slightly: Words
    following: Words
    sum: Words
    respectively: Words
    joint: Words
    plain: Words
    beside: Words
    alike: dict[Language, tuple[tuple[str, ...], ...]]
    said_as: dict[str, Words]
    apart: dict[str, Words]


ROLES = tuple(name for name in Lexicon.model_fields if name not in ("said_as", "apart", "strictly", "merely", "alike"))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The word lists. Raises CorpusError with the file and field at fault where they break the schema."""
    return read_yaml(Path(__file__).with_name("lexicon.yaml"), Lexicon)


@lru_cache(maxsize=len(LANGUAGES))
def roles_of_phrases(language: Language) -> Mapping[str, frozenset[str]]:
    """Every listed phrase with all the roles it can have."""
    roles: dict[str, set[str]] = {}
    for role in ROLES:
        for phrase in getattr(lexicon(), role)[language]:
            roles.setdefault(phrase.casefold(), set()).add(role)
    # Found as a whole, so that no listed word is taken out of their middle.
    for word in (word for group in lexicon().alike[language] for word in group):
        if " " in word or _HAN.search(word):
            roles.setdefault(word, set())
    return {phrase: frozenset(names) for phrase, names in roles.items()}


@lru_cache(maxsize=len(LANGUAGES))
def phrase_pattern(language: Language) -> re.Pattern[str]:
    """Finds the longest listed phrase at each place of a text in lower case."""
    return phrases_pattern(tuple(roles_of_phrases(language)))


@lru_cache(maxsize=256)
def phrases_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the phrases, the longest first: whole words, but anywhere in a text for Chinese ones."""
    forms = [
        re.escape(phrase) if _HAN.search(phrase) else rf"(?<!\w){re.escape(phrase)}(?!\w)".replace(r"\ ", r"\s+")
        for phrase in sorted(phrases, key=len, reverse=True)
    ]
    return re.compile("|".join(forms) or r"(?!)")


@lru_cache(maxsize=1)
def alike_words() -> Mapping[str, str]:
    """Each word that another of its language can stand for, with the first of its group."""
    return {word: group[0] for groups in lexicon().alike.values() for group in groups for word in group}


@lru_cache(maxsize=1)
def han_pieces() -> re.Pattern[str]:
    """A Chinese word that another can stand for, or else one character."""
    words = sorted((word for word in alike_words() if _HAN.search(word)), key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, words), "."]))


def said_marks(text: str, language: Language) -> set[str]:
    """The marks whose words stand in a text in lower case; "without sparsity" isn't "sparsity"."""
    marks = {word: mark for mark, words in lexicon().apart.items() for word in words[language]}
    return {marks[" ".join(found.split())] for found in phrases_pattern(tuple(marks)).findall(text)}
