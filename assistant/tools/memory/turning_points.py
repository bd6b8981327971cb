"""What would change a verdict of "fits": where it ends, and what smaller would do as well, each recomputed."""

from collections.abc import Callable, Iterable, Iterator

from assistant.tools.memory.card import Card
from assistant.tools.memory.card_choice import can_stand_together
from assistant.tools.memory.quantization import weight_format
from assistant.tools.memory.remedies import Change, changed, division_change, remedy, smallest_counts, tried
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, Remedy
from assistant.tools.memory.sizing import Subject
from assistant.tools.memory.subject import ParameterCount

_MOST = 100_000
_LONGEST = 4_000_000
# From the fewest bits to the most.
_LARGER = {
    "vllm": ("int4", "fp8", "bf16"),
    "sglang": ("int4", "fp8", "bf16"),
    "llama.cpp": ("q4_k_m", "q6_k", "q8_0", "bf16"),
}


_FOUR_BITS = {"vllm": "int4", "sglang": "int4", "llama.cpp": "q4_k_m"}


def last_that_fits(fits: Callable[[int], bool], first: int, most: int) -> int:
    """The largest count up to `most` for which `fits` holds, given that it holds for `first` and fails from some on."""
    low, step = first, 1
    while low + step <= most and fits(low + step):
        low, step = low + step, step * 2
    high = min(low + step, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _beyond(request: FitRequest, subject: Subject, card: Card, field: str, last: int, most: int) -> Iterator[Remedy]:
    """One more than the last value that surely fits; nothing where the most there can be does."""
    beyond: Change = {field: last + 1}
    then = tried(changed(request, **beyond), subject, card) if last < most else None
    if then is not None:
        yield remedy(f"limit_{field}", beyond, then, request.gpus, card)


def _limits(request: FitRequest, subject: Subject, card: Card, found: FitResult) -> Iterator[Remedy]:
    longest = _LONGEST if isinstance(subject, ParameterCount) else subject.architecture.max_context
    if request.task == "inference":
        yield from _beyond(request, subject, card, "context", found.max_context or 0, longest)
        yield from _beyond(request, subject, card, "concurrency", found.max_concurrency or 0, _MOST)
        return
    for field, first, most in (("sequence", request.training_length, longest), ("batch", request.batch, _MOST)):

        def fits(value: int, field: str = field) -> bool:
            then = tried(changed(request, **{field: value}), subject, card)
            return then is not None and then.verdict == "fits"

        yield from _beyond(request, subject, card, field, last_that_fits(fits, first, most), most)


def _larger_weights(request: FitRequest, subject: Subject, card: Card, found: FitResult) -> Iterator[Remedy]:
    """The format with the fewest more bits that no longer surely fits."""
    settled = found.request
    if request.task != "inference":
        return
    now = weight_format(settled.weights or "bf16").bits
    for name in _LARGER[settled.engine or "vllm"]:
        if weight_format(name).bits <= now:
            continue
        change: Change = {"weights": name, "engine": settled.engine or "vllm"}
        larger = tried(changed(request, **change), subject, card)
        if larger is not None and larger.verdict != "fits":
            code = "larger_weights" if larger.missing is None else "weights_without_precision"
            yield remedy(code, change, larger, request.gpus, card)
            return


def _fewer_cards(
    request: FitRequest, subject: Subject, card: Card, found: FitResult, sure: int | None
) -> Iterator[Remedy]:
    """Fewer cards that do as things are, and fewer still that do with weights of four bits."""
    least = request.gpus
    if sure is not None and sure < least:
        change = division_change(request, subject, card, sure)
        fewer = tried(changed(request, **change), subject, card)
        if fewer is not None and fewer.verdict == "fits":
            least = sure
            yield remedy("fewer_gpus", change, fewer, sure, card)
    four_bits: Change = {
        "weights": _FOUR_BITS[found.request.engine or "vllm"],
        "engine": found.request.engine or "vllm",
    }
    if request.task != "inference" or least == 1:
        return
    if weight_format(found.request.weights or "bf16").bits <= weight_format(str(four_bits["weights"])).bits:
        return
    smaller = changed(request, **four_bits)
    count = smallest_counts(smaller, subject, card).sure
    if count is not None and count < least:
        change = division_change(smaller, subject, card, count) | four_bits
        fewer = tried(changed(request, **change), subject, card)
        if fewer is not None and fewer.verdict == "fits":
            yield remedy("four_bits_fewer_gpus", change, fewer, count, card)


def _smaller_card(
    request: FitRequest, subject: Subject, card: Card, found: FitResult, cards: Iterable[Card]
) -> Iterator[Remedy]:
    """The card with least memory on which as many do."""
    kept = found.per_gpu.weights + found.per_gpu.gradients + found.per_gpu.optimizer
    for other in sorted(cards, key=lambda other: (other.usable_bytes, other.name)):
        if other.usable_bytes >= card.usable_bytes:
            return
        if other.usable_bytes < kept or not can_stand_together(other, request.gpus):
            continue
        then = tried(request, subject, other)
        if then is not None and then.verdict == "fits":
            yield remedy("smaller_card", {"gpu": other.name}, then, request.gpus, other)
            return


def turning_points(
    request: FitRequest, subject: Subject, card: Card, found: FitResult, sure: int | None, cards: Iterable[Card]
) -> tuple[Remedy, ...]:
    """What would turn a verdict of "fits", and what less would do; empty for any other verdict."""
    if found.verdict != "fits":
        return ()
    return (
        *_limits(request, subject, card, found),
        *_larger_weights(request, subject, card, found),
        *_fewer_cards(request, subject, card, found, sure),
        *_smaller_card(request, subject, card, found, cards),
    )
