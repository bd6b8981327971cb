"""What renting costs: cards × hours × price, with the date of every price."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import Entity
from assistant.tools.cost.currency import Conversion, ExchangeRate, convert, rate_between
from assistant.tools.cost.names import find_gpu, find_provider
from assistant.tools.cost.price import Offer, curated_offers, matching_offers, usable
from assistant.tools.cost.request import Billing, Count, Currency, Hours, Name, Price, Rate, Request, Share
from assistant.tools.cost.result import CostResult, Formula, Frozen, Input, Note, sources_of
from assistant.tools.cost.span import Span

_REASON = "price × quantity"


class RentRequest(Request):
    """Cards for some hours. A price given by the user wins over the prices of the data."""

    gpu: Name | None = None
    provider: Name | None = None
    gpus: Count = 1
    hours: Hours = Decimal(1)
    """Hours for which the cards are reserved."""
    utilisation: Share = Decimal(1)
    """Share of those hours in which the cards do useful work."""
    billing: Billing | None = None
    """None takes every kind of price there is."""
    price: Price | Span | None = Field(default=None, union_mode="left_to_right")
    """Per GPU and hour, in `currency`."""
    currency: Currency = "USD"
    into: Currency | None = None
    rate: Rate | None = None
    """Units of `into` for one unit of `currency`."""


class OfferCost(Frozen):
    """What the request would cost with one offer; `total` is None where the provider publishes no price."""

    offer: Offer
    gpu_name: str
    provider_name: str
    total: Span | None


class RentResult(CostResult):
    """`total` is None, and `status` says why, where no price is published or none is held."""

    status: Literal["priced", "not_published", "no_price_held"]
    gpu: str | None
    gpu_name: str | None
    provider: str | None
    provider_name: str | None
    billing: Billing | None = None
    """The kind of price that was asked for; None for every kind."""
    gpus: int
    hours: Span
    utilisation: Span
    currency: str
    price_per_gpu_hour: Span | None = None
    gpu_hours: Span
    total: Span | None = None
    total_if_stopped_when_idle: Span | None = None
    """The bill where the cards are given back whenever they have nothing to do."""
    per_useful_gpu_hour: Span | None = None
    converted: Conversion | None = None
    stale: bool = False
    offers: tuple[OfferCost, ...] = ()
    alternatives: tuple[OfferCost, ...] = ()
    """Prices of other providers, or of another kind, where what was asked for has none; `offer.kind` names the kind."""


def rent(request: RentRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()) -> RentResult:
    """What the request costs.

    Raises InvalidInput for an unknown card or provider, and where neither card nor price is given.
    """
    gpu = find_gpu(request.gpu, corpus) if request.gpu is not None else None
    provider = find_provider(request.provider, corpus) if request.provider is not None else None
    if request.price is not None:
        given = Input(
            name="price_per_gpu_hour", value=Span.of(request.price), unit=f"{request.currency}/h", origin="given"
        )
        return _priced(request, corpus, today, gpu, provider, (given,), request.currency, (), ())
    if gpu is None:
        raise InvalidInput("gpu: name a card, or give a price.")
    offers = matching_offers(
        [*curated_offers(corpus, today), *refreshed],
        corpus,
        gpu.id,
        provider.id if provider else None,
        request.billing,
    )
    chosen = usable(offers)
    if not chosen:
        return _unpriced(request, corpus, today, gpu, provider, offers, refreshed)
    currency = chosen[0].currency
    chosen = [offer for offer in chosen if offer.currency == currency]
    inputs = tuple(_price_input(offer, corpus) for offer in chosen)
    notes = _price_notes(chosen, gpu, set(corpus.descendants(gpu.id)))
    return _priced(request, corpus, today, gpu, provider, inputs, currency, tuple(offers), notes)


def _price_input(offer: Offer, corpus: Corpus) -> Input:
    if offer.price is None:
        raise ValueError("an offer without a price can't be an input")
    return Input(
        name="price_per_gpu_hour",
        label=f"{corpus.entities[offer.gpu].name}, {corpus.entities[offer.provider].name}",
        value=offer.price,
        unit=f"{offer.currency}/h",
        origin="data",
        source=offer.source,
        as_of=offer.as_of,
    )


def _price_notes(chosen: list[Offer], gpu: Entity, editions: set[str]) -> tuple[Note, ...]:
    notes: list[Note] = []
    for as_of in dict.fromkeys(offer.as_of for offer in chosen):
        code = "stale_price" if any(offer.stale for offer in chosen if offer.as_of == as_of) else "price_of"
        notes.append(Note(code=code, values={"as_of": as_of}))
    if len(chosen) > 1:
        notes.append(Note(code="several_prices", values={"count": str(len(chosen))}))
    if any(offer.gpu not in editions for offer in chosen):
        notes.append(Note(code="other_edition", values={"gpu": gpu.name}))
    return tuple(notes)


def _priced(
    request: RentRequest,
    corpus: Corpus,
    today: date,
    gpu: Entity | None,
    provider: Entity | None,
    prices: tuple[Input, ...],
    currency: str,
    offers: tuple[Offer, ...],
    notes: tuple[Note, ...],
) -> RentResult:
    price = Span.over(item.value for item in prices)
    gpu_hours = Span.of(request.hours) * request.gpus
    bill = price * gpu_hours
    unit = currency
    formulas = [
        Formula(
            term="total",
            formula="price per GPU and hour × GPUs × hours",
            parts=(price, "×", Decimal(request.gpus), "×", request.hours),
            value=bill,
            unit=unit,
            source=_REASON,
        )
    ]
    useful = price
    stopped = bill
    if request.utilisation < 1:
        useful = price / request.utilisation
        stopped = bill * request.utilisation
        formulas += [
            Formula(
                term="per_useful_gpu_hour",
                formula="price per GPU and hour ÷ utilisation",
                parts=(price, "÷", request.utilisation),
                value=useful,
                unit=f"{unit}/h",
                source=_REASON,
            ),
            Formula(
                term="total_if_stopped_when_idle",
                formula="total × utilisation",
                parts=(bill, "×", request.utilisation),
                value=stopped,
                unit=unit,
                source=_REASON,
            ),
        ]
        notes = (*notes, Note(code="billed_for_all_hours"))
    converted = _converted(request, corpus, today, bill, currency)
    if converted is not None:
        formulas.append(converted.step)
    inputs = (*prices, *_given(request), *([converted.rate_input] if converted else []))
    return RentResult(
        status="priced",
        gpu=gpu.id if gpu else None,
        gpu_name=gpu.name if gpu else None,
        provider=provider.id if provider else None,
        provider_name=provider.name if provider else None,
        billing=request.billing,
        gpus=request.gpus,
        hours=Span.of(request.hours),
        utilisation=Span.of(request.utilisation),
        currency=currency,
        price_per_gpu_hour=price,
        gpu_hours=gpu_hours,
        total=bill,
        total_if_stopped_when_idle=stopped,
        per_useful_gpu_hour=useful,
        converted=converted,
        stale=any(note.code == "stale_price" for note in notes),
        offers=costs_of(offers, gpu_hours, corpus),
        formulas=tuple(formulas),
        inputs=inputs,
        assumptions=(*notes, *(converted.notes if converted else ())),
        sources=sources_of(inputs),
    )


def _given(request: RentRequest) -> tuple[Input, ...]:
    left_out = {"gpus", "hours", "utilisation"} - request.model_fields_set
    values: dict[str, tuple[Decimal, str]] = {
        "gpus": (Decimal(request.gpus), "gpu"),
        "hours": (request.hours, "h"),
        "utilisation": (request.utilisation, ""),
    }
    return tuple(
        Input(name=name, value=Span.of(value), unit=unit, origin="assumed" if name in left_out else "given")
        for name, (value, unit) in values.items()
    )


def _converted(request: RentRequest, corpus: Corpus, today: date, bill: Span, currency: str) -> Conversion | None:
    if request.into is None or request.into == currency:
        return None
    rate: ExchangeRate = rate_between(currency, request.into, corpus, today=today, given=request.rate)
    return convert(bill, rate)


def _unpriced(
    request: RentRequest,
    corpus: Corpus,
    today: date,
    gpu: Entity,
    provider: Entity | None,
    offers: list[Offer],
    refreshed: Sequence[Offer],
) -> RentResult:
    """Says that no price is published or held; the prices of others are alternatives and never stand in for it."""
    gpu_hours = Span.of(request.hours) * request.gpus
    everyone = [*curated_offers(corpus, today), *refreshed]
    others = usable(matching_offers(everyone, corpus, gpu.id, None, None))
    notes = tuple(Note(code="price_of", values={"as_of": as_of}) for as_of in dict.fromkeys(o.as_of for o in offers))
    inputs = _given(request)
    return RentResult(
        status="not_published" if offers else "no_price_held",
        gpu=gpu.id,
        gpu_name=gpu.name,
        provider=provider.id if provider else None,
        provider_name=provider.name if provider else None,
        billing=request.billing,
        gpus=request.gpus,
        hours=Span.of(request.hours),
        utilisation=Span.of(request.utilisation),
        currency=request.currency,
        gpu_hours=gpu_hours,
        offers=costs_of(offers, gpu_hours, corpus),
        alternatives=costs_of(others, gpu_hours, corpus),
        inputs=inputs,
        assumptions=notes,
        sources=tuple(dict.fromkeys(offer.source for offer in offers)),
    )


def costs_of(offers: Sequence[Offer], gpu_hours: Span, corpus: Corpus) -> tuple[OfferCost, ...]:
    """What so many GPU-hours cost with each offer."""
    return tuple(
        OfferCost(
            offer=offer,
            gpu_name=corpus.entities[offer.gpu].name,
            provider_name=corpus.entities[offer.provider].name,
            total=None if offer.price is None else offer.price * gpu_hours,
        )
        for offer in offers
    )
