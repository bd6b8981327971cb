"""Parameters of the vision towers that a config.json describes, with their projectors.

Source: the vision modules of Hugging Face transformers, checked by published parameter counts.
"""

from collections.abc import Callable

from assistant.tools.memory.config_fields import ConfigFields


def _linear(inputs: int, outputs: int, *, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _plain_layer(width: int, inner: int) -> int:
    """Biased attention and a two-matrix feed-forward block, with two biased norms."""
    return 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width


def _siglip(vision: ConfigFields, hidden: int) -> int:
    """SigLIP with the average-pooling projector of Gemma 3, without the pooling head."""
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    patch, image = vision.whole("patch_size"), vision.whole("image_size")
    channels = vision.whole("num_channels", default=3)
    embeddings = _linear(channels * patch**2, width) + (image // patch) ** 2 * width
    tower = vision.whole("num_hidden_layers") * _plain_layer(width, inner) + 2 * width
    return embeddings + tower + width * hidden + width


def _qwen3(vision: ConfigFields, hidden: int) -> int:
    """The tower of Qwen3-VL and Qwen3.5; each deepstack merger feeds an inner layer."""
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    output = vision.whole("out_hidden_size", default=hidden)
    merged = width * vision.whole("spatial_merge_size", default=2) ** 2
    patch = vision.whole("in_channels", default=3) * vision.whole("temporal_patch_size", default=2)
    patch *= vision.whole("patch_size") ** 2
    embeddings = _linear(patch, width) + vision.whole("num_position_embeddings", default=2304) * width
    merger = _linear(merged, merged) + _linear(merged, output)
    stacked = len(vision.wholes("deepstack_visual_indexes"))
    layers = vision.whole("depth") * _plain_layer(width, inner)
    return embeddings + layers + merger + 2 * width + stacked * (merger + 2 * merged)


def _qwen25(vision: ConfigFields, hidden: int) -> int:
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    output = vision.whole("out_hidden_size", default=hidden)
    merged = width * vision.whole("spatial_merge_size", default=2) ** 2
    patch = vision.whole("in_channels", "in_chans", default=3) * vision.whole("temporal_patch_size", default=2)
    layer = _linear(width, 3 * width) + _linear(width, width) + 2 * _linear(width, inner) + _linear(inner, width)
    embeddings = patch * vision.whole("patch_size") ** 2 * width
    merger = width + _linear(merged, merged) + _linear(merged, output)
    return embeddings + vision.whole("depth") * (layer + 2 * width) + merger


def _qwen2(vision: ConfigFields, hidden: int) -> int:
    """The tower of Qwen2-VL, which names its own width embed_dim and the language model's hidden_size."""
    width = vision.whole("embed_dim")
    inner = width * vision.whole("mlp_ratio", default=4)
    merged = width * vision.whole("spatial_merge_size", default=2) ** 2
    patch = vision.whole("in_channels", "in_chans", default=3) * vision.whole("temporal_patch_size", default=2)
    embeddings = patch * vision.whole("patch_size") ** 2 * width
    merger = 2 * width + _linear(merged, merged) + _linear(merged, vision.whole("hidden_size", default=hidden))
    return embeddings + vision.whole("depth") * _plain_layer(width, inner) + merger


def _kimi25(vision: ConfigFields, hidden: int) -> int:
    """MoonViT in three dimensions with the patch-merging projector of Kimi K2.5."""
    width, inner = (
        vision.whole("vt_hidden_size", "hidden_size"),
        vision.whole("vt_intermediate_size", "intermediate_size"),
    )
    patch = vision.whole("patch_size", default=14)
    rows = vision.whole("init_pos_emb_height", default=64) * vision.whole("init_pos_emb_width", default=64)
    merge = vision.wholes("merge_kernel_size")
    merged = width * (merge[0] * merge[1] if len(merge) == 2 else 4)
    embeddings = _linear(3 * patch**2, width) + rows * width
    layers = vision.whole("vt_num_hidden_layers", "num_hidden_layers") * _plain_layer(width, inner)
    projector = 2 * width + _linear(merged, merged) + _linear(merged, hidden)
    return embeddings + layers + 2 * width + projector


def _gemma4(vision: ConfigFields, hidden: int) -> int:
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    head = vision.whole("head_dim")
    inputs = 3 * vision.whole("patch_size") ** 2
    embeddings = 2 * vision.whole("position_embedding_size") * width + inputs * width
    heads = vision.whole("num_attention_heads") * head
    key_values = vision.whole("num_key_value_heads") * head
    layer = 2 * width * heads + 2 * width * key_values + 3 * width * inner + 2 * head + 4 * width
    standardised = 2 * width if vision.flag("standardize") else 0
    return embeddings + vision.whole("num_hidden_layers") * layer + standardised + width * hidden


def _llama4(vision: ConfigFields, hidden: int) -> int:
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    patch, image = vision.whole("patch_size"), vision.whole("image_size")
    embeddings = width + ((image // patch) ** 2 + 1) * width + 3 * patch**2 * width + 4 * width
    middle, output = vision.whole("projector_input_dim"), vision.whole("projector_output_dim")
    adapter = inner * middle + middle * output
    projector = vision.whole("vision_output_dim", default=output) * hidden
    return embeddings + vision.whole("num_hidden_layers") * _plain_layer(width, inner) + adapter + projector


def _pixtral(vision: ConfigFields, hidden: int) -> int:
    """Pixtral with the patch-merging projector of Mistral Small 3.1 and later."""
    width, inner = vision.whole("hidden_size"), vision.whole("intermediate_size")
    layer = 4 * width**2 + 3 * width * inner + 2 * width
    embeddings = 3 * vision.whole("patch_size") ** 2 * width + width
    merge = vision.whole("spatial_merge_size", default=2) ** 2
    projector = width + merge * width**2 + width * hidden + hidden**2
    return embeddings + vision.whole("num_hidden_layers") * layer + projector


def _other(vision: ConfigFields, hidden: int) -> int:
    """A transformer of the stated size with a two-matrix projector: an estimate."""
    width = vision.whole("hidden_size", "vt_hidden_size", "embed_dim")
    inner = vision.whole("intermediate_size", "vt_intermediate_size", default=4 * width)
    layers = vision.whole("num_hidden_layers", "depth", "vt_num_hidden_layers")
    return layers * _plain_layer(width, inner) + width * hidden + hidden**2


_TOWERS: dict[str, Callable[[ConfigFields, int], int]] = {
    "siglip_vision_model": _siglip,
    "qwen3_vl": _qwen3,
    "qwen3_vl_moe": _qwen3,
    "qwen3_5": _qwen3,
    "qwen3_5_moe": _qwen3,
    "kimi_k25": _kimi25,
    "kimi_k25_vision": _kimi25,
    "qwen2_vl": _qwen2,
    "qwen2_vl_vision": _qwen2,
    "qwen2_5_vl": _qwen25,
    "qwen2_5_vl_vision": _qwen25,
    "gemma4_vision": _gemma4,
    "llama4_vision_model": _llama4,
    "pixtral": _pixtral,
}


def vision_components(root: ConfigFields, hidden: int) -> list[tuple[str, int]]:
    """(name, parameters) of the vision tower with its projector; none for a text model.

    A tower of an unknown kind is counted from its depth and widths, and its name says so.
    """
    vision = root.part("vision_config")
    if vision is None:
        return []
    tower = _TOWERS.get(vision.text("model_type") or root.text("model_type"))
    if tower is None:
        return [("vision tower (estimated)", _other(vision, hidden))]
    return [("vision tower", tower(vision, hidden))]
