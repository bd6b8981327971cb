"""The feed-forward block of each layer, as the families of config.json describe it.

Source of each family's rules: its model code in Hugging Face transformers; checked by published parameter counts.
"""

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import DenseFeedForward, Experts, FeedForward, Mixer
from assistant.tools.memory.config_fields import ConfigFields
from assistant.tools.memory.config_mixers import hidden_size, layer_count, mamba2_mixer, plain_attention

# What newer files call the blocks that older ones give by a sign.
_SYMBOLS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}


def nemotron_h_layers(config: ConfigFields) -> list[tuple[Mixer | None, FeedForward | None]]:
    """One block a layer: M a state space, * attention, - a feed-forward block, E experts."""
    kinds = config.words("layers_block_type")
    pattern = "".join(_SYMBOLS.get(kind, "?") for kind in kinds) or config.text("hybrid_override_pattern")
    layers: list[tuple[Mixer | None, FeedForward | None]] = []
    for symbol in pattern[:10_000]:
        match symbol:
            case "M":
                layers.append((mamba2_mixer(config), None))
            case "*":
                layers.append((plain_attention(config), None))
            case "-":
                layers.append((None, DenseFeedForward(width=config.whole("intermediate_size"), gated=False)))
            case "E":
                layers.append((None, _nemotron_experts(config)))
            case _:
                raise InvalidInput(f"config.json: hybrid_override_pattern has {symbol!r}; known are M, *, - and E.")
    if not layers:
        raise InvalidInput("config.json: hybrid_override_pattern is missing.")
    return layers


def _nemotron_experts(config: ConfigFields) -> Experts:
    shared = config.whole("n_shared_experts", default=0, least=0)
    return Experts(
        experts=config.whole("n_routed_experts"),
        active=config.whole("num_experts_per_tok"),
        width=config.whole("moe_intermediate_size"),
        shared_width=shared * config.whole("moe_shared_expert_intermediate_size", default=0, least=0),
        latent=config.whole("moe_latent_size", default=0, least=0),
        gated=False,
        router_bias=True,
    )


def dense_block(config: ConfigFields, index: int) -> FeedForward:
    return DenseFeedForward(width=config.whole("intermediate_size", "n_inner"), bias=config.flag("mlp_bias"))


def ungated_block(config: ConfigFields, index: int) -> FeedForward:
    """Two matrices without a gate (Arcee, Nemotron 4)."""
    return DenseFeedForward(width=config.whole("intermediate_size"), gated=False, bias=config.flag("mlp_bias"))


def internlm3_block(config: ConfigFields, index: int) -> FeedForward:
    return DenseFeedForward(width=config.whole("intermediate_size"), bias=config.flag("bias"))


def gemma4_block(config: ConfigFields, index: int) -> FeedForward:
    width = config.whole("intermediate_size")
    if config.flag("enable_moe_block"):
        return Experts(
            experts=config.whole("num_experts"),
            active=config.whole("top_k_experts"),
            width=config.whole("moe_intermediate_size", "expert_intermediate_size"),
            shared_width=width,
            router_scales=config.whole("num_experts") + hidden_size(config),
        )
    shared = index >= layer_count(config) - config.whole("num_kv_shared_layers", default=0, least=0)
    return DenseFeedForward(width=width * 2 if shared and config.flag("use_double_wide_mlp") else width)


def falcon_block(config: ConfigFields, index: int) -> FeedForward:
    width = config.whole("ffn_hidden_size", default=4 * hidden_size(config))
    return DenseFeedForward(width=width, gated=False, bias=config.flag("bias"))


def plain_block(config: ConfigFields, index: int) -> FeedForward:
    """Two matrices without a gate; four times the hidden width where none is given."""
    width = config.whole("intermediate_size", "n_inner", "ffn_hidden_size", default=4 * hidden_size(config))
    return DenseFeedForward(width=width, gated=False, bias=config.flag("use_bias", default=config.flag("bias", True)))


def mixtral_block(config: ConfigFields, index: int) -> FeedForward:
    return Experts(
        experts=config.whole("num_local_experts"),
        active=config.whole("num_experts_per_tok"),
        width=config.whole("intermediate_size"),
        router_bias=config.flag("use_routing_bias"),
    )


def gpt_oss_block(config: ConfigFields, index: int) -> FeedForward:
    return Experts(
        experts=config.whole("num_local_experts", "num_experts"),
        active=config.whole("num_experts_per_tok", "experts_per_token"),
        width=config.whole("intermediate_size"),
        bias=True,
        router_bias=True,
    )


def qwen_moe_block(config: ConfigFields, index: int) -> FeedForward:
    step = config.whole("decoder_sparse_step", default=1)
    if index in config.wholes("mlp_only_layers") or (index + 1) % step:
        return dense_block(config, index)
    shared = config.whole("shared_expert_intermediate_size", default=0, least=0)
    return Experts(
        experts=config.whole("num_experts", "num_local_experts"),
        active=config.whole("num_experts_per_tok"),
        width=config.whole("moe_intermediate_size"),
        shared_width=shared,
        shared_gate=shared > 0,
    )


def deepseek_block(config: ConfigFields, index: int) -> FeedForward:
    kinds = config.words("mlp_layer_types")
    dense = index < config.whole("first_k_dense_replace", default=0, least=0)
    if kinds and index < len(kinds):
        dense = kinds[index] == "dense"
    if not config.has("n_routed_experts") or dense:
        return DenseFeedForward(width=config.whole("intermediate_size"))
    width = config.whole("moe_intermediate_size")
    return Experts(
        experts=config.whole("n_routed_experts"),
        active=config.whole("num_experts_per_tok"),
        width=width,
        shared_width=width * config.whole("n_shared_experts", default=0, least=0),
        router_bias=config.text("model_type") != "deepseek_v2",
    )


def llama4_block(config: ConfigFields, index: int) -> FeedForward:
    step = config.whole("interleave_moe_layer_step", default=1)
    if (index + 1) % step:
        return DenseFeedForward(width=config.whole("intermediate_size_mlp"))
    width = config.whole("intermediate_size")
    return Experts(
        experts=config.whole("num_local_experts"),
        active=config.whole("num_experts_per_tok"),
        width=width,
        shared_width=width,
    )


def minimax_block(config: ConfigFields, index: int) -> FeedForward:
    return Experts(
        experts=config.whole("num_local_experts"),
        active=config.whole("num_experts_per_tok"),
        width=config.whole("intermediate_size"),
        router_bias=config.flag("use_routing_bias", default=True),
    )


def shared_mixture_block(config: ConfigFields, index: int) -> FeedForward:
    """Experts with a shared block beside them, or the shared block alone where there are none (Granite 4)."""
    shared = config.whole("shared_intermediate_size", default=0, least=0)
    experts = config.whole("num_local_experts", default=0, least=0)
    if not experts:
        return DenseFeedForward(width=shared or config.whole("intermediate_size"))
    return Experts(
        experts=experts,
        active=config.whole("num_experts_per_tok"),
        width=config.whole("intermediate_size"),
        shared_width=shared,
    )


def olmoe_block(config: ConfigFields, index: int) -> FeedForward:
    return Experts(
        experts=config.whole("num_experts"),
        active=config.whole("num_experts_per_tok"),
        width=config.whole("intermediate_size"),
    )


def ernie_block(config: ConfigFields, index: int) -> FeedForward:
    first = config.whole("moe_layer_start_index", default=0, least=0)
    last = config.whole("moe_layer_end_index", default=layer_count(config) - 1, least=0)
    every = config.whole("moe_layer_interval", default=1)
    if not config.has("moe_num_experts") or not first <= index <= last or (index + 1) % every:
        return DenseFeedForward(width=config.whole("intermediate_size"), bias=config.flag("use_bias"))
    width = config.whole("moe_intermediate_size")
    return Experts(
        experts=config.whole("moe_num_experts"),
        active=config.whole("moe_k"),
        width=width,
        shared_width=width * config.whole("moe_num_shared_experts", default=0, least=0),
        router_bias=True,
    )


def biased_block(config: ConfigFields, index: int) -> FeedForward:
    """Two matrices with biases; four times the hidden width where none is given."""
    width = config.whole("intermediate_size", "n_inner", "ffn_dim", default=4 * hidden_size(config))
    return DenseFeedForward(width=width, gated=False, bias=True)
