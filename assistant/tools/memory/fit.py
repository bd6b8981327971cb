"""Whether a model fits on a card: the terms, their sum, and what follows from it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assistant.tools.memory import explanation
from assistant.tools.memory.cache_layout import bytes_per_token, bytes_read_per_token
from assistant.tools.memory.card import Card
from assistant.tools.memory.checkpoint import StoredModel
from assistant.tools.memory.kv_cache import cache_tokens
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.plan import Need, need, scaled
from assistant.tools.memory.remedies import changes_that_fit, smallest_counts
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, ModelCount, Note, PerGpu, Term
from assistant.tools.memory.sizing import Sized, Subject, precision_missing, size, total_of, usable_bytes, verdict_of
from assistant.tools.memory.speed import decode_ceiling, prefill_ceiling
from assistant.tools.memory.turning_points import turning_points

_MOST_SEQUENCES = 100_000


def _largest(fits: Callable[[int], bool], ceiling: int) -> int:
    """The largest count up to `ceiling` for which `fits` holds, given that it fails from some count on."""
    low, high = 0, ceiling
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


class Capacity(NamedTuple):
    """What would still fit by the high end of the range."""

    context: int
    concurrency: int
    tokens: int


def capacity(one: Sized, usable: int) -> Capacity:
    """Longest context, most sequences, and tokens that the cache holds, with all else as requested."""
    model, chosen = one.shape.architecture, one.chosen
    request = chosen.request
    # A longer context also means more tokens in a step, up to the engine's limit, so each length is sized anew.
    longest = _largest(
        lambda n: n == 0 or need_at(one, context=n, concurrency=request.concurrency).total.high <= usable,
        model.max_context,
    )
    most = _largest(
        lambda n: n == 0 or need_at(one, context=chosen.context, concurrency=n).total.high <= usable, _MOST_SEQUENCES
    )
    free = usable - (one.needed.total.high - one.needed.kv_cache)
    tokens = cache_tokens(model, chosen.layout, free, context=chosen.context)
    return Capacity(longest, most, tokens)


def need_at(one: Sized, *, context: int, concurrency: int) -> Need:
    """What the same plan needs at another context and concurrency."""
    request = one.chosen.request.model_copy(
        update={"context": context, "concurrency": concurrency, "prefix": min(one.chosen.request.prefix, context)}
    )
    changed = one.chosen._replace(request=request, context=context)
    return scaled(need(one.shape.architecture, changed), one.shape.factor)


def _binding(needed: Need, *, gated: bool) -> Term:
    if gated:
        return "precision"
    sizes: dict[Term, int] = {
        "weights": needed.weights, "kv_cache": needed.kv_cache, "gradients": needed.gradients,
        "optimizer": needed.optimizer, "activations": needed.activations, "overhead": needed.overhead.high,
    }  # fmt: skip
    return max(sizes, key=lambda term: sizes[term])


def _decode(one: Sized, card: Card) -> float | None:
    if card.bandwidth is None or one.chosen.request.task != "inference":
        return None
    model, chosen = one.shape.architecture, one.chosen
    return decode_ceiling(
        model, chosen.form, bandwidth=card.bandwidth, factor=one.shape.factor,
        cache_read=bytes_read_per_token(model, chosen.layout, chosen.context), tensor_parallel=chosen.split.tensor,
    )  # fmt: skip


def _prefill(one: Sized, card: Card) -> float | None:
    if card.flops_16bit is None or one.chosen.request.task != "inference":
        return None
    return prefill_ceiling(
        one.shape.architecture, flops=card.flops_16bit, factor=one.shape.factor, tensor_parallel=one.chosen.split.tensor
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def answer(request: FitRequest, subject: Subject, card: Card) -> FitResult:
    """The estimate for the request as it is, without a search for what would fit."""
    sized = size(request, subject, card)
    bounding = [one for one in sized if one.shape.bounds != "low"] or sized
    worst = max(bounding, key=lambda one: one.needed.total.high)
    chosen, needed = worst.chosen, worst.needed
    usable = usable_bytes(card, chosen)
    total = total_of(sized)
    missing = precision_missing(card, chosen)
    inference = chosen.request.task == "inference"
    room = capacity(worst, usable) if inference else None
    notes = list(chosen.notes)
    if not isinstance(subject, LanguageModel):
        examples = ", ".join(model.name for model in subject.examples)
        notes.insert(0, Note(code="count_only", values={"count": subject.name, "examples": examples}))
    if inference and total.high > usable and needed.weights < card.nominal_gb * 1e9:
        values = {"bytes": str(needed.weights), "nominal": f"{card.nominal_gb:g}"}
        notes.append(Note(code="weights_alone", values=values))
    formulas = explanation.formulas(subject, card, chosen, needed, usable, worst.shape.architecture)
    decodes = [_decode(one, card) for one in sized]
    return FitResult(
        model=ModelCount(
            name=subject.name,
            parameters=subject.counted if isinstance(subject, StoredModel) else subject.parameters,
            active_parameters=subject.active_parameters,
        ),
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
        kv_bytes_per_token=round(bytes_per_token(worst.shape.architecture, chosen.layout)) if inference else 0,
        max_context=room.context if room else None,
        max_concurrency=room.concurrency if room else None,
        kv_tokens_capacity=room.tokens if room else None,
        verdict="does_not_fit" if missing else verdict_of(total, usable),
        binding=_binding(needed, gated=missing is not None),
        gpus_needed=None,
        decode_ceiling_tokens_per_s=_rounded(max((d for d in decodes if d is not None), default=None)),
        prefill_ceiling_tokens_per_s=_rounded(_prefill(worst, card)),
        formulas=formulas,
        assumptions=(*notes, *explanation.notes(card, chosen, missing)),
        sources=tuple(dict.fromkeys([*subject.sources, *card.sources, *(formula.source for formula in formulas)])),
        request=chosen.request,
        card=card,
    )


def estimate_fit(request: FitRequest, model: Subject, card: Card, cards: Iterable[Card] = ()) -> FitResult:
    """Whether `model` fits on `request.gpus` of `card`, term by term, in bytes, and the changes that would make it fit.

    Pure. `cards` are the others that a remedy may name. A ParameterCount gives a range over models of that size: the
    terms are those of the largest of them, `total` spans them all.
    Raises InvalidInput naming the field for what can't be: a tensor parallelism that does not divide the heads, a
    context above the model's limit, a format that can't be trained.
    """
    found = answer(request, model, card)
    counts = smallest_counts(request, model, card)
    others = tuple(cards)
    changes = changes_that_fit(request, model, card, found, counts.sure, others)
    turns = changes or turning_points(request, model, card, found, counts.sure, others)
    assumptions = (*found.assumptions, counts.shortage) if counts.shortage else found.assumptions
    return found.model_copy(
        update={
            "gpus_needed": counts.least,
            "remedies": changes,
            "would_change": turns,
            "assumptions": assumptions,
        }
    )
