"""The price of one GPU-hour that a calculation reckons with, and where it comes from."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.price import Offer
from assistant.tools.cost.rent import OfferCost, RentRequest, RentResult, rent
from assistant.tools.cost.request import Billing, Currency, Name, Price, Request
from assistant.tools.cost.result import Frozen, Input, Note
from assistant.tools.cost.span import Span


class RateRequest(Request):
    """A price that is given, or the card and perhaps the provider whose price is looked up."""

    gpu: Name | None = None
    provider: Name | None = None
    billing: Billing | None = None
    price: Price | Span | None = Field(default=None, union_mode="left_to_right")
    """Per GPU and hour, in `currency`."""
    currency: Currency = "USD"


class HourlyRate(Frozen):
    """What one GPU costs for one hour."""

    price: Span
    currency: str
    gpu: str | None
    gpu_name: str | None
    provider_name: str | None
    inputs: tuple[Input, ...]
    notes: tuple[Note, ...]
    stale: bool


def hourly_rate(request: RateRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()) -> HourlyRate:
    """The rate to reckon with. Raises InvalidInput where no price is given, published or held."""
    asked = RentRequest(
        gpu=request.gpu,
        provider=request.provider,
        billing=request.billing,
        price=request.price,
        currency=request.currency,
        hours=Decimal(1),
    )
    found = rent(asked, corpus, today=today, refreshed=refreshed)
    if found.price_per_gpu_hour is None:
        where = f" at {found.provider_name}" if found.provider_name else ""
        why = "is published" if found.status == "not_published" else "is held"
        if request.billing is not None and found.alternatives:
            raise _other_kind(request.billing, found, where)
        raise InvalidInput(
            f"price: no price {why} for the {found.gpu_name}{where}.", "Give a price.",
            code="no_price", card=found.gpu_name or "",
        )  # fmt: skip
    return HourlyRate(
        price=found.price_per_gpu_hour,
        currency=found.currency,
        gpu=found.gpu,
        gpu_name=found.gpu_name,
        provider_name=found.provider_name,
        inputs=tuple(item for item in found.inputs if item.name == "price_per_gpu_hour"),
        notes=found.assumptions,
        stale=found.stale,
    )


def _other_kind(billing: Billing, found: RentResult, where: str) -> InvalidInput:
    """No price of the kind that was asked for: the refusal names the kinds that are held, with their prices."""
    kind = billing.replace("_", "-")
    held = ", ".join(_named(cost) for cost in found.alternatives[:3])
    return InvalidInput(
        f"price: no {kind} price is held for the {found.gpu_name}{where}.",
        f"Held are {held}; or give one with --price.",
        code="no_kind_price", card=found.gpu_name or "", kind=kind, held=held,
    )  # fmt: skip


def _named(cost: OfferCost) -> str:
    """An offer as on-demand 3.49 USD/h (RunPod)."""
    price = cost.offer.price
    shown = "–" if price is None else f"{price.low}" if price.exact else f"{price.low}–{price.high}"
    return f"{cost.offer.kind.replace('_', '-')} {shown} {cost.offer.currency}/h ({cost.provider_name})"
