"""What is true of renting costs: exact sums, dated prices, and nothing invented where no price is published."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.knowledge.period import Period
from assistant.language.tongue import Translated
from assistant.tools.cost.price import Offer, is_stale
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.request import checked, read_number, read_share, read_span
from assistant.tools.cost.span import Span

CORPUS = load_corpus(Path(__file__).parent.parent / "corpus")
SEPTEMBER = date(2026, 9, 20)
NOVEMBER = date(2026, 11, 30)

prices = st.decimals(min_value=0, max_value=1000, places=2)
hours = st.decimals(min_value=Decimal("0.25"), max_value=100_000, places=2)
counts = st.integers(min_value=1, max_value=1000)
shares = st.decimals(min_value=Decimal("0.01"), max_value=1, places=2)


def cost(today: date = SEPTEMBER, corpus: Corpus = CORPUS, **fields: Any) -> RentResult:
    return rent(checked(RentRequest, **fields), corpus, today=today)


def exactly(amount: str) -> Span:
    return Span.of(Decimal(amount))


def test_the_examples_of_the_sources_come_out_exactly() -> None:
    assert cost(price=Decimal("2.50"), hours=Decimal(60)).total == exactly("150")
    assert cost(price=Decimal("3.50"), hours=Decimal(40)).total == exactly("140")


def test_kroner_at_a_rate_of_seven() -> None:
    h100 = cost(gpu="H100 PCIe", provider="RunPod", into="DKK", rate=Decimal(7))
    b200 = cost(gpu="B200", provider="RunPod", into="DKK", rate=Decimal(7))
    assert h100.converted is not None
    assert b200.converted is not None
    assert (h100.converted.amount, h100.converted.about) == (exactly("13.93"), exactly("14"))
    assert (b200.converted.amount, b200.converted.about) == (exactly("47.53"), exactly("48"))


def test_the_rate_that_a_source_states_is_used_with_its_date() -> None:
    converted = cost(gpu="B200", provider="RunPod", into="DKK", today=NOVEMBER).converted
    assert converted is not None
    assert converted.rate.rate == exactly("7")
    assert converted.rate.as_of == Period("2026-09")
    assert converted.rate.stale
    assert converted.rate.approx


def test_a_currency_without_a_rate_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rate: no exchange rate from USD to CNY"):
        cost(gpu="B200", into="CNY")


def test_a_price_that_the_user_gives_wins() -> None:
    result = cost(gpu="H100 SXM", provider="Lambda", price=Decimal(2), hours=Decimal(10))
    assert result.total == exactly("20")
    assert [item.origin for item in result.inputs if item.name == "price_per_gpu_hour"] == ["given"]
    assert not result.stale


def test_several_prices_stay_a_range_with_each_offer_listed() -> None:
    result = cost(gpu="H100", gpus=2, hours=Decimal(10))
    assert result.price_per_gpu_hour == Span(low=Decimal("1.99"), high=Decimal("3.99"))
    assert result.total == Span(low=Decimal("39.80"), high=Decimal("79.80"))
    assert [item.total for item in result.offers] == [exactly("39.8"), exactly("69.8"), exactly("79.8")]


def test_a_card_without_its_form_factor_means_all_its_editions() -> None:
    result = cost(gpu="B200")
    assert {item.provider_name for item in result.offers} == {"RunPod", "Lambda"}
    assert result.price_per_gpu_hour == Span(low=Decimal("6.69"), high=Decimal("6.99"))


def test_a_range_of_one_provider_stays_a_range() -> None:
    assert cost(gpu="H200", provider="RunPod", hours=Decimal(100)).total == Span(low=Decimal(359), high=Decimal(459))


def test_every_price_carries_its_source_and_date() -> None:
    (price,) = [item for item in cost(gpu="B200", provider="RunPod").inputs if item.name == "price_per_gpu_hour"]
    assert (price.source, price.as_of) == ("CUDA vs ROCm 10", Period("2026-09"))


@pytest.mark.parametrize(
    ("today", "stale"), [(SEPTEMBER, False), (date(2026, 10, 30), False), (date(2026, 10, 31), True), (NOVEMBER, True)]
)
def test_a_price_goes_stale_thirty_days_after_its_month(today: date, stale: bool) -> None:
    result = cost(gpu="B200", provider="RunPod", today=today)
    assert result.stale is stale
    assert any(note.code == "stale_price" for note in result.assumptions) is stale


def test_no_price_is_invented_where_none_is_published() -> None:
    result = cost(gpu="MI300X", provider="TensorWave", hours=Decimal(100))
    assert (result.status, result.total) == ("not_published", None)
    assert result.alternatives == ()
    assert cost(gpu="MI325X").status == "not_published"


def test_a_provider_whose_price_is_not_held_gets_no_price_of_another() -> None:
    result = cost(gpu="B200", provider="CoreWeave")
    assert (result.status, result.total) == ("no_price_held", None)
    assert {item.provider_name for item in result.alternatives} == {"RunPod", "Lambda"}


def test_a_more_exact_name_finds_the_price_of_the_less_exact_one_and_says_so() -> None:
    result = cost(gpu="H200 SXM", provider="RunPod")
    assert result.price_per_gpu_hour == Span(low=Decimal("3.59"), high=Decimal("4.59"))
    assert any(note.code == "other_edition" for note in result.assumptions)


def test_fresh_offers_are_preferred_to_stale_ones() -> None:
    note = Translated(nl="x", da="x", zh="x", en="x")
    fresh = Offer(
        gpu="nvidia-b200", provider="runpod", price=exactly("5"), currency="USD", kind="on_demand", note=note,
        as_of=Period("2026-11-29"), source="gpuhunt", origin="refreshed",
    )  # fmt: skip
    request = checked(RentRequest, gpu="B200", provider="RunPod")
    assert rent(request, CORPUS, today=NOVEMBER, refreshed=[fresh]).price_per_gpu_hour == exactly("5")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"gpu": "H900"}, r"gpu: 'H900' is not a known card\. Nearest: .*H[128]00"),
        ({"gpu": "RTX 4095"}, r"Nearest: .*RTX 4090"),
        ({"gpu": "H100", "provider": "Lamda"}, r"provider: 'Lamda' is not a known provider\. Nearest: Lambda"),
        ({"gpu": "H100", "gpus": 0}, "^gpus: "),
        ({"gpu": "H100", "gpus": -3}, "^gpus: "),
        ({"gpu": "H100", "hours": Decimal("NaN")}, "^hours: "),
        ({"gpu": "H100", "hours": Decimal("Infinity")}, "^hours: "),
        ({"gpu": "H100", "hours": Decimal("1e30")}, "^hours: must be at most"),
        ({"gpu": "H100", "hours": Decimal(0)}, "^hours: "),
        ({"gpu": "H100", "price": Decimal(-1)}, "^price: "),
        ({"gpu": "H100", "price": Span(low=Decimal(-1), high=Decimal(1))}, "^price: must not be negative"),
        ({"gpu": "H100", "utilisation": Decimal("1.5")}, "^utilisation: "),
        ({"gpu": "H100", "utilisation": Decimal(0)}, "^utilisation: "),
        ({}, "^gpu: name a card"),
    ],
)
def test_what_cannot_be_reckoned_with_is_refused_in_one_line(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem) as refused:
        cost(**fields)
    assert "\n" not in str(refused.value)


@given(price=prices, cards=counts, time=hours)
def test_the_bill_is_exact(price: Decimal, cards: int, time: Decimal) -> None:
    total = cost(price=price, gpus=cards, hours=time).total
    assert total is not None
    cents = int(price * 100) * cards * int(time * 100)
    assert total.low == total.high
    assert total.low * 10_000 == cents


@given(price=prices, cards=counts, time=hours, more=counts)
def test_more_cards_or_hours_never_cost_less(price: Decimal, cards: int, time: Decimal, more: int) -> None:
    base = cost(price=price, gpus=cards, hours=time).total
    wider = cost(price=price, gpus=cards + more, hours=time).total
    longer = cost(price=price, gpus=cards, hours=time + more).total
    assert base is not None and wider is not None and longer is not None
    assert base.low <= wider.low
    assert base.low <= longer.low


@given(price=prices, time=hours, share=shares)
def test_utilisation_makes_useful_hours_dearer_and_leaves_the_bill(
    price: Decimal, time: Decimal, share: Decimal
) -> None:
    full, part = cost(price=price, hours=time), cost(price=price, hours=time, utilisation=share)
    assert part.total == full.total
    assert part.per_useful_gpu_hour is not None and part.total_if_stopped_when_idle is not None
    assert part.total_if_stopped_when_idle.low == price * time * share
    assert part.per_useful_gpu_hour.low >= price
    assert abs(part.per_useful_gpu_hour.low * share - price) < Decimal("1e-20")


@given(low=prices, high=prices, time=hours)
def test_a_range_of_prices_bounds_the_bill(low: Decimal, high: Decimal, time: Decimal) -> None:
    low, high = sorted((low, high))
    total = cost(price=Span(low=low, high=high), hours=time).total
    assert total == Span(low=low * time, high=high * time)


@given(first=prices, second=prices, third=prices)
def test_spans_add_and_multiply_as_numbers_do(first: Decimal, second: Decimal, third: Decimal) -> None:
    a, b, c = (Span.of(number) for number in (first, second, third))
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) * c == a * c + b * c


def test_formulas_carry_their_numbers() -> None:
    result = cost(gpu="H100 SXM", provider="Lambda", gpus=2, hours=Decimal(24))
    assert result.formulas[0].filled == "3.99 × 2 × 24 = 191.52"
    assert result.formulas[0].filled_in("nl") == "3,99 × 2 × 24 = 191,52"


@pytest.mark.parametrize(
    ("text", "number"), [("1.99", "1.99"), ("70B", "7e10"), ("15T", "1.5e13"), ("512k", "512000"), (" 8 ", "8")]
)
def test_numbers_are_read_as_written(text: str, number: str) -> None:
    assert read_number("x", text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "nan", "inf", "1,99", "ten", "0x10", "1e9999", "--3", "٣"])
def test_what_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^price: "):
        read_number("price", text)


def test_shares_and_ranges_are_read() -> None:
    assert read_share("u", "60%") == read_share("u", "0.6") == Decimal("0.6")
    assert read_span("p", "3.59..4.59") == Span(low=Decimal("3.59"), high=Decimal("4.59"))
    with pytest.raises(InvalidInput, match="from high to low"):
        read_span("p", "5..4")


def test_staleness_counts_from_the_last_day_of_the_period() -> None:
    assert not is_stale(Period("2026-09"), date(2026, 10, 30), 30)
    assert is_stale(Period("2026-09-01"), date(2026, 10, 2), 30)
