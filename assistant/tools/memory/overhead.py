"""Memory that belongs to no tensor: context, communicators, graphs, compute buffers, fragmentation. Always a range."""

from typing import NamedTuple

from assistant.tools.memory.cache_layout import Engine

GIB = 2**30
FRAGMENTATION = "fragmentation"


class OverheadTerm(NamedTuple):
    """Bytes between `low` and `high`, and where the range comes from."""

    name: str
    low: float
    high: float
    source: str


# vLLM's profile of memory outside torch, context and communicators included, on one card and on many: 0.16 GiB
# (PR #12126), 0.20 (PR #14447), 0.35 (issue #10517), 1.79 (PR #10511). The same for any number of cards: what NCCL
# takes (0.544 GB a communicator, nccl #964) lies inside it. All-to-all between experts can take 4.3 GB (nccl #1685).
_OUTSIDE_TORCH = OverheadTerm(
    "outside torch", 0.16 * GIB, 1.79 * GIB, "vllm-project/vllm PR #12126, PR #10511; NVIDIA/nccl issue #964"
)
_CONTEXT = OverheadTerm("CUDA context", 0.3e9, 1.0e9, "pytorch/pytorch issue #107667")
_CONTEXT_AND_COMMUNICATORS = OverheadTerm(
    "CUDA context and communicators", 0.3e9, 1.79 * GIB, "pytorch/pytorch issue #107667; NVIDIA/nccl issue #964"
)
_GRAPHS = OverheadTerm("CUDA graphs", 0.0, 0.36 * GIB, "gpustack/runner PR #251")


def inference_overhead(engine: Engine, *, sampling: float, padding: float = 0.0) -> list[OverheadTerm]:
    """What a serving engine takes besides weights, cache and one step's activations.

    `sampling` is the most that sampling takes beyond the layers' peak, `padding` what some kernels add to the weights.
    """
    buffers = OverheadTerm("sampling", 0.0, sampling, "vllm-project/vllm PR #10511, issue #23278")
    if engine == "llama.cpp":
        return [_CONTEXT, buffers._replace(source="ggml-org/llama.cpp, output buffer of n_ubatch rows")]
    terms = [_OUTSIDE_TORCH, _GRAPHS, buffers]
    if padding > 0:
        terms.append(OverheadTerm("padding by the kernel", 0.0, padding, "vllm-project/vllm issue #23278, mxfp4.py"))
    return terms


def training_overhead(*, states: float, activations: float) -> list[OverheadTerm]:
    """What training takes besides states and activations; fragmentation grows with both."""
    share = 0.05 * states + 0.15 * activations
    fragmentation = OverheadTerm(FRAGMENTATION, 0.0, share, "NVIDIA/Megatron-LM theoretical_memory_usage.py")
    return [_CONTEXT_AND_COMMUNICATORS, fragmentation]
