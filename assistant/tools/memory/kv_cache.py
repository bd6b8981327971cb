"""Bytes of the key-value cache, as each engine lays it out. Sliding-window layers are where engines differ."""

import math

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import CacheLayout, bytes_per_token, state_sizes
from assistant.tools.memory.llama_cache import buffer_bytes
from assistant.tools.memory.vllm_cache import block_pool, pool_bytes, pool_tokens


def _sglang_bytes(model: Architecture, layout: CacheLayout, context: int, concurrency: int, prefix: int) -> int:
    """SGLang's token pool with every layer in full; its separate pool for windows is not counted on."""
    shared = min(prefix, context) // layout.block * layout.block
    cells = math.ceil(context / layout.block) * layout.block
    tokens = concurrency * (cells - shared) + shared
    states = sum(count * size for count, size in state_sizes(model, layout))
    return math.ceil(tokens * bytes_per_token(model, layout)) + concurrency * states


def cache_bytes(
    model: Architecture, layout: CacheLayout, *, context: int, concurrency: int = 1, prefix: int = 0
) -> int:
    """Bytes of cache on each GPU for `concurrency` sequences of `context` tokens, the first `prefix` of them shared.

    With pipeline parallelism, the stage that holds most layers.
    """
    match layout.engine:
        case "vllm":
            total = pool_bytes(
                block_pool(model, layout),
                context=context,
                concurrency=concurrency,
                prefix=prefix,
                batched=layout.batched_tokens,
            )
        case "llama.cpp":
            total = buffer_bytes(model, layout, context=context, concurrency=concurrency)
        case "sglang":
            total = _sglang_bytes(model, layout, context, concurrency, prefix)
    stages = layout.pipeline_parallel
    return math.ceil(total * math.ceil(model.layer_count / stages) / model.layer_count)


def cache_tokens(model: Architecture, layout: CacheLayout, available: int, *, context: int) -> int:
    """Tokens that `available` bytes on each GPU hold, for sequences of `context` tokens; the figure that vLLM logs."""
    if available <= 0:
        return 0
    if layout.engine == "vllm":
        stages = layout.pipeline_parallel
        share = math.ceil(model.layer_count / stages) / model.layer_count
        return pool_tokens(
            block_pool(model, layout), int(available / share), context=context, batched=layout.batched_tokens
        )
    one = cache_bytes(model, layout, context=context)
    return int(available / one * context) if one else 0
