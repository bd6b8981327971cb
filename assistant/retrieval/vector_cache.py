"""Vectors already computed, by engine and text, so that an unchanged text is never embedded again."""

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from assistant.retrieval.vectors import FloatArray

BATCH = 64
"""Texts embedded and stored together: what is lost at most when a build is stopped."""
UNIT_TOLERANCE = 1e-3
READ_AT_ONCE = 500

Keyed = tuple[bytes, str]
"""A text under its key."""
Embed = Callable[[Sequence[str]], FloatArray]


class VectorCache:
    """A file of vectors. What was embedded before an interruption is kept; a damaged file is started anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = self._open()
        self._known = {key for (key,) in self._database.execute("SELECT key FROM vectors")}
        self._used: set[bytes] = set()
        self.embedded = 0
        """How many texts had to be embedded since the file was opened."""

    def _open(self) -> sqlite3.Connection:
        for _ in range(2):
            try:
                database = sqlite3.connect(self._path, timeout=10)
                database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
                if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    raise sqlite3.DatabaseError("damaged")
                return database
            except sqlite3.DatabaseError:
                database.close()
                self._path.unlink(missing_ok=True)
        raise OSError(f"can't write {self._path}")

    def vectors(
        self, texts: Sequence[str], embed: Embed, kind: str, dimension: int, on_done: Callable[[int], None]
    ) -> FloatArray:
        """A row for each text; `kind` names the engine and prompt. `on_done` is told how many more were embedded."""
        keys = [_key(kind, text) for text in texts]
        self._used.update(keys)
        found = self._stored(set(keys) & self._known, dimension)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        for batch in _batches(missing):
            vectors = embed([text for _, text in batch])
            with self._database:
                for (key, _), vector in zip(batch, vectors, strict=True):
                    found[key] = vector
                    self._database.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
            self._known.update(key for key, _ in batch)
            self.embedded += len(batch)
            on_done(len(batch))
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, dimension), dtype=np.float32)

    def missing(self, texts: Iterable[str], kind: str) -> int:
        """How many distinct texts have no vector yet."""
        return len({_key(kind, text) for text in texts} - self._known)

    def _stored(self, keys: Collection[bytes], dimension: int) -> dict[bytes, FloatArray]:
        """The vectors of those keys whose vector is whole."""
        found: dict[bytes, FloatArray] = {}
        wanted = iter(keys)
        while some := tuple(islice(wanted, READ_AT_ONCE)):
            marks = ",".join("?" * len(some))
            rows = self._database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608
            whole = [(key, vector) for key, vector in rows if len(vector) == 4 * dimension]
            vectors = np.frombuffer(b"".join(vector for _, vector in whole), dtype=np.float32).reshape(-1, dimension)
            # A vector of another length than 1 was damaged where it lay.
            unit = np.abs(np.einsum("nd,nd->n", vectors, vectors) - 1) < UNIT_TOLERANCE
            found.update(
                (key, vector) for (key, _), vector, is_unit in zip(whole, vectors, unit, strict=True) if is_unit
            )
        return found

    def clear(self) -> None:
        with self._database:
            self._database.execute("DELETE FROM vectors")
        self._known.clear()

    def drop_unused(self) -> None:
        """Drop vectors that weren't asked for since the file was opened, so that it doesn't grow without bound."""
        with self._database:
            self._database.execute("CREATE TEMP TABLE used (key BLOB PRIMARY KEY)")
            self._database.executemany("INSERT INTO used VALUES (?)", ((key,) for key in self._used))
            self._database.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM used)")
            self._database.execute("DROP TABLE used")

    def close(self) -> None:
        self._database.close()


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "replace")).digest()


def _batches(missing: Sequence[Keyed]) -> list[list[Keyed]]:
    """Texts of one length together, which embed faster so; in an order that makes each part of the way cost the same.

    So the time that the first batches took says how long the rest will take.
    """
    by_length = sorted(missing, key=lambda item: len(item[1]))
    batches = [by_length[first : first + BATCH] for first in range(0, len(by_length), BATCH)]
    return sorted(batches, key=lambda batch: batch[0][0])
