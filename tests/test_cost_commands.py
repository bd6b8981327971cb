"""What is true of `cost`, `gpus` and `prices` on the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.interfaces.command_line import main

SOURCE = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_INDEX", str(tmp_path / "index"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ASSISTANT_OFFERS", raising=False)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def result(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_rent(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "cost", "rent", "--gpu", "H100 SXM", "--provider", "lambda", "--gpus", "8", "--hours", "10")
    assert found["total"] == {"low": 319.2, "high": 319.2}
    assert found["formulas"][0]["filled"] == "3.99 × 8 × 10 = 319.2"
    assert found["offers"][0]["offer"]["as_of"] == "2026-09"
    assert {item["origin"] for item in found["inputs"]} == {"data", "given", "assumed"}
    assert found["sources"] == ["CUDA vs ROCm 10"]
    assert found["text"].startswith("Renting 8 NVIDIA H100 SXM GPUs for 10 hours at Lambda costs $319.20.")
    assert all(note["text"] for note in found["assumptions"])


def test_the_examples_of_the_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "cost", "train", "--price", "2.50", "--hours", "60")["total"]["low"] == 150
    assert result(capsys, "cost", "train", "--price", "3.50", "--hours", "40")["total"]["low"] == 140
    found = result(capsys, "cost", "compare", "AMD=2.50x60", "NVIDIA=3.50x40")
    assert (found["cheapest"], found["difference"]["low"]) == ("NVIDIA", 10)
    kroner = result(
        capsys, "cost", "rent", "--gpu", "B200", "--provider", "RunPod", "--into", "DKK", "--rate", "7"
    )  # fmt: skip
    assert kroner["converted"]["about"] == {"low": 48, "high": 48}


def test_cards_and_providers_can_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "cost", "compare", "H100 SXM@Lambda x 40 x 8", "B200@RunPod x 20 x 8")
    assert [option["label"] for option in found["options"]] == ["B200@RunPod", "H100 SXM@Lambda"]
    assert [option["total"]["low"] for option in found["options"]] == [1086.4, 1276.8]


def test_a_sweep_over_hours_is_a_table_with_bars_and_points_for_a_chart(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("cost", "rent", "--gpu", "B200", "--provider", "RunPod", "--sweep", "hours=24,168,720")
    points = result(capsys, *arguments)["points"]
    assert [point["total"]["low"] for point in points] == [162.96, 1140.72, 4888.8]
    status, out, _ = run(capsys, *arguments, "--lang", "nl")
    assert status == 0
    assert "4.888,80 dollar" in out
    assert out.count("█") > 30
    assert [point["value"] for point in result(capsys, *arguments[:-1], "gpus=1..8")["points"]] == [1, 2, 4, 8]
    assert run(capsys, *arguments[:-1], "colour=1,2")[0] == 2


def test_tokens_buying_and_migrating(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "cost", "tokens", "--price", "3.6", "--throughput", "1000", "--utilisation", "50%")
    assert found["per_million_tokens"] == {"low": 2, "high": 2}
    found = result(
        capsys, "cost", "buy-or-rent", "--gpu", "H100 SXM", "--provider", "Lambda", "--gpus", "8",
        "--purchase-price", "280000", "--electricity-price", "0.2",
    )  # fmt: skip
    assert len(found["scenarios"]) == 3
    found = result(
        capsys, "cost", "migrate", "--weeks", "8", "--people", "2", "--weekly-rate", "3000",
        "--savings-per-month", "4000",
    )  # fmt: skip
    assert (found["cost"]["low"], found["payback_month_latest"]) == (48_000, 12)


@pytest.mark.parametrize("language", ["nl", "da", "zh", "en"])
def test_text_ends_with_each_input_and_its_origin(capsys: pytest.CaptureFixture[str], language: str) -> None:
    status, out, err = run(capsys, "cost", "rent", "--gpu", "B200", "--hours", "2", "--lang", language)
    assert (status, err) == (0, "")
    *_, changes, inputs = out.strip().split("\n\n")
    assert [line.startswith("- ") for line in inputs.splitlines()] == [True] * 5
    assert [line.startswith("- ") for line in changes.splitlines()] == [False] + [True] * 4


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["rent", "--gpu", "H900"], "gpu: 'H900'"),
        (["rent", "--gpu", "H100", "--provider", "nobody"], "provider: 'nobody'"),
        (["rent", "--gpu", "H100", "--hours", "nan"], "hours: "),
        (["rent", "--gpu", "H100", "--hours", "1e30"], "hours: "),
        (["rent", "--gpu", "H100", "--gpus", "-1"], "gpus: "),
        (["rent", "--gpu", "H100", "--gpus", "2.5"], "gpus: "),
        (["rent", "--gpu", "H100", "--price", "-1"], "price: "),
        (["rent"], "gpu: "),
        (["train", "--price", "1"], "hours: "),
        (["train", "--gpu", "MI300X", "--hours", "10"], "price: no price is published"),
        (["tokens", "--price", "1", "--throughput", "0"], "throughput: "),
        (["compare", "A=1x2"], "options: "),
        (["compare", "A=1xB", "C=2x3"], "options: "),
        (["buy-or-rent", "--price", "1", "--purchase-price", "inf", "--electricity-price", "0"], "purchase_price: "),
        (["rent", "--gpu", "H100", "--offers", "/nonexistent.json"], "offers: "),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    status, out, err = run(capsys, "cost", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"gpu-assistant: {named}")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_gpus_lists_and_details(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "gpus")
    assert status == 0
    assert "AMD Instinct MI355X" in out
    found = result(capsys, "gpus", "B200")
    (card,) = found
    memory = [value for value in card["values"] if value["attribute"] == "memory_capacity"]
    assert {value["value"] for value in memory} >= {180, 192}
    assert all(value["sources"] for value in card["values"])
    assert {card["id"] for card in result(capsys, "gpus", "A100")} == {
        "nvidia-a100-40gb-pcie", "nvidia-a100-40gb-sxm", "nvidia-a100-80gb-pcie", "nvidia-a100-80gb-sxm",
    }  # fmt: skip
    status, out, err = run(capsys, "gpus", "RTX 4095")
    assert status == 2
    assert "RTX 4090" in err


@pytest.mark.parametrize("language", ["nl", "da", "zh", "en"])
def test_gpu_details_in_every_language(capsys: pytest.CaptureFixture[str], language: str) -> None:
    status, out, _ = run(capsys, "gpus", "MI355X", "--lang", language)
    assert status == 0
    assert "288 GB" in out
    assert "CUDA vs ROCm 10" in out


def test_prices_lists_published_and_unpublished(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "prices")
    assert len(found) == 12
    assert sum(row["price"] is None for row in found) == 6
    assert {row["as_of"] for row in found} == {"2026-09"}
    assert len(result(capsys, "prices", "--gpu", "H100", "--provider", "RunPod")) == 2
    status, out, _ = run(capsys, "prices", "--lang", "da")
    assert status == 0
    assert "september 2026" in out


def test_costs_start_without_heavy_packages() -> None:
    code = (
        "import sys, assistant.interfaces.commands.cost, assistant.tools.cost.description, assistant.tools.cost.offers;"
        "heavy = {'torch', 'chromadb', 'langchain', 'gradio', 'gpuhunt', 'numpy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
