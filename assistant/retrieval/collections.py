"""Chroma on disk: one collection of vectors for each language, of passages and of claim statements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assistant.errors import IndexUnavailable
from assistant.language.tongue import Language
from assistant.retrieval.embedding import FloatArray
from assistant.retrieval.manifest import REBUILD

Content = Literal["passages", "statements"]

_BATCH = 2000
_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 100}


class Collections:
    """The collections of one build. Ids are row numbers; texts stay in the passage store."""

    def __init__(self, path: Path) -> None:
        import chromadb
        from chromadb.config import Settings
        from chromadb.errors import ChromaError

        self._path = path
        try:
            self._client: Any = chromadb.PersistentClient(str(path), settings=Settings(anonymized_telemetry=False))
        except (ChromaError, ValueError, OSError) as error:
            raise IndexUnavailable(f"The index in {path} is damaged: Chroma can't open it.", REBUILD) from error
        self._collections: dict[tuple[Content, Language], Any] = {}

    def write(self, content: Content, language: Language, vectors: FloatArray) -> None:
        """Store vectors under their row numbers."""
        # Written to the graph's file at the end and not before, so that opening has nothing left to add.
        whole = max(2, len(vectors))
        collection = self._client.create_collection(
            f"{content}-{language}",
            embedding_function=None,
            configuration={"hnsw": {**_HNSW, "sync_threshold": whole, "batch_size": whole}},
        )
        for first in range(0, len(vectors), _BATCH):
            batch = vectors[first : first + _BATCH]
            collection.add(ids=[str(first + row) for row in range(len(batch))], embeddings=batch)

    def open(self, content: Content, language: Language, count: int) -> None:
        """Make a collection ready for queries. Raises IndexUnavailable unless it holds `count` vectors."""
        from chromadb.errors import ChromaError

        try:
            collection = self._client.get_collection(f"{content}-{language}", embedding_function=None)
            held = collection.count()
        except (ChromaError, ValueError) as error:
            raise IndexUnavailable(
                f"The index in {self._path} is damaged: no {content}-{language}.", REBUILD
            ) from error
        if held != count:
            raise IndexUnavailable(
                f"The index in {self._path} is damaged: {content}-{language} holds {held} of {count} vectors.", REBUILD
            )
        self._collections[content, language] = collection

    def nearest(
        self, content: Content, language: Language, vector: FloatArray, count: int
    ) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Rows of the `count` nearest vectors, nearest first, and their cosines."""
        collection = self._collections.get((content, language))
        if collection is None or count < 1:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        found = collection.query(query_embeddings=vector[None, :], n_results=count, include=["distances"])
        ids: Sequence[str] = found["ids"][0]
        return np.array([int(row) for row in ids], dtype=np.int64), 1 - np.array(
            found["distances"][0], dtype=np.float32
        )

    def close(self) -> None:
        self._collections.clear()
        self._client.close()
