"""GGUF tensor types and the mixture of them that each llama.cpp quantisation gives a model.

Block sizes: ggml's type traits. Mixtures: the tensor type choice of llama.cpp's quantiser (src/llama-quant.cpp),
for a model quantised without an importance matrix, except the IQ1–IQ3 types, which require one.
"""

from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture, Experts, GroupedAttention
from assistant.tools.memory.tensors import TensorGroup


class Block(NamedTuple):
    """`values` numbers are stored together in `size` bytes."""

    values: int
    size: int

    @property
    def bits(self) -> float:
        return self.size * 8 / self.values


BLOCKS: dict[str, Block] = {
    "f32": Block(1, 4), "f16": Block(1, 2), "bf16": Block(1, 2), "f64": Block(1, 8),
    "i8": Block(1, 1), "i16": Block(1, 2), "i32": Block(1, 4), "i64": Block(1, 8),
    "q4_0": Block(32, 18), "q4_1": Block(32, 20), "q5_0": Block(32, 22), "q5_1": Block(32, 24),
    "q8_0": Block(32, 34), "q8_1": Block(32, 36),
    "q2_k": Block(256, 84), "q3_k": Block(256, 110), "q4_k": Block(256, 144), "q5_k": Block(256, 176),
    "q6_k": Block(256, 210), "q8_k": Block(256, 292),
    "iq1_s": Block(256, 50), "iq1_m": Block(256, 56), "iq2_xxs": Block(256, 66), "iq2_xs": Block(256, 74),
    "iq2_s": Block(256, 82), "iq3_xxs": Block(256, 98), "iq3_s": Block(256, 110),
    "iq4_nl": Block(32, 18), "iq4_xs": Block(256, 136), "tq1_0": Block(256, 54), "tq2_0": Block(256, 66),
    "mxfp4": Block(32, 17), "nvfp4": Block(64, 36), "q1_0": Block(128, 18),
}  # fmt: skip

# The numbers that a GGUF file's tensor table uses for its types (ggml.h, enum ggml_type).
TYPE_NUMBERS: dict[int, str] = {
    0: "f32", 1: "f16", 2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 9: "q8_1", 10: "q2_k", 11: "q3_k",
    12: "q4_k", 13: "q5_k", 14: "q6_k", 15: "q8_k", 16: "iq2_xxs", 17: "iq2_xs", 18: "iq3_xxs", 19: "iq1_s",
    20: "iq4_nl", 21: "iq3_s", 22: "iq2_s", 23: "iq4_xs", 24: "i8", 25: "i16", 26: "i32", 27: "i64", 28: "f64",
    29: "iq1_m", 30: "bf16", 34: "tq1_0", 35: "tq2_0", 39: "mxfp4", 40: "nvfp4", 41: "q1_0",
}  # fmt: skip

# What most tensors of a quantisation are; the exceptions are chosen in `_chosen`.
MIXTURES: dict[str, str] = {
    "f16": "f16", "bf16": "bf16", "f32": "f32",
    "q4_0": "q4_0", "q4_1": "q4_1", "q5_0": "q5_0", "q5_1": "q5_1", "q8_0": "q8_0",
    "q2_k": "q2_k", "q2_k_s": "q2_k", "q3_k_s": "q3_k", "q3_k_m": "q3_k", "q3_k_l": "q3_k",
    "q4_k_s": "q4_k", "q4_k_m": "q4_k", "q5_k_s": "q5_k", "q5_k_m": "q5_k", "q6_k": "q6_k",
    "iq1_s": "iq1_s", "iq1_m": "iq1_m", "iq2_xxs": "iq2_xxs", "iq2_xs": "iq2_xs", "iq2_s": "iq2_xs", "iq2_m": "iq2_s",
    "iq3_xxs": "iq3_xxs", "iq3_xs": "iq3_s", "iq3_s": "iq3_s", "iq3_m": "iq3_s", "iq4_nl": "iq4_nl",
    "iq4_xs": "iq4_xs", "tq1_0": "tq1_0", "tq2_0": "tq2_0", "mxfp4_moe": "mxfp4",
}  # fmt: skip

_FALLBACK = {
    "iq1_s": "iq4_nl", "iq1_m": "iq4_nl", "iq2_xxs": "iq4_nl", "iq2_xs": "iq4_nl", "iq2_s": "iq4_nl",
    "iq3_xxs": "iq4_nl", "iq3_s": "iq4_nl", "iq4_xs": "iq4_nl", "q2_k": "q4_0", "q3_k": "q4_0", "tq1_0": "q4_0",
    "tq2_0": "q4_0", "q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0",
}  # fmt: skip
_SMALLEST = frozenset({"iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq2_m"})


class _Traits(NamedTuple):
    layers: int
    grouping: int
    experts: int
    seventy: bool
    tied: bool


def _traits(model: Architecture) -> _Traits:
    grouped = [m for _, m in model.attention_groups if isinstance(m, GroupedAttention)]
    experts = max((g.feed_forward.experts for g in model.layers if isinstance(g.feed_forward, Experts)), default=0)
    grouping = max((m.heads // m.kv_heads for m in grouped), default=1)
    return _Traits(model.layer_count, grouping, experts, model.layer_count == 80 and not experts, model.tied_embeddings)


def _more_bits_share(n: int) -> float:
    chosen = sum(i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2 for i in range(n))
    return chosen / n if n else 0.0


Shares = list[tuple[float, str]]


def _split(share: float, chosen: str, rest: str) -> Shares:
    return [(share, chosen), (1 - share, rest)]


def _output(mix: str, base: str, inputs: int) -> str:
    if mix == "mxfp4_moe" or base == "q8_0" or inputs % BLOCKS[base].values:
        return "q8_0"
    return "q5_k" if mix in _SMALLEST | {"iq3_xxs"} else "q6_k"


def _embedding(mix: str, base: str) -> str:
    if mix in ("iq2_xxs", "iq2_xs", "iq1_s", "iq1_m"):
        return "q2_k"
    if mix in ("iq2_s", "iq2_m", "iq3_xxs"):
        return "iq3_s"
    return "q4_k" if mix in ("tq1_0", "tq2_0") else base


def _value(mix: str, base: str, traits: _Traits) -> Shares:
    n, wide = traits.layers, traits.grouping >= 4
    shares: Shares = [(1.0, base)]
    match mix:
        case "iq1_s" | "iq1_m" | "iq2_xxs" | "iq2_xs" | "iq2_s" | "iq2_m":
            smaller = "iq3_s" if mix in ("iq2_s", "iq2_m") else "q2_k"
            return [(1.0, "q4_k" if wide or traits.experts >= 4 else smaller)]
        case "q2_k":
            shares = [(1.0, "q4_k" if wide else "q3_k")]
        case "q2_k_s" | "iq3_xs" | "iq3_s" if wide:
            shares = [(1.0, "q4_k")]
        case "iq3_xxs" if wide:
            shares = [(1.0, "q4_k")]
        case "iq3_m":
            shares = [(1.0, "q4_k")]
        case "q3_k_m":
            shares = _split(min(2 / n, 1), "q5_k", "q4_k")
        case "q3_k_l":
            shares = [(1.0, "q5_k")]
        case "iq4_nl" | "iq4_xs" if wide:
            shares = [(1.0, "q5_k")]
        case "q4_k_m" | "q5_k_m":
            shares = _split(_more_bits_share(n), "q6_k", base)
        case "q4_k_s":
            shares = _split(min(4 / n, 1), "q5_k", base)
    if traits.seventy:
        shares = [(share, "q5_k" if kind in ("q3_k", "q4_k") else kind) for share, kind in shares]
    return [(1.0, "q8_0")] if traits.experts == 8 else shares


def _down(mix: str, base: str, traits: _Traits) -> Shares:
    n = traits.layers
    first_eighth, first_sixteenth = (n // 8) / n, (n // 16) / n
    match mix:
        case "iq1_s" | "iq1_m" | "iq2_xxs" | "iq2_xs":
            return _split(first_eighth, "q2_k", base)
        case "iq2_s" | "iq2_m":
            return _split(first_eighth, "iq3_s", base)
        case "q2_k":
            return [(1.0, "q3_k")]
        case "q2_k_s" | "iq3_m":
            return _split(first_eighth, "q4_k", base)
        case "q3_k_m":
            return _split(first_sixteenth, "q5_k", "q4_k")
        case "q3_k_l":
            return [(1.0, "q5_k")]
        case "q4_k_m" | "q5_k_m":
            return _split(_more_bits_share(n), "q6_k", base)
        case "q4_k_s" | "iq4_nl" | "iq4_xs":
            return _split(first_eighth, "q5_k", base)
    return [(1.0, base)]


def _attention_output(mix: str, base: str, traits: _Traits) -> str:
    if mix in _SMALLEST:
        if traits.experts == 8:
            return "q5_k"
        if mix in ("iq1_s", "iq1_m"):
            return "iq2_xxs"
        return "iq3_s" if mix in ("iq2_s", "iq2_m") else base
    if traits.experts == 8:
        mixed = (
            "q2_k",
            "iq3_xs",
            "iq3_xxs",
            "q3_k_s",
            "q3_k_m",
            "iq4_nl",
            "q4_k_s",
            "q4_k_m",
            "iq3_s",
            "iq3_m",
            "iq4_xs",
        )
        return "q5_k" if mix in mixed else base
    return {"q2_k": "q3_k", "iq3_xxs": "iq3_s", "q3_k_m": "q4_k", "q3_k_l": "q5_k", "iq3_m": "q4_k"}.get(mix, base)


def _key_or_query(mix: str, base: str, traits: _Traits, *, key: bool) -> str:
    if key and traits.experts == 8:
        return "q4_k" if mix in _SMALLEST else "q8_0"
    return {"iq3_xs": "iq3_xxs", "iq3_xxs": "iq2_s"}.get(mix, base)


def _chosen(mix: str, tensor: TensorGroup, traits: _Traits) -> Shares:
    base = MIXTURES[mix]
    role = tensor.role
    if role == "head" or (role == "embedding" and traits.tied):
        return [(1.0, _output(mix, base, tensor.inputs))]
    if mix == "mxfp4_moe":
        return [(1.0, "mxfp4" if role.startswith("expert") else "q8_0")]
    match role:
        case "embedding":
            return [(1.0, _embedding(mix, base))]
        case "value":
            return _value(mix, base, traits)
        case "key":
            return [(1.0, _key_or_query(mix, base, traits, key=True))]
        case "query":
            return [(1.0, _key_or_query(mix, base, traits, key=False))]
        case "down" | "expert_down" | "shared_down":
            return _down(mix, base, traits)
        case "attention_output":
            return [(1.0, _attention_output(mix, base, traits))]
        case "gate" | "up" | "expert_gate" | "expert_up" | "shared_gate" | "shared_up" if mix == "iq3_xs":
            n = traits.layers
            return _split((7 * n // 8 - n // 8) / n, "iq3_xxs", base)
    return [(1.0, base)]


def _fitting(kind: str, inputs: int) -> str:
    """The type used where rows can't be cut into whole blocks of `kind`."""
    if inputs % BLOCKS[kind].values == 0:
        return kind
    fallback = _FALLBACK.get(kind, "f16")
    return fallback if inputs % BLOCKS[fallback].values == 0 else "f16"


def mixed_bits(mix: str, tensor: TensorGroup, model: Architecture) -> float:
    """Mean bits a number of this tensor group takes in a model quantised as `mix` (a key of MIXTURES)."""
    if tensor.role == "component":
        # A vision tower is in a file of its own (mmproj), which llama.cpp loads only when asked.
        return 0.0
    if not tensor.is_matrix:
        return 32.0
    if mix in ("f16", "bf16", "f32"):
        return BLOCKS[mix].bits
    return sum(
        share * BLOCKS[_fitting(kind, tensor.inputs)].bits for share, kind in _chosen(mix, tensor, _traits(model))
    )
