"""A request worked out for a model: what it needs, and the verdict."""

from collections.abc import Iterable
from typing import NamedTuple

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.card import Card
from assistant.tools.memory.checkpoint import StoredModel
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.plan import Need, Plan, need, plan, scaled
from assistant.tools.memory.quantization import WeightFormat, weight_bytes, weight_format
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import ByteRange, Verdict
from assistant.tools.memory.subject import ParameterCount, unlimited

Subject = LanguageModel | ParameterCount


class Shape(NamedTuple):
    """An architecture to size, and by how much its weights are scaled to a stated count or to a file's bytes."""

    architecture: Architecture
    scale: tuple[int, int]
    """The stated count or bytes, and the shape's own."""
    stored: WeightFormat
    """The format in which the weights are published or lie in the file."""
    bounds: str = "both"
    """Which end of the range the shape sets."""
    name: str = ""
    is_near: bool = True
    """False for a shape that is too far from the stated count to be scaled to it."""

    @property
    def factor(self) -> float:
        return self.scale[0] / self.scale[1]


def shapes_of(subject: Subject, request: FitRequest) -> list[Shape]:
    """The shapes a subject may have; a file's weights count as they are stored unless another format is asked."""
    if isinstance(subject, ParameterCount):
        return [
            Shape(
                unlimited(model),
                (scaled_to := subject.stands_for(model), model.parameters),
                weight_format("bf16"),
                bound,
                model.name,
                is_near=scaled_to == subject.parameters,
            )
            for bound, models in (("low", subject.cheapest), ("high", subject.costliest))
            for model in models
        ]
    model = subject.architecture
    if not isinstance(subject, StoredModel):
        return [Shape(model, (1, 1), subject.stored_form)]
    form = subject.stored_form
    if subject.file_bytes is not None and request.weights in (None, form.name) and request.task == "inference":
        return [Shape(model, (subject.file_bytes, weight_bytes(model, form)), form)]
    return [Shape(model, (subject.counted, subject.parameters), form)]


class Sized(NamedTuple):
    """One shape with the request worked out for it."""

    shape: Shape
    chosen: Plan
    needed: Need


def size(request: FitRequest, subject: Subject, card: Card | None = None) -> list[Sized]:
    """The request worked out for every shape that the subject may have. Raises InvalidInput where none allows it."""
    sized: list[Sized] = []
    refusals: list[InvalidInput] = []
    for shape in shapes_of(subject, request):
        try:
            chosen = plan(request, shape.architecture, shape.stored, card)
        except InvalidInput as error:
            refusals.append(error)
            continue
        sized.append(Sized(shape, chosen, scaled(need(shape.architecture, chosen), shape.factor)))
    if not sized:
        raise refusals[0]
    return sized


def usable_bytes(card: Card, chosen: Plan) -> int:
    return int(card.usable_bytes * (chosen.request.memory_utilization or 1.0))


def total_of(sized: Iterable[Sized]) -> ByteRange:
    lows = [one.needed.total.low for one in sized if one.shape.bounds != "high"]
    highs = [one.needed.total.high for one in sized if one.shape.bounds != "low"]
    low, high = min(lows or highs), max(highs or lows)
    return ByteRange(low=min(low, high), high=high)


def verdict_of(total: ByteRange, usable: int) -> Verdict:
    if total.high <= usable:
        return "fits"
    return "tight" if total.low <= usable else "does_not_fit"


class Outcome(NamedTuple):
    """The verdict alone, for searches over many requests."""

    verdict: Verdict
    total: ByteRange
    usable: int
    division: str = ""
    """Of several cards: "TP 2 × PP 1 × DP 1"."""
    missing: str | None = None
    """The precision that the card does not compute in and the weights need."""


def outcome(request: FitRequest, subject: Subject, card: Card) -> Outcome:
    """Verdict, total and usable memory of a request. Raises InvalidInput as estimate_fit does."""
    sized = size(request, subject, card)
    total, usable = total_of(sized), usable_bytes(card, sized[0].chosen)
    missing = precision_missing(card, sized[0].chosen)
    verdict: Verdict = "does_not_fit" if missing else verdict_of(total, usable)
    return Outcome(verdict, total, usable, division_text(sized[0].chosen), missing)


def division_text(chosen: Plan) -> str:
    """How the cards are divided, where there are several: "TP 2 × PP 1 × DP 1"; DP is the number of copies."""
    split = chosen.split
    return f"TP {split.tensor} × PP {split.pipeline} × DP {split.data}" if chosen.request.gpus > 1 else ""


def precision_missing(card: Card, chosen: Plan) -> str | None:
    """The precision that the weights need and that the card is known not to compute in; None where there is none."""
    wanted = chosen.form.precision
    return wanted if card.precisions.get(wanted) is False else None
