"""Rows on training and on whether a model fits."""

import re

from truth_outcome import Outcome, compared, inside, unit_of
from truth_rows import (
    Row,
    Unusable,
    named_card,
    named_model,
    stated_context,
    stated_format,
    stated_number,
)

from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.fit import answer
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.training import OPTIMIZER_STATES, sharded_states


def zero_states(row: Row, catalogue: Catalogue) -> Outcome:
    gpus = stated_number(r"(\d+) GPU", row.gpu)
    stage = {"P_os": 1, "P_os+g": 2, "P_os+g+p": 3}.get(row.setting.strip(), 0)
    if gpus is None or not row.params:
        raise Unusable("does not state parameters and GPUs")
    scheme = OPTIMIZER_STATES["adamw"]
    states = sharded_states(0, float(row.params), scheme, zero=stage, data_parallel=gpus, offload="none")
    return compared(row, "training states", row.number * unit_of(row), sum(states))


def training_peak(row: Row, catalogue: Catalogue) -> Outcome:
    lower = row.setting.lower()
    for word, reason in (
        ("offload", "offloaded states leave buffers whose size is not stated"),
        ("unsloth", "Unsloth's own kernels and offloaded activations"),
        ("paged", "states paged to the host, batch and sequence not stated"),
        ("defaults", "batch, sequence and recomputation not stated"),
        ("megatron", "sequence length and recomputation not stated"),
    ):
        if word in lower:
            raise Unusable(reason)
    model = named_model(row.model, catalogue)
    if "torchtune README" in row.source:
        return _torchtune(row, model, catalogue)
    if "full bf16" in lower:
        scheme = OPTIMIZER_STATES["adamw-8bit" if "8bit" in lower else "adamw-bf16"]
        states = sharded_states(0, model.parameters, scheme, zero=0, data_parallel=1, offload="none")
        return compared(row, "training states", row.number * unit_of(row), sum(states))
    context = stated_context(row)
    batch = stated_number(r"bs(\d+)", row.setting)
    if context is None or batch is None or "qlora" not in lower:
        raise Unusable("does not state method, batch and sequence")
    total = _qlora(row, catalogue, context, batch).per_gpu.total
    # The figures are whole gigabytes.
    return inside(row, total.low - 0.5e9, total.high + 0.5e9, unit_of(row))


def _torchtune(row: Row, model: LanguageModel, catalogue: Catalogue) -> Outcome:
    """Its recipes recompute activations, cut the loss in chunks and shard over the cards; sizes stand in the source."""
    batch, sequence = stated_number(r"bs(\d+)", row.source), stated_number(r"seq (\d+)", row.source)
    task = {"lora": "lora", "qlora": "qlora"}.get(row.setting.lower())
    if task is None or batch is None or sequence is None:
        raise Unusable("does not state the optimizer")
    card, count = named_card(row.gpu, catalogue)
    request = FitRequest.model_validate(
        {
            "task": task,
            "sequence": sequence,
            "batch": batch,
            "gpus": count,
            "zero": 3,
            "loss": "chunked",
            "lora_rank": 8,
        }
    )
    total = answer(request, model, card).per_gpu.total
    return inside(row, total.low, total.high, unit_of(row))


def _qlora(row: Row, catalogue: Catalogue, context: int, batch: int) -> FitResult:
    card, count = named_card(row.gpu, catalogue)
    model = named_model(row.model, catalogue)
    longer = model.architecture.model_copy(update={"max_context": max(context, model.architecture.max_context)})
    request = FitRequest(task="qlora", weights="nf4-single", sequence=context, batch=batch, gpus=count, lora_rank=8)
    return answer(request, model.model_copy(update={"architecture": longer}), card)


def failed_start(row: Row, catalogue: Catalogue) -> Outcome | None:
    """The verdict on a run whose log says that it did not start; None where the row says nothing of the kind."""
    if not row.kind.endswith("_log") or not re.search(r"FAILS|\bOOM\b", row.setting):
        return None
    card, count = named_card(row.gpu, catalogue)
    model = named_model(row.model, catalogue)
    share = stated_number(r"util 0\.(\d\d)", row.setting)
    context = stated_context(row) or stated_number(r"max_len (\d+)", row.setting)
    request = FitRequest(
        gpus=count,
        weights=stated_format(row, model),
        context=context or (model.architecture.max_context if "full context" in row.setting else None),
        batched_tokens=stated_number(r"max-num-batched-tokens (\d+)", row.setting),
        memory_utilization=share / 100 if share else None,
    )
    verdict = answer(request, model, card).verdict
    return Outcome(row, "failed starts", "not sure to fit", verdict, float(verdict == "fits"))


def fits(row: Row, catalogue: Catalogue) -> Outcome:
    card, count = named_card(row.gpu, catalogue)
    context = stated_context(row)
    if "unsloth" in row.text.lower():
        raise Unusable("Unsloth's own kernels and offloaded activations")
    if "qlora" in row.text.lower():
        result = _qlora(row, catalogue, context or 1024, stated_number(r"bs(\d+)", row.setting) or 1)
    else:
        model = named_model(row.model, catalogue)
        request = FitRequest(gpus=count, weights=stated_format(row, model), context=context)
        result = answer(request, model, card)
    found = result.verdict != "does_not_fit"
    return Outcome(row, "fits", str(bool(row.number)), f"{found} ({result.verdict})", float(found != bool(row.number)))
