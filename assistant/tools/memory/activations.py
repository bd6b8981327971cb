"""Bytes of activations, in training and in inference.

Source of the training terms: Korthikanti et al., arXiv:2205.05198, whose 34·s·b·h a layer is broken up here so that it
holds for gated feed-forward blocks, grouped keys and values, and experts, and without dropout.
"""

import math
from typing import NamedTuple

from assistant.tools.memory.architecture import (
    Architecture,
    DeltaNet,
    DenseFeedForward,
    Experts,
    GroupedAttention,
    LatentAttention,
    LayerGroup,
)
from assistant.tools.memory.parallelism import Division
from assistant.tools.memory.request import FitRequest


def mixer_width(group: LayerGroup) -> tuple[int, int]:
    """(numbers kept a token by the mixer besides its input, heads that form a score matrix)."""
    match group.mixer:
        case GroupedAttention() as mixer:
            # Queries, keys, values, and the attention's output.
            return 2 * mixer.heads * mixer.head_dim + 2 * mixer.kv_heads * mixer.head_dim, mixer.heads
        case LatentAttention() as mixer:
            query = mixer.heads * (mixer.nope_dim + mixer.rope_dim)
            compressed = (mixer.q_rank or 0) + mixer.kv_rank + mixer.rope_dim
            return compressed + 2 * query + 2 * mixer.heads * mixer.value_dim, mixer.heads
        case DeltaNet() as mixer:
            return 4 * (mixer.key_heads * mixer.key_dim + mixer.value_heads * mixer.value_dim), 0
        case None:
            return 0, 0
        case mixer:
            return 4 * mixer.heads * mixer.head_dim, 0


def _feed_forward_width(group: LayerGroup, hidden: int) -> int:
    match group.feed_forward:
        case DenseFeedForward(width=width, gated=gated):
            # Gate, up, the activated gate and their product; without a gate, up and the activation.
            return (4 if gated else 2) * width
        case Experts() as block:
            widths = block.active * block.width + block.shared_width
            return (4 if block.gated else 2) * widths + 2 * block.active * hidden
    return 0


def layer_values(group: LayerGroup, hidden: int) -> int:
    """16-bit numbers that one layer keeps for each token, attention scores aside."""
    mixer, _ = mixer_width(group)
    # The two norms' inputs and outputs.
    return 4 * hidden + mixer + _feed_forward_width(group, hidden)


class TrainingActivations(NamedTuple):
    """Bytes on the fullest GPU."""

    layers: float
    """Kept for the backward pass over all layers, of every micro-batch in flight."""
    working: float
    """Of the layer being recomputed."""
    logits: float

    @property
    def total(self) -> float:
        return self.layers + self.working + self.logits


LOSS_CHUNKS = 8
# Logits in 16 bits, and in 32 bits with their gradient.
LOGIT_BYTES = 2.0 + 4.0 + 4.0


def training_activations(model: Architecture, asked: FitRequest, split: Division) -> TrainingActivations:
    """Bytes of activations on the fullest GPU.

    Without recomputation everything is kept, with the attention's scores and probabilities unless a flash kernel never
    stores them; `selective` drops those; `full` keeps each layer's input and the values of one layer. With pipeline
    parallelism the first stage keeps as many micro-batches as there are stages.
    """
    tokens = asked.training_length * asked.batch
    whole, widest = 0.0, 0.0
    for group in model.layers:
        _, heads = mixer_width(group)
        layer = 2.0 * tokens * layer_values(group, model.hidden) / split.tensor
        if asked.recompute == "none" and not asked.flash_attention:
            layer += 2.0 * 2 * heads * asked.training_length * tokens / split.tensor
        whole += group.count * layer
        widest = max(widest, layer)
    share = math.ceil(model.layer_count / split.pipeline) / model.layer_count
    in_flight = min(asked.accumulation, split.pipeline)
    chunks = LOSS_CHUNKS if asked.loss == "chunked" else 1
    logits = tokens * model.vocabulary * LOGIT_BYTES / split.tensor / chunks
    if asked.recompute == "full":
        kept = 2.0 * tokens * model.hidden * model.layer_count
        return TrainingActivations(kept * share * in_flight, widest, logits)
    return TrainingActivations(whole * share * in_flight, 0.0, logits)


def step_width(group: LayerGroup, hidden: int, tensor_parallel: int) -> float:
    """16-bit numbers alive at once for a token while one layer runs: input, residual, and what its wider half makes."""
    match group.feed_forward:
        case DenseFeedForward(width=width, gated=gated):
            block = (3 if gated else 2) * width / tensor_parallel + hidden
        case Experts() as experts:
            inner = experts.active * experts.width * (3 if experts.gated else 2) / tensor_parallel
            shared = experts.shared_width * (3 if experts.gated else 2) / tensor_parallel
            block = max(inner, shared) + experts.active * (experts.latent or hidden) + hidden
        case None:
            block = 0.0
    mixer, _ = mixer_width(group)
    return 2 * hidden + max(block, mixer / tensor_parallel + hidden)


def inference_activations(model: Architecture, *, tokens: int, tensor_parallel: int = 1) -> float:
    """Peak bytes of one step of `tokens`: what is alive while the widest layer runs, in 16 bits.

    vLLM's profile of Llama-3.1-8B at 20,000 and 29,000 tokens gives 110.9 and 110.7 kB a token (vllm #10517); input,
    residual, gate, up, their product and the output make 110.6.
    """
    return 2.0 * tokens * max(step_width(group, model.hidden, tensor_parallel) for group in model.layers)


# vLLM's profile of 256 sequences of Llama-3-8B peaks at 1.26 GiB (PR #10511): 41 bytes for each of 256 × 128,256
# logits. With 1,024 sequences of gpt-oss-120b that makes 7.9 GiB; issues #23278 and #27508 leave room for 7.5 and more.
LOGIT_BYTES_SAMPLED = 41.0


def sampling_bytes(model: Architecture, sequences: int) -> float:
    """Most bytes to sample for `sequences`: logits, sorted and summed ones, their places and probabilities."""
    return LOGIT_BYTES_SAMPLED * sequences * model.vocabulary
