"""The formulas of a result with their numbers filled in, and what was assumed."""

from assistant.tools.memory.architecture import Architecture, GroupedAttention
from assistant.tools.memory.cache_layout import KV_TYPES, bytes_per_token
from assistant.tools.memory.card import Card
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.plan import Need, Plan
from assistant.tools.memory.quantization import mean_bits
from assistant.tools.memory.result import Formula, Note
from assistant.tools.memory.subject import ParameterCount
from assistant.tools.memory.training import OPTIMIZER_STATES, lora_parameters

Subject = LanguageModel | ParameterCount

_KV_SOURCE = {
    "vllm": "vllm-project/vllm vllm/v1/kv_cache_interface.py",
    "llama.cpp": "ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp",
    "sglang": "sgl-project/sglang memory pool",
}


def _count(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")


def _bytes(term: str, formula: str, filled: str, value: float, source: str, code: str = "") -> Formula:
    return Formula(
        term=term, formula=formula, filled=filled, value=round(value), unit="bytes", source=source, code=code
    )


def _weights(subject: Subject, model: Architecture, chosen: Plan, needed: Need) -> Formula:
    bits = mean_bits(model, chosen.form)
    ways = chosen.split.tensor * chosen.split.pipeline
    split = f" ÷ {ways}" if ways > 1 else ""
    return _bytes(
        "weights",
        "Σ tensors (numbers × bits ÷ 8 ÷ GPUs that share the tensor)",
        f"{_count(subject.parameters)} × {bits:.4g} ÷ 8{split} = {_count(needed.weights)}",
        needed.weights,
        f"{chosen.form.name}: {chosen.form.formula}; {chosen.form.source}",
        "formula_weights",
    )


def _row_terms(model: Architecture, chosen: Plan) -> str:
    layout = chosen.layout
    size = KV_TYPES[layout.kv_type]
    terms: list[str] = []
    for count, mixer in model.attention_groups:
        if isinstance(mixer, GroupedAttention):
            heads = max(1.0, mixer.kv_heads / layout.tensor_parallel)
            window = f" [window {mixer.window}]" if mixer.window else ""
            terms.append(f"{count} × 2 × {heads:g} × {mixer.head_dim} × {size:g}{window}")
        else:
            index = f" + {mixer.index_dim + 4}" if mixer.index_heads else ""
            terms.append(f"{count} × (({mixer.kv_rank} + {mixer.rope_dim}) × {size:g}{index})")
    return " + ".join(terms) or "0"


def _cache(model: Architecture, chosen: Plan, needed: Need) -> list[Formula]:
    row = bytes_per_token(model, chosen.layout)
    source = _KV_SOURCE[chosen.layout.engine]
    request = chosen.request
    prefix = f", prefix {request.prefix}" if request.prefix else ""
    asked = f"{request.concurrency} × {chosen.context} tokens{prefix}"
    return [
        _bytes(
            "kv_bytes_per_token",
            "layers × 2 × max(1, kv_heads ÷ TP) × head_dim × bytes; MLA: layers × (kv_rank + rope) × bytes",
            f"{_row_terms(model, chosen)} = {_count(row)}",
            row,
            source,
            "formula_kv_bytes_per_token",
        ),
        _bytes(
            "kv_cache",
            "sequences × Σ layers (bytes per token × cells, whole blocks; a window caps the cells) + fixed states",
            f"{asked}, {chosen.layout.engine} = {_count(needed.kv_cache)}",
            needed.kv_cache,
            source,
            "formula_kv_cache",
        ),
    ]


def _states(subject: Subject, model: Architecture, chosen: Plan, needed: Need) -> list[Formula]:
    request = chosen.request
    scheme = OPTIMIZER_STATES[request.optimizer]
    if request.task == "full":
        trained = float(subject.parameters)
        name = "P"
    else:
        trained = float(lora_parameters(model, request.lora_rank))
        name = "P_lora"
    n = chosen.split.data
    ways = chosen.split.tensor * chosen.split.pipeline
    shared = f" ÷ {ways}" if ways > 1 else ""
    gradient_share = f" ÷ {n}" if request.zero >= 2 else ""
    optimizer_share = f" ÷ {n}" if request.zero >= 1 else ""
    source = "ZeRO, arXiv:1910.02054; torchtune PR #389"
    off = " [offloaded]" if request.offload != "none" else ""
    return [
        _bytes("gradients", f"{scheme.gradients:g} × {name}{gradient_share}",
               f"{scheme.gradients:g} × {_count(trained)}{shared}{gradient_share} = {_count(needed.gradients)}",
               needed.gradients, source),
        _bytes("optimizer", f"({scheme.formula}) × {name}{optimizer_share}",
               f"{scheme.optimizer:g} × {_count(trained)}{shared}{optimizer_share}{off} = {_count(needed.optimizer)}",
               needed.optimizer, source),
    ]  # fmt: skip


def _activations(chosen: Plan, needed: Need) -> Formula:
    request = chosen.request
    if request.task == "inference":
        step = min(chosen.layout.batched_tokens, chosen.context * request.concurrency)
        formula = "tokens of one step × numbers alive in the widest layer × 2 bytes"
        filled = f"{step} tokens = {_count(needed.activations)}"
        source = "vllm-project/vllm issue #10517"
        return _bytes("activations", formula, filled, needed.activations, source, "formula_activations_step")
    form = {"none": "Σ layers (values kept)", "selective": "Σ layers (values kept, no scores)",
            "full": "layers × 2·s·b·h + one layer"}[request.recompute]  # fmt: skip
    return _bytes(
        "activations", f"{form} + 10·s·b·V (logits)",
        f"s = {request.sequence}, b = {request.batch}, recompute {request.recompute} = {_count(needed.activations)}",
        needed.activations, "Korthikanti et al., arXiv:2205.05198", f"formula_activations_{request.recompute}",
    )  # fmt: skip


def formulas(
    subject: Subject, card: Card, chosen: Plan, needed: Need, usable: int, model: Architecture
) -> tuple[Formula, ...]:
    """Every step of the estimate, in the order in which they add up; `model` is the shape that was sized."""
    known = isinstance(subject, LanguageModel)
    steps = [
        Formula(
            term="parameters",
            formula="Σ tensors (inputs × outputs × copies)" if known else "as given",
            filled=_count(subject.parameters),
            value=subject.parameters,
            unit="parameters",
            source="; ".join(subject.sources) if known else "given",
            code="formula_parameters" if known else "formula_as_given",
        ),
        _weights(subject, model, chosen, needed),
    ]
    if chosen.request.task == "inference":
        steps += _cache(model, chosen, needed)
    else:
        steps += _states(subject, model, chosen, needed)
    steps.append(_activations(chosen, needed))
    steps += [
        _bytes(
            "overhead", "from experience, not derived", f"{term.name}: {_count(term.low)} – {_count(term.high)}",
            term.high, term.source, "formula_overhead",
        )
        for term in needed.overhead_terms
    ]  # fmt: skip
    share = chosen.request.memory_utilization or 1.0
    filled = f"{_count(card.usable_bytes)} × {share:g} = {_count(usable)}"
    source = "; ".join(card.sources) or card.name
    steps.append(
        _bytes("usable", "usable memory × share the engine may take", filled, usable, source, "formula_usable")
    )
    return tuple(steps)


def notes(card: Card, chosen: Plan, missing: str | None) -> tuple[Note, ...]:
    """What the result rests on besides the request."""
    found: list[Note] = []
    if missing:
        found.append(Note(code="precision_missing", values={"card": card.name, "precision": missing}))
    if card.variant_of:
        found.append(Note(code="card_variant", values={"asked": card.variant_of, "card": card.name}))
    if not card.usable_measured:
        found.append(Note(code="usable_from_nominal", values={"card": card.name, "nominal": f"{card.nominal_gb:g}"}))
    if chosen.request.task == "inference":
        found.append(Note(code="decode_is_ceiling"))
    return tuple(found)
