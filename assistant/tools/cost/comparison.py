"""Offers, or ways to do the same work, set against each other: what each costs and what would turn the order."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.hourly_rate import RateRequest, hourly_rate
from assistant.tools.cost.price import Offer
from assistant.tools.cost.request import Count, Hours, Money, Name, Request
from assistant.tools.cost.result import CostResult, Formula, Frozen, Input, Note, sources_of
from assistant.tools.cost.span import Span

_SOURCE = "price × quantity; the option with the lower total is cheaper, whatever its hourly price"


class Option(RateRequest):
    """One way to do the work: a price or a card, and the hours it takes there."""

    label: Name
    hours: Hours
    gpus: Count = 1
    other: Money = Decimal(0)
    """Porting, storage, network and whatever else this way costs."""


class ComparisonRequest(Request):
    """Ways to do the same work; at least two."""

    options: tuple[Option, ...] = Field(min_length=2, max_length=20)


class OptionCost(Frozen):
    """What one option costs. `hours_to_match` is how long it may take to cost no more than the cheapest other one."""

    label: str
    gpu_name: str | None
    provider_name: str | None
    price_per_gpu_hour: Span
    gpus: int
    hours: Span
    total: Span
    hours_to_match: Span | None
    price_to_match: Span | None
    """Price per GPU and hour at which it costs no more than that other one."""
    stale: bool


class ComparisonResult(CostResult):
    """Options, the cheapest first. `cheapest` is None where ranges overlap or totals are equal."""

    currency: str
    options: tuple[OptionCost, ...]
    cheapest: str | None
    difference: Span | None
    """Between the cheapest and the next."""


def compare(
    request: ComparisonRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()
) -> ComparisonResult:
    """Compare options. Raises InvalidInput for unknown names, missing prices, or different currencies."""
    found = []
    inputs: list[Input] = []
    notes: list[Note] = []
    formulas: list[Formula] = []
    currencies: set[str] = set()
    for option in request.options:
        rate = hourly_rate(option, corpus, today=today, refreshed=refreshed)
        currencies.add(rate.currency)
        total = rate.price * option.gpus * option.hours + option.other
        more = ("+", option.other) if option.other else ()
        formulas.append(
            Formula(
                term=option.label,
                formula="price per GPU and hour × GPUs × hours + other costs",
                parts=(rate.price, "×", Decimal(option.gpus), "×", option.hours, *more),
                value=total,
                unit=rate.currency,
                source=_SOURCE,
            )
        )
        inputs += [item.model_copy(update={"label": item.label or option.label}) for item in rate.inputs]
        inputs.append(Input(name="hours", label=option.label, value=Span.of(option.hours), unit="h", origin="given"))
        notes += [note for note in rate.notes if note not in notes]
        found.append((option, rate, total))
    if len(currencies) > 1:
        raise InvalidInput(f"currency: the options are in {' and '.join(sorted(currencies))}.", "Use one currency.")
    found.sort(key=lambda item: (item[2].low, item[2].high, item[0].label))
    costs = tuple(
        OptionCost(
            label=option.label,
            gpu_name=rate.gpu_name,
            provider_name=rate.provider_name,
            price_per_gpu_hour=rate.price,
            gpus=option.gpus,
            hours=Span.of(option.hours),
            total=total,
            hours_to_match=_hours_to_match(option, rate.price, found[1 if place == 0 else 0][2]),
            price_to_match=_price_to_match(option, found[1 if place == 0 else 0][2]),
            stale=rate.stale,
        )
        for place, (option, rate, total) in enumerate(found)
    )
    clear = costs[0].total.high < costs[1].total.low
    return ComparisonResult(
        currency=currencies.pop(),
        options=costs,
        cheapest=costs[0].label if clear else None,
        difference=costs[1].total - costs[0].total if clear else None,
        formulas=tuple(formulas),
        inputs=tuple(inputs),
        assumptions=tuple(notes),
        sources=sources_of(tuple(inputs)),
    )


def _price_to_match(option: Option, other: Span) -> Span | None:
    """Price per GPU and hour at which the option costs what the other does; None where its fixed costs are more."""
    room = other - option.other
    if not room.exact or room.low <= 0 or option.hours <= 0:
        return None
    return room / (option.hours * option.gpus)


def _hours_to_match(option: Option, price: Span, other: Span) -> Span | None:
    """Hours at which the option costs what the other does; None where its fixed costs alone are more, or it is free."""
    room = other - option.other
    if not (room.exact and price.exact) or room.low <= 0 or price.low <= 0:
        return None
    return room / (price * option.gpus)
