"""Words in common: which share of a question's information a text holds, literally.

A text's coverage is the share of the question's information (inverse document frequency) that stands in it, between 0
and 1. Unlike a BM25 score it means the same for every question and language, so it can be weighed against the
cosine. Words count by their character 5-grams, which meets inflection and the compounds of Dutch and Danish;
Chinese counts by bigrams; whatever holds a digit (MI355X, gfx942, 13.4.1, sm_90) counts whole.
"""

import hashlib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assistant.retrieval.vectors import FloatArray

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int32]

GRAM = 5
MAX_QUESTION_WORDS = 200

_CHINESE = "\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CHINESE}]+|\d+(?:[.,]\d+)*|[^\W\d_{_CHINESE}]+(?:_?\d[^\W_{_CHINESE}]*(?:\.\d+)*)?")
_NAME = re.compile(r"[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*")
# Letters with digits, a version number, or a capital that isn't the first letter.
_MIXED = re.compile(r"[A-Za-z]_?\d|\d_?[A-Za-z]|\d\.\d|\w[A-Z]")
_IS_CHINESE = re.compile(rf"[{_CHINESE}]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text and the features it counts by, each for an equal share."""

    text: str
    features: tuple[str, ...]


def words(text: str) -> Iterator[Word]:
    """The words of a text, in order."""
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).lower()):
        token = match.group()
        if _IS_CHINESE.match(token):
            for position in range(max(1, len(token) - 1)):
                pair = token[position : position + 2]
                yield Word(pair, (pair,))
        elif any(character.isdigit() for character in token):
            yield Word(token, (token,))
        else:
            yield Word(token, _grams(token))


def names(text: str) -> list[str]:
    """Words that are spelled alike in all languages, in lower case: MI355X, gfx942, 13.4.1, ROCm, NVLink, CUDA.

    In Chinese text that is every word in Latin letters.
    """
    normal = unicodedata.normalize("NFKC", text)
    chinese = bool(_IS_CHINESE.search(normal))
    found = [
        match.group()
        for match in _NAME.finditer(normal)
        if _MIXED.search(match.group()) or (chinese and len(match.group()) > 1 and not match.group().isdigit())
    ]
    return list(dict.fromkeys(name.lower() for name in found))[:MAX_QUESTION_WORDS]


def _grams(word: str) -> tuple[str, ...]:
    bounded = f"<{word}>"
    if len(bounded) <= GRAM:
        return (bounded,)
    return tuple(bounded[position : position + GRAM] for position in range(len(bounded) - GRAM + 1))


def _key(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A question's features with their weights, and the features of each of its names; read once for all indexes."""

    keys: Keys
    weights: tuple[float, ...]
    names: tuple[Keys, ...]


def lexical_query(question: str) -> LexicalQuery:
    """The words and names of a question, each word with a weight of 1 spread over its features."""
    weights: dict[str, float] = defaultdict(float)
    for word in _distinct_words(question):
        for feature in word.features:
            weights[feature] += 1 / len(word.features)
    spelled = [{feature for word in words(name) for feature in word.features} for name in names(question)]
    return LexicalQuery(_keys(weights), tuple(weights.values()), tuple(_keys(name) for name in spelled if name))


def text_features(text: str) -> Keys:
    """The distinct features of a text."""
    return _keys({feature for word in words(text) for feature in word.features})


def _distinct_words(question: str) -> list[Word]:
    distinct: dict[str, Word] = {}
    for word in words(question):
        distinct.setdefault(word.text, word)
        if len(distinct) >= MAX_QUESTION_WORDS:
            break
    return list(distinct.values())


def _keys(features: Collection[str]) -> Keys:
    return np.fromiter(map(_key, features), dtype=np.uint64, count=len(features))


class CoverageIndex:
    """Which features stand in which texts. Known by a 64-bit hash each, so that loading is mapping three files."""

    SUFFIXES: ClassVar = (".keys.npy", ".starts.npy", ".rows.npy")

    def __init__(self, keys: Keys, starts: npt.NDArray[np.int64], rows: Rows, texts: int) -> None:
        self._keys, self._starts, self._rows = keys, starts, rows
        self.texts = texts

    @classmethod
    def build(cls, features: Sequence[Keys]) -> "CoverageIndex":
        """The index of texts whose features (`text_features`) are given."""
        lengths = np.fromiter(map(len, features), dtype=np.int64, count=len(features))
        keys = np.concatenate([np.zeros(0, dtype=np.uint64), *features])
        rows = np.repeat(np.arange(len(features), dtype=np.int32), lengths)
        order = np.argsort(keys, kind="stable")
        distinct, starts = np.unique(keys[order], return_index=True)
        return cls(distinct, np.append(starts, len(keys)).astype(np.int64), rows[order], len(features))

    def features_by_text(self) -> list[Keys]:
        """The features of each text, as the index was built from them, in another order."""
        keys = np.repeat(self._keys, np.diff(self._starts))
        order = np.argsort(self._rows, kind="stable")
        counts = np.bincount(self._rows, minlength=self.texts)
        return np.split(keys[order], np.cumsum(counts)[:-1])

    def save(self, stem: Path) -> None:
        keys, starts, rows = (stem.with_suffix(suffix) for suffix in self.SUFFIXES)
        np.save(keys, self._keys)
        np.save(starts, self._starts)
        np.save(rows, self._rows)

    @classmethod
    def load(cls, stem: Path, texts: int) -> "CoverageIndex":
        # Plain arrays over the mapped files: slicing numpy's own memmap type costs ten times as much.
        keys, starts, rows = (
            np.asarray(np.load(stem.with_suffix(suffix), mmap_mode="r", allow_pickle=False)) for suffix in cls.SUFFIXES
        )
        return cls(keys, starts, rows, texts)

    def coverage(self, query: LexicalQuery) -> FloatArray:
        """For each text, the share of the question's information that it holds: 0 to 1."""
        held, total = np.zeros(self.texts, dtype=np.float32), 0.0
        for rows, weight in zip(self._rows_with(query.keys), query.weights, strict=True):
            information = weight * self._information(len(rows))
            held[rows] += information
            total += information
        return held / total if total else held

    def name_coverage(self, query: LexicalQuery) -> FloatArray:
        """For each text, the share of the information in the question's names that it holds: 0 to 1."""
        held, total = np.zeros(self.texts, dtype=np.float32), 0.0
        for name in query.names:
            rows = reduce(partial(np.intersect1d, assume_unique=True), self._rows_with(name))
            information = self._information(len(rows))
            held[rows] += information
            total += information
        return held / total if total else held

    def _rows_with(self, keys: Keys) -> list[Rows]:
        """For each feature, the texts that hold it."""
        places = np.searchsorted(self._keys, keys)
        known = self._keys[np.minimum(places, max(len(self._keys) - 1, 0))] == keys if len(self._keys) else keys < 0
        starts = self._starts[places].tolist()
        ends = self._starts[np.minimum(places + 1, len(self._keys))].tolist()
        return [
            self._rows[start:end] if found else self._rows[:0]
            for start, end, found in zip(starts, ends, known.tolist(), strict=True)
        ]

    def _information(self, texts_with_it: int) -> float:
        """Inverse document frequency as BM25 has it (Robertson and Zaragoza 2009), never negative."""
        return math.log(1 + (self.texts - texts_with_it + 0.5) / (texts_with_it + 0.5))
