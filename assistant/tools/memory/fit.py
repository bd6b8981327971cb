"""Whether a model fits on a card: the terms, their sum, and what follows from it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assistant.tools.memory import explained_limits, explanation
from assistant.tools.memory.cache_layout import bytes_per_token, bytes_read_per_token
from assistant.tools.memory.card import Card
from assistant.tools.memory.checkpoint import StoredModel
from assistant.tools.memory.kv_cache import cache_tokens
from assistant.tools.memory.plan import Need, need, scaled
from assistant.tools.memory.remedies import changes_that_fit, smallest_counts
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import ByteRange, FitResult, Formula, ModelCount, Note, PerGpu, Term
from assistant.tools.memory.sizing import Sized, Subject, precision_missing, size, usable_bytes, verdict_of
from assistant.tools.memory.speed import decode_ceiling, prefill_ceiling
from assistant.tools.memory.told_choices import choice_notes
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


def told_and_worst(sized: list[Sized]) -> tuple[Sized, Sized]:
    """The shape whose terms are told, and the one that needs most; the same where the shape is known.

    Of a bare parameter count the cheapest shape is told, so that terms and total agree at the low end; what the
    costliest takes more is a term of its own.
    """
    low = [one for one in sized if one.shape.bounds != "high"] or sized
    high = [one for one in sized if one.shape.bounds != "low"] or sized
    return min(low, key=lambda one: one.needed.total.low), max(high, key=lambda one: one.needed.total.high)


def _gap(told: Sized, worst: Sized) -> explanation.Gap | None:
    if told is worst:
        return None
    more = max(0, worst.needed.total.high - told.needed.total.high)
    total = ByteRange(low=told.needed.total.low, high=told.needed.total.high + more)
    return explanation.Gap(told.shape.name, worst.shape.name, worst.needed, total, more)


def _room_steps(worst: Sized, room: Capacity, usable: int) -> list[Formula]:
    """How the room that is left follows; for the costliest shape where the shape is not known."""
    request, model = worst.chosen.request, worst.shape.architecture

    def total(context: int, concurrency: int) -> int:
        return need_at(worst, context=context, concurrency=concurrency).total.high

    steps = [explained_limits.room_step(worst, room.tokens, usable)]
    for term, value, most, unit in (
        ("max_context", room.context, model.max_context, "tokens"),
        ("max_concurrency", room.concurrency, _MOST_SEQUENCES, "sequences"),
    ):

        def at(count: int, term: str = term) -> int:
            return total(count, request.concurrency) if term == "max_context" else total(worst.chosen.context, count)

        within, beyond = at(value) if value else None, at(value + 1) if value < most else None
        steps.append(explained_limits.limit_step(term, value, within, beyond, usable, unit))
    return steps


def _speed_steps(sized: list[Sized], worst: Sized, card: Card) -> tuple[float | None, float | None, list[Formula]]:
    """The ceilings of decoding and of the prompt, with their steps; of several shapes the fastest counts."""
    steps: list[Formula] = []
    near = [one for one in sized if one.shape.is_near]
    decodes = [(speed, one) for one in near if (speed := _decode(one, card)) is not None]
    decode, prefill = None, _rounded(_prefill(worst, card))
    if decodes:
        fastest, shape = max(decodes, key=lambda pair: pair[0])
        decode = round(fastest, 1)
        steps += explained_limits.decode_steps(shape, card, decode)
    if prefill is not None:
        steps.append(explained_limits.prefill_step(worst, card, prefill))
    return decode, prefill, steps


def answer(request: FitRequest, subject: Subject, card: Card) -> FitResult:
    """The estimate for the request as it is, without a search for what would fit."""
    sized = size(request, subject, card)
    told, worst = told_and_worst(sized)
    chosen, needed = told.chosen, told.needed
    gap = _gap(told, worst)
    usable = usable_bytes(card, chosen)
    overhead, total = needed.overhead, needed.total
    if gap is not None:
        overhead, total = ByteRange(low=overhead.low, high=overhead.high + gap.bytes), gap.total
    missing = precision_missing(card, chosen)
    inference = chosen.request.task == "inference"
    room = capacity(worst, usable) if inference else None
    notes = [*choice_notes(request, chosen.request, chosen.split), *chosen.notes]
    if gap is not None:
        values = {"count": subject.name, "cheapest": gap.cheapest, "costliest": gap.costliest}
        notes.insert(0, Note(code="count_only", values=values))
    if inference and total.high > usable and needed.weights < card.nominal_gb * 1e9:
        values = {"bytes": str(needed.weights), "nominal": f"{card.nominal_gb:g}"}
        notes.append(Note(code="weights_alone", values=values))
    parameters = subject.counted if isinstance(subject, StoredModel) else subject.parameters
    formulas = explanation.formulas(
        subject, card, told, (parameters, subject.active_parameters), total, overhead, usable, gap
    )
    if room is not None:
        formulas += _room_steps(worst, room, usable)
    decode, prefill, speed = _speed_steps(sized, worst, card)
    formulas += speed
    return FitResult(
        model=ModelCount(
            name=subject.name,
            parameters=parameters,
            active_parameters=subject.active_parameters,
        ),
        per_gpu=PerGpu(
            weights=needed.weights,
            kv_cache=needed.kv_cache,
            gradients=needed.gradients,
            optimizer=needed.optimizer,
            activations=needed.activations,
            overhead=overhead,
            total=total,
            usable=usable,
        ),
        kv_bytes_per_token=round(bytes_per_token(told.shape.architecture, chosen.layout)) if inference else 0,
        max_context=room.context if room else None,
        max_concurrency=room.concurrency if room else None,
        kv_tokens_capacity=room.tokens if room else None,
        verdict="does_not_fit" if missing else verdict_of(total, usable),
        binding=_binding(needed, gated=missing is not None),
        gpus_needed=None,
        decode_ceiling_tokens_per_s=decode,
        prefill_ceiling_tokens_per_s=prefill,
        formulas=tuple(formulas),
        assumptions=(*notes, *explanation.notes(card, chosen, missing, told.shape.architecture)),
        sources=tuple(dict.fromkeys([*subject.sources, *card.sources, *(formula.source for formula in formulas)])),
        request=chosen.request,
        card=card,
    )


def estimate_fit(request: FitRequest, model: Subject, card: Card, cards: Iterable[Card] = ()) -> FitResult:
    """Whether `model` fits on `request.gpus` of `card`, term by term, in bytes, and the changes that would make it fit.

    Pure. `cards` are the others that a remedy may name. A ParameterCount gives a range over models of that size: the
    terms are those of the cheapest of them, and what the costliest takes more stands in the overhead.
    Raises InvalidInput naming the field for what can't be: a tensor parallelism that does not divide the heads, a
    context above the model's limit, a format that can't be trained.
    """
    found = answer(request, model, card)
    counts = smallest_counts(request, model, card)
    others = tuple(cards)
    changes = changes_that_fit(request, model, card, found, counts.sure, others)
    turns = changes or turning_points(request, model, card, found, counts.sure, others)
    assumptions = (*found.assumptions, counts.shortage) if counts.shortage else found.assumptions
    formulas = found.formulas
    if counts.least is not None and counts.found is not None:
        smaller = int(counts.shortage.values["low"]) if counts.shortage else None
        formulas += (explained_limits.cards_step(counts.least, counts.found.total.low, counts.found.usable, smaller),)
    return found.model_copy(
        update={
            "formulas": formulas,
            "gpus_needed": counts.least,
            "gpus_sure": counts.sure,
            "remedies": changes,
            "would_change": turns,
            "assumptions": assumptions,
        }
    )
