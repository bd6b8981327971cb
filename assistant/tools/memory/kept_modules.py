"""Which tensors a quantised checkpoint leaves in 16 bits, by the module names in its quantization_config."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from assistant.tools.memory.tensors import Role

_LISTS = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules", "llm_int8_skip_modules")
_MOST_NAMES = 5000
_LONGEST_NAME = 200
_PREFIXES = ("model.layers", "model.language_model.layers", "language_model.model.layers")
_MODULES: dict[Role, tuple[str, ...]] = {
    "query": ("self_attn.q_proj", "self_attn.qkv_proj"), "key": ("self_attn.k_proj", "self_attn.qkv_proj"),
    "value": ("self_attn.v_proj", "self_attn.qkv_proj"), "attention_output": ("self_attn.o_proj",),
    "latent": ("self_attn.kv_b_proj",), "linear_mixer": ("linear_attn.in_proj_qkvz", "linear_attn.in_proj_qkv"),
    "gate": ("mlp.gate_proj", "mlp.gate_up_proj"), "up": ("mlp.up_proj", "mlp.gate_up_proj"),
    "down": ("mlp.down_proj",), "expert_gate": ("mlp.experts.0.gate_proj",), "expert_up": ("mlp.experts.0.up_proj",),
    "expert_down": ("mlp.experts.0.down_proj",),
    "shared_gate": ("mlp.shared_expert.gate_proj", "mlp.shared_experts.gate_proj"),
    "shared_up": ("mlp.shared_expert.up_proj", "mlp.shared_experts.up_proj"),
    "shared_down": ("mlp.shared_expert.down_proj", "mlp.shared_experts.down_proj"),
}  # fmt: skip


def _as_wildcard(pattern: str) -> str:
    """A regular expression as a wildcard: only `.*` stays variable, so that no pattern can take long to match."""
    body = pattern[3:].lstrip("^").rstrip("$").replace("\\.", ".")
    return body.replace(".*", "*").replace(".+", "*").replace("\\d+", "*").replace("[0-9]+", "*")


def _matches(pattern: str, name: str) -> bool:
    wildcard = _as_wildcard(pattern) if pattern.startswith("re:") else pattern
    if "*" in wildcard:
        return fnmatchcase(name, wildcard) or fnmatchcase(name, f"*{wildcard}")
    return f".{wildcard}." in f".{name}."


def _names(quantised: Mapping[str, Any]) -> list[str]:
    names: list[str] = []
    for field in _LISTS:
        value = quantised.get(field)
        if isinstance(value, list):
            names += [name for name in value[:_MOST_NAMES] if isinstance(name, str) and len(name) <= _LONGEST_NAME]
    return names


def kept_shares(quantised: Mapping[str, Any], layers: int) -> dict[Role, float]:
    """Share of the layers in which the tensors of each role are left in 16 bits; roles left in none are missing."""
    names = _names(quantised)
    exact = {name for name in names if ".layers." in name and "*" not in name and not name.startswith("re:")}
    general = [name for name in names if name not in exact]
    shares: dict[Role, float] = {}
    for role, modules in _MODULES.items():
        kept = sum(_is_kept(layer, modules, exact, general) for layer in range(layers))
        if kept:
            shares[role] = kept / layers
    return shares


def _is_kept(layer: int, modules: tuple[str, ...], exact: set[str], general: list[str]) -> bool:
    for prefix in _PREFIXES:
        for module in modules:
            name = f"{prefix}.{layer}.{module}"
            parents = [name.rsplit(".", n)[0] for n in range(3)]
            if not exact.isdisjoint(parents) or any(_matches(pattern, name) for pattern in general):
                return True
    return False
