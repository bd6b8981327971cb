"""Memory that belongs to no tensor: context, communicators, graphs, compute buffers, fragmentation. Always a range."""

from typing import NamedTuple

from assistant.tools.memory.cache_layout import Engine

GIB = 2**30


class OverheadTerm(NamedTuple):
    """Bytes between `low` and `high`, and where the range comes from."""

    name: str
    low: float
    high: float
    source: str


_CONTEXT = OverheadTerm("CUDA context", 0.3e9, 1.0e9, "pytorch/pytorch issue #107667")
_COMMUNICATOR = OverheadTerm("communicators", 0.544e9, 2 * 0.688e9, "NVIDIA/nccl issue #964")
# Memory outside torch that vLLM measured on one card, and on each of two.
_OUTSIDE_TORCH = OverheadTerm("outside torch", 0.35 * GIB, 1.79 * GIB, "vllm-project/vllm #10517, PR #10511")
_OUTSIDE_TORCH_SHARED = OverheadTerm(
    "outside torch, with communicators", 0.35 * GIB + 0.544e9, 3.58 * GIB, "vllm-project/vllm PR #10511; nccl #964"
)
_GRAPHS = OverheadTerm("CUDA graphs", 0.0, 0.36 * GIB, "gpustack/runner PR #251")


def inference_overhead(engine: Engine, *, gpus: int, sampling: float) -> list[OverheadTerm]:
    """What a serving engine takes besides weights, cache and one step's activations; `sampling` is its most."""
    buffers = OverheadTerm("sampling", 0.0, sampling, "vllm-project/vllm gpu_model_runner.py, PR #10511")
    if engine == "llama.cpp":
        return [_CONTEXT, buffers._replace(source="ggml-org/llama.cpp, output buffer of n_ubatch rows")]
    return [_OUTSIDE_TORCH if gpus == 1 else _OUTSIDE_TORCH_SHARED, _GRAPHS, buffers]


def training_overhead(*, gpus: int, states: float, activations: float) -> list[OverheadTerm]:
    """What training takes besides states and activations; fragmentation grows with both."""
    terms = [_CONTEXT]
    if gpus > 1:
        terms.append(_COMMUNICATOR)
    share = 0.05 * states + 0.15 * activations
    terms.append(OverheadTerm("fragmentation", 0.0, share, "NVIDIA/Megatron-LM theoretical_memory_usage.py"))
    return terms
