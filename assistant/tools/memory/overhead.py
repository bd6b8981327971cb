"""Memory that belongs to no tensor: context, communicators, graphs, compute buffers, fragmentation. Always a range."""

from typing import NamedTuple

from assistant.tools.memory.kv_cache import Engine

GIB = 2**30


class OverheadTerm(NamedTuple):
    """Bytes between `low` and `high`, and where the range comes from."""

    name: str
    low: float
    high: float
    source: str


_CONTEXT = OverheadTerm("context", 0.3e9, 1.0e9, "pytorch/pytorch issue #107667")
_COMMUNICATOR = OverheadTerm("communicators", 0.544e9, 2 * 0.688e9, "NVIDIA/nccl issue #964")
_GRAPHS = OverheadTerm("CUDA graphs", 0.0, 0.36 * GIB, "gpustack/runner PR #251")


def inference_overhead(engine: Engine, *, gpus: int, activations: float) -> list[OverheadTerm]:
    """What a serving engine takes besides weights, cache and one step's activations."""
    terms = [_CONTEXT]
    if gpus > 1 and engine != "llama.cpp":
        terms.append(_COMMUNICATOR)
    if engine == "llama.cpp":
        return terms
    terms.append(_GRAPHS)
    # vLLM measures its peak with all kernels' workspaces; 1.26 GiB was logged where the widest layer explains 1.0.
    terms.append(OverheadTerm("workspaces", 0.0, 0.5 * activations, "vllm-project/vllm PR #10511"))
    return terms


def training_overhead(*, gpus: int, states: float, activations: float) -> list[OverheadTerm]:
    """What training takes besides states and activations; fragmentation grows with both."""
    terms = [_CONTEXT]
    if gpus > 1:
        terms.append(_COMMUNICATOR)
    terms.append(
        OverheadTerm(
            "fragmentation", 0.0, 0.05 * states + 0.15 * activations, "NVIDIA/Megatron-LM theoretical_memory_usage.py"
        )
    )
    return terms
