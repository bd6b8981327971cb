"""The mixer of each layer, as the families of config.json describe it.

Source of each family's rules: its model code in Hugging Face transformers; checked by published parameter counts.
"""

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import DeltaNet, GroupedAttention, LatentAttention, Mamba2, Mixer
from assistant.tools.memory.config_fields import ConfigFields


def layer_count(config: ConfigFields) -> int:
    return config.whole("num_hidden_layers", "n_layer", "num_layers")


def hidden_size(config: ConfigFields) -> int:
    return config.whole("hidden_size", "n_embd", "d_model")


def _heads(config: ConfigFields) -> int:
    return config.whole("num_attention_heads", "n_head")


def _head_dim(config: ConfigFields) -> int:
    if config.has("head_dim"):
        return config.whole("head_dim")
    heads, hidden = _heads(config), hidden_size(config)
    if hidden % heads:
        raise InvalidInput(f"config.json: {config.name('head_dim')} is missing, and {hidden} ÷ {heads} is not whole.")
    return hidden // heads


def _grouped(config: ConfigFields, **traits: object) -> GroupedAttention:
    heads = _heads(config)
    kv_heads = config.whole("num_key_value_heads", "num_kv_heads", default=heads)
    if heads % kv_heads:
        raise InvalidInput(
            f"config.json: {config.name('num_key_value_heads')} ({kv_heads}) does not divide the {heads} heads."
        )
    shape = {"heads": heads, "kv_heads": kv_heads, "head_dim": _head_dim(config)}
    return GroupedAttention.model_validate(shape | traits)


def plain_attention(config: ConfigFields) -> GroupedAttention:
    """Attention without window, bias or norms."""
    return _grouped(config)


def _is_sliding(config: ConfigFields, index: int, every: int) -> bool:
    """True for a sliding layer: by `layer_types` where there, else all but each `every`-th."""
    types = config.words("layer_types")
    if types:
        if len(types) <= index:
            raise InvalidInput(
                f"config.json: {config.name('layer_types')} has {len(types)} entries, fewer than layers."
            )
        return types[index] in ("sliding_attention", "chunked_attention")
    return bool((index + 1) % every) if every else False


def _window(config: ConfigFields, index: int, every: int = 0) -> int | None:
    if not config.has("sliding_window") or config.raw("use_sliding_window") is False:
        return None
    has_types = bool(config.words("layer_types"))
    if (every or has_types) and not _is_sliding(config, index, every):
        return None
    return config.whole("sliding_window")


def llama_mixer(config: ConfigFields, index: int) -> Mixer:
    bias = config.flag("attention_bias")
    return _grouped(config, qkv_bias=bias, output_bias=bias, window=_window(config, index))


def plain_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, window=_window(config, index))


def qwen2_mixer(config: ConfigFields, index: int) -> Mixer:
    sliding = config.flag("use_sliding_window") and index >= config.whole("max_window_layers", default=10**6, least=0)
    return _grouped(config, qkv_bias=True, window=_window(config, index) if sliding else None)


def qwen3_mixer(config: ConfigFields, index: int) -> Mixer:
    sliding = config.flag("use_sliding_window") and index >= config.whole("max_window_layers", default=10**6, least=0)
    bias = config.flag("attention_bias")
    window = _window(config, index) if sliding else None
    return _grouped(config, qk_norm="head", qkv_bias=bias, output_bias=bias, window=window)


def gemma2_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, window=_window(config, index, every=2))


def gemma3_mixer(config: ConfigFields, index: int) -> Mixer:
    every = config.whole("sliding_window_pattern", default=6)
    return _grouped(config, qk_norm="head", window=_window(config, index, every=every))


def gemma4_mixer(config: ConfigFields, index: int) -> Mixer:
    sliding = _is_sliding(config, index, every=6)
    shared = index >= layer_count(config) - config.whole("num_kv_shared_layers", default=0, least=0)
    heads = _heads(config)
    if sliding:
        kv_heads, dim = config.whole("num_key_value_heads"), config.whole("head_dim", default=256)
    else:
        kv_heads = config.whole("num_global_key_value_heads", "num_key_value_heads")
        dim = config.whole("global_head_dim", default=512)
    return GroupedAttention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=dim,
        window=config.whole("sliding_window") if sliding else None,
        qk_norm="head",
        value_is_key=not sliding and config.flag("attention_k_eq_v"),
        reuses_cache=shared,
    )


def gpt_oss_mixer(config: ConfigFields, index: int) -> Mixer:
    bias = config.flag("attention_bias", default=True)
    return _grouped(config, qkv_bias=bias, output_bias=bias, sinks=True, window=_window(config, index, every=2))


def latent_mixer(config: ConfigFields, index: int) -> Mixer:
    return LatentAttention(
        heads=_heads(config),
        q_rank=config.whole("q_lora_rank") if config.has("q_lora_rank") else None,
        kv_rank=config.whole("kv_lora_rank"),
        nope_dim=config.whole("qk_nope_head_dim"),
        rope_dim=config.whole("qk_rope_head_dim"),
        value_dim=config.whole("v_head_dim"),
        index_heads=config.whole("index_n_heads", default=0, least=0),
        index_dim=config.whole("index_head_dim", default=0, least=0),
    )


def glm_mixer(config: ConfigFields, index: int) -> Mixer:
    norm = "head" if config.flag("use_qk_norm") else "none"
    return _grouped(config, qkv_bias=config.flag("attention_bias"), qk_norm=norm)


def minimax_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, qk_norm="layer" if config.flag("use_qk_norm", default=True) else "none")


def olmo2_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, qk_norm="layer", window=_window(config, index, every=4))


def llama4_mixer(config: ConfigFields, index: int) -> Mixer:
    every = config.whole("no_rope_layer_interval", default=4)
    chunked = bool((index + 1) % every) and config.has("attention_chunk_size")
    window = config.whole("attention_chunk_size") if chunked else None
    return _grouped(config, window=window, chunked=chunked, qkv_bias=config.flag("attention_bias"))


def qwen_next_mixer(config: ConfigFields, index: int) -> Mixer:
    types = config.words("layer_types")
    every = config.whole("full_attention_interval", default=4)
    full = types[index] == "full_attention" if len(types) > index else (index + 1) % every == 0
    if full:
        return _grouped(config, qk_norm="head", output_gate=True)
    return DeltaNet(
        key_heads=config.whole("linear_num_key_heads"),
        value_heads=config.whole("linear_num_value_heads"),
        key_dim=config.whole("linear_key_head_dim"),
        value_dim=config.whole("linear_value_head_dim"),
        kernel=config.whole("linear_conv_kernel_dim", default=4),
    )


def cohere_mixer(config: ConfigFields, index: int) -> Mixer:
    norm = "layer" if config.flag("use_qk_norm") else "none"
    every = config.whole("sliding_window_pattern", default=4)
    return _grouped(
        config, qkv_bias=config.flag("attention_bias"), qk_norm=norm, window=_window(config, index, every=every)
    )


def biased_mixer(config: ConfigFields, index: int) -> Mixer:
    bias = config.flag("use_bias", default=True)
    return _grouped(config, qkv_bias=bias, output_bias=bias, window=_window(config, index))


def falcon_mixer(config: ConfigFields, index: int) -> Mixer:
    kv_heads = _heads(config)
    if config.flag("new_decoder_architecture"):
        kv_heads = config.whole("num_kv_heads", "n_head_kv")
    elif config.flag("multi_query", default=True):
        kv_heads = 1
    return GroupedAttention(heads=_heads(config), kv_heads=kv_heads, head_dim=_head_dim(config))


def seed_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(
        config, qkv_bias=config.flag("attention_bias", default=True), output_bias=config.flag("attention_out_bias")
    )


def exaone_mixer(config: ConfigFields, index: int) -> Mixer:
    every = config.whole("sliding_window_pattern", default=4)
    return _grouped(config, qk_norm="head", window=_window(config, index, every=every))


def internlm2_mixer(config: ConfigFields, index: int) -> Mixer:
    bias = config.flag("bias")
    return _grouped(config, qkv_bias=bias, output_bias=bias)


def internlm3_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, qkv_bias=config.flag("qkv_bias"), output_bias=config.flag("bias"))


def all_biased_mixer(config: ConfigFields, index: int) -> Mixer:
    bias = config.flag("attention_bias", default=True)
    return _grouped(config, qkv_bias=bias, output_bias=bias)


def stablelm_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, qkv_bias=config.flag("use_qkv_bias"))


def glm_biased_mixer(config: ConfigFields, index: int) -> Mixer:
    return _grouped(config, qkv_bias=config.flag("attention_bias", default=True))


def mamba2_mixer(config: ConfigFields) -> Mamba2:
    """A state-space layer under the names of Nemotron-H or of Bamba and Granite 4."""
    return Mamba2(
        heads=config.whole("mamba_num_heads", "mamba_n_heads"),
        head_dim=config.whole("mamba_head_dim", "mamba_d_head"),
        state=config.whole("ssm_state_size", "mamba_d_state"),
        groups=config.whole("n_groups", "mamba_n_groups"),
        kernel=config.whole("conv_kernel", "mamba_d_conv", default=4),
    )


def granite_hybrid_mixer(config: ConfigFields, index: int) -> Mixer:
    types = config.words("layer_types") or config.words("layers_block_type")
    attends = len(types) > index and types[index] == "attention"
    return llama_mixer(config, index) if attends else mamba2_mixer(config)
