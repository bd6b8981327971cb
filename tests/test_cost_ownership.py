"""What is true of buying against renting, and of migrations."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import load_corpus
from assistant.tools.cost.migration import MigrationRequest, MigrationResult, migration
from assistant.tools.cost.ownership import OwnershipRequest, OwnershipResult, rent_or_buy, spent_by_month
from assistant.tools.cost.request import checked
from assistant.tools.cost.span import Span

CORPUS = load_corpus(Path(__file__).parent.parent / "corpus")
TODAY = date(2026, 9, 20)
PLAIN = {"idle_share": Decimal(0), "pue": Decimal(1), "power_per_gpu": Decimal(1000)}


def own(**fields: Any) -> OwnershipResult:
    return rent_or_buy(checked(OwnershipRequest, **fields), CORPUS, today=TODAY)


def migrate(**fields: Any) -> MigrationResult:
    return migration(checked(MigrationRequest, **fields))


def exactly(amount: str) -> Span:
    return Span.of(Decimal(amount))


def test_a_month_of_owning_and_renting_by_hand() -> None:
    result = own(
        price=Decimal(2), gpus=8, purchase_price=Decimal(96_000), electricity_price=Decimal("0.1"), years=Decimal(4),
        hosting_per_month=Decimal(500), operations_per_month=Decimal(300), cooling_per_month=Decimal(200),
        utilisations=(Decimal("0.5"), Decimal(1)), **PLAIN,
    )  # fmt: skip
    half, full = result.scenarios
    assert full.energy_per_month == exactly("584")  # 8 kW × 730 h × 0.1
    assert half.energy_per_month == exactly("292")
    assert full.running_per_month == exactly("1584")
    assert full.depreciation_per_month == exactly("2000")
    assert full.own_per_month == exactly("3584")
    assert full.rent_per_month == exactly("11680")
    assert half.rent_per_month == exactly("5840")
    assert full.break_even_month_earliest == full.break_even_month_latest == 10  # 96,000 ÷ 10,096 = 9.5
    assert (full.cheaper, half.cheaper) == ("buy", "buy")


def test_three_utilisations_unless_others_are_asked_for() -> None:
    result = own(price=Decimal(2), purchase_price=Decimal(30_000), electricity_price=Decimal("0.2"), **PLAIN)
    assert [float(scenario.utilisation.low) for scenario in result.scenarios] == [0.3, 0.6, 0.9]


def test_pue_and_idle_power_raise_the_energy() -> None:
    fields: dict[str, Any] = {
        "price": Decimal(2), "purchase_price": Decimal(30_000), "electricity_price": Decimal("0.2"),
        "power_per_gpu": Decimal(1000), "utilisations": (Decimal("0.5"),),
    }  # fmt: skip
    lean = own(**fields, pue=Decimal(1), idle_share=Decimal(0)).scenarios[0].energy_per_month.low
    assert own(**fields, pue=Decimal("1.5"), idle_share=Decimal(0)).scenarios[0].energy_per_month.low == lean * Decimal(
        "1.5"
    )
    assert own(**fields, pue=Decimal(1), idle_share=Decimal(1)).scenarios[0].energy_per_month.low == lean * 2


def test_the_power_of_the_card_comes_from_its_specification() -> None:
    result = own(gpu="H100 SXM", price=Decimal(2), purchase_price=Decimal(30_000), electricity_price=Decimal("0.2"))
    (power,) = [item for item in result.inputs if item.name == "power_per_gpu"]
    assert (power.value, power.origin) == (exactly("700"), "data")


def test_below_the_break_even_utilisation_renting_is_cheaper_and_above_it_buying() -> None:
    fields: dict[str, Any] = {
        "price": Decimal(3), "gpus": 8, "purchase_price": Decimal(250_000), "electricity_price": Decimal("0.25"),
        "power_per_gpu": Decimal(700), "hosting_per_month": Decimal(1000),
    }  # fmt: skip
    share = own(**fields).break_even_utilisation
    assert share is not None
    assert share.exact
    below, above = share.low - Decimal("0.01"), share.low + Decimal("0.01")
    low, high = own(
        **fields, utilisations=(below.quantize(Decimal("0.001")), above.quantize(Decimal("0.001")))
    ).scenarios
    assert (low.cheaper, high.cheaper) == ("rent", "buy")


def test_buying_that_never_pays_says_so() -> None:
    result = own(price=Decimal("0.1"), purchase_price=Decimal(30_000), electricity_price=Decimal("0.3"), **PLAIN)
    assert result.break_even_utilisation is None
    assert {scenario.break_even_month_earliest for scenario in result.scenarios} == {None}
    assert {scenario.cheaper for scenario in result.scenarios} == {"rent"}


def test_a_range_of_rents_gives_a_range_of_months() -> None:
    result = own(
        gpu="H100", purchase_price=Decimal(20_000), electricity_price=Decimal("0.1"), power_per_gpu=Decimal(700),
        utilisations=(Decimal(1),),
    )  # fmt: skip
    scenario = result.scenarios[0]
    assert scenario.break_even_month_earliest is not None
    assert scenario.break_even_month_latest is not None
    assert scenario.break_even_month_earliest < scenario.break_even_month_latest


def test_the_curve_starts_with_the_purchase_and_ends_with_the_resale() -> None:
    result = own(
        price=Decimal(2), purchase_price=Decimal(10_000), electricity_price=Decimal(0), years=Decimal(1),
        residual_share=Decimal("0.4"), utilisations=(Decimal(1),), **PLAIN,
    )  # fmt: skip
    points = spent_by_month(result, result.scenarios[0])
    assert [point.month for point in points] == list(range(13))
    assert (points[0].own, points[0].rent) == (exactly("10000"), exactly("0"))
    assert points[-1].own == exactly("6000")
    assert points[-1].rent == exactly("17520")


amounts = st.decimals(min_value=0, max_value=100_000, places=2)


@given(
    price=st.decimals(Decimal("0.1"), 20, places=2),
    purchase=st.decimals(1000, 500_000, places=2),
    energy=st.decimals(0, 1, places=3),
    fixed=amounts,
)
def test_the_break_even_month_is_the_first_in_which_owning_has_cost_no_more(
    price: Decimal, purchase: Decimal, energy: Decimal, fixed: Decimal
) -> None:
    result = own(
        price=price, purchase_price=purchase, electricity_price=energy, hosting_per_month=fixed, years=Decimal(4),
        utilisations=(Decimal("0.7"),), power_per_gpu=Decimal(500),
    )  # fmt: skip
    scenario = result.scenarios[0]
    month = scenario.break_even_month_earliest
    spent = [(point.own.low, point.rent.low) for point in spent_by_month(result, scenario)]
    if month is None:
        assert all(mine > rented for mine, rented in spent)
    else:
        assert spent[month][0] <= spent[month][1]
        assert month == 0 or spent[month - 1][0] > spent[month - 1][1]


@given(share=st.decimals(Decimal("0.05"), Decimal("0.95"), places=2), purchase=st.decimals(1000, 500_000, places=2))
def test_more_use_never_makes_a_useful_hour_of_an_owned_card_dearer(share: Decimal, purchase: Decimal) -> None:
    result = own(
        price=Decimal(2), purchase_price=purchase, electricity_price=Decimal("0.2"), power_per_gpu=Decimal(700),
        utilisations=(share, Decimal(1)),
    )  # fmt: skip
    less, more = result.scenarios
    assert more.own_per_useful_gpu_hour.low <= less.own_per_useful_gpu_hour.low
    assert more.own_per_month.low >= less.own_per_month.low


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"pue": Decimal("0.9")}, "pue"),
        ({"years": Decimal(0)}, "years"),
        ({"residual_share": Decimal("1.1")}, "residual_share"),
        ({"purchase_price": Decimal("1e30")}, "purchase_price"),
        ({"electricity_price": Decimal("NaN")}, "electricity_price"),
        ({"utilisations": (Decimal("0.9"), Decimal("0.3"))}, "utilisations"),
        ({"utilisations": (Decimal(2),)}, "utilisations"),
    ],
)
def test_absurd_inputs_are_named(fields: dict[str, Any], field: str) -> None:
    usual = {
        "price": Decimal(2),
        "purchase_price": Decimal(1),
        "electricity_price": Decimal(0),
        "power_per_gpu": Decimal(1),
    }
    with pytest.raises(InvalidInput, match=f"^{field}"):
        own(**{**usual, **fields})


def test_power_that_is_not_known_is_asked_for() -> None:
    with pytest.raises(InvalidInput, match=r"^power_per_gpu: "):
        own(price=Decimal(2), purchase_price=Decimal(1), electricity_price=Decimal(0))


def test_a_migration_by_hand() -> None:
    result = migrate(
        weeks=Decimal(8), people=Decimal(3), weekly_rate=Decimal(2500), one_off=Decimal(10_000),
        savings_per_month=Decimal(5000), months=Decimal(24),
    )  # fmt: skip
    assert result.cost == exactly("70000")
    assert result.savings == exactly("120000")
    assert result.net == exactly("50000")
    assert result.payback_month_earliest == result.payback_month_latest == 14
    assert result.pays == "yes"


def test_a_range_may_leave_it_undecided() -> None:
    result = migrate(
        weeks=Span(low=Decimal(4), high=Decimal(40)), people=Decimal(2), weekly_rate=Decimal(2500),
        savings_per_month=Decimal(3000), months=Decimal(24),
    )  # fmt: skip
    assert (result.net.low, result.net.high) == (Decimal(-128_000), Decimal(52_000))
    assert result.pays == "undecided"


def test_no_savings_never_pay() -> None:
    result = migrate(weeks=Decimal(1), people=Decimal(1), weekly_rate=Decimal(1), savings_per_month=Decimal(0))
    assert (result.pays, result.payback_month_earliest) == ("no", None)


def test_negative_savings_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^savings_per_month: "):
        migrate(weeks=Decimal(1), people=Decimal(1), weekly_rate=Decimal(1), savings_per_month=Decimal(-1))
