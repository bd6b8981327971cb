"""Embedding the texts of a build, each at most once ever, and telling how far it is."""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

from assistant.language.sentences import sentence_spans
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.calibration import calibration_texts
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.passage import Passage
from assistant.retrieval.vector_cache import Embed, VectorCache
from assistant.retrieval.vectors import FloatArray

Progress = Callable[[int, int], None]
"""Told how many texts are embedded, and how many have to be."""
Role = Literal["passage", "query"]
Vectors = Mapping[Language, FloatArray]

SAMPLED_SENTENCES = 64
"""Sentences a language that are embedded as questions, to see how far questions lie from passages."""


class Embedder:
    """Embeds through a cache of vectors, and tells how far it is with what isn't in there."""

    def __init__(self, cache: VectorCache, engine: EmbeddingEngine, progress: Progress | None) -> None:
        self._cache, self._engine, self._progress = cache, engine, progress
        self._done = self._total = 0

    def announce(self, passages: Iterable[str], questions: Iterable[str]) -> None:
        """Count what will have to be embedded of the texts to come."""
        calibration = (text.in_language(lang) for lang in LANGUAGES for text in calibration_texts().texts)
        self._total = self._cache.missing(chain(calibration, passages), self._kind("passage"))
        self._total += self._cache.missing(questions, self._kind("query"))
        if self._total:
            self._count(0)

    def passages(self, texts: Sequence[str]) -> FloatArray:
        return self._vectors(texts, self._engine.embed_passages, "passage")

    def questions(self, texts: Sequence[str]) -> FloatArray:
        return self._vectors(texts, self._engine.embed_queries, "query")

    def calibration(self) -> dict[Language, FloatArray]:
        """Vectors of the calibration texts."""
        texts = calibration_texts().texts
        return {lang: self.passages([text.in_language(lang) for text in texts]) for lang in LANGUAGES}

    def _vectors(self, texts: Sequence[str], embed: Embed, role: Role) -> FloatArray:
        return self._cache.vectors(texts, embed, self._kind(role), self._engine.dimension, self._count)

    def _kind(self, role: Role) -> str:
        return f"{self._engine.identity} {role}"

    def _count(self, more: int) -> None:
        self._done += more
        if self._progress is not None:
            self._progress(self._done, self._total)


def sample_sentences(passages: Sequence[Passage]) -> list[str]:
    """One sentence each of some passages. Which ones depends on their text alone, so most stay when articles change."""
    chosen = heapq.nsmallest(SAMPLED_SENTENCES, {passage.text for passage in passages}, key=_digest)
    return [min((text[start:end] for start, end in sentence_spans(text)), key=_digest) for text in chosen]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
