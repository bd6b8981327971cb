"""What cards use in electricity, and what that costs."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.card_figures import card_figure
from assistant.tools.cost.names import find_gpu
from assistant.tools.cost.request import Count, Currency, FewDigits, Hours, Name, Request, Share, inputs_of
from assistant.tools.cost.result import CostResult, Formula, Input, Note, sources_of
from assistant.tools.cost.span import NumbersOnly, Span

HOURS_PER_MONTH = Decimal(730)
"""8,760 hours in a year ÷ 12."""

Watts = Annotated[Decimal, Field(gt=0, le=100_000), NumbersOnly(), FewDigits]
EnergyPrice = Annotated[Decimal, Field(ge=0, le=1_000), NumbersOnly(), FewDigits]
Effectiveness = Annotated[Decimal, Field(ge=1, le=10), NumbersOnly(), FewDigits]

_SOURCE = "power × time × PUE; a card's power is its maker's limit, which a running job may stay below"


class EnergyRequest(Request):
    """`power_per_gpu` in watts; None takes the card's own figure."""

    gpu: Name | None = None
    power_per_gpu: Watts | None = None
    gpus: Count = 1
    hours: Hours = HOURS_PER_MONTH
    utilisation: Share = Decimal(1)
    """Share of that time in which the cards draw their power; idle time is left out."""
    pue: Effectiveness = Decimal(1)
    """Power of the site ÷ power of the machines."""
    electricity_price: EnergyPrice | None = None
    """Per kWh, in `currency`; without it only the energy is told."""
    currency: Currency = "USD"


class EnergyResult(CostResult):
    """Energy in kilowatt-hours; `total` in `currency`, None where no price was given."""

    gpu_name: str | None
    gpus: int
    hours: Span
    power_per_gpu: Span
    energy: Span
    electricity_price: Span | None
    currency: str
    total: Span | None


def energy_used(watts: Span, hours: Decimal, pue: Decimal) -> Span:
    """Kilowatt-hours of so many watts for so long, with what the site takes beside the machines."""
    return watts / 1000 * hours * pue


def energy_cost(request: EnergyRequest, corpus: Corpus) -> EnergyResult:
    """What the cards use and what it costs. Raises InvalidInput where their power is neither given nor held."""
    card = find_gpu(request.gpu, corpus) if request.gpu is not None else None
    if request.power_per_gpu is not None:
        power = Input(name="power_per_gpu", value=Span.of(request.power_per_gpu), unit="W", origin="given")
    elif card is not None:
        power = card_figure(corpus, card.id, "power", "power_per_gpu", "W")
    else:
        raise InvalidInput("power_per_gpu: name a card, or give the watts of one.")
    energy = energy_used(power.value * request.gpus * request.utilisation, request.hours, request.pue)
    price = request.electricity_price
    total = energy * price if price is not None else None
    formulas = [
        Formula(
            term="energy",
            formula="watts per GPU × GPUs × share of time ÷ 1000 × hours × PUE",
            parts=(
                power.value, "×", Decimal(request.gpus), "×", request.utilisation, "÷ 1000 ×", request.hours, "×",
                request.pue,
            ),
            value=energy,
            unit="kWh",
            source=_SOURCE,
        )
    ]  # fmt: skip
    if total is not None and price is not None:
        formulas.append(
            Formula(
                term="energy_cost",
                formula="kilowatt-hours × price per kWh",
                parts=(energy, "×", price),
                value=total,
                unit=request.currency,
                source=_SOURCE,
            )
        )
    given = request.model_fields_set
    units = {"gpus": "gpu", "hours": "h", "utilisation": "", "pue": ""}
    if price is not None:
        units["electricity_price"] = f"{request.currency}/kWh"
    inputs = (power, *inputs_of(request, units))
    notes = [Note(code="power_is_limit")] if power.origin == "data" else []
    notes += [Note(code="energy_of_month")] if "hours" not in given else []
    notes += [Note(code="cards_alone")] if "pue" not in given else []
    return EnergyResult(
        gpu_name=card.name if card is not None else None,
        gpus=request.gpus,
        hours=Span.of(request.hours),
        power_per_gpu=power.value,
        energy=energy,
        electricity_price=Span.of(price) if price is not None else None,
        currency=request.currency,
        total=total,
        formulas=tuple(formulas),
        inputs=inputs,
        assumptions=tuple(notes),
        sources=sources_of(inputs),
    )
