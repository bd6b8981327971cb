"""Buying against renting: purchase, power, cooling, hosting, operations, depreciation, resale, and the break-even."""

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Literal

from pydantic import Field, StrictBool, model_validator

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.card_figures import card_figure
from assistant.tools.cost.energy import HOURS_PER_MONTH, Effectiveness, EnergyPrice, Watts, energy_used
from assistant.tools.cost.hourly_rate import HourlyRate, RateRequest, hourly_rate
from assistant.tools.cost.ownership_steps import ownership_steps
from assistant.tools.cost.price import Offer
from assistant.tools.cost.request import Count, FewDigits, Money, Share, inputs_of
from assistant.tools.cost.result import CostResult, Frozen, Input, Note, sources_of
from assistant.tools.cost.span import EXACT, NumbersOnly, Span

USUAL_PUE = Decimal("1.54")
USUAL_IDLE_SHARE = Decimal("0.2")
PUE_SOURCE = "Uptime Institute, Global Data Center Survey 2025 (weighted average)"
IDLE_SOURCE = "nvidia-smi of idle B200 and H100 NVL cards: 0.16 to 0.24 of the power limit"
USUAL_UTILISATIONS = (Decimal("0.3"), Decimal("0.6"), Decimal("0.9"))
MONTHS_SHOWN_AT_MOST = 120
# Costs of owning that count as nothing where none is given.
_EXTRAS = ("cooling_per_month", "hosting_per_month", "operations_per_month", "other_power")


OtherWatts = Annotated[Decimal, Field(ge=0, le=1_000_000), NumbersOnly(), FewDigits]
Years = Annotated[Decimal, Field(gt=0, le=20), NumbersOnly(), FewDigits]
ShareOrNone = Annotated[Decimal, Field(ge=0, le=1), NumbersOnly(), FewDigits]


class OwnershipRequest(RateRequest):
    """All money in `currency`, the currency of the rent."""

    gpus: Count = 1
    purchase_price: Money
    """For all cards with their servers and network."""
    electricity_price: EnergyPrice = Decimal(0)
    """Per kWh; electricity is left out, and the result says so, where none is given."""
    power_per_gpu: Watts | None = None
    """Watts of one busy card; None takes the card's own figure."""
    other_power: OtherWatts = Decimal(0)
    """Watts of processors, memory, fans and network for all cards together."""
    idle_share: ShareOrNone = USUAL_IDLE_SHARE
    """Share of a busy card's power that an idle one draws."""
    pue: Effectiveness = USUAL_PUE
    """Power of the site ÷ power of the machines."""
    cooling_per_month: Money = Decimal(0)
    """Cooling that the PUE doesn't cover."""
    hosting_per_month: Money = Decimal(0)
    operations_per_month: Money = Decimal(0)
    """Staff, support contracts, spare parts."""
    years: Years = Decimal(4)
    """Time in which the purchase is written off."""
    residual_share: ShareOrNone = Decimal(0)
    """Share of the purchase price that a sale brings at the end."""
    utilisations: tuple[Share, ...] = Field(default=USUAL_UTILISATIONS, min_length=1, max_length=10)
    rent_when_idle: StrictBool = False
    """True where rented cards are kept, and paid for, while they are idle."""

    @model_validator(mode="after")
    def _in_order(self) -> "OwnershipRequest":
        if list(self.utilisations) != sorted(set(self.utilisations)):
            raise ValueError("utilisations: give each share once, the lowest first")
        return self


class Scenario(Frozen):
    """Owning and renting at one utilisation; a break-even month of None means never within the write-off."""

    utilisation: Span
    rent_per_month: Span
    energy_per_month: Span
    running_per_month: Span
    depreciation_per_month: Span
    own_per_month: Span
    """Running costs and depreciation."""
    own_per_useful_gpu_hour: Span
    rent_per_useful_gpu_hour: Span
    break_even_month_earliest: int | None
    break_even_month_latest: int | None
    cheaper: Literal["buy", "rent", "undecided"]
    """Over the write-off, resale included; undecided where the range of the rent price holds both."""


class OwnershipResult(CostResult):
    """Three scenarios unless others were asked for, and the utilisation above which owning is cheaper."""

    gpu_name: str | None
    gpus: int
    currency: str
    purchase_price: Span
    residual_value: Span
    months: Span
    price_per_gpu_hour: Span
    scenarios: tuple[Scenario, ...]
    break_even_utilisation: Span | None
    """None where owning is dearer even at full use."""
    stale: bool = False


class MonthPoint(Frozen):
    """What has been spent by the end of a month."""

    month: int
    own: Span
    rent: Span


def rent_or_buy(
    request: OwnershipRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()
) -> OwnershipResult:
    """Compare. Raises InvalidInput where the card's rent or power is neither given nor held."""
    rate = hourly_rate(request, corpus, today=today, refreshed=refreshed)
    power = _power(request, corpus, rate)
    months = Span.of(request.years) * 12
    residual = Span.of(request.purchase_price) * request.residual_share
    written_off = (Span.of(request.purchase_price) - residual) / months
    scenarios = tuple(_scenario(share, request, rate, power.value, written_off) for share in request.utilisations)
    inputs = (*rate.inputs, power, *_inputs(request, rate.currency))
    notes = [*rate.notes, Note(code="rented_when_idle" if request.rent_when_idle else "rented_by_need")]
    for name, code in (("pue", "usual_pue"), ("idle_share", "usual_idle"), ("years", "usual_years")):
        of_power = name in ("pue", "idle_share")
        if name not in request.model_fields_set and not (of_power and request.electricity_price == 0):
            notes.append(Note(code=code, values={name: Span.of(getattr(request, name))}))
    if "electricity_price" not in request.model_fields_set:
        notes.append(Note(code="no_electricity_price"))
    if "residual_share" not in request.model_fields_set:
        notes.append(Note(code="no_resale"))
    left_out = [name for name in _EXTRAS if name not in request.model_fields_set]
    if left_out:
        notes.append(Note(code="terms_left_out", values={"terms": ", ".join(left_out)}))
    return OwnershipResult(
        gpu_name=rate.gpu_name,
        gpus=request.gpus,
        currency=rate.currency,
        purchase_price=Span.of(request.purchase_price),
        residual_value=residual,
        months=months,
        price_per_gpu_hour=rate.price,
        scenarios=scenarios,
        break_even_utilisation=_break_even_utilisation(request, rate, power.value, written_off),
        stale=rate.stale,
        formulas=ownership_steps(request, rate, power.value, written_off, scenarios),
        inputs=inputs,
        assumptions=tuple(notes),
        sources=sources_of(inputs),
    )


def spent_by_month(result: OwnershipResult, scenario: Scenario) -> tuple[MonthPoint, ...]:
    """Cumulative spending month by month, for a chart; resale counts in the last month."""
    last = min(int(result.months.low), MONTHS_SHOWN_AT_MOST)
    points = []
    for month in range(last + 1):
        own = result.purchase_price + scenario.running_per_month * month
        if month == result.months.low:
            own = own - result.residual_value
        points.append(MonthPoint(month=month, own=own, rent=scenario.rent_per_month * month))
    return tuple(points)


def _power(request: OwnershipRequest, corpus: Corpus, rate: HourlyRate) -> Input:
    if request.power_per_gpu is not None:
        return Input(name="power_per_gpu", value=Span.of(request.power_per_gpu), unit="W", origin="given")
    if rate.gpu is None:
        raise InvalidInput("power_per_gpu: name a card (gpu), or give the watts of one.")
    return card_figure(corpus, rate.gpu, "power", "power_per_gpu", "W")


def _energy(request: OwnershipRequest, power: Span, utilisation: Decimal) -> Span:
    """Kilowatts × PUE × hours × price, for a month."""
    busy = EXACT.add(utilisation, EXACT.multiply(EXACT.subtract(Decimal(1), utilisation), request.idle_share))
    watts = power * request.gpus * busy + request.other_power
    return energy_used(watts, HOURS_PER_MONTH, request.pue) * request.electricity_price


def _fixed(request: OwnershipRequest) -> Span:
    return Span.of(request.cooling_per_month) + request.hosting_per_month + request.operations_per_month


def _rent(request: OwnershipRequest, rate: HourlyRate, utilisation: Decimal) -> Span:
    share = Decimal(1) if request.rent_when_idle else utilisation
    return rate.price * request.gpus * HOURS_PER_MONTH * share


def _scenario(
    utilisation: Decimal, request: OwnershipRequest, rate: HourlyRate, power: Span, written_off: Span
) -> Scenario:
    energy = _energy(request, power, utilisation)
    running = energy + _fixed(request)
    rented = _rent(request, rate, utilisation)
    own = running + written_off
    useful_hours = Span.of(utilisation) * request.gpus * HOURS_PER_MONTH
    limit = int((request.years * 12).to_integral_value(rounding=ROUND_CEILING))
    purchase = request.purchase_price
    cheaper: Literal["buy", "rent", "undecided"] = "undecided"
    if own.high < rented.low:
        cheaper = "buy"
    elif own.low > rented.high:
        cheaper = "rent"
    return Scenario(
        utilisation=Span.of(utilisation),
        rent_per_month=rented,
        energy_per_month=energy,
        running_per_month=running,
        depreciation_per_month=written_off,
        own_per_month=own,
        own_per_useful_gpu_hour=own / useful_hours,
        rent_per_useful_gpu_hour=rented / useful_hours,
        break_even_month_earliest=_break_even(purchase, rented.high, running.low, limit),
        break_even_month_latest=_break_even(purchase, rented.low, running.high, limit),
        cheaper=cheaper,
    )


def _break_even(purchase: Decimal, rented: Decimal, running: Decimal, limit: int) -> int | None:
    """First month by whose end purchase + months × running ≤ months × rent; None if later than `limit`."""
    saved = EXACT.subtract(rented, running)
    if saved <= 0:
        return None
    month = int(EXACT.divide(purchase, saved).to_integral_value(rounding=ROUND_CEILING))
    return month if month <= limit else None


def _break_even_utilisation(request: OwnershipRequest, rate: HourlyRate, power: Span, written_off: Span) -> Span | None:
    """Utilisation at which a month of owning costs a month of renting; both are linear in it."""
    if request.rent_when_idle:
        return None
    idle = _energy(request, power, Decimal(0)) + _fixed(request) + written_off
    slope_own = _energy(request, power, Decimal(1)) - _energy(request, power, Decimal(0))
    full_rent = _rent(request, rate, Decimal(1))
    shares: list[Decimal] = []
    for rented, more, fixed in (
        (full_rent.high, slope_own.low, idle.low),
        (full_rent.low, slope_own.high, idle.high),
    ):
        slope = EXACT.subtract(rented, more)
        if slope <= 0:
            return None
        shares.append(EXACT.divide(fixed, slope))
    if shares[0] > 1:
        return None
    return Span(low=shares[0], high=max(shares[0], min(shares[1], Decimal(1))))


def _inputs(request: OwnershipRequest, currency: str) -> tuple[Input, ...]:
    units = {
        "gpus": "gpu", "purchase_price": currency, "electricity_price": f"{currency}/kWh", "other_power": "W",
        "idle_share": "", "pue": "", "cooling_per_month": f"{currency}/month",
        "hosting_per_month": f"{currency}/month", "operations_per_month": f"{currency}/month", "years": "year",
        "residual_share": "",
    }  # fmt: skip
    assumed_from = {"pue": PUE_SOURCE, "idle_share": IDLE_SOURCE}
    return inputs_of(request, units, assumed_from)
