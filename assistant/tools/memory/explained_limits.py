"""What follows from an estimate, written out: how much room is left, how many cards do, and the bounds on speed."""

from assistant.tools.memory.arithmetic import product, shown
from assistant.tools.memory.cache_layout import bytes_read_per_token
from assistant.tools.memory.card import Card
from assistant.tools.memory.explained_cache import read_text, room_text
from assistant.tools.memory.explained_weights import active_weights_text, scaled_text
from assistant.tools.memory.explanation import step
from assistant.tools.memory.quantization import active_weight_bytes
from assistant.tools.memory.result import Formula
from assistant.tools.memory.sizing import Sized
from assistant.tools.memory.tensors import active_parameter_count

_ROOFLINE = "derived: all that is read or computed, at the card's full speed"
_SEARCH = "largest value whose total, by the high end of the range, is within the usable memory"


def room_step(one: Sized, tokens: int, usable: int) -> Formula:
    """Tokens that the cache holds when it takes all that is left."""
    others = one.needed.total.high - one.needed.kv_cache
    left = room_text(one.shape.architecture, one.chosen, usable, others)
    return step("kv_tokens_capacity", "(usable − all but the cache) ÷ what a sequence keeps × its tokens", left, tokens,
                "vllm-project/vllm, GPU KV cache size" if one.chosen.layout.engine == "vllm" else "derived",
                unit="tokens")  # fmt: skip


def limit_step(term: str, value: int, within: int | None, beyond: int | None, usable: int, unit: str) -> Formula:
    """The largest value that fits: what it needs, and what one more needs; None where there is none to compare."""
    parts = [shown(within)] if within is not None else []
    parts.append(shown(usable))
    filled = " ≤ ".join(parts) + (f" < {shown(beyond)}" if beyond is not None else "")
    return Formula(
        term=term, formula="total at this value ≤ usable < total at one more", filled=filled, value=value, unit=unit,
        source=_SEARCH, code="formula_limit",
    )  # fmt: skip


def cards_step(least: int, low: int, usable: int, smaller_low: int | None) -> Formula:
    """The smallest count of cards, and why the next smaller one does not do."""
    filled = f"{shown(low)} ≤ {shown(usable)}" + (f" < {shown(smaller_low)}" if smaller_low is not None else "")
    return Formula(
        term="gpus_needed", formula="least total with this many ≤ usable < least total with the next fewer",
        filled=filled, value=least, unit="GPUs", source=_SEARCH, code="formula_gpus_needed",
    )  # fmt: skip


def decode_steps(one: Sized, card: Card, speed: float) -> list[Formula]:
    """Bytes read for one token, and the bandwidth over them."""
    model, chosen = one.shape.architecture, one.chosen
    weights = active_weight_bytes(model, chosen.form, tensor_parallel=chosen.split.tensor)
    read = bytes_read_per_token(model, chosen.layout, chosen.context)
    stated, own = one.shape.scale
    whole = weights if stated == own else weights * stated / own
    source = "; ".join(card.sources) or card.name
    return [
        step("active_weights", "Σ tensors read for a token (numbers × bits ÷ 8 ÷ GPUs that share the tensor)",
             scaled_text(active_weights_text(model, chosen.form, chosen.split.tensor), stated, own), round(whole),
             chosen.form.source),
        step("cache_read", "Σ layers (bytes per token × tokens within the window) + states",
             read_text(model, chosen.layout, chosen.context), round(read), _ROOFLINE),
        step("decode_ceiling_tokens_per_s", "bandwidth ÷ (weights read + cache read)",
             f"{shown(card.bandwidth or 0)} ÷ ({shown(round(whole))} + {shown(round(read))})", speed,
             f"{_ROOFLINE}; {source}", unit="tokens/s"),
    ]  # fmt: skip


def prefill_step(one: Sized, card: Card, speed: float) -> Formula:
    """Dense operations over what one token takes."""
    model = one.shape.architecture
    stated, own = one.shape.scale
    active = scaled_text(shown(active_parameter_count(model)), stated, own)
    flops = product(shown(card.flops_16bit or 0), one.chosen.split.tensor)
    source = "; ".join(card.sources) or card.name
    return step("prefill_ceiling_tokens_per_s", "dense 16-bit FLOP/s × TP ÷ (2 × active parameters)",
                f"{flops} ÷ (2 × {active})", speed, f"{_ROOFLINE}; {source}", unit="tokens/s")  # fmt: skip
