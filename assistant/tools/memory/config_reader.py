"""A Hugging Face config.json as an Architecture."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assistant.errors import InvalidInput
from assistant.knowledge.schema import first_problem
from assistant.tools.memory.architecture import (
    Architecture,
    Component,
    FeedForward,
    LayerGroup,
    Mixer,
    PredictionHead,
)
from assistant.tools.memory.config_blocks import nemotron_h_layers
from assistant.tools.memory.config_families import FAMILIES, SAME_AS, Family
from assistant.tools.memory.config_fields import ConfigFields
from assistant.tools.memory.config_mixers import hidden_size, llama_mixer
from assistant.tools.memory.nearest import nearest_names
from assistant.tools.memory.vision import vision_components

MAX_CONFIG_BYTES = 4 * 2**20


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
            known = SAME_AS.get(name, name)
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


def _positions(text: ConfigFields, family: Family) -> int:
    return text.whole(family.positions) + family.extra_positions if family.positions else 0


def _one_norm(text: ConfigFields, name: str) -> bool:
    """Falcon-7B's parallel layers share one norm."""
    return name == "falcon" and text.flag("parallel_attn", True) and not text.flag("new_decoder_architecture")


def _prediction(text: ConfigFields, family: Family, groups: tuple[LayerGroup, ...]) -> PredictionHead | None:
    if not family.prediction or not text.whole(family.prediction, default=0, least=0):
        return None
    count = text.whole(family.prediction)
    attention = [g for g in groups if g.mixer is not None and g.mixer.kind in ("grouped", "latent")]
    last = attention[-1].model_copy(update={"count": count})
    return PredictionHead(layer=last, own_embeddings=family.own_embeddings)


def architecture_from_config(values: dict[str, Any]) -> Architecture:
    """The architecture that a config.json describes. Fields that don't decide memory are passed over.

    Raises InvalidInput naming the field that is missing or wrong, or the model_type that isn't known.
    """
    root = ConfigFields(values)
    text = _text_part(root)
    name = _family_name(root, text)
    if name == "nemotron_h":
        family = Family(llama_mixer, norms=1)
        kinds = nemotron_h_layers(text)
    else:
        family = FAMILIES[name]._replace(norms=1) if _one_norm(text, name) else FAMILIES[name]
        count = text.whole("num_hidden_layers", "n_layer", "num_layers")
        if count > 10_000:
            raise InvalidInput(f"config.json: {text.name('num_hidden_layers')} is {count}, more than 10000.")
        kinds = [(family.mixer(text, index), family.block(text, index)) for index in range(count)]
    tied = text.flag("tie_word_embeddings", default=root.flag("tie_word_embeddings", default=family.tied))
    try:
        groups = _group(kinds, family)
        return Architecture(
            hidden=hidden_size(text),
            vocabulary=text.whole("vocab_size"),
            layers=groups,
            final_norm=family.final_norm,
            head_bias=family.head_bias or text.flag("lm_head_bias"),
            position_embeddings=_positions(text, family),
            window_pool=family.window_pool,
            max_context=text.whole("max_position_embeddings", "n_positions", "max_seq_len", default=2048),
            tied_embeddings=tied,
            per_layer_embedding=text.whole("hidden_size_per_layer_input", default=0, least=0),
            per_layer_vocabulary=text.whole("vocab_size_per_layer_input", default=0, least=0),
            prediction=_prediction(text, family, groups),
            components=tuple(
                Component(name=part, parameters=count) for part, count in vision_components(root, hidden_size(text))
            ),
        )
    except ValidationError as error:
        raise InvalidInput(f"config.json: {first_problem(error)}") from error


def read_config(path: Path) -> Architecture:
    """The architecture in a config.json file. Raises InvalidInput in one line that names the file or the field."""
    return architecture_from_config(read_json_object(path, MAX_CONFIG_BYTES))
