"""How models of each model_type are built."""

from collections.abc import Callable
from typing import NamedTuple

from assistant.tools.memory import config_blocks as blocks
from assistant.tools.memory import config_mixers as mixers
from assistant.tools.memory.architecture import FeedForward, Mixer
from assistant.tools.memory.config_fields import ConfigFields


class Family(NamedTuple):
    """How models of one model_type are built."""

    mixer: Callable[[ConfigFields, int], Mixer]
    block: Callable[[ConfigFields, int], FeedForward] = blocks.dense_block
    norms: int = 2
    norm_bias: bool = False
    tied: bool = False
    """What a missing tie_word_embeddings means."""
    scalars: int = 0
    final_norm: bool = True
    """False where norms have no weights (OLMo 1)."""
    head_bias: bool = False
    positions: str = ""
    """Field that counts the rows of a learned position table."""
    extra_positions: int = 0
    own_embeddings: bool = False
    """True where the prediction module's copy of the embeddings is stored with it."""
    prediction: str = ""
    """Field that counts the multi-token-prediction layers."""
    window_pool: bool = False
    """Named in SGLang's is_hybrid_swa_model."""


_DEEPSEEK = Family(
    mixers.latent_mixer, blocks.deepseek_block, own_embeddings=True, prediction="num_nextn_predict_layers"
)

FAMILIES: dict[str, Family] = {
    "llama": Family(mixers.llama_mixer),
    "mistral": Family(mixers.plain_mixer),
    "ministral3": Family(mixers.plain_mixer),
    "mixtral": Family(mixers.plain_mixer, blocks.mixtral_block),
    "qwen2": Family(mixers.qwen2_mixer),
    "qwen2_moe": Family(mixers.qwen2_mixer, blocks.qwen_moe_block),
    "qwen3": Family(mixers.qwen3_mixer),
    "qwen3_moe": Family(mixers.qwen3_mixer, blocks.qwen_moe_block),
    "qwen3_vl_text": Family(mixers.qwen3_mixer),
    "qwen3_vl_moe_text": Family(mixers.qwen3_mixer, blocks.qwen_moe_block),
    "qwen2_5_vl_text": Family(mixers.qwen2_mixer),
    "qwen3_next": Family(mixers.qwen_next_mixer, blocks.qwen_moe_block),
    "qwen3_5_text": Family(mixers.qwen_next_mixer, prediction="mtp_num_hidden_layers"),
    "qwen3_5_moe_text": Family(mixers.qwen_next_mixer, blocks.qwen_moe_block, prediction="mtp_num_hidden_layers"),
    "gemma": Family(mixers.plain_mixer, tied=True),
    "gemma2": Family(mixers.gemma2_mixer, norms=4, tied=True),
    "gemma3_text": Family(mixers.gemma3_mixer, norms=4, tied=True),
    "gemma4_text": Family(
        mixers.gemma4_mixer, blocks.gemma4_block, norms=4, tied=True, scalars=1, window_pool=True
    ),
    "phi3": Family(mixers.plain_mixer),
    "gpt_oss": Family(mixers.gpt_oss_mixer, blocks.gpt_oss_block, window_pool=True),
    "deepseek_v2": Family(mixers.latent_mixer, blocks.deepseek_block),
    "deepseek_v3": _DEEPSEEK,
    "deepseek_v32": _DEEPSEEK,
    "kimi_k2": _DEEPSEEK,
    "glm_moe_dsa": _DEEPSEEK._replace(own_embeddings=False),
    "glm4_moe_lite": _DEEPSEEK._replace(own_embeddings=False),
    "glm4_moe": _DEEPSEEK._replace(mixer=mixers.glm_mixer),
    "glm4": Family(mixers.glm_mixer, norms=4),
    "minimax_m2": Family(mixers.minimax_mixer, blocks.minimax_block),
    "llama4_text": Family(mixers.llama4_mixer, blocks.llama4_block, window_pool=True),
    "granite": Family(mixers.llama_mixer),
    "olmo2": Family(mixers.olmo2_mixer),
    "olmo3": Family(mixers.olmo2_mixer),
    "smollm3": Family(mixers.llama_mixer, tied=True),
    "cohere": Family(mixers.cohere_mixer, norms=1, tied=True),
    "cohere2": Family(mixers.cohere_mixer, norms=1, tied=True),
    "starcoder2": Family(mixers.biased_mixer, blocks.plain_block, norm_bias=True, tied=True),
    "falcon": Family(mixers.falcon_mixer, blocks.falcon_block, norm_bias=True, tied=True),
    "phimoe": Family(mixers.llama_mixer, blocks.mixtral_block, norm_bias=True),
    "seed_oss": Family(mixers.seed_mixer),
    "granitemoe": Family(mixers.llama_mixer, blocks.mixtral_block),
    "granitemoehybrid": Family(mixers.granite_hybrid_mixer, blocks.shared_mixture_block, tied=True),
    "ernie4_5": Family(mixers.plain_mixer, tied=True),
    "ernie4_5_moe": Family(mixers.plain_mixer, blocks.ernie_block, tied=True),
    "exaone4": Family(mixers.exaone_mixer),
    "glm": Family(mixers.glm_biased_mixer),
    "olmoe": Family(mixers.olmo2_mixer, blocks.olmoe_block),
    "stablelm": Family(mixers.stablelm_mixer, norm_bias=True),
    "arcee": Family(mixers.llama_mixer, blocks.ungated_block),
    "helium": Family(mixers.llama_mixer),
    "ministral": Family(mixers.plain_mixer),
    "internlm2": Family(mixers.internlm2_mixer),
    "internlm3": Family(mixers.internlm3_mixer, blocks.internlm3_block),
    "granitemoeshared": Family(mixers.llama_mixer, blocks.shared_mixture_block),
    "olmo": Family(mixers.llama_mixer, norms=0, final_norm=False),
    "gpt_neox": Family(mixers.all_biased_mixer, blocks.biased_block, norm_bias=True),
    "phi": Family(mixers.all_biased_mixer, blocks.biased_block, norms=1, norm_bias=True, head_bias=True),
    "gpt2": Family(mixers.all_biased_mixer, blocks.biased_block, norm_bias=True, tied=True, positions="n_positions"),
    "opt": Family(
        mixers.all_biased_mixer, blocks.biased_block, norm_bias=True, tied=True,
        positions="max_position_embeddings", extra_positions=2,
    ),
}  # fmt: skip
SAME_AS = {
    "qwen3_vl": "qwen3_vl_text", "qwen3_vl_moe": "qwen3_vl_moe_text",
    "qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text", "gemma3": "gemma3_text", "gemma4": "gemma4_text",
    "qwen2_5_vl": "qwen2_5_vl_text", "qwen2_vl": "qwen2_5_vl_text", "qwen2_vl_text": "qwen2_5_vl_text",
    "llama4": "llama4_text", "mistral3": "mistral", "kimi_k25": "kimi_k2",
}  # fmt: skip
