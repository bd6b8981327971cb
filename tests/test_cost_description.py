"""What is true of the text of cost results: the answer first, in the language's own notation, the same in all four."""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from assistant.knowledge.corpus import load_corpus
from assistant.language.formatting import format_number
from assistant.language.tongue import LANGUAGES, Language
from assistant.tools.cost.comparison import ComparisonRequest, compare
from assistant.tools.cost.describer import Describer, read_cost_wording, rounded
from assistant.tools.cost.description import (
    describe_comparison,
    describe_migration,
    describe_ownership,
    describe_rent,
    describe_tokens,
    describe_training_run,
)
from assistant.tools.cost.migration import MigrationRequest, migration
from assistant.tools.cost.ownership import OwnershipRequest, rent_or_buy
from assistant.tools.cost.rent import RentRequest, rent
from assistant.tools.cost.request import checked
from assistant.tools.cost.span import Span
from assistant.tools.cost.tokens import TokensRequest, cost_per_million_tokens
from assistant.tools.cost.training_run import TrainingRunRequest, training_run

FOLDER = Path(__file__).parent.parent / "corpus"
CORPUS = load_corpus(FOLDER)
WORDING = read_cost_wording(FOLDER)
TODAY = date(2026, 11, 30)

RENT = rent(
    checked(RentRequest, gpu="H100 SXM", gpus=8, hours=Decimal(730), utilisation=Decimal("0.6"), into="DKK"),
    CORPUS,
    today=TODAY,
)
UNPUBLISHED = rent(checked(RentRequest, gpu="MI300X", provider="RunPod"), CORPUS, today=TODAY)
UNHELD = rent(checked(RentRequest, gpu="B200", provider="CoreWeave"), CORPUS, today=TODAY)
TRAIN = training_run(
    checked(
        TrainingRunRequest, gpu="H100 SXM", gpus=512, parameters=Decimal("8e9"), tokens=Decimal("1e12"),
        success_rate=Decimal("0.8"), engineering=Decimal(1234),
    ),
    CORPUS, today=TODAY,
)  # fmt: skip
TOKENS = cost_per_million_tokens(
    checked(TokensRequest, price=Decimal("1.99"), throughput=Decimal(2400)), CORPUS, today=TODAY
)
COMPARED = compare(
    checked(
        ComparisonRequest,
        options=(
            {"label": "AMD", "price": Decimal("2.50"), "hours": Decimal(60)},
            {"label": "NVIDIA", "price": Decimal("3.50"), "hours": Decimal(40)},
        ),
    ),
    CORPUS,
    today=TODAY,
)
OWNED = rent_or_buy(
    checked(
        OwnershipRequest, gpu="H100 SXM", provider="Lambda", gpus=8, purchase_price=Decimal(280_000),
        electricity_price=Decimal("0.2"), residual_share=Decimal("0.1"),
    ),
    CORPUS, today=TODAY,
)  # fmt: skip
MOVED = migration(
    checked(
        MigrationRequest, weeks=Span(low=Decimal(6), high=Decimal(10)), people=Decimal(3), weekly_rate=Decimal(3000),
        savings_per_month=Decimal(5000),
    )
)  # fmt: skip

TEXTS: dict[str, Callable[[Language], str]] = {
    "rent": lambda language: describe_rent(RENT, language, WORDING),
    "unpublished": lambda language: describe_rent(UNPUBLISHED, language, WORDING),
    "unheld": lambda language: describe_rent(UNHELD, language, WORDING),
    "train": lambda language: describe_training_run(TRAIN, language, WORDING),
    "tokens": lambda language: describe_tokens(TOKENS, language, WORDING),
    "compare": lambda language: describe_comparison(COMPARED, language, WORDING),
    "own": lambda language: describe_ownership(OWNED, language, WORDING),
    "move": lambda language: describe_migration(MOVED, language, WORDING),
}


def bare_digits(text: str) -> list[str]:
    """All figures of a text without their separators, in sorted order; months are names but in Chinese."""
    text = re.sub(r"\d+ 月", "", text)
    return sorted(re.sub(r"[.,]", "", figure) for figure in re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_result_reads_as_text_in_every_language(name: str, language: Language) -> None:
    text = TEXTS[name](language)
    assert text.strip()
    assert not re.search(r"\{\w*\}|None|Decimal|  |^\s*[a-zæøå]", text), text
    assert bool(re.search(r"[\u4e00-\u9fff]", text)) is (language == "zh")


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("rent", "unpublished", "unheld")])
def test_the_same_figures_in_every_language(name: str) -> None:
    expected = bare_digits(TEXTS[name]("en"))
    for language in LANGUAGES:
        assert bare_digits(TEXTS[name](language)) == expected, language


def test_the_first_sentence_is_the_answer() -> None:
    firsts = {language: describe_comparison(COMPARED, language, WORDING).split(". ")[0] for language in LANGUAGES}
    assert firsts["en"] == "NVIDIA is cheapest: $140 against $150 for AMD, a difference of $10"
    assert firsts["nl"].startswith("NVIDIA is het voordeligst: 140 dollar tegen 150 dollar")
    assert firsts["da"].startswith("NVIDIA er billigst: 140 dollar mod 150 dollar")
    assert firsts["zh"].startswith("NVIDIA 最便宜：140 美元")


def test_numbers_follow_the_language() -> None:
    assert "20.381,60 tot 23.301,60 dollar" in describe_rent(RENT, "nl", WORDING)
    assert "20.381,60 til 23.301,60 dollar" in describe_rent(RENT, "da", WORDING)
    assert "20,381.60–23,301.60 美元" in describe_rent(RENT, "zh", WORDING)
    assert "$20,381.60–23,301.60" in describe_rent(RENT, "en", WORDING)


def test_a_stale_price_says_its_date_and_that_it_is_old() -> None:
    for language, month in (
        ("nl", "september 2026"),
        ("da", "september 2026"),
        ("zh", "2026 年 9 月"),
        ("en", "September 2026"),
    ):
        text = describe_rent(RENT, language, WORDING)  # type: ignore[arg-type]
        assert month in text
        assert "30" in text


def test_an_unpublished_price_is_said_to_be_so() -> None:
    assert describe_rent(UNPUBLISHED, "en", WORDING).startswith("RunPod publishes no hourly price for the AMD Instinct")
    assert describe_rent(UNHELD, "en", WORDING).startswith(
        "The sources do not say what the NVIDIA B200 costs at CoreWeave."
    )
    assert "RunPod" in describe_rent(UNHELD, "en", WORDING)


def test_small_amounts_keep_the_digits_that_tell_them_apart() -> None:
    writer = Describer(WORDING, "da")
    assert writer.money(Span.of(Decimal("0.00423")), "USD") == "0,0042 dollar"
    assert writer.money(Span.of(Decimal("0.23032407")), "USD") == "0,23 dollar"
    assert writer.money(Span.of(Decimal("1234567.891")), "USD") == "1.234.568 dollar"
    assert writer.money(Span.of(Decimal("12345.67")), "USD") == "12.345,67 dollar"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_input_is_shown_with_its_origin(language: Language) -> None:
    writer = Describer(WORDING, language)
    for result in (RENT, TRAIN, TOKENS, COMPARED, OWNED, MOVED):
        lines = writer.input_lines(result)
        assert len(lines) == len(result.inputs)
        assert all(line.strip() and "None" not in line for line in lines)
    assert any("CUDA vs ROCm 10" in line for line in writer.input_lines(RENT))


def test_no_assumption_goes_unsaid() -> None:
    for language in LANGUAGES:
        writer = Describer(WORDING, language)
        for result, text in (
            (RENT, TEXTS["rent"]),
            (TRAIN, TEXTS["train"]),
            (OWNED, TEXTS["own"]),
            (MOVED, TEXTS["move"]),
        ):
            for note in writer.notes(result):
                assert note in text(language)


def test_an_absurdly_large_amount_is_written_and_not_refused() -> None:
    assert rounded(Decimal("1e300")) == Decimal("1e300")
    assert format_number(Decimal("1e300"), "en", 2).startswith("1,000,000")
