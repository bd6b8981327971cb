"""How many bytes the weights take in each format, tensor by tensor."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.tools.memory import gguf_types
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.nearest import nearest_names
from assistant.tools.memory.tensors import Role, TensorGroup, model_tensors

Keeps = frozenset[Role]
# The matrix that joins a prediction module to the model stays in 16 bits in DeepSeek-V3's FP8 checkpoint.
_EDGES: Keeps = frozenset({"embedding", "head", "joiner"})
_ALL_BUT_EXPERTS: Keeps = frozenset(
    {"embedding", "head", "joiner", "query", "key", "value", "attention_output", "latent", "linear_mixer",
     "gate", "up", "down", "shared_gate", "shared_up", "shared_down"}
)  # fmt: skip


class WeightFormat(BaseModel):
    """A way of storing weights. `bits` counts the scales; tensors of the roles in `keeps` stay at `rest_bits`."""

    model_config = ConfigDict(frozen=True)

    name: str
    bits: float
    rest_bits: float = 16.0
    keeps: frozenset[str] = _EDGES
    family: Literal["plain", "quantised", "gguf"] = "quantised"
    kept_shares: Mapping[str, float] = Field(default_factory=dict)
    """Share of the layers in which tensors of a role stay at `rest_bits`, where a checkpoint says so."""
    scale_block: int = 0
    """Side of the square blocks that each have a 32-bit scale; 0 where scales are counted in `bits`."""
    pads_experts_to: int = 1
    """Multiple to which a serving engine pads the hidden width of the experts when it loads them."""
    pads_inside_to: int = 1
    """Multiple to which it pads the experts' own width."""
    precision: str = "bf16"
    """What the card must support to compute in it: fp32, bf16, fp16, fp8, int8, fp4."""
    formula: str
    source: str


_QLORA = "QLoRA, arXiv:2305.14314"
_FORMATS = (
    WeightFormat(name="fp32", bits=32, rest_bits=32, keeps=frozenset(), family="plain", precision="fp32",
                 formula="4 bytes a parameter", source="IEEE 754"),
    WeightFormat(name="bf16", bits=16, keeps=frozenset(), family="plain", precision="bf16",
                 formula="2 bytes a parameter", source="bfloat16"),
    WeightFormat(name="fp16", bits=16, keeps=frozenset(), family="plain", precision="fp16",
                 formula="2 bytes a parameter", source="IEEE 754"),
    WeightFormat(name="fp8", bits=8, scale_block=128, precision="fp8",
                 formula="8 bits and a 32-bit scale per 128×128 block; embeddings, head, norms and routers 16-bit",
                 source="deepseek-ai/DeepSeek-V3 README_WEIGHTS.md"),
    WeightFormat(name="w8a8", bits=8 + 16 / 4096, precision="int8",
                 formula="8 bits and a 16-bit scale per output channel; embeddings, head, norms and routers 16-bit",
                 source="vllm-project/vllm PR #12569"),
    WeightFormat(name="int8", bits=8 + 16 / 4096, precision="fp16",
                 formula="8 bits and a 16-bit scale per output channel; embeddings, head, norms and routers 16-bit",
                 source="LLM.int8(), arXiv:2208.07339"),
    WeightFormat(name="int4", bits=4 + (16 + 4) / 128, precision="fp16",
                 formula="4 bits, and a 16-bit scale and 4-bit zero per group of 128; embeddings and head 16-bit",
                 source="AWQ, arXiv:2306.00978; GPTQ, arXiv:2210.17323"),
    WeightFormat(name="nf4", bits=4 + 8 / 64 + 32 / (64 * 256), precision="fp16",
                 formula="4 bits + 8/64 + 32/(64·256), double quantisation; embeddings and head 16-bit", source=_QLORA),
    WeightFormat(name="nf4-single", bits=4 + 32 / 64, precision="fp16",
                 formula="4 bits + 32/64, without double quantisation; embeddings and head 16-bit", source=_QLORA),
    WeightFormat(name="mxfp4", bits=17 * 8 / 32, keeps=_EDGES, precision="bf16",
                 formula="17 bytes per 32 weights (of the experts, where there are any); the rest 16-bit",
                 source="OCP Microscaling Formats (MX) v1.0"),
    WeightFormat(name="nvfp4", bits=4 + 8 / 16, precision="fp4",
                 formula="4 bits and an 8-bit scale per 16 weights; embeddings and head 16-bit",
                 source="NVIDIA ModelOpt, hf_quant_config.json of NVFP4 checkpoints"),
)  # fmt: skip
WEIGHT_ONLY = {"fp8": "int8", "fp4": "int4", "int8": "int8", "bf16": "fp16"}
"""By the precision that a card lacks, a format of about the same bytes that needs it not: 16-bit arithmetic."""
FORMATS: dict[str, WeightFormat] = {known.name: known for known in _FORMATS}
_OTHER_NAMES = {
    "float32": "fp32", "f32": "fp32", "bfloat16": "bf16", "float16": "fp16", "f16": "fp16", "half": "fp16",
    "16bit": "bf16", "16-bit": "bf16", "8bit": "int8", "8-bit": "int8", "4bit": "int4", "4-bit": "int4",
    "gptq": "int4", "awq": "int4", "gptq-int4": "int4", "awq-int4": "int4", "w4a16": "int4", "w8a16": "int8",
    "int8-w8a8": "w8a8", "fp8-w8a8": "fp8", "e4m3": "fp8", "nf4-dq": "nf4", "bnb-4bit": "nf4", "bnb-nf4": "nf4",
    "q4": "q4_k_m", "q5": "q5_k_m", "q6": "q6_k", "q8": "q8_0", "q3": "q3_k_m", "q2": "q2_k",
    "q3_k": "q3_k_m", "q4_k": "q4_k_m", "q5_k": "q5_k_m",
}  # fmt: skip


def gguf_format(mixture: str) -> WeightFormat:
    """The format of a GGUF mixture, a key of gguf_types.MIXTURES."""
    return WeightFormat(
        name=mixture,
        bits=gguf_types.BLOCKS[gguf_types.MIXTURES[mixture]].bits,
        family="gguf",
        precision="fp16",
        formula=f"each tensor at the bits that llama.cpp's {mixture.upper()} mixture gives it",
        source="ggml-org/llama.cpp src/llama-quant.cpp",
    )


def weight_format(name: str) -> WeightFormat:
    """The format of that name, in any usual spelling. Raises InvalidInput with the nearest names."""
    key = name.strip().lower()
    key = _OTHER_NAMES.get(key, key)
    if key in FORMATS:
        return FORMATS[key]
    underscored = _OTHER_NAMES.get(key.replace("-", "_"), key.replace("-", "_"))
    if underscored in gguf_types.MIXTURES:
        return gguf_format(underscored)
    names = [*FORMATS, *gguf_types.MIXTURES]
    near = ", ".join(nearest_names(key, names))
    raise InvalidInput(f"weights: {name!r} is not a weight format.", f"Nearest: {near}.")


def scale_count(tensor: TensorGroup, block: int) -> int:
    """Scales of a tensor group in blocks of that side; blocks at the edges are whole ones too."""
    return -(-tensor.inputs // block) * -(-tensor.outputs // block) * tensor.copies


def _bits(tensor: TensorGroup, form: WeightFormat, *, experts_only: bool) -> float:
    if form.family == "plain":
        return form.bits
    kept = _ALL_BUT_EXPERTS if experts_only else form.keeps
    if not tensor.is_matrix or tensor.role in kept:
        return form.rest_bits
    scales = 32 * scale_count(tensor, form.scale_block) / tensor.parameters if form.scale_block else 0.0
    share = form.kept_shares.get(tensor.role, 0.0)
    return share * form.rest_bits + (1 - share) * (form.bits + scales)


def format_bits(model: Architecture, form: WeightFormat) -> list[tuple[TensorGroup, float]]:
    """Every tensor group with the bits that a parameter takes in it."""
    tensors = model_tensors(model)
    if form.family == "gguf":
        return [(tensor, gguf_types.mixed_bits(form.name, tensor, model)) for tensor in tensors]
    experts_only = form.name == "mxfp4" and model.is_mixture
    return [(tensor, _bits(tensor, form, experts_only=experts_only) * _padding(tensor, form)) for tensor in tensors]


def _padding(tensor: TensorGroup, form: WeightFormat) -> float:
    """By how much an expert grows when its hidden width and its own are padded to multiples."""
    if not tensor.role.startswith("expert"):
        return 1.0
    down = tensor.role == "expert_down"
    hidden, own = (tensor.outputs, tensor.inputs) if down else (tensor.inputs, tensor.outputs)
    return _grown(hidden, form.pads_experts_to) * _grown(own, form.pads_inside_to)


def _grown(width: int, multiple: int) -> float:
    return -(-width // multiple) * multiple / width


def as_loaded(form: WeightFormat) -> WeightFormat:
    """The format as vLLM and SGLang hold it: MXFP4 kernels want the experts' hidden width in multiples of 256.

    Source: vLLM's and SGLang's mxfp4.py (Marlin, FlashInfer and ROCm pad to 256; some pad the inner width as well).
    """
    return form.model_copy(update={"pads_experts_to": 256}) if form.name == "mxfp4" else form


def padded_inside(form: WeightFormat) -> WeightFormat:
    """The same where the kernel also wants the experts' own width in multiples of 128, as Marlin does on Hopper.

    Source: vLLM's mxfp4.py; 65.97 GiB of gpt-oss-120b loaded by Marlin (issue #23278), 64.38 by Triton (#33155).
    """
    return form.model_copy(update={"pads_inside_to": 128}) if form.pads_experts_to > 1 else form


def divisor(tensor: TensorGroup, tensor_parallel: int) -> int:
    """Cards of a tensor-parallel group that share the tensors, each holding a part."""
    match tensor.split:
        case "tensor":
            return tensor_parallel
        case "kv_heads":
            return min(tensor_parallel, tensor.kv_heads)
    return 1


def share_bytes(tensor: TensorGroup, bits: float, tensor_parallel: int) -> float:
    """Bytes of a tensor group on each GPU of a tensor-parallel group.

    Norms, routers, compressions of latent attention and vision towers are kept whole on each GPU; key and value
    projections are divided no further than the key-value heads. Source: vLLM's parallel layers.
    """
    return tensor.parameters * bits / 8 / divisor(tensor, tensor_parallel)


def weight_bytes(model: Architecture, form: WeightFormat, *, tensor_parallel: int = 1, prediction: bool = False) -> int:
    """Bytes of weights on each GPU of a tensor-parallel group."""
    return round(
        sum(
            share_bytes(tensor, bits, tensor_parallel)
            for tensor, bits in format_bits(model, form)
            if prediction or not tensor.prediction
        )
    )


def is_tied_head(tensor: TensorGroup, model: Architecture) -> bool:
    """True for embeddings that are also the output head, and so read whole for each token."""
    table = (model.hidden, model.vocabulary)
    return tensor.role == "embedding" and model.tied_embeddings and (tensor.inputs, tensor.outputs) == table


def active_weight_bytes(model: Architecture, form: WeightFormat, *, tensor_parallel: int = 1) -> int:
    """Bytes of weights that a GPU reads for one token of one sequence: of the experts, only the active ones."""
    total = sum(
        (tensor.parameters if is_tied_head(tensor, model) else tensor.active_parameters)
        * bits
        / divisor(tensor, tensor_parallel)
        for tensor, bits in format_bits(model, form)
        if not tensor.prediction
    )
    return round(total / 8)


def mean_bits(model: Architecture, form: WeightFormat) -> float:
    """Bits per parameter over the whole model."""
    counted = [tensor for tensor in model_tensors(model) if not tensor.prediction]
    return weight_bytes(model, form) * 8 / sum(tensor.parameters for tensor in counted)
