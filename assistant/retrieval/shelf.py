"""The passages, or statements, of one language on disk: their keys, their words and, of passages, their text."""

import hashlib
import json
import mmap
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assistant.retrieval.lexical import CoverageIndex
from assistant.retrieval.passage import Passage
from assistant.retrieval.vectors import FloatArray

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]


def key_of(identity: str, text: str) -> int:
    """The key under which Chroma knows a text: the same as long as neither its id nor its words change."""
    digest = hashlib.blake2b(f"{identity}\0{text}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def keys_of(entries: Sequence[tuple[str, str]]) -> Keys:
    """Keys of ids with their texts."""
    return np.fromiter((key_of(*entry) for entry in entries), dtype=np.uint64, count=len(entries))


@dataclass(frozen=True)
class KeyedRows:
    """Which row each key stands in."""

    keys: Keys
    order: Rows

    @classmethod
    def of(cls, keys: Keys) -> "KeyedRows":
        order = np.argsort(keys)
        return cls(keys[order], order)

    def rows(self, keys: Keys) -> Rows:
        """The rows of those keys that are known; a damaged graph may give others."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        rows: Rows = self.order[places[self.keys[places] == keys]]
        return rows


def write_words(stem: Path, keys: Keys, words: CoverageIndex) -> None:
    """Write the keys and words of a language's texts beside `stem`."""
    np.save(stem.with_suffix(".texts.npy"), keys)
    words.save(stem)


def copy_words(source: Path, stem: Path) -> None:
    """Write the keys and words that stand beside `source` beside `stem`."""
    for name in (".texts.npy", *CoverageIndex.SUFFIXES):
        shutil.copyfile(source.with_suffix(name), stem.with_suffix(name))


def read_words(stem: Path, count: int) -> tuple[Keys, CoverageIndex]:
    """Read them back. Raises OSError or ValueError where a file is missing or no such file."""
    keys: Keys = np.load(stem.with_suffix(".texts.npy"), allow_pickle=False)
    return keys, CoverageIndex.load(stem, count)


def write_vectors(stem: Path, vectors: FloatArray) -> None:
    """Write the centred vectors of a language's texts beside `stem`."""
    np.save(stem.with_suffix(".vectors.npy"), vectors)


def read_vectors(stem: Path) -> FloatArray:
    """Map them. Raises OSError or ValueError where the file is missing or no such file."""
    return np.asarray(np.load(stem.with_suffix(".vectors.npy"), mmap_mode="r", allow_pickle=False))


class PassageStore:
    """One line of JSON a passage, and where each line starts; read one at a time by row."""

    def __init__(self, lines: memoryview, offsets: npt.NDArray[np.int64]) -> None:
        self._lines, self._offsets = lines, offsets

    @staticmethod
    def write(stem: Path, passages: Sequence[Passage]) -> None:
        lines = [passage.model_dump_json().encode("utf-8") + b"\n" for passage in passages]
        stem.with_suffix(".jsonl").write_bytes(b"".join(lines))
        lengths = np.array([0, *map(len, lines)], dtype=np.int64)
        np.save(stem.with_suffix(".offsets.npy"), np.cumsum(lengths))

    @classmethod
    def load(cls, stem: Path) -> "PassageStore":
        """Map the files. Raises OSError or ValueError where one is missing or no such file."""
        offsets = np.load(stem.with_suffix(".offsets.npy"), mmap_mode="r", allow_pickle=False)
        with stem.with_suffix(".jsonl").open("rb") as file:
            return cls(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)), offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> Passage:
        if not 0 <= row < len(self):
            raise IndexError(row)
        return Passage.model_validate_json(bytes(self._lines[self._offsets[row] : self._offsets[row + 1]]))


def write_ids(path: Path, ids: Sequence[str]) -> None:
    path.write_text(json.dumps(list(ids), ensure_ascii=False), encoding="utf-8")


def read_ids(path: Path) -> list[str]:
    ids: list[str] = json.loads(path.read_text(encoding="utf-8"))
    return ids
