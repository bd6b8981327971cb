"""Every step of a cost calculation can be worked out again from its numbers as they are printed."""

import math
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.knowledge.corpus import load_corpus
from assistant.settings import ROOT
from assistant.tools.cost.calculation import AnyResult, CostTables, calculate
from assistant.tools.cost.comparison import ComparisonRequest
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.migration import MigrationRequest
from assistant.tools.cost.ownership import OwnershipRequest, OwnershipResult
from assistant.tools.cost.rent import RentRequest
from assistant.tools.cost.tokens import TokensRequest, TokensResult
from assistant.tools.cost.training_run import TrainingRunRequest

TABLES = CostTables(load_corpus(ROOT / "corpus"), (), date(2026, 11, 30), read_cost_wording(ROOT / "corpus"))
Ends = tuple[float, float]
_SIGN = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e\d+)?(?:–-?\d[\d,]*(?:\.\d+)?(?:e\d+)?)?|[()⌈⌉+−×÷]")


def number(text: str) -> Ends:
    ends = [float(end.replace(",", "")) for end in text.split("–")]
    return ends[0], ends[-1]


def joined(sign: str, left: Ends, right: Ends) -> Ends:
    """A range with each end taken with each."""
    if sign == "+":
        return left[0] + right[0], left[1] + right[1]
    if sign == "−":
        return left[0] - right[1], left[1] - right[0]
    every = [a * b if sign == "×" else a / b for a in left for b in right]
    return min(every), max(every)


class Sum:
    """Brackets first, × and ÷ before + and −, from left to right."""

    def __init__(self, text: str) -> None:
        self.signs = _SIGN.findall(text)
        assert "".join(self.signs) == text.replace(" ", ""), text
        self.place = 0

    def next(self) -> str:
        return self.signs[self.place] if self.place < len(self.signs) else ""

    def take(self) -> str:
        self.place += 1
        return str(self.signs[self.place - 1])

    def sum(self) -> Ends:
        value = self.product()
        while self.next() in ("+", "−"):
            value = joined(self.take(), value, self.product())
        return value

    def product(self) -> Ends:
        value = self.atom()
        while self.next() in ("×", "÷"):
            value = joined(self.take(), value, self.atom())
        return value

    def atom(self) -> Ends:
        sign = self.take()
        if sign not in "(⌈":
            return number(sign)
        value = self.sum()
        self.take()
        return (math.ceil(value[0] - 1e-6), math.ceil(value[1] - 1e-6)) if sign == "⌈" else value


def checked(result: AnyResult) -> None:
    assert result.formulas
    for step in result.formulas:
        left, _, right = step.filled.rpartition(" = ")
        made, stated = Sum(left).sum(), number(right)
        for ours, theirs in zip(made, stated, strict=True):
            assert abs(ours - theirs) <= 1e-3 + 2e-4 * abs(theirs), (step.term, step.filled, made)
        assert step.source and step.formula


def money(most: int) -> st.SearchStrategy[Decimal]:
    return st.decimals(1, most, places=2)


share = st.decimals("0.05", 1, places=2)
cards = st.sampled_from(["H100 SXM", "H100", "B200", "H200"])
requests: st.SearchStrategy[Any] = st.one_of(
    st.builds(RentRequest, gpu=cards, gpus=st.integers(1, 64), hours=money(9000), utilisation=share,
              into=st.just("DKK"), rate=money(9)),
    st.builds(TrainingRunRequest, gpu=cards, gpus=st.integers(1, 512), parameters=st.just(Decimal(8 * 10**9)),
              tokens=st.integers(1, 15).map(lambda n: Decimal(n) * 10**12), storage=money(999), recovery=money(999),
              engineering=money(9999), success_rate=share),
    st.builds(TokensRequest, gpu=cards, gpus=st.integers(1, 16), throughput=money(9999), utilisation=share,
              other_per_hour=money(9)),
    st.builds(OwnershipRequest, gpu=st.just("H100 SXM"), gpus=st.integers(1, 16), purchase_price=money(400_000),
              electricity_price=st.decimals("0.01", 1, places=4), pue=st.decimals(1, 2, places=2), idle_share=share,
              residual_share=st.decimals(0, "0.5", places=2), hosting_per_month=money(900), other_power=money(4000)),
    st.builds(MigrationRequest, weeks=money(40), people=money(9), weekly_rate=money(5000),
              savings_per_month=money(9000), months=st.integers(1, 60).map(Decimal)),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(requests)
def test_every_step_is_worked_out_again(request: Any) -> None:
    checked(calculate(request, TABLES))


def test_a_comparison_too() -> None:
    options = [{"label": "A", "gpu": "H100 SXM", "hours": Decimal("40.5"), "gpus": 3, "other": Decimal("12.5")},
               {"label": "B", "price": Decimal("2.50"), "hours": Decimal(60)}]  # fmt: skip
    checked(calculate(ComparisonRequest.model_validate({"options": options}), TABLES))


def test_every_figure_of_a_scenario_and_of_a_month_has_a_step() -> None:
    owned = calculate(
        OwnershipRequest(gpu="H100 SXM", gpus=8, purchase_price=Decimal(280_000), electricity_price=Decimal("0.2")),
        TABLES,
    )
    assert isinstance(owned, OwnershipResult)
    for scenario in owned.scenarios:
        for term in ("energy_per_month", "running_per_month", "rent_per_month", "own_per_month",
                     "own_per_useful_gpu_hour", "rent_per_useful_gpu_hour"):  # fmt: skip
            assert getattr(scenario, term) in [step.value for step in owned.formulas if step.term == term]
    served = calculate(TokensRequest(gpu="B200", throughput=Decimal(2400)), TABLES)
    assert isinstance(served, TokensResult)
    stated = {step.term: step.value for step in served.formulas}
    assert stated["per_month"] == served.per_month and stated["tokens_per_month"] == served.tokens_per_month


@pytest.mark.parametrize("language", ["nl", "da", "zh", "en"])
def test_steps_are_written_as_the_language_does(language: Any) -> None:
    rented = calculate(RentRequest(gpu="H100 SXM", gpus=8, hours=Decimal(100)), TABLES)
    filled = rented.formulas[0].filled_in(language)
    assert ("3,49" in filled) == (language in ("nl", "da"))
