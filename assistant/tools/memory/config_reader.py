"""A Hugging Face config.json as an Architecture."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from assistant.errors import InvalidInput
from assistant.knowledge.schema import first_problem
from assistant.tools.memory import config_layers as layers
from assistant.tools.memory.architecture import (
    Architecture,
    Component,
    FeedForward,
    LayerGroup,
    Mixer,
    PredictionHead,
)
from assistant.tools.memory.config_fields import ConfigFields
from assistant.tools.memory.nearest import nearest_names
from assistant.tools.memory.vision import vision_components

MAX_CONFIG_BYTES = 4 * 2**20


class Family(NamedTuple):
    """How models of one model_type are built."""

    mixer: Callable[[ConfigFields, int], Mixer]
    block: Callable[[ConfigFields, int], FeedForward] = layers.dense_block
    norms: int = 2
    norm_bias: bool = False
    tied: bool = False
    """What a missing tie_word_embeddings means."""
    scalars: int = 0
    prediction: str = ""
    """Field that counts the multi-token-prediction layers."""


FAMILIES: dict[str, Family] = {
    "llama": Family(layers.llama_mixer),
    "mistral": Family(layers.plain_mixer),
    "ministral3": Family(layers.plain_mixer),
    "mixtral": Family(layers.plain_mixer, layers.mixtral_block),
    "qwen2": Family(layers.qwen2_mixer),
    "qwen2_moe": Family(layers.qwen2_mixer, layers.qwen_moe_block),
    "qwen3": Family(layers.qwen3_mixer),
    "qwen3_moe": Family(layers.qwen3_mixer, layers.qwen_moe_block),
    "qwen3_vl_text": Family(layers.qwen3_mixer),
    "qwen3_vl_moe_text": Family(layers.qwen3_mixer, layers.qwen_moe_block),
    "qwen2_5_vl_text": Family(layers.qwen2_mixer),
    "qwen3_next": Family(layers.qwen_next_mixer, layers.qwen_moe_block),
    "qwen3_5_text": Family(layers.qwen_next_mixer, prediction="mtp_num_hidden_layers"),
    "qwen3_5_moe_text": Family(layers.qwen_next_mixer, layers.qwen_moe_block, prediction="mtp_num_hidden_layers"),
    "gemma": Family(layers.plain_mixer, tied=True),
    "gemma2": Family(layers.gemma2_mixer, norms=4, tied=True),
    "gemma3_text": Family(layers.gemma3_mixer, norms=4, tied=True),
    "gemma4_text": Family(layers.gemma4_mixer, layers.gemma4_block, norms=4, tied=True, scalars=1),
    "phi3": Family(layers.plain_mixer),
    "gpt_oss": Family(layers.gpt_oss_mixer, layers.gpt_oss_block),
    "deepseek_v2": Family(layers.latent_mixer, layers.deepseek_block),
    "deepseek_v3": Family(layers.latent_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "deepseek_v32": Family(layers.latent_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "kimi_k2": Family(layers.latent_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "glm_moe_dsa": Family(layers.latent_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "glm4_moe_lite": Family(layers.latent_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "glm4_moe": Family(layers.glm_mixer, layers.deepseek_block, prediction="num_nextn_predict_layers"),
    "glm4": Family(layers.glm_mixer, norms=4),
    "minimax_m2": Family(layers.minimax_mixer, layers.mixtral_block),
    "llama4_text": Family(layers.llama4_mixer, layers.llama4_block),
    "granite": Family(layers.llama_mixer),
    "olmo2": Family(layers.olmo2_mixer),
    "olmo3": Family(layers.olmo2_mixer),
    "smollm3": Family(layers.llama_mixer, tied=True),
    "cohere": Family(layers.cohere_mixer, norms=1, tied=True),
    "cohere2": Family(layers.cohere_mixer, norms=1, tied=True),
    "starcoder2": Family(layers.biased_mixer, layers.plain_block, norm_bias=True, tied=True),
    "falcon": Family(layers.falcon_mixer, layers.plain_block, norm_bias=True, tied=True),
}
_SAME_AS = {
    "seed_oss": "qwen3", "nemotron_h": "nemotron_h", "qwen3_vl": "qwen3_vl_text", "qwen3_vl_moe": "qwen3_vl_moe_text",
    "qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text", "gemma3": "gemma3_text", "gemma4": "gemma4_text",
    "llama4": "llama4_text", "mistral3": "mistral", "kimi_k25": "kimi_k2",
}  # fmt: skip
del _SAME_AS["seed_oss"]


def read_json_object(path: Path, limit: int) -> dict[str, Any]:
    """A JSON object from a file of at most `limit` bytes. Raises InvalidInput in one line."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise InvalidInput(f"{path}: {size} bytes is more than the {limit} that is read.")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 at byte {error.start}.") from error
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path}: not JSON: {str(error)[:120]}") from error
    if not isinstance(values, dict):
        raise InvalidInput(f"{path}: not a JSON object.")
    return values


def _text_part(root: ConfigFields) -> ConfigFields:
    for field in ("text_config", "language_config", "llm_config"):
        part = root.part(field)
        if part is not None:
            return part
    return root


def _family_name(root: ConfigFields, text: ConfigFields) -> str:
    for fields in (text, root):
        name = fields.text("model_type")
        if name:
            known = _SAME_AS.get(name, name)
            if known in FAMILIES or known == "nemotron_h":
                return known
    name = text.text("model_type") or root.text("model_type")
    if not name:
        raise InvalidInput("config.json: model_type is missing.")
    near = ", ".join(nearest_names(name, [*FAMILIES, "nemotron_h"]))
    raise InvalidInput(
        f"config.json: model_type {name[:60]!r} is not a known architecture.", f"Nearest: {near}; or give --params."
    )


def _group(kinds: list[tuple[Mixer | None, FeedForward | None]], family: Family) -> tuple[LayerGroup, ...]:
    counted = Counter(kinds)
    return tuple(
        LayerGroup(
            count=count,
            mixer=mixer,
            feed_forward=block,
            norms=family.norms
            + (3 if family.norms == 4 and family.scalars and block and block.kind == "experts" else 0),
            norm_bias=family.norm_bias,
            scalars=family.scalars,
        )
        for (mixer, block), count in counted.items()
    )


def _prediction(text: ConfigFields, family: Family, groups: tuple[LayerGroup, ...]) -> PredictionHead | None:
    if not family.prediction or not text.whole(family.prediction, default=0, least=0):
        return None
    count = text.whole(family.prediction)
    attention = [g for g in groups if g.mixer is not None and g.mixer.kind in ("grouped", "latent")]
    last = attention[-1].model_copy(update={"count": count})
    return PredictionHead(layer=last, own_embeddings=family.prediction == "num_nextn_predict_layers")


def architecture_from_config(values: dict[str, Any]) -> Architecture:
    """The architecture that a config.json describes. Fields that don't decide memory are passed over.

    Raises InvalidInput naming the field that is missing or wrong, or the model_type that isn't known.
    """
    root = ConfigFields(values)
    text = _text_part(root)
    name = _family_name(root, text)
    if name == "nemotron_h":
        family = Family(layers.llama_mixer, norms=1)
        kinds = layers.nemotron_h_layers(text)
    else:
        family = FAMILIES[name]
        count = text.whole("num_hidden_layers", "n_layer", "num_layers")
        if count > 10_000:
            raise InvalidInput(f"config.json: {text.name('num_hidden_layers')} is {count}, more than 10000.")
        kinds = [(family.mixer(text, index), family.block(text, index)) for index in range(count)]
    tied = text.flag("tie_word_embeddings", default=root.flag("tie_word_embeddings", default=family.tied))
    try:
        groups = _group(kinds, family)
        return Architecture(
            hidden=layers.hidden_size(text),
            vocabulary=text.whole("vocab_size"),
            layers=groups,
            max_context=text.whole("max_position_embeddings", "n_positions", "max_seq_len", default=2048),
            tied_embeddings=tied,
            per_layer_embedding=text.whole("hidden_size_per_layer_input", default=0, least=0),
            per_layer_vocabulary=text.whole("vocab_size_per_layer_input", default=0, least=0),
            prediction=_prediction(text, family, groups),
            components=tuple(
                Component(name=part, parameters=count)
                for part, count in vision_components(root, layers.hidden_size(text))
            ),
        )
    except ValidationError as error:
        raise InvalidInput(f"config.json: {first_problem(error)}") from error


def read_config(path: Path) -> Architecture:
    """The architecture in a config.json file. Raises InvalidInput in one line that names the file or the field."""
    return architecture_from_config(read_json_object(path, MAX_CONFIG_BYTES))
