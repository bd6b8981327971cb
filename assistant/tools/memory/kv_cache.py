"""Bytes of the key-value cache, as each engine lays it out. Sliding-window layers are where engines differ."""

import math

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import CacheLayout
from assistant.tools.memory.llama_cache import buffer_bytes
from assistant.tools.memory.sglang_cache import pools_bytes, pools_tokens
from assistant.tools.memory.vllm_cache import block_pool, pool_bytes, pool_tokens


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
            total = pools_bytes(model, layout, context=context, concurrency=concurrency, prefix=prefix)
    stages = layout.pipeline_parallel
    return math.ceil(total * math.ceil(model.layer_count / stages) / model.layer_count)


def cache_tokens(model: Architecture, layout: CacheLayout, available: int, *, context: int) -> int:
    """Tokens that `available` bytes on each GPU hold, for sequences of `context` tokens; the figure that vLLM logs."""
    if available <= 0:
        return 0
    stages = layout.pipeline_parallel
    whole = int(available / (math.ceil(model.layer_count / stages) / model.layer_count))
    match layout.engine:
        case "vllm":
            return pool_tokens(block_pool(model, layout), whole, context=context, batched=layout.batched_tokens)
        case "sglang":
            return pools_tokens(model, layout, whole)
        case "llama.cpp":
            one = cache_bytes(model, layout, context=context)
            return int(available / one * context) if one else 0
