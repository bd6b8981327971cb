"""What would change an answer: every change that is named does what it says when it is made."""

from datetime import date
from decimal import Decimal

import pytest

from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.language.tongue import LANGUAGES
from assistant.settings import ROOT
from assistant.tools.cost.comparison import ComparisonRequest, Option, compare
from assistant.tools.cost.describer import Describer, read_cost_wording
from assistant.tools.cost.migration import MigrationRequest, migration
from assistant.tools.cost.ownership import OwnershipRequest, rent_or_buy
from assistant.tools.cost.rent import RentRequest, rent
from assistant.tools.cost.result import Change, CostResult, Money, Quantity
from assistant.tools.cost.tokens import TokensRequest, cost_per_million_tokens
from assistant.tools.cost.training_run import TrainingRunRequest, training_run
from assistant.tools.cost.turning_points import turning_points
from assistant.tools.memory.card import Card
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.description import describe_fit
from assistant.tools.memory.fit import answer, estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, Remedy
from assistant.tools.memory.sizing import Subject
from assistant.tools.memory.turning_points import last_that_fits

CATALOGUE = open_catalogue(ROOT / "corpus")
CARDS = tuple(CATALOGUE.cards.values())
TODAY = date(2026, 11, 30)
CORPUS: Corpus = load_corpus(ROOT / "corpus")


def amount(changes: tuple[Change, ...], code: str, name: str) -> Decimal:
    """The exact amount of a change."""
    value = next(change.values[name] for change in changes if change.code == code)
    assert isinstance(value, Money | Quantity)
    assert value.amount.exact
    return value.amount.low


def run(request: FitRequest, subject: Subject, card: Card, turn: Remedy) -> FitResult:
    """The estimate with the change that a remedy or turning point names."""
    change = dict(turn.change)
    on = CATALOGUE.card(str(change.pop("gpu"))) if "gpu" in change else card
    return answer(FitRequest.model_validate(request.model_dump() | change), subject, on)


@pytest.mark.parametrize(
    ("model", "card", "choices"),
    [
        ("llama-3.3-70b", "H100 SXM", {"weights": "int4", "gpus": 2}),
        ("llama-3.1-8b", "RTX 4090", {"task": "qlora", "sequence": 1024}),
        ("qwen3-32b", "RTX 5090", {"weights": "q4_k_m"}),
        ("gpt-oss-20b", "L40S", {"engine": "sglang"}),
    ],
)
def test_a_fit_ends_where_it_is_said_to_end(model: str, card: str, choices: dict[str, object]) -> None:
    request, subject, on = FitRequest.model_validate(choices), CATALOGUE.model(model), CATALOGUE.card(card)
    found = estimate_fit(request, subject, on, CARDS)
    assert found.verdict == "fits" and found.remedies == () and found.would_change
    for turn in found.would_change:
        again = run(request, subject, on, turn)
        assert (again.verdict, again.per_gpu.total, again.per_gpu.usable) == (turn.verdict, turn.total, turn.usable)
        if turn.code.startswith("limit_"):
            field, value = next(iter(turn.change.items()))
            assert isinstance(value, int)
            last = answer(FitRequest.model_validate(request.model_dump() | {field: value - 1}), subject, on)
            assert last.verdict == "fits" and turn.verdict != "fits"
        elif turn.code in ("fewer_gpus", "smaller_card", "four_bits_fewer_gpus"):
            assert turn.verdict == "fits"
        else:
            assert turn.verdict != "fits"


def test_a_fit_that_fails_names_its_remedies_as_what_would_change_it() -> None:
    found = estimate_fit(FitRequest(), CATALOGUE.model("llama-3.3-70b"), CATALOGUE.card("H100 SXM"), CARDS)
    assert found.remedies and found.would_change == found.remedies


def test_fewer_cards_and_a_smaller_card_are_named_where_they_do() -> None:
    model, card = CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100 SXM")
    codes = {turn.code: turn for turn in estimate_fit(FitRequest(gpus=4), model, card, CARDS).would_change}
    assert codes["fewer_gpus"].change == {"gpus": 1}
    smaller = CATALOGUE.card(str(codes["smaller_card"].change["gpu"]))
    assert answer(FitRequest(gpus=4), model, smaller).verdict == "fits"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_would_change_a_fit_is_told_in_every_language(language: str) -> None:
    found = estimate_fit(FitRequest(gpus=4), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100 SXM"), CARDS)
    text = describe_fit(found, language)  # type: ignore[arg-type]
    assert sum(line.startswith("- ") for line in text.splitlines()) >= len(found.would_change)


@pytest.mark.parametrize("last", [3, 4, 17, 1000])
def test_the_last_value_that_fits_is_found(last: int) -> None:
    assert last_that_fits(lambda value: value <= last, 3, 1000) == last


def test_seventy_billion_in_16_bits_do_not_fit_because_the_weights_alone_would() -> None:
    found = estimate_fit(
        FitRequest(weights="bf16"), CATALOGUE.subject(None, 70_000_000_000), CATALOGUE.card("H200"), CARDS
    )
    assert found.verdict == "does_not_fit"
    text = describe_fit(found, "en")
    assert "140.0 GB, less than the card's 141 GB" in text and "does not mean that the model fits" in text


def test_comparison_turns_at_the_hours_and_the_price_that_are_named() -> None:
    options = (
        Option(label="AMD", price=Decimal("2.50"), hours=Decimal(60)),
        Option(label="NVIDIA", price=Decimal("3.50"), hours=Decimal(40)),
    )
    turns = turning_points(compare(ComparisonRequest(options=options), CORPUS, today=TODAY))
    assert amount(turns, "change_cheapest_hours", "hours") * Decimal("3.5") == pytest.approx(150)
    assert amount(turns, "change_other_price", "price") * 60 == pytest.approx(140)


def test_owning_and_renting_cost_the_same_at_the_prices_that_are_named() -> None:
    given = OwnershipRequest(
        price=Decimal("3.20"),
        gpus=8,
        purchase_price=Decimal(280_000),
        electricity_price=Decimal("0.2"),
        power_per_gpu=Decimal(700),
        residual_share=Decimal("0.1"),
    )
    turns = turning_points(rent_or_buy(given, CORPUS, today=TODAY))
    rented = given.model_copy(update={"price": round(amount(turns, "change_rent_price", "price"), 9)})
    middle = rent_or_buy(rented, CORPUS, today=TODAY).scenarios[1]
    assert middle.own_per_month.low == pytest.approx(middle.rent_per_month.low)
    price = amount(turns, "change_purchase_price", "price").quantize(Decimal("0.01"))
    bought = rent_or_buy(given.model_copy(update={"purchase_price": price}), CORPUS, today=TODAY).scenarios[1]
    assert bought.own_per_month.low == pytest.approx(bought.rent_per_month.low)


def test_a_higher_share_of_the_peak_saves_what_is_named() -> None:
    given = TrainingRunRequest(
        price=Decimal(3), gpus=8, parameters=Decimal(8 * 10**9), tokens=Decimal(10**11),
        peak_tflops=Decimal(989), mfu=Decimal("0.4"), engineering=Decimal(1000),
    )  # fmt: skip
    found = training_run(given, CORPUS, today=TODAY)
    turns = turning_points(found)
    better = training_run(given.model_copy(update={"mfu": Decimal("0.5")}), CORPUS, today=TODAY)
    assert found.total.low - better.total.low == pytest.approx(amount(turns, "change_mfu", "amount"))
    assert amount(turns, "change_one_failure", "total") == pytest.approx(found.total.low * 2 - 1000)


def test_migration_pays_from_the_savings_and_the_months_that_are_named() -> None:
    given = MigrationRequest(
        weeks=Decimal(6), people=Decimal(3), weekly_rate=Decimal(3000), savings_per_month=Decimal(5000),
        months=Decimal(36),
    )  # fmt: skip
    turns = turning_points(migration(given))
    saved = given.model_copy(update={"savings_per_month": amount(turns, "change_savings", "amount")})
    assert migration(saved).net.low == pytest.approx(0)
    kept = given.model_copy(update={"months": amount(turns, "change_months", "months")})
    assert migration(kept).net.low == pytest.approx(0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_changes_are_told_in_every_language(language: str) -> None:
    writer = Describer(read_cost_wording(ROOT / "corpus"), language)  # type: ignore[arg-type]
    results: list[CostResult] = [
        rent(RentRequest(gpu="H100 SXM", gpus=8, hours=Decimal(100), utilisation=Decimal("0.5")), CORPUS, today=TODAY),
        cost_per_million_tokens(TokensRequest(gpu="B200", throughput=Decimal(2400)), CORPUS, today=TODAY),
        cost_per_million_tokens(
            TokensRequest(gpu="B200", throughput=Decimal(2400), utilisation=Decimal("0.5")), CORPUS, today=TODAY
        ),
    ]
    for result in results:
        assert len(writer.changes(result).splitlines()) == len(turning_points(result)) + 1


def test_an_unpriced_rent_has_nothing_to_change() -> None:
    writer = Describer(read_cost_wording(ROOT / "corpus"), "en")
    found = rent(RentRequest(gpu="H200 SXM", provider="Lambda"), CORPUS, today=TODAY)
    assert found.total is not None or writer.changes(found) == ""
