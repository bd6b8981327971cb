"""Upper bounds on speed, derived from bandwidth and dense compute; a measured speed lies below them."""

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.quantization import WeightFormat, active_weight_bytes
from assistant.tools.memory.tensors import active_parameter_count


def decode_ceiling(
    model: Architecture,
    form: WeightFormat,
    *,
    bandwidth: float,
    cache_read: float,
    tensor_parallel: int,
    factor: float = 1.0,
) -> float:
    """Tokens a second of one sequence at most: bandwidth ÷ (active weights + what is read of its cache) on each GPU.

    Pipeline stages take turns, so they read the whole between them. `cache_read` is in bytes on each card of a
    tensor-parallel group; `factor` scales the weights to a stated count.
    """
    weights = active_weight_bytes(model, form, tensor_parallel=tensor_parallel)
    return bandwidth / (weights * factor + cache_read)


def prefill_ceiling(model: Architecture, *, flops: float, tensor_parallel: int, factor: float = 1.0) -> float:
    """Prompt tokens a second at most: dense FLOP/s ÷ 2 operations for each active parameter."""
    return flops * tensor_parallel / (2 * active_parameter_count(model) * factor)
