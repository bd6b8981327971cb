"""What would change the answer of a cost calculation: break-even values, and what one step more or less would make."""

from decimal import Decimal
from functools import singledispatch

from assistant.tools.cost.comparison import ComparisonResult
from assistant.tools.cost.energy import HOURS_PER_MONTH, EnergyResult
from assistant.tools.cost.migration import MigrationResult
from assistant.tools.cost.ownership import PUE_SOURCE, USUAL_PUE, OwnershipResult
from assistant.tools.cost.rent import OfferCost, RentResult
from assistant.tools.cost.result import Change, CostResult, Money, Quantity
from assistant.tools.cost.span import Span
from assistant.tools.cost.tokens import TokensResult
from assistant.tools.cost.training_run import TrainingRunResult

_TENTH = Decimal("0.1")


@singledispatch
def turning_points(result: CostResult) -> tuple[Change, ...]:
    """The changes worth knowing beside a result, each computed from its own amounts; empty where there are none."""
    return ()


@turning_points.register
def _(result: RentResult) -> tuple[Change, ...]:
    if result.total is None or result.price_per_gpu_hour is None:
        return ()

    def money(amount: Span) -> Money:
        return Money(amount=amount, currency=result.currency)

    price = result.price_per_gpu_hour
    if result.gpus == 1 and result.hours == Span.of(Decimal(1)) and result.utilisation.low == 1:
        # A bare price: what it comes to says more than what it is made of.
        whole_month = Change(code="change_whole_month", values={"amount": money(price * HOURS_PER_MONTH)})
        return (
            *_cheapest_offer(result),
            whole_month,
            Change(code="change_price", values={"amount": money(price * _TENTH)}),
        )
    changes = [
        *_cheapest_offer(result),
        Change(code="change_card", values={"amount": money(price * result.hours)}),
        Change(code="change_hour", values={"amount": money(price * result.gpus)}),
        Change(code="change_price", values={"amount": money(result.total * _TENTH)}),
    ]
    if result.utilisation.low < 1:
        changes.append(Change(code="change_fully_used", values={"price": money(price)}))
    return tuple(changes)


def _cheapest_offer(result: RentResult) -> tuple[Change, ...]:
    """The offer with the lowest bill, where offers differ."""
    bills: list[tuple[Span, OfferCost]] = [
        (cost.total, cost)
        for cost in result.offers
        if cost.total is not None and cost.offer.currency == result.currency
    ]
    if len({(bill.low, bill.high) for bill, _ in bills}) < 2:
        return ()
    bill, cost = min(bills, key=lambda item: (item[0].low, item[0].high, item[1].provider_name))
    return (
        Change(
            code="change_provider",
            values={
                "provider": cost.provider_name,
                "gpu": cost.gpu_name,
                "total": Money(amount=bill, currency=result.currency),
            },
        ),
    )


@turning_points.register
def _(result: TrainingRunResult) -> tuple[Change, ...]:
    def money(amount: Span) -> Money:
        return Money(amount=amount, currency=result.currency)

    compute = result.terms.compute
    changes = [Change(code="change_price", values={"amount": money(compute * _TENTH)})]
    if result.mfu is not None and result.mfu.high + _TENTH <= 1:
        more = result.mfu + _TENTH
        # Ends of the ranges belong together: the lowest cost comes with the highest share of the peak.
        saved = Span(
            low=compute.low * _TENTH / more.high,
            high=max(compute.low * _TENTH / more.high, compute.high * _TENTH / more.low),
        )
        changes.append(Change(code="change_mfu", values={"mfu": Quantity.share(more), "amount": money(saved)}))
    if result.success_rate.low == 1:
        once_more = result.total + result.total - result.terms.engineering
        changes.append(Change(code="change_one_failure", values={"total": money(once_more)}))
    if result.gpus > 1:
        hours = Quantity(amount=result.hours * 2, unit="h")
        changes.append(Change(code="change_half_the_cards", values={"hours": hours}))
    return tuple(changes)


@turning_points.register
def _(result: TokensResult) -> tuple[Change, ...]:
    price = result.per_million_tokens

    def money(amount: Span) -> Money:
        return Money(amount=amount, currency=result.currency)

    used = ("change_fully_used_tokens", price * result.utilisation)
    if result.utilisation.low == 1:
        used = ("change_half_used_tokens", price * 2)
    return (
        Change(code="change_paid_service", values={"price": money(price)}),
        Change(code="change_throughput", values={"price": money(price / 2)}),
        Change(code=used[0], values={"price": money(used[1])}),
    )


@turning_points.register
def _(result: ComparisonResult) -> tuple[Change, ...]:
    if result.cheapest is None:
        return ()
    first, second = result.options[0], result.options[1]
    changes: list[Change] = []
    if first.hours_to_match is not None:
        hours = Quantity(amount=first.hours_to_match, unit="h")
        changes.append(Change(code="change_cheapest_hours", values={"label": first.label, "hours": hours}))
    if first.total.exact and second.price_to_match is not None:
        price = Money(amount=second.price_to_match, currency=result.currency)
        changes.append(Change(code="change_other_price", values={"label": second.label, "price": price}))
    return tuple(changes)


@turning_points.register
def _(result: OwnershipResult) -> tuple[Change, ...]:
    """Until when renting is cheaper, and rent and purchase price at which both cost the same, at the middle use."""
    scenario = result.scenarios[len(result.scenarios) // 2]
    at = Quantity.share(scenario.utilisation)
    changes: list[Change] = [*_until_break_even(result)]
    if result.price_per_gpu_hour.low > 0:
        rented_hours = scenario.rent_per_month.low / result.price_per_gpu_hour.low
        equal = Money(amount=scenario.own_per_month / rented_hours, currency=result.currency)
        changes.append(Change(code="change_rent_price", values={"utilisation": at, "price": equal}))
    left = scenario.rent_per_month - scenario.running_per_month
    if left.high > 0 and result.residual_value.high < result.purchase_price.low:
        written_off = (result.purchase_price - result.residual_value) / result.purchase_price
        worth = Span(low=max(left.low, Decimal(0)), high=left.high) * result.months / written_off
        price = Money(amount=worth, currency=result.currency)
        changes.append(Change(code="change_purchase_price", values={"utilisation": at, "price": price}))
    return tuple(changes)


def _until_break_even(result: OwnershipResult) -> tuple[Change, ...]:
    """For each utilisation, the month until which renting costs less in all, or that it does for the whole time."""
    changes: list[Change] = []
    for scenario in result.scenarios:
        earliest, latest = scenario.break_even_month_earliest, scenario.break_even_month_latest
        values: dict[str, Money | Quantity | str] = {"utilisation": Quantity.share(scenario.utilisation)}
        if earliest is None:
            months = Quantity(amount=result.months, unit="month")
            changes.append(Change(code="change_rent_throughout", values={**values, "months": months}))
        elif latest is None:
            changes.append(Change(code="change_rent_until_at_least", values={**values, "month": str(earliest)}))
        elif latest > earliest:
            between = {"earliest": str(earliest), "latest": str(latest)}
            changes.append(Change(code="change_rent_until_between", values={**values, **between}))
        else:
            changes.append(Change(code="change_rent_until", values={**values, "month": str(earliest)}))
    return tuple(changes)


@turning_points.register
def _(result: MigrationResult) -> tuple[Change, ...]:
    saved = Money(amount=result.cost / result.months, currency=result.currency)
    changes = [Change(code="change_savings", values={"amount": saved})]
    if result.savings.low > 0:
        months = Quantity(amount=result.cost * result.months / result.savings, unit="month")
        changes.append(Change(code="change_months", values={"months": months}))
    return tuple(changes)


@turning_points.register
def _(result: EnergyResult) -> tuple[Change, ...]:
    """What a tenth of a unit of money more a kilowatt-hour makes, and the overhead of a usual data centre."""
    changes: list[Change] = []
    if result.total is not None:
        tenth = Money(amount=result.energy * _TENTH, currency=result.currency)
        step = Money(amount=Span.of(_TENTH), currency=result.currency)
        changes.append(Change(code="change_electricity_price", values={"step": step, "amount": tenth}))
    if _without_overhead(result):
        more = result.energy * USUAL_PUE
        values: dict[str, Money | Quantity | str] = {
            "pue": Quantity(amount=Span.of(USUAL_PUE), unit=""),
            "energy": Quantity(amount=more, unit="kWh"),
            "source": PUE_SOURCE,
        }
        changes.append(Change(code="change_pue", values=values))
    return tuple(changes)


def _without_overhead(result: EnergyResult) -> bool:
    return any(item.name == "pue" and item.value.high == 1 for item in result.inputs)
