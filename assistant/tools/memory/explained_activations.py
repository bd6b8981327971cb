"""The activations and the overhead of an estimate, written out."""

from assistant.tools.memory.activations import (
    LOGIT_BYTES,
    LOGIT_BYTES_SAMPLED,
    LOSS_CHUNKS,
    layer_values,
    mixer_width,
    step_width,
)
from assistant.tools.memory.architecture import (
    Architecture,
    DeltaNet,
    DenseFeedForward,
    Experts,
    GroupedAttention,
    LatentAttention,
    LayerGroup,
)
from assistant.tools.memory.arithmetic import over, product, shown, total, up
from assistant.tools.memory.overhead import FRAGMENTATION, OverheadTerm
from assistant.tools.memory.plan import Need, Plan

_GIB = "1\u202f073\u202f741\u202f824"
_FIXED = {
    "outside torch": (f"0.16 × {_GIB}", f"1.79 × {_GIB}"),
    "CUDA context": ("300\u202f000\u202f000", "1\u202f000\u202f000\u202f000"),
    "CUDA context and communicators": ("300\u202f000\u202f000", f"1.79 × {_GIB}"),
    "CUDA graphs": ("0", f"0.36 × {_GIB}"),
}


def _mixer_text(group: LayerGroup) -> str:
    """Numbers that a mixer keeps for a token."""
    match group.mixer:
        case GroupedAttention() as mixer:
            heads = product(2, mixer.heads, mixer.head_dim)
            return f"{heads} + {product(2, mixer.kv_heads, mixer.head_dim)}"
        case LatentAttention() as mixer:
            query = f"2 × {mixer.heads} × ({mixer.nope_dim} + {mixer.rope_dim})"
            compressed = f"{mixer.q_rank or 0} + {mixer.kv_rank} + {mixer.rope_dim}"
            return f"{compressed} + {query} + 2 × {mixer.heads} × {mixer.value_dim}"
        case DeltaNet() as mixer:
            return f"4 × ({mixer.key_heads} × {mixer.key_dim} + {mixer.value_heads} × {mixer.value_dim})"
        case None:
            return "0"
        case mixer:
            return f"4 × {mixer.heads} × {mixer.head_dim}"


def _block_text(group: LayerGroup, hidden: int, tensor_parallel: int) -> str:
    """Numbers alive at once in a feed-forward block."""
    match group.feed_forward:
        case DenseFeedForward(width=width, gated=gated):
            return f"{over(product(3 if gated else 2, width), tensor_parallel)} + {hidden}"
        case Experts() as experts:
            matrices = 3 if experts.gated else 2
            routed = over(product(experts.active, experts.width, matrices), tensor_parallel)
            shared = over(product(experts.shared_width, matrices), tensor_parallel)
            widest = f"max({routed}, {shared})" if experts.shared_width else routed
            return f"{widest} + {product(experts.active, experts.latent or hidden)} + {hidden}"
    return "0"


def step_text(model: Architecture, chosen: Plan) -> str:
    """Tokens of a step × numbers alive in the widest layer × 2 bytes."""
    tensor, hidden = chosen.split.tensor, model.hidden
    widest = max(model.layers, key=lambda group: step_width(group, hidden, tensor))
    mixer = over(f"({_mixer_text(widest)})", tensor)
    width = f"2 × {hidden} + max({_block_text(widest, hidden, tensor)}, {mixer} + {hidden})"
    return up(f"2 × {step_tokens_text(chosen)} × ({width})")


def step_tokens_text(chosen: Plan) -> str:
    """Tokens that the engine takes on in one step."""
    asked = product(shown(chosen.context), chosen.request.concurrency)
    return f"min({shown(chosen.layout.batched_tokens)}, {asked})"


def training_text(model: Architecture, chosen: Plan) -> str:
    """What is kept of every layer, the layer being recomputed, and the logits."""
    asked, split = chosen.request, chosen.split
    tokens = f"{shown(asked.training_length)} × {asked.batch}"
    layers = model.layer_count
    share = "1" if split.pipeline == 1 else f"⌈{layers} ÷ {split.pipeline}⌉ ÷ {layers}"
    in_flight = min(asked.accumulation, split.pipeline)
    scores = asked.recompute == "none" and not asked.flash_attention

    def of_layer(group: LayerGroup) -> str:
        values = f"2 × {tokens} × {shown(layer_values(group, model.hidden))}"
        heads = mixer_width(group)[1]
        if scores and heads:
            values = f"({values} + 4 × {heads} × {shown(asked.training_length)} × {tokens})"
        return over(values, split.tensor)

    logits = over(f"{tokens} × {shown(model.vocabulary)} × {LOGIT_BYTES:g}", split.tensor)
    logits = over(logits, LOSS_CHUNKS if asked.loss == "chunked" else 1)
    if asked.recompute == "full":
        kept = product(f"2 × {tokens} × {model.hidden} × {layers}", *(() if share == "1" else (share,)), in_flight)
        widest = max(model.layers, key=lambda group: layer_values(group, model.hidden))
        return up(f"{kept} + {of_layer(widest)} + {logits}")
    kept = total(product(group.count, of_layer(group)) for group in model.layers)
    kept = product(f"({kept})", *(() if share == "1" else (share,)), in_flight)
    return up(f"{kept} + {logits}")


def overhead_texts(term: OverheadTerm, model: Architecture, chosen: Plan, needed: Need) -> tuple[str, str]:
    """Low and high end of an overhead term; an end that is measured and not derived stands as it is."""
    if term.name in _FIXED:
        return _FIXED[term.name]
    if term.name == "sampling":
        sequences = max(chosen.request.concurrency, chosen.request.max_sequences or 0)
        peak = product(f"{LOGIT_BYTES_SAMPLED:g}", shown(sequences), shown(model.vocabulary))
        step = f"2 × {step_tokens_text(chosen)} × {model.hidden}"
        return "0", f"max(0, {peak} + {step} − {shown(needed.activations)})"
    if term.name == FRAGMENTATION:
        states = f"({shown(needed.weights)} + {shown(needed.gradients)} + {shown(needed.optimizer)})"
        return "0", f"0.05 × {states} + 0.15 × {shown(needed.activations)}"
    return shown(round(term.low)), shown(round(term.high))
