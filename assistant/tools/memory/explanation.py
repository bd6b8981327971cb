"""The formulas of a result with their numbers filled in, so that each can be worked out again, and what was assumed."""

from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.arithmetic import equation, product, shown, total
from assistant.tools.memory.cache_layout import bytes_per_token
from assistant.tools.memory.card import Card
from assistant.tools.memory.explained_activations import overhead_texts, step_text, training_text
from assistant.tools.memory.explained_cache import cache_steps, row_text
from assistant.tools.memory.explained_weights import (
    active_parameters_text,
    parameters_text,
    scaled_text,
    weights_text,
)
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.parallelism import stage_weight_bytes
from assistant.tools.memory.plan import Need, Plan
from assistant.tools.memory.quantization import WEIGHT_ONLY, weight_format
from assistant.tools.memory.result import ByteRange, Formula, Note
from assistant.tools.memory.sizing import Sized, Subject
from assistant.tools.memory.training import OPTIMIZER_STATES, adapted_tensors, lora_parameters

_KV_SOURCE = {
    "vllm": "vllm-project/vllm vllm/v1/kv_cache_interface.py, kv_cache_utils.py",
    "llama.cpp": "ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp",
    "sglang": "sgl-project/sglang pull request 18039",
}
_STATES_SOURCE = "ZeRO, arXiv:1910.02054; torchtune PR #389"
_SUM_SOURCE = "sum of the terms"
_IN_WORDS = {
    "block_bytes": "widest page × layers that share a block",
    "sequence_blocks": "Σ kinds of layer (tables × blocks of one sequence; a window caps them)",
    "kv_cache": "sequences × what each keeps in whole blocks or cells; a window caps it; states are of fixed size",
}


class Gap(NamedTuple):
    """What a costlier shape of the same count takes more: both totals by their terms, and the shapes' names."""

    cheapest: str
    costliest: str
    costly: Need
    total: ByteRange
    bytes: int


def step(
    term: str, formula: str, left: str, value: float, source: str, *, unit: str = "bytes", code: str = ""
) -> Formula:
    """One step whose numbers make its value."""
    return Formula(
        term=term, formula=formula, filled=equation(left, value), value=value, unit=unit, source=source,
        code=code or f"formula_{term}",
    )  # fmt: skip


def _counts(subject: Subject, model: Architecture, stated: int, active: int) -> list[Formula]:
    known = isinstance(subject, LanguageModel)
    source = "; ".join(subject.sources) if known else "given"
    own = known and stated == subject.parameters
    left = parameters_text(model) if own else shown(stated)
    words = "Σ tensors (inputs × outputs × copies)" if own else "as given"
    code = "formula_parameters" if own else "formula_as_given"
    dense = active_parameters_text(model, subject.parameters) if known else shown(stated)
    return [
        step("parameters", words, left, stated, source, unit="parameters", code=code),
        step("active_parameters", "parameters − experts not used for a token", dense, active, source,
             unit="parameters"),
    ]  # fmt: skip


def _weights(one: Sized) -> Formula:
    chosen, model = one.chosen, one.shape.architecture
    request = chosen.request
    stated, own = one.shape.scale
    if request.task == "full":
        left = f"{OPTIMIZER_STATES[request.optimizer].parameters:g} × {_trained(one)}"
    else:
        left = scaled_text(weights_text(model, chosen.form, chosen.split), stated, own)
    if request.task in ("lora", "qlora"):
        left = f"({left} + {OPTIMIZER_STATES[request.optimizer].parameters:g} × {_trained(one)})"
    if request.task != "inference" and request.zero >= 3 and chosen.split.data > 1:
        left = f"{left} ÷ {chosen.split.data}"
    if request.task != "inference" and request.offload == "all":
        left = f"0 × {left}"
    return step(
        "weights", "Σ tensors (numbers × bits ÷ 8 ÷ GPUs that share the tensor)", left, one.needed.weights,
        f"{chosen.form.name}: {chosen.form.formula}; {chosen.form.source}",
    )  # fmt: skip


def _trained(one: Sized) -> str:
    """Parameters that are trained on one card, as they stand in the steps that multiply them."""
    return shown(_trained_count(one))


def _trained_count(one: Sized) -> float:
    chosen, model, (stated, own) = one.chosen, one.shape.architecture, one.shape.scale
    if chosen.request.task == "full":
        count = stage_weight_bytes(model, weight_format("bf16"), chosen.split) / 2
    else:
        count = lora_parameters(model, chosen.request.lora_rank) / (chosen.split.tensor * chosen.split.pipeline)
    return count if stated == own else round(count * stated / own)


def _states(one: Sized) -> list[Formula]:
    chosen, model, needed = one.chosen, one.shape.architecture, one.needed
    request, split = chosen.request, chosen.split
    scheme = OPTIMIZER_STATES[request.optimizer]
    if request.task == "full":
        left = f"{weights_text(model, weight_format('bf16'), split)} ÷ 2"
        words = "numbers of the model on one GPU"
    else:
        pairs = total(f"({t.inputs} + {t.outputs}) × {shown(t.copies)}" for t in adapted_tensors(model))
        ways = split.tensor * split.pipeline
        left = f"{request.lora_rank} × ({pairs})" + (f" ÷ {ways}" if ways > 1 else "")
        words = "rank × Σ linear layers (inputs + outputs)"
    count = _trained_count(one)

    def share(stage: int) -> str:
        return f" ÷ {split.data}" if request.zero >= stage and split.data > 1 else ""

    gradients = f"{scheme.gradients:g} × {shown(count)}{share(2)}"
    optimizer = f"{scheme.optimizer:g} × {shown(count)}{share(1)}"
    return [
        step("trained_parameters", words, scaled_text(left, *one.shape.scale), count, _STATES_SOURCE,
             unit="parameters"),
        step("gradients", f"{scheme.gradients:g} × trained parameters",
             f"0 × {gradients}" if request.offload == "all" else gradients, needed.gradients, _STATES_SOURCE),
        step("optimizer", f"({scheme.formula}) × trained parameters",
             f"0 × {optimizer}" if request.offload != "none" else optimizer, needed.optimizer, _STATES_SOURCE),
    ]  # fmt: skip


def cache_formulas(one: Sized) -> list[Formula]:
    """How the cache of a token follows from the layers, and that of all sequences from it."""
    model, layout = one.shape.architecture, one.chosen.layout
    source = _KV_SOURCE[layout.engine]
    values = {"kv_cache": one.needed.kv_cache}
    steps = [
        step("kv_bytes_per_token",
             "layers × 2 × max(1, kv_heads ÷ TP) × head_dim × bytes; MLA: layers × (kv_rank + rope) × bytes",
             row_text(model, layout), round(bytes_per_token(model, layout)), source),
    ]  # fmt: skip
    for written in cache_steps(model, one.chosen):
        value = values.get(written.term, written.value)
        steps.append(step(written.term, _IN_WORDS[written.term], written.text, value, source, unit=written.unit))
    return steps


def _activations(one: Sized) -> Formula:
    model, chosen = one.shape.architecture, one.chosen
    if chosen.request.task == "inference":
        return step(
            "activations", "tokens of one step × numbers alive in the widest layer × 2 bytes",
            step_text(model, chosen), one.needed.activations, "vllm-project/vllm issue #10517",
            code="formula_activations_step",
        )  # fmt: skip
    form = {"none": "Σ layers (values kept)", "selective": "Σ layers (values kept, no scores)",
            "full": "layers × 2·s·b·h + one layer"}[chosen.request.recompute]  # fmt: skip
    return step(
        "activations", f"{form} + 10·s·b·V (logits)", training_text(model, chosen), one.needed.activations,
        "Korthikanti et al., arXiv:2205.05198", code=f"formula_activations_{chosen.request.recompute}",
    )  # fmt: skip


def _span(term: str, formula: str, left: tuple[str, str], ends: ByteRange, source: str, name: str = "") -> Formula:
    """A step whose value is a range: each end with its own numbers."""
    texts = [equation(text, end) if text != shown(end) else text
             for text, end in zip(left, (ends.low, ends.high), strict=True)]  # fmt: skip
    filled = " – ".join(texts)
    return Formula(
        term=term, formula=formula, filled=f"{name}: {filled}" if name else filled, low=ends.low, value=ends.high,
        unit="bytes", source=source, code=f"formula_{term}",
    )  # fmt: skip


def _overhead(one: Sized, gap: Gap | None, overhead: ByteRange) -> list[Formula]:
    steps: list[Formula] = []
    for term in one.needed.overhead_terms:
        ends = ByteRange(low=round(term.low), high=round(term.high))
        left = overhead_texts(term, one.shape.architecture, one.chosen, one.needed)
        steps.append(_span("overhead", "from experience, not derived", left, ends, term.source, term.name))
    if gap is not None:
        costly = total(shown(part) for part in (*gap.costly.parts, gap.costly.overhead.high))
        own = one.needed.total.high
        left = ("0", f"max(0, {costly} − {shown(own)})")
        source = f"{gap.costliest} beside {gap.cheapest}, both taken at this count"
        ends = ByteRange(low=0, high=gap.bytes)
        steps.append(_span("overhead", "costliest shape − cheapest shape", left, ends, source, "unknown shape"))
    lows, highs = (total(shown(end) for end in ends) for ends in zip(
        *((formula.low or 0, formula.value) for formula in steps), strict=True))  # fmt: skip
    return [*steps, _span("overhead_total", "Σ overhead", (lows, highs), overhead, _SUM_SOURCE)]


def formulas(
    subject: Subject, card: Card, one: Sized, counts: tuple[int, int], total_bytes: ByteRange, overhead: ByteRange,
    usable: int, gap: Gap | None,
) -> list[Formula]:  # fmt: skip
    """Every step of the estimate, in the order in which they add up, for the shape whose terms are told.

    `counts` are the parameters and those that take part in each token.
    """
    needed = one.needed
    steps = [*_counts(subject, one.shape.architecture, *counts)]
    if one.chosen.request.task == "inference":
        steps += [_weights(one), *cache_formulas(one)]
    else:
        trained, *states = _states(one)
        steps += [trained, _weights(one), *states]
    steps += [_activations(one), *_overhead(one, gap, overhead)]
    terms = total(shown(part) for part in needed.parts if part)
    ends = (total([terms, shown(overhead.low)]), total([terms, shown(overhead.high)]))
    steps.append(_span("total", "weights + cache or states + activations + overhead", ends, total_bytes, _SUM_SOURCE))
    share = one.chosen.request.memory_utilization or 1.0
    source = "; ".join(card.sources) or card.name
    left = f"⌊{product(shown(card.usable_bytes), shown(share))}⌋"
    steps.append(step("usable", "usable memory × share the engine may take", left, usable, source))
    return steps


def notes(card: Card, chosen: Plan, missing: str | None, model: Architecture) -> tuple[Note, ...]:
    """What the result rests on besides the request."""
    found = [
        Note(code="estimated_part", values={"size": str(2 * part.parameters)})
        for part in model.components
        if part.name.endswith("(estimated)")
    ]
    if missing:
        found.append(Note(code="precision_missing", values={"card": card.name, "precision": missing}))
        # vLLM's Marlin kernels begin with Turing, the first of NVIDIA's cards with 8-bit integers in its matrix units.
        has_marlin = card.id.startswith("nvidia") and card.precisions.get("int8") is True
        if missing in ("fp8", "fp4") and chosen.request.engine == "vllm" and has_marlin:
            values = {"card": card.name, "precision": missing, "weights": WEIGHT_ONLY[missing]}
            found.append(Note(code="weight_only", values=values))
    if card.variant_of:
        found.append(Note(code="card_variant", values={"asked": card.variant_of, "card": card.name}))
    if not card.usable_measured:
        found.append(Note(code="usable_from_nominal", values={"card": card.name, "nominal": f"{card.nominal_gb:g}"}))
    if chosen.request.task == "inference":
        found.append(Note(code="decode_is_ceiling"))
    return tuple(found)
