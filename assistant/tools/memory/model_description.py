"""Known models as a table, and one model with its layers."""

from collections.abc import Iterable
from typing import Any

from assistant.tools.memory.architecture import (
    DeltaNet,
    DenseFeedForward,
    Experts,
    GroupedAttention,
    LatentAttention,
    LayerGroup,
    Mamba2,
)
from assistant.tools.memory.cache_layout import CacheLayout, bytes_per_token
from assistant.tools.memory.checkpoint import StoredModel
from assistant.tools.memory.language_model import LanguageModel


def _mixer(group: LayerGroup) -> str:
    match group.mixer:
        case GroupedAttention() as mixer:
            kind = f"attention {mixer.heads}/{mixer.kv_heads} × {mixer.head_dim}"
            window = f", window {mixer.window}" if mixer.window else ""
            return kind + window + (", cache of an earlier layer" if mixer.reuses_cache else "")
        case LatentAttention() as mixer:
            return f"latent attention {mixer.heads} heads, rank {mixer.kv_rank} + {mixer.rope_dim}"
        case DeltaNet() as mixer:
            return f"linear attention {mixer.value_heads} × {mixer.value_dim}"
        case Mamba2() as mixer:
            return f"state space {mixer.heads} × {mixer.head_dim}, state {mixer.state}"
    return "no mixer"


def _block(group: LayerGroup) -> str:
    match group.feed_forward:
        case DenseFeedForward(width=width):
            return f"feed-forward {width}"
        case Experts() as block:
            shared = f" + shared {block.shared_width}" if block.shared_width else ""
            return f"{block.active} of {block.experts} experts × {block.width}{shared}"
    return "no feed-forward"


def _parameters(model: LanguageModel) -> int:
    return model.counted if isinstance(model, StoredModel) else model.parameters


def model_data(model: LanguageModel) -> dict[str, Any]:
    """One model as data: counts, cache per token in 16 bits, limits, architecture and sources."""
    return {
        "id": model.id,
        "name": model.name,
        "parameters": _parameters(model),
        "active_parameters": model.active_parameters,
        "published_parameters": model.published_parameters,
        "max_context": model.architecture.max_context,
        "kv_bytes_per_token": round(bytes_per_token(model.architecture, CacheLayout())),
        "stored_as": model.stored_as,
        "architecture": model.architecture.model_dump(mode="json", exclude_defaults=True),
        "sources": list(model.sources),
    }


def model_table(models: Iterable[LanguageModel]) -> str:
    """Every model on a line: parameters, active ones, cache per token in 16 bits, longest context."""
    rows = [
        (
            model.id,
            model.name,
            f"{model.parameters:,}",
            f"{model.active_parameters:,}",
            f"{round(bytes_per_token(model.architecture, CacheLayout())):,}",
            f"{model.architecture.max_context:,}",
        )
        for model in models
    ]
    head = ("id", "name", "parameters", "active", "KV bytes/token", "max context")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        cells = [
            cell.ljust(width) if n < 2 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join(line(row) for row in (head, *rows))


def describe_model(model: LanguageModel) -> str:
    """One model with its layers and sources."""
    shape = model.architecture
    lines = [
        f"{model.name} ({model.id})",
        f"parameters: {_parameters(model):,} (active {model.active_parameters:,})",
        f"hidden {shape.hidden}, vocabulary {shape.vocabulary}, longest context {shape.max_context:,} tokens",
        f"KV cache: {round(bytes_per_token(shape, CacheLayout())):,} bytes a token in 16 bits, every layer in full",
        *(f"{group.count} × {_mixer(group)}; {_block(group)}" for group in shape.layers),
        *(f"{part.name}: {part.parameters:,} parameters" for part in shape.components),
        f"sources: {'; '.join(model.sources)}",
    ]
    return "\n".join(lines)
