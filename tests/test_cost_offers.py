"""What is true of present offers: read on the user's machine, kept apart from the curated prices, and dated."""

import builtins
import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import load_corpus
from assistant.knowledge.period import Period
from assistant.language.tongue import LANGUAGES, Language
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.hourly_rate import RateRequest, hourly_rate
from assistant.tools.cost.offers import OffersError, kept_offers, refresh, summarise
from assistant.tools.cost.rent import RentRequest, rent
from assistant.tools.cost.span import Span

FOLDER = Path(__file__).parent.parent / "corpus"
CORPUS = load_corpus(FOLDER)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def item(**fields: Any) -> Any:
    usual = {
        "provider": "runpod", "instance_name": "H100", "location": "EU", "price": 2.5, "gpu_count": 1,
        "gpu_name": "H100", "gpu_memory": 80.0, "spot": False,
    }  # fmt: skip
    return SimpleNamespace(**{**usual, **fields})


def test_an_instance_price_is_divided_by_its_gpus() -> None:
    (offer,) = summarise([item(price=27.92, gpu_count=8)], CORPUS, source="gpuhunt", retrieved_at=NOW).offers
    assert (offer.low, offer.high, offer.currency) == (Decimal("3.49"), Decimal("3.49"), "USD")


def test_regions_and_instances_make_a_range_and_the_cheapest_is_named() -> None:
    found = summarise(
        [item(price=3.0, location="US"), item(price=2.0, location="EU"), item(price=1.0, spot=True)],
        CORPUS,
        source="gpuhunt",
        retrieved_at=NOW,
    )
    on_demand, spot = found.offers
    assert (on_demand.low, on_demand.high) == (Decimal(2), Decimal(3))
    assert (on_demand.region, on_demand.offers) == ("EU", 2)
    assert (spot.kind, spot.low) == ("spot", Decimal(1))


@pytest.mark.parametrize(
    ("name", "memory", "card"),
    [
        ("A100", 40, "nvidia-a100-40gb"),
        ("A100", 80, "nvidia-a100-80gb"),
        ("H100", 80, "nvidia-h100"),
        ("H100NVL", 94, "nvidia-h100-nvl"),
        ("RTX6000Ada", 48, "nvidia-rtx-6000-ada"),
        ("RTXPRO6000", 96, "nvidia-rtx-pro-6000"),
        ("RTX6000", 24, "nvidia-quadro-rtx-6000"),
        ("MI300X", 192, "amd-mi300x"),
        ("V100", 32, "nvidia-v100-32gb"),
        ("L40S", 48, "nvidia-l40s"),
    ],
)
def test_names_of_the_catalogue_mean_the_right_card(name: str, memory: float, card: str) -> None:
    found = summarise([item(gpu_name=name, gpu_memory=memory)], CORPUS, source="gpuhunt", retrieved_at=NOW)
    assert [offer.gpu for offer in found.offers] == [card]


@pytest.mark.parametrize(
    ("name", "provider"),
    [("lambdalabs", "lambda"), ("vastai", "vast-ai"), ("gcp", "google-cloud"), ("oci", "oracle-cloud"), ("aws", "aws")],
)
def test_providers_of_the_catalogue_are_recognised(name: str, provider: str) -> None:
    found = summarise([item(provider=name)], CORPUS, source="gpuhunt", retrieved_at=NOW)
    assert [offer.provider for offer in found.offers] == [provider]


def test_unknown_cards_are_left_out_and_named() -> None:
    found = summarise([item(gpu_name="X9000"), item(provider="nowhere")], CORPUS, source="gpuhunt", retrieved_at=NOW)
    assert found.offers == ()
    assert found.not_recognised == ("X9000", "nowhere")


def write_catalogue(folder: Path) -> None:
    """A catalogue as the package reads it from a folder: one offer of two H100s, and providers with none."""
    storage = pytest.importorskip("gpuhunt._internal.storage")
    catalog = pytest.importorskip("gpuhunt._internal.catalog")
    row = {
        "instance_name": "NVIDIA H100", "location": "EU", "price": 5.0, "cpu": 16, "memory": 128, "gpu_count": 2,
        "gpu_name": "H100", "gpu_memory": 80, "spot": "False", "disk_size": 100, "gpu_vendor": "nvidia", "flags": "",
        "cpu_arch": "x86", "provider_data": "{}",
    }  # fmt: skip
    for provider in catalog.OFFLINE_PROVIDERS:
        with (folder / f"{provider}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, storage.CATALOG_V2_FIELDS)
            writer.writeheader()
            writer.writerows([row] if provider == "runpod" else [])


def test_offers_are_read_with_the_package_and_the_curated_rows_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_catalogue(tmp_path)
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", str(tmp_path))
    before = (FOLDER / "specs" / "prices.yaml").read_bytes()
    target = tmp_path / "kept" / "offers.json"
    refresh(CORPUS, target)
    assert (FOLDER / "specs" / "prices.yaml").read_bytes() == before
    (offer,) = kept_offers(target, CORPUS, date.today())
    assert (offer.gpu, offer.provider, offer.price) == ("nvidia-h100", "runpod", Span.of(Decimal("2.5")))
    assert offer.as_of == Period.of_day(date.today())
    assert offer.source.startswith("gpuhunt ")
    assert offer.origin == "refreshed"
    assert not offer.stale


def test_without_the_package_the_message_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def without_gpuhunt(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "gpuhunt":
            raise ModuleNotFoundError("No module named 'gpuhunt'", name="gpuhunt")
        return original(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without_gpuhunt)
    with pytest.raises(OffersError, match=r"isn't installed.*pip install 'gpu-assistant\[prices\]'") as refused:
        refresh(CORPUS, tmp_path / "offers.json")
    assert refused.value.exit_status == 3


def test_without_a_network_the_kept_offers_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gpuhunt")
    monkeypatch.delenv("GPUHUNT_CATALOG_DIR", raising=False)
    monkeypatch.setenv("GPUHUNT_CATALOG_URL", "http://127.0.0.1:1/none")
    target = tmp_path / "offers.json"
    target.write_text('{"offers": []}')
    with pytest.raises(OffersError, match="can't be read"):
        refresh(CORPUS, target)
    assert target.read_text() == '{"offers": []}'
    assert "Traceback" not in capfd.readouterr().err


def test_a_kept_file_that_is_broken_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "offers.json"
    broken.write_text("{")
    with pytest.raises(InvalidInput, match=r"^offers: .*can't be read"):
        kept_offers(broken, CORPUS, date.today())
    with pytest.raises(InvalidInput, match=r"^offers: .*no such file"):
        kept_offers(tmp_path / "none.json", CORPUS, date.today())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kind_of_price_that_is_not_held_is_named_with_those_that_are(language: Language) -> None:
    found = rent(RentRequest(gpu="H100 SXM", billing="spot"), CORPUS, today=date(2026, 9, 20))
    text = describe_rent(found, language, read_cost_wording(FOLDER))
    assert found.status == "no_price_held" and found.total is None
    assert "spot" in text and ("on-demand" in text or "按需" in text)
    assert "3.49" in text.replace(",", ".") and "3.99" in text.replace(",", ".")


def test_a_calculation_that_needs_such_a_price_says_which_are_held() -> None:
    with pytest.raises(InvalidInput, match=r"no spot price .*Held are on-demand 3\.49 USD/h \(RunPod\)"):
        hourly_rate(RateRequest(gpu="H100 SXM", billing="spot"), CORPUS, today=date(2026, 9, 20))
