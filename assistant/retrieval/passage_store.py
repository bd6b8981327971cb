"""Passages and statement ids on disk, read one at a time by row."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assistant.retrieval.passage import Passage


class PassageStore:
    """One line of JSON a passage, and where each line starts."""

    def __init__(self, lines: bytes | memoryview, offsets: npt.NDArray[np.int64]) -> None:
        self._lines, self._offsets = lines, offsets

    @staticmethod
    def write(stem: Path, passages: Sequence[Passage]) -> None:
        lines = [passage.model_dump_json().encode("utf-8") + b"\n" for passage in passages]
        stem.with_suffix(".jsonl").write_bytes(b"".join(lines))
        lengths = np.array([0, *map(len, lines)], dtype=np.int64)
        np.save(stem.with_suffix(".offsets.npy"), np.cumsum(lengths))

    @classmethod
    def load(cls, stem: Path) -> "PassageStore":
        import mmap

        path = stem.with_suffix(".jsonl")
        offsets = np.load(stem.with_suffix(".offsets.npy"), mmap_mode="r", allow_pickle=False)
        with path.open("rb") as file:
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
