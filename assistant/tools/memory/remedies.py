"""The smallest changes that would make a model fit, each recomputed."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from assistant.errors import InvalidInput
from assistant.tools.memory.card import Card
from assistant.tools.memory.card_choice import can_stand_together, larger_cards
from assistant.tools.memory.quantization import WEIGHT_ONLY, weight_format
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, Note, Remedy
from assistant.tools.memory.sizing import Outcome, Subject, outcome, size

Change = dict[str, str | int | float]

_COUNTS = (*range(1, 9), *range(16, 65, 8), 96, 128, 192, 256, 384, 512, 768, 1024)
_FEW_SEQUENCES = 256
# From the least change in quality to the most.
_SMALLER = {
    "vllm": ("fp8", "int8", "int4"),
    "sglang": ("fp8", "int8", "int4"),
    "llama.cpp": ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "iq4_xs", "q3_k_m", "q2_k"),
}


def changed(request: FitRequest, **change: Any) -> FitRequest:
    """The request with other choices. Raises ValueError for one that is out of bounds."""
    return FitRequest.model_validate(request.model_dump(exclude_unset=True) | change)


def tried(request: FitRequest, subject: Subject, card: Card) -> Outcome | None:
    """The verdict on a request; None where it can't be."""
    try:
        return outcome(request, subject, card)
    except InvalidInput:
        return None


def division_change(request: FitRequest, subject: Subject, card: Card, gpus: int) -> Change:
    """The change to that many cards; with a division that was asked for, also the one that such a count has instead."""
    if request.tp is None and request.pp is None:
        return {"gpus": gpus}
    split = size(changed(request, gpus=gpus, tp=None, pp=None), subject, card)[0].chosen.split
    return {"gpus": gpus, "tp": split.tensor, "pp": split.pipeline}


class Counts(NamedTuple):
    """`least` cards of this kind can be enough, `sure` ones are; None where no count up to 1024 is."""

    least: int | None
    sure: int | None
    shortage: Note | None
    """What the next smaller count that can be divided lacks."""
    found: Outcome | None = None
    """What `least` cards need each."""


def smallest_counts(request: FitRequest, subject: Subject, card: Card) -> Counts:
    """The fewest of this card on which it can fit, and on which it does by the high end of the range.

    Tensor and pipeline parallelism are chosen anew for each count.
    """
    least: int | None = None
    enough: Outcome | None = None
    shortage: Note | None = None
    for count in _COUNTS:
        found = tried(changed(request, gpus=count, tp=None, pp=None), subject, card)
        if found is None:
            continue
        if found.verdict != "does_not_fit" and least is None:
            least, enough = count, found
        if found.verdict == "fits":
            return Counts(least, count, shortage, enough)
        if least is None:
            values = {"gpus": str(count), "low": str(found.total.low), "usable": str(found.usable)}
            shortage = Note(code="smaller_count", values=values)
    return Counts(least, None, shortage if least else None, enough)


def _serving(request: FitRequest, found: FitResult) -> Iterator[tuple[str, Change]]:
    settled = found.request
    engine = settled.engine or "vllm"
    if found.max_context and found.max_context < (settled.context or 0):
        yield "context", {"context": found.max_context}
    if found.max_concurrency and found.max_concurrency < settled.concurrency:
        yield "concurrency", {"concurrency": found.max_concurrency}
    if engine == "vllm" and (settled.max_sequences or 0) > _FEW_SEQUENCES >= settled.concurrency:
        yield "max_sequences", {"max_sequences": _FEW_SEQUENCES}
    smaller_cache = "q8_0" if engine == "llama.cpp" else "fp8"
    if settled.kv_type in ("bf16", "fp16"):
        yield "kv_type", {"kv_type": smaller_cache}
    now = weight_format(settled.weights or "bf16")
    if found.binding == "precision" and now.precision in WEIGHT_ONLY:
        yield "weights", {"weights": WEIGHT_ONLY[now.precision], "engine": engine}
    for name in _SMALLER[engine]:
        if weight_format(name).bits < now.bits:
            yield "weights", {"weights": name, "engine": engine}


def _learning(request: FitRequest) -> Iterator[tuple[str, Change]]:
    if request.recompute != "full":
        yield "recompute", {"recompute": "full"}
    if request.batch > 1:
        yield "batch", {"batch": 1}
    for stage in range(request.zero + 1, 4):
        if request.gpus > 1:
            yield "zero", {"zero": stage}
    if request.task == "full" and request.optimizer == "adamw":
        yield "optimizer", {"optimizer": "adamw-bf16"}
        yield "optimizer", {"optimizer": "adamw-8bit"}
    if request.training_length > 512:
        yield "sequence", {"sequence": max(512, request.training_length // 2)}
    if request.offload == "none":
        yield "offload", {"offload": "optimizer"}
    if request.task == "full":
        yield "task", {"task": "lora"}
    if request.task != "qlora":
        yield "task", {"task": "qlora", "weights": "nf4"}


def _other_cards(request: FitRequest, subject: Subject, card: Card, cards: Iterable[Card]) -> Iterator[Remedy]:
    """The first larger card that would do in the same number, of the same maker and kind where there is one."""
    for other in larger_cards(card, request.gpus, cards):
        found = tried(request, subject, other)
        if found is not None and found.verdict == "fits":
            yield remedy("card", {"gpu": other.name}, found, request.gpus, other)
            return


def remedy(code: str, change: Change, then: Outcome, gpus: int, card: Card) -> Remedy:
    """A change with what follows from it on that many of the card."""
    return Remedy(
        code=code, change=change, verdict=then.verdict, total=then.total, usable=then.usable, gpus=gpus,
        card=card.name, division=then.division,
    )  # fmt: skip


def _sharded(request: FitRequest, subject: Subject, card: Card) -> Iterator[Remedy]:
    """Training with everything divided, on the fewest more cards on which that fits."""
    for count in _COUNTS:
        if count <= request.gpus or not can_stand_together(card, count):
            continue
        change: Change = {"gpus": count, "zero": 3}
        then = tried(changed(request, **change, tp=None, pp=None), subject, card)
        if then is not None and then.verdict == "fits":
            if request.tp is not None or request.pp is not None:
                change |= {"tp": 1, "pp": 1}
            yield remedy("gpus_sharded", change, then, count, card)
            return


def changes_that_fit(
    request: FitRequest, subject: Subject, card: Card, found: FitResult, sure: int | None, cards: Iterable[Card]
) -> tuple[Remedy, ...]:
    """The first change of each kind after which it fits; empty where it fits already.

    Where no smaller weights surely fit, the ones that may are told as that.
    """
    if found.verdict == "fits":
        return ()
    inference = request.task == "inference"
    candidates = _serving(request, found) if inference else _learning(request)
    remedies: dict[str, Remedy] = {}
    tight: Remedy | None = None
    for code, change in candidates:
        if code in remedies:
            continue
        then = tried(changed(request, **change), subject, card)
        if then is not None and then.verdict == "fits":
            remedies[code] = remedy(code, change, then, request.gpus, card)
        elif then is not None and then.verdict == "tight" and code == "weights":
            tight = remedy("weights_tight", change, then, request.gpus, card)
    if tight is not None and found.verdict == "does_not_fit" and "weights" not in remedies:
        remedies["weights_tight"] = tight
    if sure is not None and sure > request.gpus and can_stand_together(card, sure):
        change = division_change(request, subject, card, sure)
        then = tried(changed(request, **change), subject, card)
        if then is not None and then.verdict == "fits":
            remedies["gpus"] = remedy("gpus", change, then, sure, card)
    further = () if inference or "zero" in remedies else _sharded(request, subject, card)
    return (*remedies.values(), *further, *_other_cards(request, subject, card, cards))
