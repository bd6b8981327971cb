"""Shapes of config.json files of many model types: counted to the last parameter, or refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.checkpoint import read_model_file
from assistant.tools.memory.config_reader import architecture_from_config
from assistant.tools.memory.fit import answer
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.tensors import parameter_count

# Publishers' files and Transformers' own defaults, trimmed to what has to do with shape. `parameters` is what
# Transformers' own modules hold when they are built from the same values, `buffers` the routers' biases, which it
# stores in the file but does not count.
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "model_configs.jsonl").read_text(encoding="utf-8").splitlines()
]
COUNTED = [row for row in ROWS if "parameters" in row]
REFUSED = [row for row in ROWS if "refused" in row]
CARD = open_catalogue(ROOT / "corpus").card("H100 SXM")


def test_there_are_many_model_types() -> None:
    assert len({row["config"]["model_type"] for row in COUNTED}) >= 45
    assert len({row["config"]["model_type"] for row in REFUSED}) >= 30


@pytest.mark.parametrize("row", COUNTED, ids=[row["name"] for row in COUNTED])
def test_every_parameter_is_counted(row: dict[str, Any]) -> None:
    assert parameter_count(architecture_from_config(row["config"])) == row["parameters"] + row["buffers"]
    assert row["buffers"] < row["parameters"] / 10**6


@pytest.mark.parametrize("row", REFUSED, ids=[row["name"] for row in REFUSED])
def test_what_is_not_known_is_refused_by_the_name_of_its_field(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        architecture_from_config(row["config"])
    assert row["refused"] in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("row", COUNTED[:25], ids=[row["name"] for row in COUNTED[:25]])
def test_a_field_that_is_missing_or_wrong_never_ends_in_a_crash(row: dict[str, Any]) -> None:
    for field in row["config"]:
        wrong: tuple[object, ...] = (None, "many", -1, 0, 1e30, [], {}, True)
        for value in wrong:
            try:
                architecture_from_config(row["config"] | {field: value})
            except InvalidInput as refusal:
                assert "\n" not in str(refusal)


def test_layers_of_different_formats_are_refused(tmp_path: Path) -> None:
    base = {"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000}  # fmt: skip
    groups = {"a": {"weights": {"num_bits": 8, "type": "float"}}, "b": {"weights": {"num_bits": 4, "type": "float"}}}
    config = tmp_path / "config.json"
    for quantised in (
        {"quant_method": "compressed-tensors", "config_groups": groups},
        {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"},
    ):
        config.write_text(json.dumps(base | {"quantization_config": quantised}))
        with pytest.raises(InvalidInput, match="different formats"):
            read_model_file(config)


def test_a_quantisation_in_a_file_of_its_own_counts(tmp_path: Path) -> None:
    base = next(row["config"] for row in COUNTED if row["name"] == "Qwen/Qwen3-0.6B")
    (tmp_path / "config.json").write_text(json.dumps(base))
    assert read_model_file(tmp_path).stored_as == "bf16"
    quantised = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}}
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(quantised))
    assert read_model_file(tmp_path).stored_as == "nvfp4"


def test_an_estimated_vision_tower_is_said_to_be_one(tmp_path: Path) -> None:
    base = next(row["config"] for row in COUNTED if row["name"] == "llama")
    tower = {"model_type": "clip_vision_model", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "llava", "text_config": base, "vision_config": tower})
    )
    found = answer(FitRequest(), read_model_file(tmp_path), CARD)
    assert "estimated_part" in [note.code for note in found.assumptions]
