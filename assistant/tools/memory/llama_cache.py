"""llama.cpp's cache: one buffer of cells for full layers, a smaller one for layers with a window.

Source: src/llama-kv-cache-iswa.cpp (cells of a windowed layer) and llama-context.cpp (cells of a sequence); checked on
llama-server's logs: docs/memory.md.
"""

import math

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import KV_TYPES, AttentionRow, CacheLayout, attention_rows, state_sizes

PADDING = 256


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def full_cells(context: int, concurrency: int, layout: CacheLayout) -> int:
    """Cells of a full layer over all sequences of `context` tokens."""
    if layout.unified:
        return _up(context * concurrency, PADDING)
    return concurrency * _up(context, PADDING)


def windowed_cells(window: int, context: int, concurrency: int, layout: CacheLayout) -> int:
    """Cells of a layer with a window over all sequences."""
    if layout.swa_full:
        return full_cells(context, concurrency, layout)
    if layout.unified:
        base = full_cells(context, concurrency, layout)
        return min(base, _up(window * concurrency + layout.micro_batch, PADDING))
    base = _up(context, PADDING)
    return concurrency * min(base, _up(window + layout.micro_batch, PADDING))


def cell_bytes(row: AttentionRow, layout: CacheLayout) -> float:
    """A windowed layer's cache stays in 16 bits when the rest is quantised (llama.cpp PR #21277)."""
    size = KV_TYPES[layout.kv_type]
    if row.window is None or layout.swa_full or size >= 2:
        return row.token_bytes
    return row.token_bytes * 2 / size


def buffer_bytes(model: Architecture, layout: CacheLayout, *, context: int, concurrency: int) -> int:
    """Bytes of the cache buffers on one GPU for `concurrency` sequences of `context` tokens each, states included."""
    total = 0.0
    for row in attention_rows(model, layout):
        if row.window is None:
            cells = full_cells(context, concurrency, layout)
        else:
            cells = windowed_cells(row.window, context, concurrency, layout)
        total += cells * row.layers * cell_bytes(row, layout)
    states = sum(count * size for count, size in state_sizes(model, layout))
    return math.ceil(total) + concurrency * states
