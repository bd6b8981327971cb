"""What the memory calculator answers, in bytes, with every formula filled in."""

import shlex
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from assistant.tools.memory.card import Card
from assistant.tools.memory.request import FitRequest

Verdict = Literal["fits", "tight", "does_not_fit"]
Term = Literal["weights", "kv_cache", "gradients", "optimizer", "activations", "overhead", "precision"]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ByteRange(_Frozen):
    """Bytes between which a term lies."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)


class ModelCount(_Frozen):
    """Parameters of the model; `active_parameters` are those that take part in each token.

    Of a model of which only the count is known, all of them: it is taken for dense, which a note says.
    """

    name: str
    parameters: int
    active_parameters: int


class PerGpu(_Frozen):
    """Bytes on the fullest GPU. `usable` is what the engine may take of the card."""

    weights: int
    kv_cache: int
    gradients: int
    optimizer: int
    activations: int
    overhead: ByteRange
    total: ByteRange
    usable: int


class Formula(_Frozen):
    """One step: the formula in symbols, the same with its numbers, the outcome and where the formula comes from."""

    term: str
    formula: str
    filled: str
    """The sum as it can be done again, or the comparison that must hold (`assistant/tools/memory/arithmetic.py`)."""
    low: float | None = None
    """The low end, where the value is a range; `value` is the high one then."""
    value: float
    unit: str
    source: str
    code: str = Field(default="", exclude=True)
    """Names the phrase of corpus/phrases/fit.yaml that says the formula in words; none where it is all symbols."""


class Note(_Frozen):
    """Something assumed or worth knowing; `code` names its phrase in corpus/phrases/fit.yaml."""

    code: str
    values: dict[str, str] = Field(default_factory=dict)
    text: str = ""


class Remedy(_Frozen):
    """One change to the request, and what the estimate says of the request with it."""

    code: str
    change: dict[str, str | int | float]
    """Fields of the request, and `gpu` for another card, that take other values; all else stays as asked."""
    verdict: Verdict
    total: ByteRange
    usable: int
    gpus: int = 1
    card: str = ""
    """What it is worked out for: so many of that card, divided as `division` says."""
    division: str = ""
    text: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def options(self) -> str:
        """The change as options of the command line; put behind the call that was made, they replace its own."""
        return shlex.join(
            word for name, value in self.change.items() for word in (f"--{name.replace('_', '-')}", f"{value}")
        )


class FitResult(_Frozen):
    """Whether it fits, and why. Scripts rely on the keys of its JSON."""

    model: ModelCount
    per_gpu: PerGpu
    kv_bytes_per_token: int
    max_context: int | None
    max_concurrency: int | None
    kv_tokens_capacity: int | None
    verdict: Verdict
    binding: Term
    remedies: tuple[Remedy, ...] = ()
    """Changes that would make it fit; none where it does."""
    would_change: tuple[Remedy, ...] = ()
    """What would turn the verdict: the remedies, or where a fit ends and what less would do as well."""
    gpus_needed: int | None
    """The fewest of this card on which it can fit, by the low end of the range."""
    gpus_sure: int | None = None
    """The fewest on which it fits by the high end too."""
    decode_ceiling_tokens_per_s: float | None
    """Of one sequence at the context asked for: a bound that follows from bandwidth, no speed."""
    prefill_ceiling_tokens_per_s: float | None = None
    """Of the prompt, from dense 16-bit compute: a bound as well."""
    formulas: tuple[Formula, ...]
    assumptions: tuple[Note, ...]
    sources: tuple[str, ...]

    request: FitRequest = Field(exclude=True)
    """The request as it was carried out, every choice made."""
    card: Card = Field(exclude=True)
