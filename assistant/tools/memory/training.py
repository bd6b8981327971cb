"""Bytes of gradients and optimizer states, by training scheme and sharding.

Sources: ZeRO, arXiv:1910.02054 (2 + 2 + 12 bytes a parameter in mixed precision, and what each stage divides);
torchtune PR #389 (8 bytes in pure bf16, 6 with an 8-bit optimizer, both measured); 8-bit optimizers, arXiv:2110.02861.
"""

from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.request import Offload, Optimizer
from assistant.tools.memory.tensors import Role, TensorGroup, model_tensors


class StateBytes(NamedTuple):
    """Bytes a trained parameter takes besides its own copy in the model."""

    parameters: float
    gradients: float
    optimizer: float
    formula: str


_MASTER_AND_MOMENTS = "4 (fp32 copy) + 4 (m) + 4 (v)"
OPTIMIZER_STATES: dict[Optimizer, StateBytes] = {
    "adamw": StateBytes(2, 2, 12, _MASTER_AND_MOMENTS),
    "adamw-bf16": StateBytes(2, 2, 4, "2 (m) + 2 (v)"),
    "adamw-8bit": StateBytes(2, 2, 2, "1 (m) + 1 (v)"),
    "adamw-paged-8bit": StateBytes(2, 2, 2, "1 (m) + 1 (v), paged to the host when memory runs out"),
    "adamw-fp32": StateBytes(4, 4, 8, "4 (m) + 4 (v)"),
    "sgd": StateBytes(2, 2, 0, "no state"),
}

_ADAPTED: frozenset[Role] = frozenset(
    {"query", "key", "value", "attention_output", "latent", "linear_mixer", "gate", "up", "down"}
)


def adapted_tensors(model: Architecture) -> list[TensorGroup]:
    """The linear layers that adapters are put on: all but the experts."""
    return [tensor for tensor in model_tensors(model) if tensor.role in _ADAPTED and not tensor.prediction]


def lora_parameters(model: Architecture, rank: int) -> int:
    """Parameters of adapters of that rank on every linear layer but the experts: Σ rank · (inputs + outputs)."""
    return sum(rank * (tensor.inputs + tensor.outputs) * tensor.copies for tensor in adapted_tensors(model))


class Sharded(NamedTuple):
    """Bytes of model states on one GPU."""

    weights: float
    gradients: float
    optimizer: float


def sharded_states(
    frozen_bytes: float, trained: float, scheme: StateBytes, *, zero: int, data_parallel: int, offload: Offload
) -> Sharded:
    """Model states on one GPU of `data_parallel`, for `trained` parameters beside `frozen_bytes` of frozen weights.

    ZeRO-1 divides the optimizer states, ZeRO-2 the gradients too, ZeRO-3 (and FSDP) the parameters too.
    Offloading moves the optimizer states, or all states, to the host.
    """
    n = data_parallel
    weights = frozen_bytes + trained * scheme.parameters
    gradients, optimizer = trained * scheme.gradients, trained * scheme.optimizer
    if zero >= 1:
        optimizer /= n
    if zero >= 2:
        gradients /= n
    if zero >= 3:
        weights /= n
    if offload in ("optimizer", "all"):
        optimizer = 0.0
    if offload == "all":
        weights, gradients = 0.0, 0.0
    return Sharded(weights, gradients, optimizer)
