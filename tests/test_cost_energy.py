"""What is true of what cards use in electricity, and of what that costs, from the tool to the chat's answer."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import InvalidInput
from assistant.knowledge.corpus import load_corpus
from assistant.tools.cost.energy import EnergyRequest, EnergyResult, energy_cost
from assistant.tools.cost.request import checked
from assistant.tools.cost.span import Span

CORPUS = load_corpus(Path(__file__).parent.parent / "corpus")


def energy(**fields: Any) -> EnergyResult:
    return energy_cost(checked(EnergyRequest, **fields), CORPUS)


def test_a_month_by_hand() -> None:
    result = energy(
        power_per_gpu=Decimal(1000), gpus=8, electricity_price=Decimal("0.25"), pue=Decimal("1.5"), currency="EUR"
    )
    assert result.energy == Span.of(Decimal(8760))
    assert result.total == Span.of(Decimal(2190))


def test_without_a_price_only_the_energy_is_told() -> None:
    result = energy(power_per_gpu=Decimal(350), hours=Decimal(10))
    assert result.energy == Span.of(Decimal("3.5")) and result.total is None


def test_a_card_brings_its_own_power_and_editions_a_range() -> None:
    assert energy(gpu="H100 SXM", hours=Decimal(1)).energy.exact
    editions = energy(gpu="H100", hours=Decimal(1)).energy
    assert editions.low < editions.high


@pytest.mark.parametrize("fields", [{}, {"gpu": "H900"}, {"gpu": "B200", "pue": Decimal("0.9")}, {"gpus": 0}])
def test_what_can_not_be_reckoned_is_refused_by_field(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"power_per_gpu|gpu|pue|gpus"):
        energy(**fields)


positive = st.decimals(min_value=1, max_value=1_000, places=2)


@given(watts=positive, hours=positive, price=positive, gpus=st.integers(1, 1000))
def test_twice_the_cards_cost_twice_as_much_and_formulas_invert(
    watts: Decimal, hours: Decimal, price: Decimal, gpus: int
) -> None:
    one = energy(power_per_gpu=watts, hours=hours, electricity_price=price, gpus=gpus)
    two = energy(power_per_gpu=watts, hours=hours, electricity_price=price, gpus=gpus * 2)
    assert one.total is not None and two.total is not None
    assert two.total.low == one.total.low * 2
    assert one.total.low / price / gpus / hours * 1000 == pytest.approx(watts)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Hvor meget strøm bruger en B200, og hvad koster det om måneden med 1 krone pr. kWh?", "730 kroner"),
        ("What is the electricity cost of a B200 running for a month at $0.30 per kWh?", "$219"),
        ("Wat kost een B200 aan stroom per jaar bij 0,25 euro per kWh?", "€ 2.190"),
        ("一张 B200 一个月电费多少，每千瓦时0.8元？", "584 元"),
        ("Hvad koster 2 kW i en måned ved 2 kr/kWh?", "2.920 kroner"),
    ],
)
def test_a_bill_that_is_asked_for_is_reckoned(assistant: Assistant, question: str, told: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered" and told in answer.text
    assert answer.tool_runs[-1].tool == "energy"


def test_how_much_power_a_card_draws_is_no_question_of_its_bill(assistant: Assistant) -> None:
    assert assistant.answer(Question(text="Hoeveel stroom verbruikt de B200?")).tool_runs == ()
