"""The largest of the models held that fit on a card, in each of the usual weight formats."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.tools.memory.card import Card
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.quantization import weight_bytes, weight_format
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import ByteRange
from assistant.tools.memory.sizing import outcome

_FORMATS = ("bf16", "int8", "int4")
_WITHOUT_BF16 = "fp16"


class Holding(BaseModel):
    """The largest models that fit in one weight format, the largest first, and what each needs on every card."""

    model_config = ConfigDict(frozen=True)

    weights: str
    models: tuple[str, ...]
    parameters: tuple[int, ...]
    totals: tuple[ByteRange, ...]
    usable: int


def largest_that_fit(
    request: FitRequest, card: Card, models: Iterable[LanguageModel], *, most: int
) -> tuple[Holding, ...]:
    """For each usual format, the `most` largest models that surely fit on `request.gpus` of the card.

    A format in which nothing fits, or that the card does not compute in, has no models.
    """
    by_size = sorted(models, key=lambda model: (-model.parameters, model.id))
    first = _WITHOUT_BF16 if card.precisions.get("bf16") is False else _FORMATS[0]
    return tuple(_held(request, name, card, by_size, most) for name in (first, *_FORMATS[1:]))


def _held(request: FitRequest, name: str, card: Card, by_size: Sequence[LanguageModel], most: int) -> Holding:
    form = weight_format(name)
    asked = request.model_copy(update={"weights": name})
    room = card.usable_bytes * request.gpus
    found: list[tuple[LanguageModel, ByteRange]] = []
    usable = 0
    for model in by_size:
        if len(found) == most:
            break
        # Weights that don't fit by themselves spare working out the rest.
        if weight_bytes(model.architecture, form) > room:
            continue
        try:
            then = outcome(asked, model, card)
        except InvalidInput:
            continue
        usable = then.usable
        if then.verdict == "fits":
            found.append((model, then.total))
    return Holding(
        weights=name,
        models=tuple(model.name for model, _ in found),
        parameters=tuple(model.parameters for model, _ in found),
        totals=tuple(total for _, total in found),
        usable=usable,
    )
