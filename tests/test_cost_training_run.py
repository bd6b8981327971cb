"""What is true of training runs, tokens and comparisons."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import load_corpus
from assistant.tools.cost.comparison import ComparisonRequest, ComparisonResult, compare
from assistant.tools.cost.request import checked
from assistant.tools.cost.span import Span
from assistant.tools.cost.tokens import TokensRequest, TokensResult, cost_per_million_tokens
from assistant.tools.cost.training_run import Terms, TrainingRunRequest, TrainingRunResult, training_run

CORPUS = load_corpus(Path(__file__).parent.parent / "corpus")
TODAY = date(2026, 9, 20)

money = st.decimals(min_value=0, max_value=1_000_000, places=2)
shares = st.decimals(min_value=Decimal("0.05"), max_value=1, places=2)


def run(**fields: Any) -> TrainingRunResult:
    return training_run(checked(TrainingRunRequest, **fields), CORPUS, today=TODAY)


def tokens(**fields: Any) -> TokensResult:
    return cost_per_million_tokens(checked(TokensRequest, **fields), CORPUS, today=TODAY)


def compared(*options: dict[str, Any]) -> ComparisonResult:
    return compare(checked(ComparisonRequest, options=options), CORPUS, today=TODAY)


def exactly(amount: str) -> Span:
    return Span.of(Decimal(amount))


def test_the_sources_example_costs_150_and_140_dollars() -> None:
    assert run(price=Decimal("2.50"), hours=Decimal(60)).total == exactly("150")
    assert run(price=Decimal("3.50"), hours=Decimal(40)).total == exactly("140")


def test_every_term_counts() -> None:
    result = run(
        price=Decimal(2), hours=Decimal(100), gpus=8, storage=Decimal(50), networking=Decimal(60),
        software=Decimal(70), recovery=Decimal(80), engineering=Decimal(1000),
    )  # fmt: skip
    assert result.terms.compute == exactly("1600")
    assert result.total == exactly("2860")
    assert result.formulas[-1].filled == "1,600 + 50 + 60 + 70 + 80 + 1,000 = 2,860"


def test_failed_attempts_are_paid_for_and_engineering_only_once() -> None:
    result = run(price=Decimal(1), hours=Decimal(100), success_rate=Decimal("0.8"), engineering=Decimal(500))
    assert result.total == exactly("600")
    assert result.per_completed_run == exactly("625")


def test_hours_follow_from_parameters_tokens_peak_and_mfu() -> None:
    result = run(
        price=Decimal(2), gpus=1000, parameters=Decimal("7e10"), tokens=Decimal("1.5e13"), peak_tflops=Decimal(1000),
        mfu=Decimal("0.5"),
    )  # fmt: skip
    assert result.flops == exactly("6.3e24")
    assert result.gpu_hours == exactly("3500000")
    assert result.hours == exactly("3500")
    assert result.total == exactly("7000000")


def test_the_peak_of_the_card_is_the_dense_one() -> None:
    result = run(gpu="H100 SXM", price=Decimal(1), parameters=Decimal("8e9"), tokens=Decimal("1e12"), mfu=Decimal(1))
    (peak,) = [item for item in result.inputs if item.name == "peak_tflops"]
    assert peak.value == exactly("989")


def test_without_an_mfu_the_answer_is_a_range_and_says_why() -> None:
    result = run(gpu="A100 80GB SXM", price=Decimal(1), parameters=Decimal("7e10"), tokens=Decimal("2e12"))
    assert result.total.low < result.total.high
    assert any(note.code == "usual_mfu" for note in result.assumptions)
    assert result.gpu_hours.low * Decimal("0.43") == result.gpu_hours.high * Decimal("0.35")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"price": Decimal(1)}, "^hours: give the hours"),
        ({"price": Decimal(1), "parameters": Decimal("7e9")}, "^hours: give the hours"),
        ({"price": Decimal(1), "parameters": Decimal("7e9"), "tokens": Decimal("1e12")}, "^peak_tflops: "),
        ({"gpu": "MI300X", "hours": Decimal(1)}, "^price: no price is published for the AMD Instinct MI300X"),
        ({"gpu": "A100", "hours": Decimal(1)}, "^price: no price is held for the NVIDIA A100"),
        ({"price": Decimal(1), "hours": Decimal(1), "success_rate": Decimal(0)}, "^success_rate: "),
        ({"price": Decimal(1), "hours": Decimal(1), "storage": Decimal(-5)}, "^storage: "),
        ({"price": Decimal(1), "tokens": Decimal("1e30"), "parameters": Decimal(1)}, "^tokens: "),
        (
            {"gpu": "H100 SXM", "precision": "fp8", "parameters": Decimal("7e9"), "tokens": Decimal("1e12")},
            "^mfu: no usual share of the FP8 peak",
        ),
    ],
)
def test_what_is_missing_or_absurd_is_named(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        run(**fields)


@given(amounts=st.lists(money, min_size=5, max_size=5), price=money, success=shares)
def test_terms_add_up(amounts: list[Decimal], price: Decimal, success: Decimal) -> None:
    names = [name for name in Terms.model_fields if name != "compute"]
    result = run(price=price, hours=Decimal(10), success_rate=success, **dict(zip(names, amounts, strict=True)))
    assert result.total.low == price * 10 + sum(amounts)
    assert result.per_completed_run.low >= result.total.low


@given(
    parameters=st.integers(10**6, 10**13), tokens_=st.integers(10**6, 10**14), mfu=shares, cards=st.integers(1, 10**5)
)
def test_training_hours_invert(parameters: int, tokens_: int, mfu: Decimal, cards: int) -> None:
    result = run(
        price=Decimal(1), parameters=Decimal(parameters), tokens=Decimal(tokens_), mfu=mfu, gpus=cards,
        peak_tflops=Decimal(989),
    )  # fmt: skip
    work = result.hours.low * cards * Decimal("989e12") * mfu * 3600
    expected = Decimal(6) * parameters * tokens_
    assert abs(work - expected) / expected < Decimal("1e-20")


def test_a_million_tokens() -> None:
    result = tokens(price=Decimal("3.6"), throughput=Decimal(1000), gpus=2, utilisation=Decimal("0.5"))
    assert result.per_hour == exactly("7.2")
    assert result.tokens_per_hour == exactly("1800000")
    assert result.per_million_tokens == exactly("4")


@given(price=st.decimals(1, 100, places=2), speed=st.integers(1, 10**6), share=shares)
def test_half_the_utilisation_doubles_the_price_of_a_token(price: Decimal, speed: int, share: Decimal) -> None:
    full = tokens(price=price, throughput=Decimal(speed), utilisation=share).per_million_tokens.low
    half = tokens(price=price, throughput=Decimal(speed), utilisation=share / 2).per_million_tokens.low
    assert abs(half / full - 2) < Decimal("1e-20")
    hourly = full / 1_000_000 * speed * 3600 * share
    assert abs(hourly - price) < Decimal("1e-20")


@pytest.mark.parametrize("speed", ["0", "-1", "1e30", "NaN"])
def test_a_throughput_that_cannot_be_is_refused(speed: str) -> None:
    with pytest.raises(InvalidInput, match=r"^throughput: "):
        tokens(price=Decimal(1), throughput=Decimal(speed))


def test_the_dearer_hour_can_be_the_cheaper_run() -> None:
    result = compared(
        {"label": "AMD", "price": Decimal("2.50"), "hours": Decimal(60)},
        {"label": "NVIDIA", "price": Decimal("3.50"), "hours": Decimal(40)},
    )
    assert result.cheapest == "NVIDIA"
    assert result.difference == exactly("10")
    assert [option.total for option in result.options] == [exactly("140"), exactly("150")]
    assert result.options[1].hours_to_match == exactly("56")


def test_overlapping_ranges_have_no_winner() -> None:
    result = compared(
        {"label": "a", "gpu": "H200", "provider": "RunPod", "hours": Decimal(10)},
        {"label": "b", "price": Decimal(4), "hours": Decimal(10)},
    )
    assert result.cheapest is None


def test_options_in_two_currencies_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^currency: "):
        compared(
            {"label": "a", "price": Decimal(1), "currency": "EUR", "hours": Decimal(1)},
            {"label": "b", "price": Decimal(1), "hours": Decimal(1)},
        )
