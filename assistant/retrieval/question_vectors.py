"""An engine that remembers the vectors of the questions it was asked last."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.vectors import FloatArray


class RememberingEngine:
    """Another engine's vectors; those of the last `size` questions are kept. Safe between threads."""

    def __init__(self, engine: EmbeddingEngine, size: int) -> None:
        self._engine = engine
        self.identity, self.dimension = engine.identity, engine.dimension
        self._query = lru_cache(size)(self._embed_query)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        if len(texts) != 1:
            return self._engine.embed_queries(texts)
        vector: FloatArray = self._query(texts[0])[None, :]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return self._engine.embed_passages(texts)

    def _embed_query(self, text: str) -> FloatArray:
        vector: FloatArray = np.array(self._engine.embed_queries([text])[0])
        # Shared by all who ask the same, so nobody may change it.
        vector.setflags(write=False)
        return vector
