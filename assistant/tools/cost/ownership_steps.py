"""The steps of buying against renting, each with its numbers."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from assistant.tools.cost.energy import HOURS_PER_MONTH
from assistant.tools.cost.hourly_rate import HourlyRate
from assistant.tools.cost.result import Formula, Part
from assistant.tools.cost.span import Span

if TYPE_CHECKING:
    from assistant.tools.cost.ownership import OwnershipRequest, Scenario

_SOURCE = "purchase + months × (energy + cooling + hosting + operations) against months × rent"


def ownership_steps(
    request: "OwnershipRequest", rate: HourlyRate, power: Span, written_off: Span, scenarios: Sequence["Scenario"]
) -> tuple[Formula, ...]:
    """The write-off, what it takes to earn the purchase back, and each month of each scenario."""
    steps = [
        Formula(
            term="residual_value",
            formula="purchase price × resale share",
            parts=(request.purchase_price, "×", request.residual_share),
            value=Span.of(request.purchase_price) * request.residual_share,
            unit=rate.currency,
            source=_SOURCE,
        ),
        Formula(
            term="depreciation_per_month",
            formula="purchase price × (1 − resale share) ÷ months",
            parts=(request.purchase_price, "× (1 −", request.residual_share, ") ÷", request.years * 12),
            value=written_off,
            unit=f"{rate.currency}/month",
            source=_SOURCE,
        ),
    ]
    for scenario in scenarios:
        steps += _scenario_steps(request, rate, power, scenario)
    return tuple(steps)


def _scenario_steps(request: "OwnershipRequest", rate: HourlyRate, power: Span, scenario: "Scenario") -> list[Formula]:
    used, gpus = scenario.utilisation, Decimal(request.gpus)
    month, hour = f"{rate.currency}/month", f"{rate.currency}/h"

    def step(term: str, formula: str, value: Span, unit: str, *parts: Part) -> Formula:
        return Formula(term=term, formula=formula, parts=parts, value=value, unit=unit, source=_SOURCE)

    steps = [
        step(
            "energy_per_month",
            "(watts per GPU × GPUs × (use + idle × idle share) + other watts) ÷ 1000 × PUE × 730 h × price per kWh",
            scenario.energy_per_month, month,
            "(", power, "×", gpus, "× (", used, "+ (1 −", used, ") ×", request.idle_share, ") +", request.other_power,
            ") ÷ 1000 ×", request.pue, "×", HOURS_PER_MONTH, "×", request.electricity_price,
        ),
        step(
            "running_per_month", "energy + cooling + hosting + operations", scenario.running_per_month, month,
            scenario.energy_per_month, "+", request.cooling_per_month, "+", request.hosting_per_month, "+",
            request.operations_per_month,
        ),
        step(
            "rent_per_month", "price per GPU and hour × GPUs × 730 h × share of time rented", scenario.rent_per_month,
            month, rate.price, "×", gpus, "×", HOURS_PER_MONTH, "×", Span.of(1) if request.rent_when_idle else used,
        ),
        step(
            "own_per_month", "running costs + depreciation", scenario.own_per_month, month,
            scenario.running_per_month, "+", scenario.depreciation_per_month,
        ),
        step(
            "own_per_useful_gpu_hour",
            "owning per month ÷ (GPUs × 730 h × use)", scenario.own_per_useful_gpu_hour,
            hour,
            scenario.own_per_month, "÷ (", gpus, "×", HOURS_PER_MONTH, "×", used, ")",
        ),
        step(
            "rent_per_useful_gpu_hour",
            "rent per month ÷ (GPUs × 730 h × use)", scenario.rent_per_useful_gpu_hour,
            hour, scenario.rent_per_month, "÷ (", gpus, "×", HOURS_PER_MONTH, "×", used, ")",
        ),
    ]  # fmt: skip
    earliest, latest = scenario.break_even_month_earliest, scenario.break_even_month_latest
    if earliest is not None and latest is not None:
        steps.append(
            step(
                "break_even_month", "purchase price ÷ (rent per month − running costs), rounded up",
                Span(low=Decimal(earliest), high=Decimal(latest)), "month",
                "⌈", request.purchase_price, "÷ (", scenario.rent_per_month, "−", scenario.running_per_month, ")⌉",
            )
        )  # fmt: skip
    return steps
