"""SGLang's cache: one pool of tokens over all layers, or a second, smaller one for layers with a window.

Source: sgl-project/sglang pull request 18039 and `is_hybrid_swa_model` in srt/configs/model_config.py, which names the
models whose windowed layers get a pool of their own; all others keep every layer in full.
"""

import math
from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import CacheLayout, attention_rows, state_sizes

WINDOW_SHARE = 0.8
"""swa_full_tokens_ratio as it is by default: the logs of pull request 18039 have 300,288 beside 375,360 tokens."""


class TokenPools(NamedTuple):
    """Bytes that a token takes in the pool of full layers and in the pool of windowed ones, and their window."""

    full: float
    windowed: float
    window: int

    @property
    def cell(self) -> float:
        """Bytes for each token of the larger pool, the other one following in its fixed share."""
        return self.full + WINDOW_SHARE * self.windowed if self.full else self.windowed


def token_pools(model: Architecture, layout: CacheLayout) -> TokenPools:
    """How SGLang divides its cache memory for this model on one GPU."""
    full, windowed, window = 0.0, 0.0, 0
    for row in attention_rows(model, layout):
        if row.window is not None and model.window_pool:
            windowed += row.layers * row.token_bytes
            window = max(window, row.window)
        else:
            full += row.layers * row.token_bytes
    return TokenPools(full, windowed, window)


def pools_bytes(model: Architecture, layout: CacheLayout, *, context: int, concurrency: int, prefix: int) -> int:
    """Bytes for `concurrency` sequences of `context` tokens, whole pages of a shared prefix kept once, with states."""
    pools = token_pools(model, layout)
    shared = min(prefix, context) // layout.block * layout.block
    cells = math.ceil(context / layout.block) * layout.block
    tokens = float(concurrency * (cells - shared) + shared)
    if pools.windowed:
        # Every sequence keeps its window, and the tokens of one step come on top before the oldest are let go.
        kept = concurrency * min(cells, pools.window) + layout.batched_tokens
        needed = min(float(kept), float(concurrency * cells))
        tokens = max(tokens, needed / WINDOW_SHARE) if pools.full else needed
    states = sum(count * size for count, size in state_sizes(model, layout))
    return math.ceil(tokens * pools.cell) + concurrency * states


def pools_tokens(model: Architecture, layout: CacheLayout, available: int) -> int:
    """Tokens of the pool that SGLang logs as max_total_num_tokens, for `available` bytes; whole pages."""
    cell = token_pools(model, layout).cell
    return int(available / cell) // layout.block * layout.block if cell else 0
