"""Whether a migration pays: weeks × people × rate, once, against what it saves each month."""

from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Literal

from pydantic import Field

from assistant.tools.cost.ownership import MONTHS_SHOWN_AT_MOST
from assistant.tools.cost.request import Currency, FewDigits, Money, Request, inputs_of
from assistant.tools.cost.result import CostResult, Formula, Frozen, Note
from assistant.tools.cost.span import EXACT, NumbersOnly, Span

_SOURCE = "engineering time + retesting, once, against savings each month"

Weeks = Annotated[Decimal, Field(gt=0, le=1_000), NumbersOnly(), FewDigits]
People = Annotated[Decimal, Field(gt=0, le=10_000), NumbersOnly(), FewDigits]
Months = Annotated[Decimal, Field(gt=0, le=600), NumbersOnly(), FewDigits]


class MigrationRequest(Request):
    """Moving a workload to another platform."""

    weeks: Weeks | Span = Field(union_mode="left_to_right")
    people: People
    weekly_rate: Money
    """What one person costs for one week."""
    one_off: Money = Decimal(0)
    """Retesting, parallel running, licences, training of the team."""
    savings_per_month: Money | Span = Field(union_mode="left_to_right")
    """What the new platform costs less each month; nought or more."""
    months: Months = Decimal(36)
    """How long the workload will still run."""
    currency: Currency = "USD"


class MigrationResult(CostResult):
    """`net` is savings minus cost over `months`; a payback month of None means not within them."""

    currency: str
    cost: Span
    savings: Span
    net: Span
    months: Span
    payback_month_earliest: int | None
    payback_month_latest: int | None
    pays: Literal["yes", "no", "undecided"]


class MonthSaved(Frozen):
    """What has been spent on the migration and saved by it at the end of a month."""

    month: int
    cost: Span
    saved: Span


def migration(request: MigrationRequest) -> MigrationResult:
    """Cost, savings, net result and payback of a migration."""
    weeks = Span.of(request.weeks)
    monthly = Span.of(request.savings_per_month)
    cost = weeks * request.people * request.weekly_rate + request.one_off
    savings = monthly * request.months
    net = savings - cost
    pays: Literal["yes", "no", "undecided"] = "undecided"
    if net.low > 0:
        pays = "yes"
    elif net.high <= 0:
        pays = "no"
    formulas = (
        Formula(
            term="cost",
            formula="weeks × people × weekly rate + one-off costs",
            parts=(weeks, "×", request.people, "×", request.weekly_rate, "+", request.one_off),
            value=cost,
            unit=request.currency,
            source=_SOURCE,
        ),
        Formula(
            term="savings",
            formula="savings per month × months",
            parts=(monthly, "×", request.months),
            value=savings,
            unit=request.currency,
            source=_SOURCE,
        ),
        Formula(
            term="net",
            formula="savings − cost",
            parts=(savings, "−", cost),
            value=net,
            unit=request.currency,
            source=_SOURCE,
        ),
    )
    units = {"weeks": "week", "people": "", "weekly_rate": request.currency, "one_off": request.currency,
             "savings_per_month": f"{request.currency}/month", "months": "month"}  # fmt: skip
    inputs = inputs_of(request, units)
    notes: tuple[Note, ...] = ()
    if "months" not in request.model_fields_set:
        notes = (Note(code="usual_months", values={"months": Span.of(request.months)}),)
    return MigrationResult(
        currency=request.currency,
        cost=cost,
        savings=savings,
        net=net,
        months=Span.of(request.months),
        payback_month_earliest=_payback(cost.low, monthly.high, request.months),
        payback_month_latest=_payback(cost.high, monthly.low, request.months),
        pays=pays,
        formulas=formulas,
        inputs=inputs,
        assumptions=notes,
    )


def saved_by_month(result: MigrationResult) -> tuple[MonthSaved, ...]:
    """Savings month by month beside what they have to make up for, for a chart."""
    monthly = result.savings / result.months
    last = min(int(result.months.low), MONTHS_SHOWN_AT_MOST)
    return tuple(MonthSaved(month=month, cost=result.cost, saved=monthly * month) for month in range(last + 1))


def _payback(cost: Decimal, monthly: Decimal, limit: Decimal) -> int | None:
    if monthly <= 0:
        return None
    month = EXACT.divide(cost, monthly).to_integral_value(rounding=ROUND_CEILING)
    return int(month) if month <= limit else None
