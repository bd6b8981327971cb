"""Whether a model fits on a card: the terms, their sum, and what follows from it."""

import math
from collections.abc import Callable
from typing import NamedTuple

from assistant.knowledge.language_model import LanguageModel
from assistant.tools.memory import explanation
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.card import Card
from assistant.tools.memory.kv_cache import bytes_per_token, cache_bytes
from assistant.tools.memory.plan import Need, Plan, need, plan
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import ByteRange, FitResult, ModelCount, PerGpu, Term, Verdict
from assistant.tools.memory.speed import decode_ceiling, prefill_ceiling


def usable_bytes(card: Card, chosen: Plan) -> int:
    return int(card.usable_bytes * (chosen.request.memory_utilization or 1.0))


def _verdict(total: ByteRange, usable: int) -> Verdict:
    if total.high <= usable:
        return "fits"
    return "tight" if total.low <= usable else "does_not_fit"


def _largest(fits: Callable[[int], bool], ceiling: int) -> int:
    """The largest count up to `ceiling` for which `fits` holds, given that it fails from some count on."""
    low, high = 0, ceiling
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _binding(need_: Need, gated: bool) -> Term:
    if gated:
        return "precision"
    sizes: dict[Term, float] = {
        "weights": need_.weights, "kv_cache": need_.kv_cache, "gradients": need_.gradients,
        "optimizer": need_.optimizer, "activations": need_.activations,
        "overhead": need_.overhead.high,
    }  # fmt: skip
    return max(sizes, key=lambda term: sizes[term])


def precision_missing(card: Card, chosen: Plan) -> str | None:
    """The precision that the weights need and the card is known not to compute in; None where nothing stands against it."""
    wanted = chosen.form.precision
    return wanted if card.precisions.get(wanted) is False else None


class Capacity(NamedTuple):
    """What would still fit by the high end of the range."""

    context: int | None
    concurrency: int | None
    tokens: int | None


def capacity(model: Architecture, chosen: Plan, need_: Need, usable: int) -> Capacity:
    """Longest context, most sequences, and tokens that the cache holds. All None in training."""
    if chosen.request.task != "inference":
        return Capacity(None, None, None)
    free = usable - (need_.total.high - need_.kv_cache)

    def cached(context: int, concurrency: int) -> int:
        prefix = min(chosen.request.prefix, context)
        return cache_bytes(model, chosen.layout, context=context, concurrency=concurrency, prefix=prefix)

    if free <= 0:
        return Capacity(0, 0, 0)
    longest = _largest(lambda n: n == 0 or cached(n, chosen.request.concurrency) <= free, model.max_context)
    most = _largest(lambda n: n == 0 or cached(chosen.context, n) <= free, 100_000)
    one = cached(chosen.context, 1)
    return Capacity(longest, most, int(free / one * chosen.context) if one else None)


def estimate_fit(request: FitRequest, model: LanguageModel, card: Card) -> FitResult:
    """Whether `model` fits on `request.gpus` of `card`, term by term, in bytes. Pure.

    Raises InvalidInput naming the field for what can't be: a tensor parallelism that does not divide the heads, a
    context above the model's limit, a format that can't be trained.
    """
    architecture = model.architecture
    chosen = plan(request, architecture)
    needed = need(architecture, chosen)
    usable = usable_bytes(card, chosen)
    total = needed.total
    missing = precision_missing(card, chosen)
    verdict: Verdict = "does_not_fit" if missing else _verdict(total, usable)
    room = capacity(architecture, chosen, needed, usable)
    formulas = explanation.formulas(model, card, chosen, needed, usable)
    inference = chosen.request.task == "inference"
    decode = prefill = None
    if inference and card.bandwidth:
        one = cache_bytes(architecture, chosen.layout, context=chosen.context)
        decode = decode_ceiling(
            architecture, chosen.form, bandwidth=card.bandwidth, cache_bytes=one,
            tensor_parallel=chosen.split.tensor, pipeline=chosen.split.pipeline,
        )  # fmt: skip
    if inference and card.flops_16bit:
        prefill = prefill_ceiling(architecture, flops=card.flops_16bit, tensor_parallel=chosen.split.tensor)
    return FitResult(
        model=ModelCount(name=model.name, parameters=model.parameters, active_parameters=model.active_parameters),
        per_gpu=PerGpu(
            weights=needed.weights,
            kv_cache=needed.kv_cache,
            gradients=needed.gradients,
            optimizer=needed.optimizer,
            activations=needed.activations,
            overhead=needed.overhead,
            total=total,
            usable=usable,
        ),
        kv_bytes_per_token=round(bytes_per_token(architecture, chosen.layout)) if inference else 0,
        max_context=room.context,
        max_concurrency=room.concurrency,
        kv_tokens_capacity=room.tokens,
        verdict=verdict,
        binding=_binding(needed, missing is not None),
        gpus_needed=None,
        decode_ceiling_tokens_per_s=round(decode, 1) if decode else None,
        prefill_ceiling_tokens_per_s=round(prefill, 1) if prefill else None,
        formulas=formulas,
        assumptions=(*chosen.notes, *explanation.notes(card, chosen, missing)),
        sources=tuple(dict.fromkeys([*model.sources, *card.sources, *(f.source for f in formulas)])),
        request=chosen.request,
        card=card,
    )
