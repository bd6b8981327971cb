"""How much an engine takes on in one step unless told otherwise: tokens, and sequences it reserves buffers for."""

from typing import NamedTuple

from assistant.tools.memory.cache_layout import Engine
from assistant.tools.memory.card import Card

_LARGE_CARD = 70 * 2**30
_NEVER_LARGE = "a100"


class StepLimits(NamedTuple):
    """`sequences` is None where the engine reserves for those that are asked for."""

    tokens: int
    sequences: int | None


def step_limits(engine: Engine, card: Card | None) -> StepLimits:
    """vLLM's server allows more on cards of 70 GiB and up, the A100 excepted; without a card, the larger step counts.

    Source: vllm/engine/arg_utils.py, get_batch_defaults; llama.cpp's n_ubatch; SGLang's chunked-prefill-size.
    """
    match engine:
        case "llama.cpp":
            return StepLimits(512, None)
        case "sglang":
            return StepLimits(8192, 256)
    if card is None:
        return StepLimits(8192, 256)
    large = card.usable_bytes >= _LARGE_CARD and _NEVER_LARGE not in card.name.lower()
    return StepLimits(8192, 1024) if large else StepLimits(2048, 256)
