"""Which of the four languages a question or passage is written in.

Questions here are short and half of their words are names ("hvad koster B200 i timen"), which misleads detectors
made for running text. So names and borrowed terms are left out, common words decide, and the n-gram model of
lingua judges the words that are in no list.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language

COMMON_WORDS = Path(__file__).with_name("data") / "common_words.yaml"
MAX_CHARACTERS = 3000

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_IDENTIFIER = re.compile(r"https?://\S+|\S*\d\S*|\b\w+[A-Z]\w*\b|\b[A-Z]{2,}\b")
_CAPITALISED = re.compile(r"(?<=[\w,;:–-] )[A-ZÆØÅ]\w+")
_NAME_AMONG_HAN = re.compile(r"\b[A-ZÆØÅ]\w+")
# A word without one is an abbreviation: rtx, gfx, tdp.
_VOWEL = re.compile(r"[aeiouyàáâäåæèéêëïíîóôöøúûü]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_DANISH_LETTER = re.compile(r"[æøå]", re.IGNORECASE)
"""Letters that neither Dutch nor English writes a word of its own with."""
# What stands in quotation marks is somebody else's: an error message, a label.
_QUOTED = re.compile(r"""“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|"[^"]*"|`[^`]*`|「[^「」]*」|『[^『』]*』""")
# H100 of MI300X: between two names, 'of' is the Dutch 'or'.
# In Dutch "er" is never followed by a name.
_DANISH_IS = re.compile(r"\s*Er\s+[A-Z]{2}")
_DUTCH_OR = re.compile(r"\d\w{0,40} of \w{0,40}\d")

_HAN_PER_WORD = 2
_HAN_ASKING = 3
_ENDS_IN_HAN = re.compile(r"[\u3400-\u9fff]{2}[^\w]*$")
"""A text with at least two Chinese characters for each word of another language is Chinese."""
_FOREIGN_WORD = 3.0
"""Log odds against a language that doesn't have a common word that another has."""
_DOUBT = 2.0
"""At most this much, in log odds a word, is believed of the n-gram model."""
_WHOLE = 0.3
"""Weight of the n-gram model's view of all words together, which settles what common words leave open."""

_CLEAR = 9.0
"""Lead, in log odds, with which a passage counts as written in another language than its article."""

_LATIN: tuple[Language, ...] = ("en", "nl", "da")


class CommonWords(BaseModel):
    """data/common_words.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nl: frozenset[str]
    da: frozenset[str]
    en: frozenset[str]
    borrowed: frozenset[str]

    @field_validator("*", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return frozenset(value.split()) if isinstance(value, str) else value

    def languages_of(self, word: str) -> tuple[Language, ...]:
        return tuple(language for language in _LATIN if word in getattr(self, language))


def detect_language(text: str, history: Sequence[str] = (), *, usual: Language = "en") -> Language:
    """The language of a question; of the questions before it, or `usual`, where its words don't tell."""
    for candidate in (text, *reversed(history)):
        language = _evident_language(candidate)
        if language is not None:
            return language
    return usual


def passage_language(text: str, usual: Language) -> Language:
    """The language of a passage: its article's, unless its words clearly speak for another."""
    text = text[:MAX_CHARACTERS]
    words = _telling_words(text)
    chinese = len(_HAN.findall(text))
    if chinese and chinese >= _HAN_PER_WORD * len(words):
        return "zh"
    if usual == "zh" and chinese > len(words):
        return "zh"
    scores = _scores(words)
    best = max(_LATIN, key=lambda language: scores[language])
    margin = scores[best] - scores[usual] if usual in scores else _CLEAR * bool(words)
    return best if margin >= _CLEAR else usual


def _evident_language(text: str) -> Language | None:
    """The language of the words outside quotation marks; of all where these don't tell."""
    text = text[:MAX_CHARACTERS]
    return _language_of_words(_QUOTED.sub(" ", text)) or _language_of_words(text)


def _language_of_words(text: str) -> Language | None:
    words = _telling_words(text)
    chinese = len(_HAN.findall(text))
    if chinese and chinese >= _HAN_PER_WORD * len(words):
        return "zh"
    if chinese >= _HAN_ASKING and _ENDS_IN_HAN.search(text):
        # What is asked stands at the end in Chinese; before it may stand a message, however long.
        return "zh"
    if not words:
        return None
    scores = _scores(words)
    return max(_LATIN, key=lambda language: scores[language])


def _telling_words(text: str) -> list[str]:
    """The words that could mark a language, in lower case: no names, identifiers or borrowed terms."""
    known = common_words()
    without_names = _CAPITALISED.sub(" ", _IDENTIFIER.sub(" ", _HAN.sub(" ", text)))
    if _HAN.search(text):
        # Chinese has no capitals: a Latin word with one is a name.
        without_names = _NAME_AMONG_HAN.sub(" ", without_names)
    words: list[str] = []
    for match in _WORD.finditer(without_names):
        word = match.group().lower().replace("’", "'")
        parts = re.split("[-']", word)
        words.extend([word] if word in known.borrowed or known.languages_of(word) or len(parts) == 1 else parts)
    telling = [word for word in words if word not in known.borrowed and _VOWEL.search(word)]
    # A first word with a capital that is in no list may be a name too; it counts only where nothing else does.
    first = _WORD.search(without_names)
    if first and len(telling) > 1 and first.group()[0].isupper() and first.group().lower() == telling[0]:
        telling = telling if known.languages_of(telling[0]) or _DANISH_LETTER.search(telling[0]) else telling[1:]
    if _DANISH_IS.match(text):
        telling.append("hvad")
    return [*telling, "voor"] if _DUTCH_OR.search(text) else telling


def _scores(words: Sequence[str]) -> dict[Language, float]:
    """Log odds of each language written in Latin letters."""
    known = common_words()
    scores: dict[Language, float] = dict.fromkeys(_LATIN, 0.0)
    unknown: list[str] = []
    for word in words:
        languages = known.languages_of(word)
        if not languages:
            unknown.append(word)
            languages = ("da",) if _DANISH_LETTER.search(word) else ()
        for language in _LATIN:
            if languages and language not in languages:
                scores[language] -= _FOREIGN_WORD
    for some, weight in ((unknown, 1.0), (words, _WHOLE)):
        if some:
            floor = -_DOUBT * min(len(some), 2)
            for language, probability in _n_gram_probabilities(" ".join(some)).items():
                scores[language] += weight * max(floor, math.log(max(probability, 1e-9)))
    return scores


@lru_cache(maxsize=1)
def common_words() -> CommonWords:
    return read_yaml(COMMON_WORDS, CommonWords)


def _n_gram_probabilities(text: str) -> dict[Language, float]:
    detector, languages = _detector()
    return {languages[found.language]: found.value for found in detector.compute_language_confidence_values(text)}


@lru_cache(maxsize=1)
def _detector() -> tuple[Any, dict[Any, Language]]:
    """lingua restricted to three languages and trigrams, which loads in 20 ms and a few megabytes."""
    from lingua import Language as Lingua
    from lingua import LanguageDetectorBuilder

    languages: dict[Any, Language] = {Lingua.ENGLISH: "en", Lingua.DUTCH: "nl", Lingua.DANISH: "da"}
    return LanguageDetectorBuilder.from_languages(*languages).with_low_accuracy_mode().build(), languages
