"""The header of a safetensors file, and the index of a model in several of them.

Format: huggingface/safetensors README: eight bytes of length, a JSON header of at most 100 MB, then the data.
"""

import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

from assistant.errors import InvalidInput
from assistant.tools.memory.config_reader import read_json_object

_MOST_HEADER = 100_000_000
_MOST_INDEX = 256 * 2**20
_MOST_NUMBERS = 2**52
_BITS = {
    "F64": 64, "I64": 64, "U64": 64, "C64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16, "BF16": 16, "I16": 16,
    "U16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I8": 8, "U8": 8,
    "BOOL": 8, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip


class StoredTensors(NamedTuple):
    """What a checkpoint holds: bytes of tensor data, and numbers by their type; None where only the bytes are known."""

    size: int
    numbers: dict[str, int] | None


def _tensor(path: Path, name: str, entry: Any, data: int) -> tuple[str, int, int]:
    """(type, numbers, bytes) of one entry of the header."""
    where = f"{path}: {name[:80]!r}"
    if not isinstance(entry, dict):
        raise InvalidInput(f"{where} is not an object.")
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if kind not in _BITS:
        raise InvalidInput(f"{where} has the unknown dtype {str(kind)[:40]!r}.")
    if not isinstance(shape, list) or len(shape) > 16 or not all(type(n) is int and n >= 0 for n in shape):
        raise InvalidInput(f"{where} has no valid shape.")
    numbers = 1
    for dimension in shape:
        numbers *= dimension
        if numbers > _MOST_NUMBERS:
            raise InvalidInput(f"{where} has too many numbers.")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in offsets):
        raise InvalidInput(f"{where} has no valid data_offsets.")
    size = -(-numbers * _BITS[kind] // 8)
    if offsets[1] - offsets[0] != size:
        raise InvalidInput(f"{where} spans {offsets[1] - offsets[0]} bytes, its shape and dtype take {size}.")
    if data and offsets[1] > data:
        raise InvalidInput(f"{path}: the file ends inside {name[:80]!r}.", "Download the file again.")
    return kind, numbers, size


def read_safetensors_header(path: Path) -> StoredTensors:
    """Bytes and numbers of one safetensors file, or of its header alone. Raises InvalidInput in one line."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            if len(start) < 8:
                raise InvalidInput(f"{path}: the file ends inside the length of its header.", "Download it again.")
            length = struct.unpack("<Q", start)[0]
            if length > _MOST_HEADER:
                raise InvalidInput(f"{path}: not a safetensors file: its header would be {length} bytes.")
            if length > size - 8:
                raise InvalidInput(f"{path}: the file ends inside its header.", "Download the file again.")
            text = file.read(length)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}.") from error
    try:
        header = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: the header is not JSON: {str(error)[:100]}") from error
    if not isinstance(header, dict):
        raise InvalidInput(f"{path}: the header is not a JSON object.")
    numbers: dict[str, int] = {}
    total = 0
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        kind, count, taken = _tensor(path, name, entry, size - 8 - length)
        numbers[kind] = numbers.get(kind, 0) + count
        total += taken
    if not total:
        raise InvalidInput(f"{path}: the header lists no tensors.")
    return StoredTensors(total, numbers)


def read_safetensors_index(path: Path) -> StoredTensors:
    """Bytes of a model by its model.safetensors.index.json. Raises InvalidInput naming the field."""
    index = read_json_object(path, _MOST_INDEX)
    metadata = index.get("metadata")
    size = metadata.get("total_size") if isinstance(metadata, dict) else None
    if isinstance(size, float) and size.is_integer():
        size = int(size)
    if type(size) is not int or not 1 <= size <= _MOST_NUMBERS:
        raise InvalidInput(f"{path}: metadata.total_size is missing or not a number of bytes.")
    count = metadata.get("total_parameters") if isinstance(metadata, dict) else None
    known = type(count) is int and 1 <= count <= _MOST_NUMBERS
    return StoredTensors(size, {"BF16": int(count)} if known and count is not None else None)
