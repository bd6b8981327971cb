"""What the layers of a model cache, and the engine's choices that decide how."""

import math
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import Architecture, DeltaNet, GroupedAttention, LatentAttention, Mamba2
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
# What each engine can keep its cache in, as it names them.
# Sources: vLLM's --kv-cache-dtype (vllm/config/cache.py; its int8 and 4-bit caches have scales of their own and are not
# sized), SGLang's documentation of quantized caches, llama.cpp's --cache-type-k.
_OF_ENGINE: dict[Engine, tuple[str, ...]] = {
    "vllm": ("bf16", "fp16", "fp8", "fp8_ds_mla"),
    "sglang": ("bf16", "fp16", "fp8"),
    "llama.cpp": ("fp32", "fp16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"),
}
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
    held = _OF_ENGINE[engine]
    if key not in held:
        near = _nearest_in_size(key, held)
        raise InvalidInput(
            f"kv-type: {engine} keeps no cache in {key}, only in {', '.join(held)}.", f"The nearest is {near}.",
            code="no_kv_type", engine=engine, kv_type=key, near=near,
        )  # fmt: skip
    return key


def _nearest_in_size(key: str, held: tuple[str, ...]) -> str:
    """Of the types that an engine has, the one whose numbers take most nearly as many bytes; not that of MLA alone."""
    return min((name for name in held if name != "fp8_ds_mla"), key=lambda name: abs(KV_TYPES[name] - KV_TYPES[key]))


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


class AttentionRow(NamedTuple):
    """What `layers` layers each cache for a token, in bytes on one GPU."""

    layers: int
    token_bytes: float
    window: int | None
    chunked: bool


def _row_bytes(mixer: GroupedAttention | LatentAttention, layout: CacheLayout) -> float:
    size = KV_TYPES[layout.kv_type]
    if isinstance(mixer, LatentAttention):
        # MLA keeps one row for all heads, on every GPU of a tensor-parallel group.
        plain = (mixer.kv_rank + mixer.rope_dim) * size
        row = _FP8_DS_MLA_BYTES if layout.kv_type == "fp8_ds_mla" else plain
        # The sparse indexer keeps its keys in 8 bits with a 32-bit scale.
        return row + (mixer.index_dim + 4 if mixer.index_heads else 0)
    heads = max(1, mixer.kv_heads / layout.tensor_parallel)
    return 2 * heads * mixer.head_dim * size


def attention_rows(model: Architecture, layout: CacheLayout) -> list[AttentionRow]:
    """Cache rows by kind of layer, on one GPU of a tensor-parallel group."""
    rows: list[AttentionRow] = []
    for count, mixer in model.attention_groups:
        window = mixer.window if isinstance(mixer, GroupedAttention) else None
        chunked = isinstance(mixer, GroupedAttention) and mixer.chunked
        rows.append(AttentionRow(count, _row_bytes(mixer, layout), window, chunked))
    return rows


def bytes_per_token(model: Architecture, layout: CacheLayout) -> float:
    """Bytes a GPU caches for one more token inside every window: the sum over all layers."""
    return sum(row.layers * row.token_bytes for row in attention_rows(model, layout))


def state_sizes(model: Architecture, layout: CacheLayout) -> list[tuple[int, int]]:
    """(layers, bytes of each layer's state) of linear-attention and state-space layers, for one sequence on one GPU.

    Recurrent states are in 32 bits; convolution states in 16, in llama.cpp in 32.
    Sources: mamba_ssm_dtype in Qwen3.5's and Nemotron-H's config.json; llama.cpp's recurrent memory.
    """
    convolution_bytes = 4 if layout.engine == "llama.cpp" else 2
    sizes: list[tuple[int, int]] = []
    for count, mixer in model.state_groups:
        match mixer:
            case DeltaNet():
                keys, values = mixer.key_heads * mixer.key_dim, mixer.value_heads * mixer.value_dim
                convolved, recurrent = 2 * keys + values, mixer.value_heads * mixer.key_dim * mixer.value_dim
            case Mamba2():
                inner = mixer.heads * mixer.head_dim
                convolved, recurrent = inner + 2 * mixer.groups * mixer.state, inner * mixer.state
        size = convolved * (mixer.kernel - 1) * convolution_bytes + recurrent * 4
        sizes.append((count, math.ceil(size / layout.tensor_parallel)))
    return sizes


def bytes_read_per_token(model: Architecture, layout: CacheLayout, context: int) -> float:
    """Bytes of one sequence's cache that a GPU reads to make its next token: a windowed layer reads its window only."""
    rows = attention_rows(model, layout)
    cached = sum(row.layers * row.token_bytes * min(context, row.window or context) for row in rows)
    return cached + sum(count * size for count, size in state_sizes(model, layout))
