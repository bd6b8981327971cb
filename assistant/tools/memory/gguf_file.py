"""The header of a GGUF file: metadata and tensor table, read with bounds, so that a broken file ends in one line.

Format: ggml docs/gguf.md, versions 2 and 3, little-endian.
"""

import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

from assistant.errors import InvalidInput
from assistant.tools.memory.gguf_types import BLOCKS, TYPE_NUMBERS

_MOST_PAIRS = 100_000
_MOST_TENSORS = 1_000_000
_MOST_TEXT = 64 * 2**20
_MOST_NUMBERS = 2**52
_KEPT_ITEMS = 4096
_DEPTH = 4

# Value types of the metadata: struct code of the fixed ones; 8 is a string, 9 an array.
_FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

Value = int | float | bool | str | list["Value"]


class TensorInfo(NamedTuple):
    """One row of the tensor table; `dimensions` start with the one that varies fastest."""

    name: str
    dimensions: tuple[int, ...]
    kind: str
    offset: int

    @property
    def numbers(self) -> int:
        product = 1
        for dimension in self.dimensions:
            product *= dimension
        return product

    @property
    def size(self) -> int:
        block = BLOCKS[self.kind]
        return -(-self.numbers // block.values) * block.size


class GgufHeader(NamedTuple):
    """Metadata and tensors of one file. Long arrays keep their first 4096 items only."""

    metadata: dict[str, Value]
    lengths: dict[str, int]
    """Items of each array of the metadata."""
    tensors: tuple[TensorInfo, ...]


class _Reader:
    """Reads forward in a file and never past its end."""

    def __init__(self, file: BinaryIO, path: Path, size: int) -> None:
        self._file = file
        self._path = path
        self.left = size

    def broken(self, what: str) -> InvalidInput:
        return InvalidInput(f"{self._path}: {what}.", "Download the file again.")

    def take(self, count: int, what: str) -> bytes:
        if count > self.left:
            raise self.broken(f"the file ends inside {what}")
        data = self._file.read(count)
        if len(data) != count:
            raise self.broken(f"the file ends inside {what}")
        self.left -= count
        return data

    def number(self, code: str, what: str) -> int | float | bool:
        value: int | float | bool = struct.unpack("<" + code, self.take(struct.calcsize("<" + code), what))[0]
        return value

    def whole(self, code: str, what: str, most: int) -> int:
        value = int(self.number(code, what))
        if not 0 <= value <= most:
            raise self.broken(f"{what} is {value}, more than the {most} that is read")
        return value

    def text(self, what: str) -> str:
        length = self.whole("Q", f"the length of {what}", _MOST_TEXT)
        return self.take(length, what).decode("utf-8", "replace")


def _value(reader: _Reader, kind: int, what: str, depth: int = 0) -> tuple[Value, int]:
    """(the value, items of an array)."""
    if kind in _FIXED:
        return reader.number(_FIXED[kind], what), 0
    if kind == _STRING:
        return reader.text(what), 0
    if kind == _ARRAY and depth < _DEPTH:
        inner = reader.whole("I", f"the item type of {what}", 12)
        count = reader.whole("Q", f"the number of items of {what}", 2**40)
        return _array(reader, inner, count, what, depth), count
    raise reader.broken(f"{what} has the unknown value type {kind}")


def _array(reader: _Reader, inner: int, count: int, what: str, depth: int) -> Value:
    if inner in _FIXED:
        width = struct.calcsize("<" + _FIXED[inner])
        if count * width > reader.left:
            raise reader.broken(f"the file ends inside {what}")
        kept = min(count, _KEPT_ITEMS)
        items = list(struct.unpack(f"<{kept}{_FIXED[inner]}", reader.take(kept * width, what)))
        skip = (count - kept) * width
        while skip:
            step = min(skip, 2**20)
            reader.take(step, what)
            skip -= step
        return items
    # A string takes at least the eight bytes of its length, an array twelve.
    if count * 8 > reader.left:
        raise reader.broken(f"the file ends inside {what}")
    items = []
    for index in range(count):
        item, _ = _value(reader, inner, what, depth + 1)
        if index < _KEPT_ITEMS:
            items.append(item)
    return items


def _tensor(reader: _Reader, index: int) -> TensorInfo:
    what = f"tensor {index}"
    name = reader.text(f"the name of {what}")
    dimensions = tuple(
        reader.whole("Q", f"the shape of {name!r}", _MOST_NUMBERS)
        for _ in range(reader.whole("I", f"the number of dimensions of {name!r}", 4))
    )
    number = reader.whole("I", f"the type of {name!r}", 2**31)
    kind = TYPE_NUMBERS.get(number)
    if kind is None:
        raise reader.broken(f"{name!r} has the unknown tensor type {number}")
    offset = reader.whole("Q", f"the offset of {name!r}", 2**50)
    tensor = TensorInfo(name, dimensions, kind, offset)
    if tensor.numbers > _MOST_NUMBERS:
        raise reader.broken(f"{name!r} has {tensor.numbers} numbers")
    return tensor


def _check_data(reader: _Reader, metadata: dict[str, Value], tensors: tuple[TensorInfo, ...]) -> None:
    """A file that holds some of its tensor data but not all of it is a broken download; a bare header is not."""
    alignment = metadata.get("general.alignment", 32)
    align = alignment if isinstance(alignment, int) and 1 <= alignment <= 2**20 else 32
    needed = max((tensor.offset + tensor.size for tensor in tensors), default=0)
    if align < reader.left < needed:
        raise reader.broken(f"the file ends inside its tensor data: {needed} bytes are listed, {reader.left} are there")


def read_gguf_header(path: Path) -> GgufHeader:
    """Metadata and tensor table of a GGUF file. Raises InvalidInput naming what is broken, in one line."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            reader = _Reader(file, path, size)
            if reader.take(4, "the magic number") != b"GGUF":
                raise InvalidInput(f"{path}: not a GGUF file.")
            version = reader.whole("I", "the version", 2**32)
            if version not in (2, 3):
                raise InvalidInput(f"{path}: GGUF version {version} is not read.", "Convert it to version 3.")
            count = reader.whole("Q", "the number of tensors", _MOST_TENSORS)
            pairs = reader.whole("Q", "the number of metadata entries", _MOST_PAIRS)
            metadata: dict[str, Value] = {}
            lengths: dict[str, int] = {}
            for _ in range(pairs):
                key = reader.text("a metadata key")
                kind = reader.whole("I", f"the type of {key!r}", 12)
                metadata[key], items = _value(reader, kind, repr(key))
                if kind == _ARRAY:
                    lengths[key] = items
            tensors = tuple(_tensor(reader, index) for index in range(count))
            _check_data(reader, metadata, tensors)
            return GgufHeader(metadata, lengths, tensors)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}.") from error
