"""A request with every choice made, and what it needs on the fullest GPU."""

import math
from typing import NamedTuple

from assistant.errors import InvalidInput
from assistant.tools.memory.activations import inference_activations, sampling_bytes, training_activations
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.cache_layout import CacheLayout, kv_type
from assistant.tools.memory.card import Card
from assistant.tools.memory.kv_cache import cache_bytes
from assistant.tools.memory.overhead import FRAGMENTATION, OverheadTerm, inference_overhead, training_overhead
from assistant.tools.memory.parallelism import Division, division, stage_weight_bytes
from assistant.tools.memory.quantization import WeightFormat, as_loaded, gguf_format, padded_inside, weight_format
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import ByteRange, Note
from assistant.tools.memory.step_limits import step_limits
from assistant.tools.memory.training import OPTIMIZER_STATES, lora_parameters, sharded_states

DEFAULT_CONTEXT = 8192


class Plan(NamedTuple):
    """A request with every choice made."""

    request: FitRequest
    form: WeightFormat
    layout: CacheLayout
    split: Division
    context: int
    notes: tuple[Note, ...]


class Need(NamedTuple):
    """Bytes on the fullest GPU, by term."""

    weights: int
    kv_cache: int
    gradients: int
    optimizer: int
    activations: int
    overhead_terms: tuple[OverheadTerm, ...]

    @property
    def parts(self) -> tuple[int, ...]:
        """The terms that are known without a range."""
        return self.weights, self.kv_cache, self.gradients, self.optimizer, self.activations

    @property
    def tensors(self) -> int:
        return sum(self.parts)

    @property
    def overhead(self) -> ByteRange:
        return ByteRange(
            low=math.ceil(sum(term.low for term in self.overhead_terms)),
            high=math.ceil(sum(term.high for term in self.overhead_terms)),
        )

    @property
    def total(self) -> ByteRange:
        overhead = self.overhead
        return ByteRange(low=self.tensors + overhead.low, high=self.tensors + overhead.high)


def plan(request: FitRequest, model: Architecture, stored: WeightFormat, card: Card | None = None) -> Plan:
    """Fill in what the request leaves open, and refuse what can't be. Raises InvalidInput naming the field.

    Weights are taken as they are stored where no format is asked; a full training needs them in 16 or 32 bits. The
    card decides how much an engine takes on in one step.
    """
    notes: list[Note] = []
    training = request.task != "inference"
    usual = {"inference": stored.name, "qlora": "nf4"}.get(request.task, "bf16")
    form = weight_format(request.weights or usual)
    if form.name == stored.name:
        form = stored
    if request.weights is None and not training and form.name != "bf16":
        notes.append(Note(code="stored_as", values={"weights": form.name}))
    if request.task == "full" and form.family != "plain":
        raise InvalidInput(
            f"weights: {form.name} can't be trained in full.", "Use bf16, or the task qlora.",
            code="not_trainable", weights=form.name,
        )  # fmt: skip
    if request.task == "qlora" and form.family == "plain":
        raise InvalidInput(
            f"weights: qlora keeps the weights in four bits, not in {form.name}.", "Use nf4, or the task lora.",
            code="qlora_in_plain", weights=form.name,
        )  # fmt: skip
    engine = request.engine or ("llama.cpp" if form.family == "gguf" else "vllm")
    if engine == "llama.cpp":
        form = _in_gguf(form)
    elif form.family == "gguf" and engine == "sglang":
        raise InvalidInput(
            f"engine: sglang is not sized with GGUF weights ({form.name}).", "Use llama.cpp or vllm.",
            code="gguf_on_sglang", weights=form.name,
        )  # fmt: skip
    else:
        form = as_loaded(form)
    length = request.training_length if training else (request.context or min(DEFAULT_CONTEXT, model.max_context))
    field = "sequence" if training else "context"
    if length > model.max_context:
        raise InvalidInput(
            f"{field}: {length} tokens is above the model's limit of {model.max_context}.", f"Lower --{field}."
        )
    if request.prefix > length:
        raise InvalidInput(f"prefix: {request.prefix} tokens is longer than the context of {length}.")
    split = division(model, request)
    if not training:
        if request.context is None:
            notes.append(Note(code="context_assumed", values={"tokens": str(length)}))
        if request.kv_type == "auto":
            notes.append(Note(code="kv_auto"))
        if engine == "vllm" and form.family == "gguf":
            notes.append(Note(code="gguf_plugin"))
    kept_in = kv_type(request.kv_type, engine)
    if kept_in == "fp8_ds_mla" and not any(mixer.kind == "latent" for _, mixer in model.attention_groups):
        raise InvalidInput("kv-type: fp8_ds_mla is for latent attention (MLA) alone.", "Use fp8.", code="latent_only")
    limits = step_limits(engine, card)
    batched = request.batched_tokens or limits.tokens
    layout = CacheLayout(
        engine=engine,
        kv_type=kept_in,
        tensor_parallel=split.tensor,
        pipeline_parallel=split.pipeline,
        block=request.block or (16 if engine == "vllm" else 1),
        hybrid_manager=request.hybrid_manager,
        batched_tokens=batched,
        swa_full=request.swa_full,
        unified=request.unified_kv,
        micro_batch=batched,
    )
    share = request.memory_utilization or (1.0 if training or engine == "llama.cpp" else 0.9)
    settled = request.model_copy(
        update={
            "weights": form.name, "engine": engine, "kv_type": layout.kv_type, "tp": split.tensor, "pp": split.pipeline,
            "context": None if training else length, "sequence": length if training else None,
            "batched_tokens": batched, "memory_utilization": share,
            "max_sequences": request.max_sequences or limits.sequences,
        }
    )  # fmt: skip
    return Plan(settled, form, layout, split, length, tuple(notes))


def _in_gguf(form: WeightFormat) -> WeightFormat:
    """The GGUF format that llama.cpp runs in place of another: 16 bits stay 16 bits, MXFP4 has a mixture of its own."""
    if form.family == "gguf":
        return form
    others = {"bf16": "bf16", "fp16": "f16", "fp32": "f32", "mxfp4": "mxfp4_moe"}
    if form.name not in others:
        raise InvalidInput(
            f"weights: llama.cpp has no {form.name} format.", "Use a GGUF quantisation such as q8_0 or q4_k_m.",
            code="no_gguf_format", weights=form.name,
        )  # fmt: skip
    return gguf_format(others[form.name])


def need(model: Architecture, chosen: Plan) -> Need:
    """What the fullest GPU must hold."""
    return _training_need(model, chosen) if chosen.request.task != "inference" else _inference_need(model, chosen)


def _inference_need(model: Architecture, chosen: Plan) -> Need:
    request, layout = chosen.request, chosen.layout
    weights = stage_weight_bytes(model, chosen.form, chosen.split)
    cache = cache_bytes(model, layout, context=chosen.context, concurrency=request.concurrency, prefix=request.prefix)
    step = min(layout.batched_tokens, chosen.context * request.concurrency)
    activations = inference_activations(
        model,
        tokens=step,
        tensor_parallel=chosen.split.tensor,
    )
    # An engine reserves for as many sequences as it may schedule, not for those of the moment.
    # Sampling begins when the layers are through, so only what it takes beyond their peak counts.
    sampling = sampling_bytes(model, max(request.concurrency, request.max_sequences or 0))
    beyond = max(0.0, sampling + 2.0 * step * model.hidden - activations)
    padding = 0
    if padded_inside(chosen.form) != chosen.form:
        padding = stage_weight_bytes(model, padded_inside(chosen.form), chosen.split) - weights
    overhead = inference_overhead(layout.engine, sampling=beyond, padding=padding)
    return Need(weights, cache, 0, 0, math.ceil(activations), tuple(overhead))


def _training_need(model: Architecture, chosen: Plan) -> Need:
    request, split = chosen.request, chosen.split
    scheme = OPTIMIZER_STATES[request.optimizer]
    stored = stage_weight_bytes(model, chosen.form, split)
    if request.task == "full":
        base = stage_weight_bytes(model, weight_format("bf16"), split)
        frozen, trained = 0.0, base / 2
    else:
        frozen, trained = float(stored), lora_parameters(model, request.lora_rank) / (split.tensor * split.pipeline)
    states = sharded_states(
        frozen, trained, scheme, zero=request.zero, data_parallel=split.data, offload=request.offload
    )
    activations = training_activations(model, request, split)
    overhead = training_overhead(states=sum(states), activations=activations.total)
    weights, gradients, optimizer = (math.ceil(part) for part in states)
    return Need(weights, 0, gradients, optimizer, math.ceil(activations.total), tuple(overhead))


def scaled(needed: Need, factor: float) -> Need:
    """The same need with weights and training states of `factor` times as many parameters."""
    if factor == 1.0:
        return needed
    whole = needed._replace(
        weights=round(needed.weights * factor),
        gradients=round(needed.gradients * factor),
        optimizer=round(needed.optimizer * factor),
    )
    if not any(term.name == FRAGMENTATION for term in needed.overhead_terms):
        return whole
    states = whole.weights + whole.gradients + whole.optimizer
    return whole._replace(overhead_terms=tuple(training_overhead(states=states, activations=needed.activations)))
