"""The weight format that a config.json's quantization_config means, with the size of its groups."""

from collections.abc import Mapping
from typing import Any

from assistant.errors import InvalidInput
from assistant.tools.memory.quantization import WeightFormat, weight_format

_SCALE_BITS = 16
_WIDEST_GROUP = 1_000_000
# What AMD's Quark and torchao call their number formats.
_KINDS = {
    "fp8": "fp8", "float8": "fp8", "int8": "int8", "int4": "int4", "uint4": "int4", "fp4": "mxfp4", "mxfp4": "mxfp4",
}  # fmt: skip


def _whole(value: Any) -> int | None:
    return value if type(value) is int and 0 < value < _WIDEST_GROUP else None


def grouped_bits(bits: int, group: int | None, *, zero_bits: int) -> float:
    """Bits of a number with a 16-bit scale and a zero of `zero_bits` for each group; None is one channel of 4096."""
    return bits + (_SCALE_BITS + zero_bits) / (group or 4096)


def _integers(bits: int, group: int | None, zero_bits: int) -> WeightFormat:
    """Weights as integers in groups. Raises InvalidInput for a width that no kernel has."""
    if bits not in (2, 3, 4, 8):
        raise InvalidInput(f"config.json: {bits} bits a weight are not known.", "Give --weights instead.")
    base = weight_format("int8" if bits == 8 else "int4")
    formula = f"{bits} bits, and a scale and zero per group of {group or 'a channel'}; embeddings and head 16-bit"
    return base.model_copy(update={"bits": grouped_bits(bits, group, zero_bits=zero_bits), "formula": formula})


def _kind(text: str) -> WeightFormat:
    found = next((form for word, form in _KINDS.items() if word in text.lower()), None)
    if found is None:
        raise InvalidInput(f"config.json: weights of type {text[:40]!r} are not known.", "Give --weights instead.")
    return weight_format(found)


def _mixed(field: str) -> InvalidInput:
    return InvalidInput(
        f"config.json: {field} gives its layers different formats, which is not added up.",
        "Put the model's safetensors index beside it and give --weights, or give --params.",
    )


def _shape_of(weights: Any) -> tuple[Any, Any]:
    return (weights.get("num_bits"), weights.get("type")) if isinstance(weights, dict) else (None, None)


def _compressed(quantised: Mapping[str, Any]) -> WeightFormat:
    groups = quantised.get("config_groups")
    members = list(groups.values()) if isinstance(groups, dict) else []
    formats = [member.get("weights") for member in members if isinstance(member, dict)]
    if any(_shape_of(one) != _shape_of(formats[0]) for one in formats):
        raise _mixed("quantization_config.config_groups")
    first = members[0] if members else None
    weights = first.get("weights") if isinstance(first, dict) else None
    if not isinstance(weights, dict):
        raise InvalidInput("config.json: quantization_config.config_groups has no weights.")
    bits, kind = weights.get("num_bits"), weights.get("type")
    if kind == "float" and bits in (4, 8):
        return weight_format("fp8" if bits == 8 else "nvfp4")
    if bits == 8:
        return weight_format("w8a8" if isinstance(first, dict) and first.get("input_activations") else "int8")
    if bits == 4:
        zero_bits = 0 if weights.get("symmetric", True) else 4
        return _integers(4, _whole(weights.get("group_size")), zero_bits)
    raise InvalidInput(f"config.json: {str(bits)[:10]} bits of type {str(kind)[:20]} are not known.", "Give --weights.")


def _torchao(quantised: Mapping[str, Any]) -> WeightFormat:
    kind = str(quantised.get("quant_type", ""))
    form = _kind(kind)
    options = quantised.get("quant_type_kwargs")
    group = _whole(options.get("group_size")) if isinstance(options, dict) else None
    return _integers(4, group or 128, 16) if form.name == "int4" else form


def _hqq(quantised: Mapping[str, Any]) -> WeightFormat:
    outer = quantised.get("quant_config")
    inner = outer.get("weight_quant_params") if isinstance(outer, dict) else None
    bits = _whole(inner.get("nbits")) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or bits is None:
        raise InvalidInput("config.json: quantization_config.quant_config has no nbits.")
    return _integers(bits, _whole(inner.get("group_size")), 16)


def _quark(quantised: Mapping[str, Any]) -> WeightFormat:
    outer = quantised.get("global_quant_config")
    weight = outer.get("weight") if isinstance(outer, dict) else None
    return _kind(str(weight.get("dtype", "")) if isinstance(weight, dict) else "")


def quantised_format(quantised: Mapping[str, Any]) -> WeightFormat:
    """The format that a quantization_config means. Raises InvalidInput naming the method that is not known."""
    producer = quantised.get("producer")
    maker = producer.get("name") if isinstance(producer, dict) else None
    method = str(quantised.get("quant_method") or maker or "").lower()
    if method in ("fp8", "fbgemm_fp8", "w8a8_fp8"):
        return weight_format("fp8")
    if method in ("mxfp4", "w8a8_int8"):
        return weight_format({"mxfp4": "mxfp4", "w8a8_int8": "w8a8"}[method])
    if method in ("gptq", "awq", "auto-round"):
        bits = _whole(quantised.get("bits", quantised.get("w_bit"))) or 4
        group = quantised.get("group_size", quantised.get("q_group_size", 128))
        return _integers(bits, _whole(group), bits)
    if method == "bitsandbytes":
        if quantised.get("load_in_8bit") is True:
            return weight_format("int8")
        return weight_format("nf4" if quantised.get("bnb_4bit_use_double_quant") is True else "nf4-single")
    if method == "modelopt":
        if str(quantised.get("quant_algo", "")).upper() == "MIXED_PRECISION":
            raise _mixed("quant_algo MIXED_PRECISION")
        return weight_format("nvfp4" if "FP4" in str(quantised.get("quant_algo", "")).upper() else "fp8")
    others = {"compressed-tensors": _compressed, "torchao": _torchao, "hqq": _hqq, "quark": _quark}
    if method in others:
        return others[method](quantised)
    raise InvalidInput(
        f"config.json: quantization_config.quant_method {method[:40]!r} is not known.", "Give --weights instead."
    )


def stored_format(config: Mapping[str, Any]) -> WeightFormat:
    """The format of a config.json's weights; what torch_dtype says where nothing is quantised."""
    quantised = config.get("quantization_config")
    if isinstance(quantised, dict):
        return quantised_format(quantised)
    kind = config.get("dtype") or config.get("torch_dtype")
    return weight_format({"float32": "fp32", "float16": "fp16"}.get(str(kind), "bf16"))
