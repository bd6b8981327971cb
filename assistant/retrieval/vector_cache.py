"""Vectors already computed, by engine and text, so that an unchanged text is never embedded again."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from assistant.retrieval.embedding import FloatArray

BATCH = 16

Embed = Callable[[Sequence[str]], FloatArray]


class VectorCache:
    """A file of vectors. What was embedded before an interruption is kept; a damaged file is started anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = self._open()
        self._used: set[bytes] = set()
        self.embedded = 0
        """How many texts had to be embedded since the file was opened."""

    def _open(self) -> sqlite3.Connection:
        for _ in range(2):
            try:
                database = sqlite3.connect(self._path, timeout=10)
                database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
                return database
            except sqlite3.DatabaseError:
                database.close()
                self._path.unlink(missing_ok=True)
        raise OSError(f"can't write {self._path}")

    def vectors(
        self, texts: Sequence[str], embed: Embed, kind: str, dimension: int, on_done: Callable[[int], None]
    ) -> FloatArray:
        """A row for each text; `kind` names the engine and prompt. `on_done` is told how many more texts are ready."""
        keys = [hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "replace")).digest() for text in texts]
        self._used.update(keys)
        found = {key: vector for key in set(keys) if (vector := self._stored(key, dimension)) is not None}
        on_done(sum(key in found for key in keys))
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        # Texts of one length embed faster together, where the engine pads.
        missing.sort(key=lambda item: len(item[1]))
        for first in range(0, len(missing), BATCH):
            batch = missing[first : first + BATCH]
            vectors = embed([text for _, text in batch])
            with self._database:
                for (key, _), vector in zip(batch, vectors, strict=True):
                    found[key] = vector
                    self._database.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
            self.embedded += len(batch)
            on_done(len(batch))
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, dimension), dtype=np.float32)

    def _stored(self, key: bytes, dimension: int) -> FloatArray | None:
        row = self._database.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        vector = np.frombuffer(row[0], dtype=np.float32)
        return vector if len(vector) == dimension else None

    def clear(self) -> None:
        with self._database:
            self._database.execute("DELETE FROM vectors")

    def drop_unused(self) -> None:
        """Drop vectors that weren't asked for since the file was opened, so that it doesn't grow without bound."""
        with self._database:
            self._database.execute("CREATE TEMP TABLE used (key BLOB PRIMARY KEY)")
            self._database.executemany("INSERT INTO used VALUES (?)", ((key,) for key in self._used))
            self._database.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM used)")
            self._database.execute("DROP TABLE used")

    def close(self) -> None:
        self._database.close()
