"""The calculators' command line and JSON as other people's scripts rely on them: options, keys and refusals."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from assistant.interfaces.command_line import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    output = capsys.readouterr()
    return int(stop.value.code or 0), output.out, output.err


def result(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (0, ""), err
    return json.loads(out)


BASE = ("fit", "--model", "Llama 3.3 70B", "--gpu", "H100 SXM")
KEYS = {
    "model", "per_gpu", "kv_bytes_per_token", "max_context", "max_concurrency", "kv_tokens_capacity", "verdict",
    "binding", "remedies", "gpus_needed", "decode_ceiling_tokens_per_s", "formulas", "assumptions", "sources",
}  # fmt: skip
PER_GPU = {"weights", "kv_cache", "gradients", "optimizer", "activations", "overhead", "total", "usable"}


def check(found: Any) -> None:
    assert found.keys() >= KEYS and found["per_gpu"].keys() == PER_GPU
    assert found["model"].keys() >= {"parameters", "active_parameters"}
    assert found["verdict"] in ("fits", "tight", "does_not_fit")
    per_gpu = found["per_gpu"]
    terms = sum(per_gpu[name] for name in ("weights", "kv_cache", "gradients", "optimizer", "activations"))
    for end in ("low", "high"):
        assert terms + per_gpu["overhead"][end] == per_gpu["total"][end]
    assert all(isinstance(value, int) for name, value in per_gpu.items() if name not in ("overhead", "total"))


def test_every_option_of_serving_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(
        capsys, *BASE, "--weights", "fp8", "--kv-type", "fp8", "--context", "32k", "--concurrency", "4", "--gpus", "2",
        "--tp", "2", "--engine", "vllm", "--task", "inference", "--memory-utilization", "0.9",
    )  # fmt: skip
    check(found)
    assert found["per_gpu"]["kv_cache"] == 4 * 32_768 * 81_920 and found["kv_bytes_per_token"] == 81_920


@pytest.mark.parametrize("weights", ["bf16", "fp8", "w8a8", "int4", "nf4", "mxfp4", "q4_k_m"])
def test_every_weight_format(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    check(result(capsys, *BASE, "--gpus", "2", "--weights", weights, "--kv-type", "auto"))


@pytest.mark.parametrize(
    ("engine", "kv_type"),
    [("vllm", "fp8"), ("sglang", "fp8"), ("llama.cpp", "q8_0"), ("llama.cpp", "q4_0")],
)
def test_every_engine_and_cache_type(capsys: pytest.CaptureFixture[str], engine: str, kv_type: str) -> None:
    check(result(capsys, *BASE, "--gpus", "2", "--engine", engine, "--kv-type", kv_type))


@pytest.mark.parametrize(
    "options",
    [
        ("--task", "full", "--optimizer", "adamw", "--zero", "0", "--recompute", "none"),
        ("--task", "full", "--optimizer", "adamw-bf16", "--zero", "1", "--recompute", "selective"),
        ("--task", "full", "--optimizer", "adamw-8bit", "--zero", "2", "--recompute", "full"),
        ("--task", "lora", "--zero", "3", "--sequence", "2048", "--batch", "2"),
        ("--task", "qlora", "--sequence", "2048", "--batch", "2"),
    ],
)
def test_every_option_of_training(capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    found = result(capsys, *BASE, "--gpus", "8", *options)
    check(found)
    assert found["per_gpu"]["gradients"] > 0 and found["max_context"] is None


def test_a_size_alone_is_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "fit", "--params", "70B", "--gpu", "H100 SXM", "--gpus", "2")
    check(found)
    assert found["model"]["parameters"] == found["model"]["active_parameters"] == 70_000_000_000
    assert found["per_gpu"]["total"]["low"] < found["per_gpu"]["total"]["high"]
    assert found["assumptions"][0]["code"] == "count_only"


def test_seventy_billion_in_16_bits_are_140_gigabytes_and_that_does_not_mean_that_they_fit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = result(capsys, "fit", "--params", "70B", "--weights", "bf16", "--gpu", "H200")
    assert found["per_gpu"]["weights"] == 140_000_000_000 and found["verdict"] == "does_not_fit"
    assert "does not mean that the model fits" in " ".join(note["text"] for note in found["assumptions"])


COSTS: dict[str, tuple[str, ...]] = {
    "rent": ("rent", "--gpu", "H100 SXM", "--gpus", "8", "--hours", "10", "--utilisation", "60%"),
    "train": ("train", "--gpu", "H100 SXM", "--gpus", "8", "--params", "8B", "--tokens", "100B", "--mfu", "40%",
              "--storage", "50", "--networking", "60", "--software", "70", "--recovery", "80", "--engineering", "1000",
              "--success-rate", "80%"),
    "tokens": ("tokens", "--gpu", "B200", "--throughput", "2400", "--utilisation", "50%"),
    "compare": ("compare", "AMD=2.50x60", "NVIDIA=3.50x40"),
    "buy-or-rent": ("buy-or-rent", "--gpu", "H100 SXM", "--gpus", "8", "--purchase-price", "280000",
                    "--electricity-price", "0.20"),
    "migrate": ("migrate", "--weeks", "6..10", "--people", "3", "--weekly-rate", "3000", "--savings-per-month", "5000"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(COSTS))
def test_every_cost_has_formulas_inputs_sources_and_what_would_change_it(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    found = result(capsys, "cost", *COSTS[name])
    assert found.keys() >= {"formulas", "inputs", "assumptions", "sources", "would_change", "text"}
    assert found["formulas"] and all(
        step.keys() >= {"formula", "filled", "value", "source"} for step in found["formulas"]
    )
    assert all(item["origin"] in ("given", "data", "assumed", "computed") for item in found["inputs"])
    assert found["would_change"] and all(change["text"] in found["text"] for change in found["would_change"])


def test_the_originals_examples(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "cost", *COSTS["compare"])
    assert [option["total"]["low"] for option in found["options"]] == [140, 150]
    for price, kroner in (("1.99", 14), ("6.79", 48)):
        rented = result(capsys, "cost", "rent", "--price", price, "--into", "DKK", "--rate", "7")
        assert rented["converted"]["about"] == {"low": kroner, "high": kroner}


def files(folder: Path) -> dict[str, Path]:
    """A truncated GGUF, and configs that lack a field, have one too many, or hold no number."""
    shape = {"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
             "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000}  # fmt: skip
    made = {name: folder / name for name in ("cut.gguf", "missing.json", "extra.json", "nan.json")}
    made["cut.gguf"].write_bytes(b"GGUF" + struct.pack("<IQ", 3, 5))
    made["missing.json"].write_text(json.dumps({key: shape[key] for key in shape if key != "hidden_size"}))
    made["extra.json"].write_text(json.dumps(shape | {"something_new": {"a": [1, 2]}}))
    made["nan.json"].write_text(json.dumps(shape | {"hidden_size": float("nan")}))
    return made


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--model", "llamma 9 70B", "--gpu", "H100"), "Nearest"),
        (("--model", "llama-3.1-8b", "--gpu", "H1000"), "Nearest"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--gpus", "3", "--tp", "3"), "tp"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--context", "200k"), "context"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--gpus", "0"), "gpus"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--concurrency", "-1"), "concurrency"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--context", "1e30"), "context"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--memory-utilization", "nan"), "memory_utilization"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--kv-type", "q8_0"), "kv-type"),
        (("--model", "llama-3.1-8b", "--gpu", "H100", "--engine", "llama.cpp", "--kv-type", "fp8"), "nearest is q8_0"),
        (("--model", "cut.gguf", "--gpu", "H100"), "cut.gguf"),
        (("--model", "missing.json", "--gpu", "H100"), "hidden_size"),
        (("--model", "nan.json", "--gpu", "H100"), "hidden_size"),
    ],
)
def test_wrong_input_is_one_line_that_names_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: tuple[str, ...], named: str
) -> None:
    made = files(tmp_path)
    status, out, err = run(capsys, "fit", *(str(made.get(option, option)) for option in options))
    assert (status, out) == (2, "")
    assert named in err and err.count("\n") == 1 and "Traceback" not in err


def test_a_config_with_fields_that_nobody_knows_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    check(result(capsys, "fit", "--model", str(files(tmp_path)["extra.json"]), "--gpu", "H100", "--context", "512"))


@pytest.mark.parametrize(
    ("card", "weights", "precision"),
    [("A100 80GB", "fp8", "FP8"), ("T4", "bf16", "BF16"), ("V100", "bf16", "BF16"), ("H100 SXM", "nvfp4", "FP4")],
)
def test_a_precision_that_the_card_lacks_stands_against_it(
    capsys: pytest.CaptureFixture[str], card: str, weights: str, precision: str
) -> None:
    found = result(capsys, "fit", "--model", "llama-3.2-1b", "--gpu", card, "--weights", weights, "--context", "2k")
    assert (found["verdict"], found["binding"]) == ("does_not_fit", "precision")
    assert precision in " ".join(note["text"] for note in found["assumptions"])
    assert any(remedy["code"] == "weights" for remedy in found["remedies"])
