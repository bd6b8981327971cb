"""The architecture that a GGUF header describes, and the exact bytes of its tensors.

Key names: ggml docs/gguf.md and gguf-py's constants. Layers of mixed models are told apart by their tensors.
"""

import re
from collections import Counter
from pathlib import Path

from pydantic import ValidationError

from assistant.errors import InvalidInput
from assistant.knowledge.schema import first_problem
from assistant.tools.memory.architecture import (
    Architecture,
    DeltaNet,
    DenseFeedForward,
    Experts,
    FeedForward,
    GroupedAttention,
    LatentAttention,
    LayerGroup,
    Mamba2,
    Mixer,
)
from assistant.tools.memory.gguf_file import GgufHeader, TensorInfo, Value, read_gguf_header

# Every how many layers one attends in full, where a file names a window but no pattern (llama.cpp, llama-model.cpp).
_PATTERNS = {"gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "cohere2": 4, "olmo2": 4, "exaone4": 4, "llama4": 4}
_MOST_LAYERS = 10_000
_SHARD = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<ending>\.gguf)$", re.IGNORECASE)


class _Metadata:
    """Keys of one architecture in a GGUF header; a value given per layer is read by layer."""

    def __init__(self, header: GgufHeader, path: Path) -> None:
        self._values = header.metadata
        self._lengths = header.lengths
        self._path = path
        name = header.metadata.get("general.architecture")
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"{path}: general.architecture is missing.")
        self.family = name

    def _full(self, key: str) -> str:
        return f"{self.family}.{key}"

    def has(self, key: str) -> bool:
        return self._full(key) in self._values

    def _item(self, key: str, layer: int) -> Value | None:
        value = self._values.get(self._full(key))
        if isinstance(value, list):
            return value[layer] if layer < len(value) else None
        return value

    def whole(self, key: str, layer: int = 0, default: int | None = None, least: int = 0) -> int:
        value = self._item(key, layer)
        if value is None:
            if default is None:
                raise InvalidInput(f"{self._path}: {self._full(key)} is missing.")
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
            raise InvalidInput(f"{self._path}: {self._full(key)} is {str(value)[:40]}, not a whole number.")
        return value

    def slides(self, layer: int) -> bool:
        """True where this layer's attention is limited to the window."""
        if not self.has("attention.sliding_window") or self.whole("attention.sliding_window") == 0:
            return False
        pattern = self._values.get(self._full("attention.sliding_window_pattern"))
        if isinstance(pattern, list):
            return layer < len(pattern) and bool(pattern[layer])
        every = pattern if type(pattern) is int and pattern > 0 else _PATTERNS.get(self.family)
        return every is None or (layer + 1) % every != 0

    def vocabulary(self, tensors: tuple[TensorInfo, ...]) -> int:
        if self.has("vocab_size"):
            return self.whole("vocab_size", least=1)
        if self._lengths.get("tokenizer.ggml.tokens"):
            return self._lengths["tokenizer.ggml.tokens"]
        embedding = next((t for t in tensors if t.name == "token_embd.weight" and len(t.dimensions) == 2), None)
        if embedding is None:
            raise InvalidInput(f"{self._path}: neither a vocabulary nor token_embd.weight is there.")
        return embedding.dimensions[1]


def _latent(data: _Metadata) -> LatentAttention:
    rope = data.whole("rope.dimension_count", least=1)
    key = data.whole("attention.key_length_mla", default=data.whole("attention.key_length", default=0))
    value = data.whole("attention.value_length_mla", default=data.whole("attention.value_length", default=0))
    return LatentAttention(
        heads=data.whole("attention.head_count", least=1),
        q_rank=data.whole("attention.q_lora_rank", default=0) or None,
        kv_rank=data.whole("attention.kv_lora_rank", least=1),
        nope_dim=max(1, key - rope),
        rope_dim=rope,
        value_dim=value,
    )


def _grouped(data: _Metadata, layer: int, *, reuses: bool) -> GroupedAttention:
    heads = data.whole("attention.head_count", layer, least=1)
    slides = data.slides(layer)
    key = "attention.key_length_swa" if slides and data.has("attention.key_length_swa") else "attention.key_length"
    return GroupedAttention(
        heads=heads,
        kv_heads=data.whole("attention.head_count_kv", layer, default=heads) or heads,
        head_dim=data.whole(key, default=data.whole("embedding_length", least=1) // heads, least=1),
        window=data.whole("attention.sliding_window", least=1) if slides else None,
        reuses_cache=reuses,
    )


def _recurrent(data: _Metadata) -> Mixer:
    heads = data.whole("ssm.time_step_rank", least=1)
    inner, state = data.whole("ssm.inner_size", least=1), data.whole("ssm.state_size", least=1)
    groups, kernel = (
        data.whole("ssm.group_count", default=1, least=1),
        data.whole("ssm.conv_kernel", default=4, least=1),
    )
    if data.family.startswith("qwen"):
        return DeltaNet(key_heads=groups, value_heads=heads, key_dim=state, value_dim=inner // heads, kernel=kernel)
    return Mamba2(heads=heads, head_dim=inner // heads, state=state, groups=groups, kernel=kernel)


def _mixer(data: _Metadata, layer: int, names: frozenset[str], reuses: bool) -> Mixer | None:
    if any(name.startswith("ssm_") for name in names):
        return _recurrent(data)
    if data.has("attention.kv_lora_rank"):
        return _latent(data)
    if reuses or any(name.startswith(("attn_k", "attn_qkv")) for name in names):
        return _grouped(data, layer, reuses=reuses)
    return None


def _block(data: _Metadata, layer: int, names: frozenset[str]) -> FeedForward | None:
    if any(name.startswith("ffn_gate_inp") for name in names) and data.has("expert_count"):
        width = data.whole("expert_feed_forward_length", default=data.whole("feed_forward_length", layer, default=0))
        shared = data.whole("expert_shared_feed_forward_length", default=0)
        shared = shared or width * data.whole("expert_shared_count", default=0)
        return Experts(
            experts=data.whole("expert_count", least=1),
            active=data.whole("expert_used_count", least=1),
            width=width,
            shared_width=shared,
        )
    if any(name.startswith("ffn_up") for name in names):
        gated = any(name.startswith("ffn_gate") for name in names) or data.family in ("phi3", "glm4")
        return DenseFeedForward(width=data.whole("feed_forward_length", layer, least=1), gated=gated)
    return None


def gguf_architecture(header: GgufHeader, path: Path) -> Architecture:
    """The architecture in a GGUF header. Raises InvalidInput naming the key that is missing or wrong."""
    data = _Metadata(header, path)
    layers = data.whole("block_count", least=1)
    if layers > _MOST_LAYERS:
        raise InvalidInput(f"{path}: {data.family}.block_count is {layers}, more than {_MOST_LAYERS}.")
    layers -= data.whole("nextn_predict_layers", default=0)
    names: dict[int, set[str]] = {}
    for tensor in header.tensors:
        parts = tensor.name.split(".", 2)
        if parts[0] == "blk" and len(parts) == 3 and parts[1].isdecimal():
            names.setdefault(int(parts[1]), set()).add(parts[2])
    own = layers - data.whole("attention.shared_kv_layers", default=0)
    try:
        kinds = Counter(
            (
                _mixer(data, layer, frozenset(names.get(layer, ())), layer >= own),
                _block(data, layer, frozenset(names.get(layer, ()))),
            )
            for layer in range(layers)
        )
        groups = tuple(
            LayerGroup(count=count, mixer=mixer, feed_forward=block) for (mixer, block), count in kinds.items()
        )
        return Architecture(
            hidden=data.whole("embedding_length", least=1),
            vocabulary=data.vocabulary(header.tensors),
            layers=groups,
            max_context=data.whole("context_length", default=2048, least=1),
            tied_embeddings=not any(tensor.name == "output.weight" for tensor in header.tensors),
        )
    except ValidationError as error:
        raise InvalidInput(f"{path}: {first_problem(error)}") from error


def read_gguf_model(path: Path) -> tuple[GgufHeader, Architecture]:
    """Header and architecture of a GGUF model; the tensors of a split model are those of all its files."""
    header = read_gguf_header(path)
    count = header.metadata.get("split.count")
    if type(count) is int and count > 1:
        header = header._replace(tensors=_all_shards(path, count))
    if not header.tensors:
        raise InvalidInput(f"{path}: the file lists no tensors.")
    return header, gguf_architecture(header, path)


def _all_shards(path: Path, count: int) -> tuple[TensorInfo, ...]:
    match = _SHARD.match(path.name)
    if match is None or int(match["count"]) != count or count > 1000:
        raise InvalidInput(
            f"{path}: one of {count} files, and its name does not say which.", "Keep the names that end in -00001-of-…"
        )
    tensors: list[TensorInfo] = []
    for number in range(1, count + 1):
        shard = path.with_name(f"{match['stem']}-{number:05d}-of-{count:05d}{match['ending']}")
        if not shard.is_file():
            raise InvalidInput(f"{shard}: missing, of the {count} files of this model.", "Download it.")
        tensors += read_gguf_header(shard).tensors
    return tuple(tensors)
