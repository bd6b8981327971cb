"""vLLM's paged cache: layers of one kind share block tables, and all groups share one pool of equal blocks.

Source: vllm/v1/kv_cache_interface.py (blocks a request needs of each kind) and vllm/v1/core/kv_cache_utils.py (groups
of equal size, pages made equal). Checked on engine logs: docs/memory.md.
"""

import math
from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import CacheLayout, attention_rows, state_sizes

_ALIGNMENT = 16
# A request keeps its running state and the one of the last whole block, so that its prefix can be reused.
_STATES_PER_REQUEST = 2


class BlockGroup(NamedTuple):
    """`tables` block tables of one kind of layer, with blocks of `block` tokens; a state has no tokens."""

    tables: int
    block: int
    window: int | None = None
    chunked: bool = False
    is_state: bool = False


class BlockPool(NamedTuple):
    """The pool: bytes of one block over the layers that share it, and who draws blocks from it."""

    block_bytes: float
    groups: tuple[BlockGroup, ...]
    page_block: int = 1
    """Tokens of the widest rows that fill a page."""
    shared_layers: int = 1
    """Layers that share a block, where they are grouped by kind."""
    paged_by_kind: bool = False
    """False where one kind of attention has blocks over all of its layers."""

    @property
    def tables(self) -> int:
        return sum(group.tables for group in self.groups)

    @property
    def smallest_block(self) -> int:
        return min((group.block for group in self.groups if not group.is_state), default=1)


class _Kind(NamedTuple):
    layers: int
    token_bytes: float
    window: int | None
    chunked: bool


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _kinds(model: Architecture, layout: CacheLayout) -> list[_Kind]:
    """Layers of equal shape and window together."""
    merged: dict[tuple[float, int | None, bool], int] = {}
    for row in attention_rows(model, layout):
        window = row.window if layout.hybrid_manager else None
        key = (row.token_bytes, window, row.chunked and window is not None)
        merged[key] = merged.get(key, 0) + row.layers
    return [_Kind(layers, size, window, chunked) for (size, window, chunked), layers in merged.items()]


def block_pool(model: Architecture, layout: CacheLayout) -> BlockPool:
    """How vLLM divides its cache memory for this model on one GPU."""
    kinds, states = _kinds(model, layout), state_sizes(model, layout)
    if not states and len({(kind.window, kind.chunked) for kind in kinds}) <= 1:
        # One kind of attention, perhaps with rows of several sizes: every block holds all layers.
        size = sum(kind.layers * kind.token_bytes for kind in kinds) * layout.block
        window, chunked = (kinds[0].window, kinds[0].chunked) if kinds else (None, False)
        return BlockPool(size, (BlockGroup(1, layout.block, window, chunked),))
    largest_state = max((size for _, size in states), default=0)
    widest = max((kind.token_bytes for kind in kinds), default=0.0)
    block = layout.block
    if largest_state and widest:
        # Blocks are made long enough that an attention page holds a state.
        block = max(block, _up(math.ceil(largest_state / widest), _ALIGNMENT))
    page = max(widest * block, largest_state)
    shared = min([kind.layers for kind in kinds] + [count for count, _ in states])
    groups: list[BlockGroup] = []
    for kind in kinds:
        ratio = widest / kind.token_bytes
        # Thinner rows get longer blocks where that fills the page exactly; else their pages are padded.
        length = block * int(ratio) if ratio == int(ratio) else block
        groups.append(BlockGroup(math.ceil(kind.layers / shared), length, kind.window, kind.chunked))
    groups += [BlockGroup(math.ceil(count / shared), block, is_state=True) for count, _ in states]
    return BlockPool(page * shared, tuple(groups), block, shared, paged_by_kind=True)


def _blocks(group: BlockGroup, context: int, batched: int) -> int:
    """Blocks that one request of `context` tokens needs of one table at most."""
    if group.is_state:
        return _STATES_PER_REQUEST
    if group.window is None:
        return math.ceil(context / group.block)
    if group.chunked:
        return math.ceil(min(group.window + batched, context) / group.block)
    # A window need not start where a block does.
    return math.ceil(min(group.window - 1 + batched, context) / group.block) + 1


def request_blocks(pool: BlockPool, context: int, batched: int) -> int:
    """Blocks of the pool that one request of `context` tokens may need, with `batched` tokens in a step."""
    return sum(group.tables * _blocks(group, context, batched) for group in pool.groups)


def pool_bytes(pool: BlockPool, *, context: int, concurrency: int, prefix: int, batched: int) -> int:
    """Bytes for `concurrency` requests; whole blocks of a shared prefix are kept once in layers without a window."""
    needed = concurrency * request_blocks(pool, context, batched)
    for group in pool.groups:
        if group.window is None and not group.is_state:
            needed -= (concurrency - 1) * (min(prefix, context) // group.block) * group.tables
    return math.ceil(needed * pool.block_bytes)


def pool_tokens(pool: BlockPool, available: int, *, context: int, batched: int) -> int:
    """vLLM's own figure `GPU KV cache size` since 0.21: the requests of `context` tokens that fit, in tokens."""
    blocks = int(available // pool.block_bytes) if pool.block_bytes else 0
    return int(blocks / request_blocks(pool, context, batched) * context)


def pool_tokens_by_group(pool: BlockPool, available: int) -> int:
    """The figure as vLLM logged it before 0.21: blocks divided evenly over the tables, whatever the context."""
    blocks = int(available // pool.block_bytes) if pool.block_bytes else 0
    return blocks // pool.tables * pool.smallest_block
