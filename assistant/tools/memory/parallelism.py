"""How a model is divided over cards: what must divide, and what lands on the fullest one."""

import math

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.quantization import WeightFormat, format_bits, share_bytes
from assistant.tools.memory.request import FitRequest

NODE = 8
"""Cards that tensor parallelism spans at most when the calculator chooses; servers hold eight."""


class Division(BaseModel):
    """gpus = tensor · pipeline · data."""

    model_config = ConfigDict(frozen=True)

    tensor: int = Field(ge=1)
    pipeline: int = Field(ge=1)
    data: int = Field(ge=1)


def tensor_divides(model: Architecture, tensor: int) -> bool:
    """True where every layer's heads divide over `tensor` cards; key-value heads may be replicated instead."""
    for _, mixer in model.attention_groups:
        if mixer.heads % tensor:
            return False
        if mixer.kind == "grouped" and mixer.kv_heads % tensor and tensor % mixer.kv_heads:
            return False
    return all((m.value_heads if m.kind == "delta" else m.heads) % tensor == 0 for _, m in model.state_groups)


def _largest_tensor(model: Architecture, gpus: int) -> int:
    sizes = [n for n in range(1, min(gpus, NODE) + 1) if gpus % n == 0 and tensor_divides(model, n)]
    return max(sizes)


def division(model: Architecture, request: FitRequest) -> Division:
    """How the cards are divided. Raises InvalidInput naming the field that can't hold.

    Chosen by the calculator: in inference, tensor parallelism as far as the heads and a server of eight allow, the rest
    pipeline; in training, data parallelism.
    """
    gpus = request.gpus
    tensor, pipeline = request.tp, request.pp
    training = request.task != "inference"
    if tensor is not None and not tensor_divides(model, tensor):
        raise InvalidInput(f"tp: {tensor} does not divide the model's {model.heads} attention heads.", _divisors(model))
    if tensor is None:
        rest = gpus // pipeline if pipeline and gpus % pipeline == 0 else gpus
        tensor = 1 if training else _largest_tensor(model, rest)
    if gpus % tensor:
        raise InvalidInput(f"tp: {tensor} does not divide the {gpus} GPUs.", "Take a multiple of it.")
    if pipeline is None:
        pipeline = 1 if training else gpus // tensor
    if pipeline > model.layer_count:
        raise InvalidInput(
            f"pp: {pipeline} is above the model's {model.layer_count} layers.",
            code="too_many_stages", stages=str(pipeline), layers=str(model.layer_count),
        )  # fmt: skip
    if gpus % (tensor * pipeline):
        raise InvalidInput(f"pp: {tensor} × {pipeline} does not divide the {gpus} GPUs.")
    return Division(tensor=tensor, pipeline=pipeline, data=gpus // (tensor * pipeline))


def _divisors(model: Architecture) -> str:
    fitting = [str(n) for n in range(1, 65) if tensor_divides(model, n)]
    return f"Use one of {', '.join(fitting)}."


def stage_share(layers: int, pipeline: int) -> float:
    """Share of the layers on the fullest of `pipeline` stages."""
    return math.ceil(layers / pipeline) / layers


def stage_weight_bytes(model: Architecture, form: WeightFormat, split: Division) -> int:
    """Bytes of weights on the fullest GPU: its share of the layers, and the embeddings or the head."""
    inside, outside = 0.0, 0.0
    largest_outside = 0.0
    for tensor, bits in format_bits(model, form):
        if tensor.prediction:
            continue
        size = share_bytes(tensor, bits, split.tensor)
        if tensor.layers:
            inside += size
        else:
            outside += size
            largest_outside = max(largest_outside, size)
    if split.pipeline == 1:
        return round(inside + outside)
    return round(inside * stage_share(model.layer_count, split.pipeline) + largest_outside)
