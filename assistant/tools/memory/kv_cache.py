"""Bytes of the key-value cache, as each engine lays it out.

Sources: vLLM vllm/v1/kv_cache_interface.py and kv_cache_utils.py; llama.cpp src/llama-kv-cache-iswa.cpp;
SGLang memory pool. Sliding-window layers are where engines differ.
"""

import math
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import Architecture, GroupedAttention, LatentAttention
from assistant.tools.memory.gguf_types import BLOCKS
from assistant.tools.memory.nearest import nearest_names

Engine = Literal["vllm", "llama.cpp", "sglang"]

# Bytes a cached number takes. llama.cpp's block types include their scales.
KV_TYPES: dict[str, float] = {
    "fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp8_ds_mla": 1.0,
    **{name: BLOCKS[name].bits / 8 for name in ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")},
}  # fmt: skip
_OTHER_NAMES = {
    "f32": "fp32", "f16": "fp16", "float16": "fp16", "bfloat16": "bf16", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8",
    "e4m3": "fp8", "q8": "q8_0", "q4": "q4_0",
}  # fmt: skip
# A token of DeepSeek's fp8 cache: 512 numbers of 8 bits, 4 scales of 32 bits, 64 rotary numbers of 16 bits.
_FP8_DS_MLA_BYTES = 656


def kv_type(name: str, engine: Engine) -> str:
    """The cache type of that name; `auto` is 16-bit, whatever the weights are stored in. Raises InvalidInput."""
    key = name.strip().lower().replace("-", "_")
    key = _OTHER_NAMES.get(key, key)
    if key == "auto":
        return "fp16" if engine == "llama.cpp" else "bf16"
    if key not in KV_TYPES:
        near = ", ".join(nearest_names(key, ["auto", *KV_TYPES]))
        raise InvalidInput(f"kv-type: {name!r} is not a cache type.", f"Nearest: {near}.")
    return key


class CacheLayout(BaseModel):
    """How the engine keeps its cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    engine: Engine = "vllm"
    kv_type: str = "bf16"
    tensor_parallel: int = Field(default=1, ge=1)
    pipeline_parallel: int = Field(default=1, ge=1)
    block: int = Field(default=16, ge=1, le=4096)
    """Tokens in a page of vLLM and SGLang."""
    hybrid_manager: bool = True
    """vLLM: False where every layer is cached in full."""
    batched_tokens: int = Field(default=8192, ge=1)
    """vLLM: max-num-batched-tokens, which a sliding-window layer keeps besides its window."""
    swa_full: bool = False
    """llama.cpp: --swa-full, or a build that knows no window."""
    unified: bool = False
    """llama.cpp: one buffer that all sequences share."""
    micro_batch: int = Field(default=512, ge=1)
    """llama.cpp: n_ubatch."""


class LayerCache(NamedTuple):
    """The cache of layers of one kind, on one GPU."""

    layers: int
    bytes_per_cell: float
    """Of one layer."""
    window: int | None


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _row_bytes(mixer: GroupedAttention | LatentAttention, layout: CacheLayout) -> float:
    size = KV_TYPES[layout.kv_type]
    if isinstance(mixer, LatentAttention):
        # MLA keeps one row for all heads, on every GPU of a tensor-parallel group.
        plain = (mixer.kv_rank + mixer.rope_dim) * size
        row = _FP8_DS_MLA_BYTES if layout.kv_type == "fp8_ds_mla" else plain
        # vLLM's sparse indexer keeps its keys in 8 bits with a 32-bit scale.
        return row + (mixer.index_dim + 4 if mixer.index_heads else 0)
    heads = max(1, mixer.kv_heads / layout.tensor_parallel)
    return 2 * heads * mixer.head_dim * size


def layer_caches(model: Architecture, layout: CacheLayout) -> list[LayerCache]:
    """Cache rows by kind of layer, on one GPU of a tensor-parallel group."""
    return [
        LayerCache(count, _row_bytes(mixer, layout), mixer.window if isinstance(mixer, GroupedAttention) else None)
        for count, mixer in model.attention_groups
    ]


def bytes_per_token(model: Architecture, layout: CacheLayout) -> float:
    """Bytes a GPU caches for one more token inside every window: the sum over all layers."""
    return sum(cache.layers * cache.bytes_per_cell for cache in layer_caches(model, layout))


def _cells_vllm(window: int | None, context: int, layout: CacheLayout) -> int:
    full = _up(context, layout.block)
    if window is None or not layout.hybrid_manager:
        return full
    # The window less the token itself, the tokens of one step, and a block because a window need not start on one.
    return min(full + layout.block, _up(min(window - 1 + layout.batched_tokens, context), layout.block) + layout.block)


def _llama_streams(context: int, concurrency: int, layout: CacheLayout) -> tuple[int, int]:
    """(streams, cells of a full layer in each), where `context` is the tokens of one sequence."""
    if layout.unified:
        return 1, _up(context * concurrency, 256)
    return concurrency, _up(context, 256)


def _cells_llama(window: int | None, context: int, concurrency: int, layout: CacheLayout) -> int:
    streams, base = _llama_streams(context, concurrency, layout)
    if window is None or layout.swa_full:
        return streams * base
    sequences = concurrency if layout.unified else 1
    return streams * min(base, _up(window * sequences + layout.micro_batch, 256))


def _swa_type(cache: LayerCache, model: Architecture, layout: CacheLayout) -> float:
    """llama.cpp leaves a windowed layer's cache in 16 bits when the rest is quantised."""
    if cache.window is None or layout.swa_full or KV_TYPES[layout.kv_type] >= 2:
        return cache.bytes_per_cell
    return cache.bytes_per_cell * 2 / KV_TYPES[layout.kv_type]


def cache_bytes(
    model: Architecture, layout: CacheLayout, *, context: int, concurrency: int = 1, prefix: int = 0
) -> int:
    """Bytes of cache on each GPU for `concurrency` sequences of `context` tokens, the first `prefix` of them shared.

    With pipeline parallelism, the stage that holds most layers.
    """
    total = 0.0
    for cache in layer_caches(model, layout):
        if layout.engine == "llama.cpp":
            cells = _cells_llama(cache.window, context, concurrency, layout)
            total += cells * cache.layers * _swa_type(cache, model, layout)
            continue
        # SGLang sizes a sliding-window pool of its own; without it, and as default here, it caches in full.
        cells = _cells_vllm(cache.window if layout.engine == "vllm" else None, context, layout)
        shared = min(prefix // layout.block * layout.block, cells)
        total += (concurrency * (cells - shared) + shared) * cache.layers * cache.bytes_per_cell
    return math.ceil(total / layout.pipeline_parallel) + concurrency * state_bytes(model, layout)


def state_bytes(model: Architecture, layout: CacheLayout) -> int:
    """Bytes of the fixed-size states of linear-attention and state-space layers, for one sequence on one GPU.

    Convolution states are kept in 16 bits, recurrent ones in 32 bits. Source: Qwen3-Next and Nemotron-H configs.
    """
    total = 0.0
    for count, mixer in model.state_groups:
        if mixer.kind == "delta":
            keys, values = mixer.key_heads * mixer.key_dim, mixer.value_heads * mixer.value_dim
            convolution = (2 * keys + values) * (mixer.kernel - 1)
            recurrent = mixer.value_heads * mixer.key_dim * mixer.value_dim
        else:
            inner = mixer.heads * mixer.head_dim
            convolution = (inner + 2 * mixer.groups * mixer.state) * (mixer.kernel - 1)
            recurrent = inner * mixer.state
        total += count * (convolution * 2 + recurrent * 4) / layout.tensor_parallel
    return math.ceil(total / layout.pipeline_parallel)
