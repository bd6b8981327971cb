"""Each kind of row of the memory ground truth, recomputed by the product's own functions."""

from collections.abc import Callable

from truth_outcome import Outcome, compared, inside, unit_of
from truth_rows import (
    Row,
    Unusable,
    named_card,
    named_model,
    stated_cache_type,
    stated_cache_types,
    stated_context,
    stated_format,
    stated_number,
    stated_size,
    tensor_parallel,
)
from truth_training import fits, training_peak, zero_states

from assistant.tools.memory.architecture import Architecture, DenseFeedForward, Experts, GroupedAttention
from assistant.tools.memory.cache_layout import KV_TYPES, CacheLayout, attention_rows, bytes_per_token, kv_type
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.fit import answer
from assistant.tools.memory.gguf_types import MIXTURES
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.llama_cache import buffer_bytes, windowed_cells
from assistant.tools.memory.quantization import (
    WeightFormat,
    as_loaded,
    gguf_format,
    mean_bits,
    padded_inside,
    scale_count,
    weight_bytes,
    weight_format,
)
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.tensors import active_parameter_count, model_tensors, parameter_count
from assistant.tools.memory.vllm_cache import block_pool, pool_tokens, pool_tokens_by_group


def exact_weights(row: Row, catalogue: Catalogue) -> Outcome:
    model = named_model(row.model, catalogue)
    form = weight_format(stated_format(row, model))
    size = weight_bytes(model.architecture, form, prediction="MTP" in row.text)
    group = "weights" if form.family == "plain" else "quantised weights"
    return compared(row, group, row.number * unit_of(row), size)


def parameters(row: Row, catalogue: Catalogue) -> Outcome:
    known = named_model(row.model, catalogue)
    model = known.architecture
    if "active" in row.quantity:
        return compared(row, "active parameters", row.number, active_parameter_count(model))
    whole_checkpoint = "checkpoint" in row.model
    count = parameter_count(model, prediction=whole_checkpoint)
    if whole_checkpoint and stated_format(row, known) == "fp8":
        form = weight_format("fp8")
        quantised = [t for t in model_tensors(model) if t.is_matrix and t.role not in form.keeps]
        count += sum(scale_count(tensor, form.scale_block) for tensor in quantised)
    return compared(row, "parameters", row.number, count)


def _facts(model: Architecture) -> dict[str, set[int]]:
    """What config.json calls the shape, over all kinds of layers."""
    facts: dict[str, set[int]] = {"L": {model.layer_count}, "h": {model.hidden}, "vocab": {model.vocabulary}}
    facts["tied"] = {int(model.tied_embeddings)}
    for group in model.layers:
        if isinstance(group.mixer, GroupedAttention):
            facts.setdefault("kv", set()).add(group.mixer.kv_heads)
            facts.setdefault("hd", set()).add(group.mixer.head_dim)
            facts.setdefault("sliding", set()).update({group.mixer.window or 0})
        if group.mixer is not None and group.mixer.kind in ("grouped", "latent"):
            facts.setdefault("heads", set()).add(group.mixer.heads)
        match group.feed_forward:
            case DenseFeedForward(width=width):
                facts.setdefault("ffn", set()).add(width)
                facts.setdefault("dense_ffn", set()).add(width)
            case Experts() as block:
                facts.setdefault("experts", set()).add(block.experts)
                facts.setdefault("topk", set()).add(block.active)
                facts.setdefault("moe_ffn", set()).add(block.width)
                facts.setdefault("ffn", set()).add(block.width)
    return facts


def shape(row: Row, catalogue: Catalogue) -> Outcome:
    facts = _facts(named_model(row.model, catalogue).architecture)
    wrong: list[str] = []
    for part in row.value.split(";"):
        name, _, value = part.partition("=")
        number = stated_number(r"^(\d+)", value)
        if number is not None and name in facts and number not in facts[name]:
            wrong.append(f"{name}: {sorted(facts[name])}")
    return Outcome(row, "shape", row.value[:48], "; ".join(wrong) or "the same", float(bool(wrong)))


def kv_per_token(row: Row, catalogue: Catalogue) -> Outcome:
    if "WITHOUT MLA" in row.model:
        raise Unusable("a cache layout of an old llama.cpp that no engine uses any more")
    model = named_model(row.model, catalogue).architecture
    layout = CacheLayout(kv_type=stated_cache_type(row), hybrid_manager=False, tensor_parallel=tensor_parallel(row))
    if "2*L*kv*hd" in row.source and len({r.token_bytes for r in attention_rows(model, layout)}) > 1:
        ours = f"{bytes_per_token(model, layout):,.0f}"
        raise Unusable(f"its formula gives all layers one shape, this model's layers have two (ours: {ours})")
    return compared(row, "KV cache", row.number, bytes_per_token(model, layout))


def _form(row: Row, model: LanguageModel) -> WeightFormat:
    """The format that the row states; a checkpoint's own one where they agree."""
    name = stated_format(row, model)
    return model.stored_form if name == model.stored_as else weight_format(name)


def loaded_weights(row: Row, catalogue: Catalogue) -> Outcome:
    model = named_model(row.model, catalogue)
    form = as_loaded(_form(row, model))
    if "marlin" in row.text.lower():
        form = padded_inside(form)
    size = weight_bytes(model.architecture, form, tensor_parallel=tensor_parallel(row))
    group = "weights" if form.family == "plain" else "quantised weights"
    return compared(row, group, row.number * unit_of(row), size)


def _asked(row: Row, model: LanguageModel) -> FitRequest:
    share = stated_number(r"util 0\.(\d\d)", row.setting)
    return FitRequest(
        gpus=tensor_parallel(row),
        tp=tensor_parallel(row),
        weights=stated_format(row, model),
        batched_tokens=stated_number(r"max-num-batched-tokens (\d+)", row.setting),
        memory_utilization=share / 100 if share else None,
    )


def _estimate(row: Row, catalogue: Catalogue) -> FitResult:
    card, _ = named_card(row.gpu, catalogue)
    model = named_model(row.model, catalogue)
    return answer(_asked(row, model), model, card)


def vllm_budget(row: Row, catalogue: Catalogue) -> Outcome:
    """A term of vLLM's memory budget, against our range for it."""
    result = _estimate(row, catalogue)
    terms = {f.filled.split(":")[0]: f for f in result.formulas if f.term == "overhead"}
    outside = next(term for name, term in terms.items() if name.startswith("outside torch"))
    unit = unit_of(row)
    if "non_torch" in row.quantity:
        low = 0.35 * 2**30
        return inside(row, low, outside.value, unit)
    if "activation" in row.quantity:
        buffers = terms["sampling"].value
        return inside(row, result.per_gpu.activations, result.per_gpu.activations + buffers, unit)
    budget = stated_size(r"budget ([\d.]+)", row.setting) or result.per_gpu.usable
    fixed = result.per_gpu.weights + result.per_gpu.activations
    overhead = result.per_gpu.overhead
    return inside(row, budget - fixed - overhead.high, budget - fixed - overhead.low, unit)


def logged_tokens(row: Row, catalogue: Catalogue) -> Outcome:
    model = named_model(row.model, catalogue).architecture
    layout = CacheLayout(kv_type=stated_cache_type(row), tensor_parallel=tensor_parallel(row))
    available = stated_size(r"(?:available|kv)[^\d]{0,30}([\d.]+) ?GiB", row.setting)
    if available is None:
        raise Unusable("does not state the memory available to the cache")
    pool = block_pool(model, layout)
    context = stated_context(row)
    if context is None and "long ctx" in row.setting:
        context = model.max_context
    if context is None:
        return compared(row, "KV cache", row.number, pool_tokens_by_group(pool, available))
    tokens = pool_tokens(pool, available, context=context, batched=layout.batched_tokens)
    return compared(row, "KV cache", row.number, tokens)


def logged_blocks(row: Row, catalogue: Catalogue) -> Outcome:
    """The number of blocks, from the memory that the row states."""
    model = named_model(row.model, catalogue).architecture
    layout = CacheLayout(kv_type=stated_cache_type(row), tensor_parallel=tensor_parallel(row))
    available = stated_size(r"(?:available|kv)[^\d]{0,30}([\d.]+) ?GiB", row.setting)
    if available is None:
        raise Unusable("does not state the memory available to the cache")
    return compared(row, "KV cache", row.number, available // block_pool(model, layout).block_bytes)


def keys_of_tokens(row: Row, catalogue: Catalogue) -> Outcome:
    tokens = stated_number(r"for ([\d,]+) tokens", row.quantity)
    if tokens is None:
        raise Unusable("does not state how many tokens")
    model = named_model(row.model, catalogue).architecture
    layout = CacheLayout(engine="sglang", kv_type=stated_cache_type(row), tensor_parallel=tensor_parallel(row))
    return compared(row, "KV cache", row.number * unit_of(row), tokens * bytes_per_token(model, layout) / 2)


def llama_weights(row: Row, catalogue: Catalogue) -> Outcome:
    model = named_model(row.model, catalogue)
    size = weight_bytes(model.architecture, weight_format(stated_format(row, model)))
    return compared(row, "quantised weights", row.number * unit_of(row), size)


def llama_cells(row: Row, catalogue: Catalogue) -> Outcome:
    window = stated_number(r"n_swa (\d+)", row.setting)
    context = stated_context(row)
    stated = stated_number(r"n_?ubatch (\d+)", row.setting)
    if window is None or context is None:
        raise Unusable("does not state the window and the context")

    def cells(micro_batch: int) -> int:
        layout = CacheLayout(engine="llama.cpp", micro_batch=micro_batch, swa_full="swa_full=true" in row.setting)
        return windowed_cells(window, context, 1, layout)

    if stated is None and cells(512) != cells(2048):
        fitting = [n for n in (256, 512, 1024, 2048) if cells(n) == row.number]
        raise Unusable(
            f"does not state n_ubatch, on which cells depend (n_ubatch {fitting or 'none of 256–2048'} gives it)"
        )
    return compared(row, "KV cache", row.number, cells(stated or 512))


def llama_cache(row: Row, catalogue: Catalogue) -> Outcome:
    """A llama.cpp cache buffer, from the cells or the context that the row states."""
    model = named_model(row.model, catalogue).architecture
    keys, values = (kv_type(name, "llama.cpp") for name in stated_cache_types(row))
    layout = CacheLayout(engine="llama.cpp", kv_type=keys)
    slots = stated_number(r"(\d+) slots", row.setting)
    context = stated_context(row)
    mean = (KV_TYPES[keys] + KV_TYPES[values]) / 2 / KV_TYPES[keys]
    if "latent" in {mixer.kind for _, mixer in model.attention_groups}:
        mean = 1.0
    rows = [r._replace(token_bytes=r.token_bytes * mean) for r in attention_rows(model, layout)]
    if slots and context:
        size = buffer_bytes(model, layout, context=max(1, context // slots), concurrency=slots)
        return compared(row, "KV cache", row.number * unit_of(row), size)
    cells = stated_number(r"(\d+) cells", row.setting) or context
    if cells is None:
        raise Unusable("states neither cells nor a context")
    if row.quantity.startswith("SWA"):
        per_cell = sum(r.layers * r.token_bytes for r in rows if r.window)
    elif row.quantity.startswith("non-SWA"):
        per_cell = sum(r.layers * r.token_bytes for r in rows if not r.window)
    else:
        per_cell = sum(r.layers * r.token_bytes for r in rows)
    return compared(row, "KV cache", row.number * unit_of(row), cells * per_cell)


def llama_total(row: Row, catalogue: Catalogue) -> Outcome:
    card, _ = named_card(row.gpu, catalogue)
    context = stated_number(r"one (\d+)-token slot", row.setting) or stated_context(row)
    model = named_model(row.model, catalogue)
    form, cache = stated_format(row, model), stated_cache_type(row)
    request = FitRequest(engine="llama.cpp", weights=form, kv_type=cache, context=context)
    total = answer(request, model, card).per_gpu.total
    return inside(row, total.low, total.high, unit_of(row))


def bits_per_weight(row: Row, catalogue: Catalogue) -> Outcome:
    if row.kind == "quant_bpw":
        single = "no double" in row.model
        form = weight_format("mxfp4" if "MXFP4" in row.model else "nf4-single" if single else "nf4")
        return compared(row, "quantised weights", row.number, form.bits)
    model = named_model(row.model, catalogue)
    name = stated_format(row, model)
    if name not in MIXTURES:
        raise Unusable(f"{name!r} is not a GGUF mixture")
    return compared(row, "quantised weights", row.number, mean_bits(model.architecture, gguf_format(name)))


def card_memory(row: Row, catalogue: Catalogue) -> Outcome:
    card, _ = named_card(row.gpu, catalogue)
    return compared(row, "card memory", row.number * unit_of(row), card.usable_bytes)


def not_a_measurement(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("the output of another estimator, not a measurement; compared in docs/memory.md")


def vendor_rule(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("a vendor's rule or minimum for a class of models, not a measurement of one")


def cost(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("a cost figure, not memory")


def overhead_fact(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("an input of our overhead ranges, so no test of them")


def not_arithmetic(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("failed for a reason of software, which its row says is no test of arithmetic")


def unstated_memory(row: Row, catalogue: Catalogue) -> Outcome:
    raise Unusable("the tokens depend on memory that the row does not state")


Recompute = Callable[[Row, Catalogue], Outcome]

_BY_KIND: dict[str, Recompute] = {
    "weights_bytes_exact": exact_weights, "weights_bytes_derived": exact_weights, "param_count_exact": parameters,
    "arch_config": shape, "kv_per_token_derived": kv_per_token, "gguf_bpw": bits_per_weight,
    "quant_bpw": bits_per_weight, "zero_published": zero_states, "training_measured": training_peak,
    "oom_report": fits, "oom_report_software": not_arithmetic, "gpu_capacity": card_memory,
    "estimator_output": not_a_measurement, "vendor_table": vendor_rule, "published": vendor_rule,
    "overhead": overhead_fact,
}  # fmt: skip
# Logs hold several quantities; the first whose words are all in the row's quantity decides.
_BY_QUANTITY: tuple[tuple[tuple[str, ...], Recompute], ...] = (
    (("non_torch",), vllm_budget),
    (("activation",), vllm_budget),
    (("available", "kv"), vllm_budget),
    (("weights",), loaded_weights),
    (("loading",), loaded_weights),
    (("gpu kv cache size",), logged_tokens),
    (("blocks",), logged_blocks),
    (("k size for",), keys_of_tokens),
    (("max tokens",), unstated_memory),
    (("file size",), llama_weights),
    (("model size",), llama_weights),
    (("cells",), llama_cells),
    (("engine allocation",), llama_total),
    (("kv",), llama_cache),
)


def recompute(row: Row, catalogue: Catalogue) -> Outcome:
    """The row recomputed by the product's own functions. Raises Unusable with the reason."""
    if row.kind.startswith("cost"):
        return cost(row, catalogue)
    if row.kind in _BY_KIND:
        return _BY_KIND[row.kind](row, catalogue)
    if row.kind.endswith("_log"):
        quantity = row.quantity.lower()
        for words, function in _BY_QUANTITY:
            if all(word in quantity for word in words):
                return function(row, catalogue)
    raise Unusable(f"kind {row.kind!r}, quantity {row.quantity!r} has no rule")
