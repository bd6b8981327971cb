"""Chroma: one collection of vectors for each language, of passages and of claim statements."""

from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from assistant.errors import IndexUnavailable
from assistant.language.tongue import Language
from assistant.retrieval.manifest import REBUILD
from assistant.retrieval.vectors import FloatArray

Keys = npt.NDArray[np.uint64]
Content = Literal["passages", "statements"]

_BATCH = 2000
_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 100}


class VectorsSilent(Exception):
    """What holds the vectors doesn't answer now, or nothing of use; those on disk can be searched instead."""


class VectorStore(Protocol):
    """The vectors of one build as they are searched; `Collections` is what writes them.

    Ids are the keys of passages and statements; texts stay in the passage store.
    """

    def open(self, content: Content, language: Language, count: int) -> None:
        """Make a collection ready for queries. Raises IndexUnavailable where it holds another number of vectors."""
        ...

    def nearest(self, content: Content, language: Language, vector: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        """Keys of the `count` nearest vectors, nearest first, and their cosines. Raises VectorsSilent."""
        ...

    def close(self) -> None: ...


class Collections:
    """The collections of one build on a Chroma client, told apart from those of others by a prefix of their names."""

    def __init__(self, client: Any, place: str, prefix: str = "") -> None:
        self._client, self._place, self._prefix = client, place, prefix
        self._collections: dict[tuple[Content, Language], Any] = {}

    def write(self, content: Content, language: Language, keys: Keys, vectors: FloatArray) -> None:
        """Store vectors under their keys, in a new collection."""
        # Written to the graph's file at the end and not before, so that opening has nothing left to add.
        whole = max(2, len(vectors))
        collection = self._client.create_collection(
            self._name(content, language),
            embedding_function=None,
            configuration={"hnsw": {**_HNSW, "sync_threshold": whole, "batch_size": whole}},
        )
        _add(collection, keys, vectors)

    def update(self, content: Content, language: Language, keys: Keys, vectors: FloatArray) -> None:
        """Make a collection hold just these keys; vectors of keys that it holds already are not written again."""
        collection = self._client.get_collection(self._name(content, language), embedding_function=None)
        held = np.array([int(key, 16) for key in collection.get(include=[])["ids"]], dtype=np.uint64)
        gone = np.setdiff1d(held, keys, assume_unique=True)
        for first in range(0, len(gone), _BATCH):
            collection.delete(ids=_ids(gone[first : first + _BATCH]))
        new = ~np.isin(keys, held)
        _add(collection, keys[new], vectors[new])

    def open(self, content: Content, language: Language, count: int) -> None:
        from chromadb.errors import ChromaError

        try:
            collection = self._client.get_collection(self._name(content, language), embedding_function=None)
            held = collection.count()
        except (ChromaError, ValueError) as error:
            raise IndexUnavailable(
                f"The index in {self._place} is damaged: no {content}-{language}.", REBUILD
            ) from error
        if held != count:
            raise IndexUnavailable(
                f"The index in {self._place} is damaged: {content}-{language} holds {held} of {count} vectors.", REBUILD
            )
        self._collections[content, language] = collection

    def nearest(self, content: Content, language: Language, vector: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        from chromadb.errors import ChromaError

        collection = self._collections.get((content, language))
        if collection is None or count < 1:
            return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.float32)
        try:
            found = collection.query(query_embeddings=vector[None, :], n_results=count, include=["distances"])
            keys = np.array([int(key, 16) for key in found["ids"][0]], dtype=np.uint64)
        except (ChromaError, ValueError, OverflowError) as error:
            raise VectorsSilent(f"{self._place}: {error}") from error
        return keys, 1 - np.array(found["distances"][0], dtype=np.float32)

    def close(self) -> None:
        self._collections.clear()
        self._client.close()

    def _name(self, content: Content, language: Language) -> str:
        return f"{self._prefix}{content}-{language}"


class NoCollections:
    """Stands for collections that can't be opened: it is silent, so that the vectors on disk are searched."""

    def open(self, content: Content, language: Language, count: int) -> None:
        """Nothing to open."""

    def nearest(self, content: Content, language: Language, vector: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        raise VectorsSilent("no collection is open")

    def close(self) -> None:
        """Nothing to close."""


def embedded_collections(path: Path) -> Collections:
    """The collections in a folder, in this process. Raises IndexUnavailable where Chroma can't open it."""
    import chromadb
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

    try:
        client = chromadb.PersistentClient(str(path), settings=Settings(anonymized_telemetry=False))
    except (ChromaError, ValueError, OSError, AttributeError) as error:
        # AttributeError: Chroma tidies up after what it couldn't open, and misses what it hadn't made yet.
        raise IndexUnavailable(f"The index in {path} is damaged: Chroma can't open it.", REBUILD) from error
    return Collections(client, str(path))


def _ids(keys: Keys) -> list[str]:
    return [f"{key:016x}" for key in keys.tolist()]


def _add(collection: Any, keys: Keys, vectors: FloatArray) -> None:
    for first in range(0, len(keys), _BATCH):
        collection.add(ids=_ids(keys[first : first + _BATCH]), embeddings=vectors[first : first + _BATCH])
