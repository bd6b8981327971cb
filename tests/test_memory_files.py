"""Models read from their own files, and files that are broken or hostile."""

import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.checkpoint import read_model_file
from assistant.tools.memory.config_reader import architecture_from_config
from assistant.tools.memory.fit import answer
from assistant.tools.memory.gguf_types import BLOCKS, TYPE_NUMBERS
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.tensors import parameter_count

CATALOGUE = open_catalogue(ROOT / "corpus")
LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "tie_word_embeddings": False, "rope_theta": 500000.0, "torch_dtype": "bfloat16",
}  # fmt: skip
KINDS = {name: number for number, name in TYPE_NUMBERS.items()}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key: str, value: Any) -> bytes:
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        kind, code = (7, "?") if isinstance(value[0], bool) else (5, "i")
        items = struct.pack(f"<{len(value)}{code}", *value)
        return text(key) + struct.pack("<IIQ", 9, kind, len(value)) + items
    return text(key) + struct.pack("<II", 4, value)


def gguf(metadata: dict[str, Any], tensors: list[tuple[str, tuple[int, ...], str]], version: int = 3) -> bytes:
    """The bytes of a GGUF header without tensor data."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    body = b"".join(pair(key, value) for key, value in metadata.items())
    offset = 0
    for name, shape, kind in tensors:
        body += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        body += struct.pack("<IQ", KINDS[kind], offset)
        offset += math.prod(shape) // BLOCKS[kind].values * BLOCKS[kind].size
    return head + body


def small_llama(layers: int = 2, **more: Any) -> bytes:
    """A GGUF header of a Llama of that many layers in Q4_K, its output in Q6_K."""
    metadata = {
        "general.architecture": "llama", "general.name": "Tiny", "general.file_type": 15, "llama.block_count": layers,
        "llama.context_length": 4096, "llama.embedding_length": 512, "llama.feed_forward_length": 1024,
        "llama.attention.head_count": 8, "llama.attention.head_count_kv": 2, "llama.vocab_size": 1000,
    } | more  # fmt: skip
    tensors: list[tuple[str, tuple[int, ...], str]] = [("token_embd.weight", (512, 1000), "q4_k")]
    for layer in range(layers):
        tensors += [
            (f"blk.{layer}.attn_norm.weight", (512,), "f32"),
            (f"blk.{layer}.attn_q.weight", (512, 512), "q4_k"),
            (f"blk.{layer}.attn_k.weight", (512, 128), "q4_k"),
            (f"blk.{layer}.attn_v.weight", (512, 128), "q6_k"),
            (f"blk.{layer}.attn_output.weight", (512, 512), "q4_k"),
            (f"blk.{layer}.ffn_gate.weight", (512, 1024), "q4_k"),
            (f"blk.{layer}.ffn_up.weight", (512, 1024), "q4_k"),
            (f"blk.{layer}.ffn_down.weight", (1024, 512), "q6_k"),
        ]
    return gguf(metadata, [*tensors, ("output.weight", (512, 1000), "q6_k")])


def saved(folder: Path, name: str, data: bytes | dict[str, Any]) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def test_a_config_is_the_model_it_describes(tmp_path: Path) -> None:
    model = read_model_file(saved(tmp_path, "config.json", LLAMA))
    assert model.parameters == 8_030_261_248
    assert model.architecture == CATALOGUE.model("llama-3.1-8b").architecture


def test_fields_that_do_not_decide_memory_are_passed_over(tmp_path: Path) -> None:
    extra = LLAMA | {"brand_new_field": {"a": [1, 2]}, "architectures": ["LlamaForCausalLM"], "rope_scaling": None}
    assert read_model_file(saved(tmp_path, "config.json", extra)).parameters == 8_030_261_248


@pytest.mark.parametrize(
    "field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "model_type"]
)
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field} is missing"):
        architecture_from_config({key: value for key, value in LLAMA.items() if key != field})


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", True, [1], {}, float("nan"), float("inf"), 1e30, 10**30])
@pytest.mark.parametrize("field", ["hidden_size", "num_hidden_layers", "vocab_size"])
def test_a_senseless_value_is_named_in_one_line(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=field) as caught:
        architecture_from_config(LLAMA | {field: value})
    assert "\n" not in str(caught.value)


def test_heads_that_do_not_divide_are_named() -> None:
    with pytest.raises(InvalidInput, match="num_key_value_heads"):
        architecture_from_config(LLAMA | {"num_key_value_heads": 5})


def test_an_unknown_architecture_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"model_type 'lama2'.*llama"):
        architecture_from_config(LLAMA | {"model_type": "lama2"})


@pytest.mark.parametrize(
    ("quantisation", "form"),
    [
        ({"quant_method": "gptq", "bits": 4}, "int4"),
        ({"quant_method": "awq", "bits": 4}, "int4"),
        ({"quant_method": "fp8"}, "fp8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, "nf4"),
        ({"quant_method": "torchao", "quant_type": "float8_dynamic_activation_float8_weight"}, "fp8"),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}}, "fp8"),
    ],
)
def test_a_quantised_checkpoint_is_sized_as_it_is_stored(
    tmp_path: Path, quantisation: dict[str, Any], form: str
) -> None:
    model = read_model_file(saved(tmp_path, "config.json", LLAMA | {"quantization_config": quantisation}))
    assert model.stored_as == form


@pytest.mark.parametrize(
    ("quantisation", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, 4 + 20 / 128),
        ({"quant_method": "gptq", "bits": 4, "group_size": 32}, 4 + 20 / 32),
        ({"quant_method": "gptq", "bits": 3, "group_size": 128}, 3 + 19 / 128),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, 8 + 24 / 128),
        ({"quant_method": "gptq", "bits": 4, "group_size": -1}, 4 + 20 / 4096),
        ({"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 3, "group_size": 32}}}, 4.0),
        ({"quant_method": "torchao", "quant_type": "int4_weight_only", "quant_type_kwargs": {"group_size": 32}}, 5.0),
    ],
)
def test_the_size_of_groups_counts(tmp_path: Path, quantisation: dict[str, Any], bits: float) -> None:
    model = read_model_file(saved(tmp_path, "config.json", LLAMA | {"quantization_config": quantisation}))
    found = answer(FitRequest(), model, CATALOGUE.card("H100 SXM")).per_gpu.weights
    assert model.stored_form.bits == pytest.approx(bits)
    linear = model.parameters - 2 * 128_256 * 4096 - 65 * 4096
    assert found == pytest.approx(linear * bits / 8 + (model.parameters - linear) * 2, rel=1e-6)


@pytest.mark.parametrize(
    "quantisation",
    [
        {"quant_method": "exl2", "bits": 4.0},
        {"quant_method": "gptq", "bits": 5},
        {"quant_method": "hqq"},
        {"quant_method": "quark"},
        {"quant_method": "torchao", "quant_type": 7},
        {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 6}}}},
    ],
)
def test_a_quantisation_that_is_not_known_is_refused_in_one_line(tmp_path: Path, quantisation: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"config\.json") as caught:
        read_model_file(saved(tmp_path, "config.json", LLAMA | {"quantization_config": quantisation}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "kept",
    [
        {"modules_to_not_convert": [f"model.layers.{n}.self_attn.{p}_proj" for n in range(32) for p in "qkvo"]},
        {"ignore": ["re:.*self_attn.*", "lm_head"]},
        {"ignore": ["*self_attn*"]},
        {"modules_to_not_convert": ["self_attn"]},
    ],
)
def test_what_a_quantised_checkpoint_leaves_in_16_bits_is_counted_so(tmp_path: Path, kept: dict[str, Any]) -> None:
    config = LLAMA | {"quantization_config": {"quant_method": "fp8"} | kept}
    found = answer(FitRequest(), read_model_file(saved(tmp_path, "config.json", config)), CATALOGUE.card("H100 SXM"))
    plain = answer(FitRequest(weights="fp8"), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100 SXM"))
    attention = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024)
    assert found.per_gpu.weights - plain.per_gpu.weights == pytest.approx(attention, rel=0.001)


def test_layers_left_in_16_bits_count_for_their_share(tmp_path: Path) -> None:
    kept = {"modules_to_not_convert": ["model.layers.0.mlp.down_proj", "model.layers.31.mlp"]}
    config = LLAMA | {"quantization_config": {"quant_method": "fp8"} | kept}
    model = read_model_file(saved(tmp_path, "config.json", config))
    assert model.kept_shares.items() >= {"down": 2 / 32, "up": 1 / 32, "gate": 1 / 32}.items()
    assert "query" not in model.kept_shares


def test_a_hostile_list_of_modules_is_read_in_no_time(tmp_path: Path) -> None:
    kept = {"ignore": ["re:" + "(a+)+" * 30, "*a" * 90, 5, None, "x" * 10_000] * 50}
    config = LLAMA | {"quantization_config": {"quant_method": "fp8"} | kept}
    assert read_model_file(saved(tmp_path, "config.json", config)).kept_shares == {}


@pytest.mark.parametrize("data", [b"", b"{", b"[1, 2]", b"\xff\xfe\x00", b"{" * 100_000, b"NaN"])
def test_a_file_that_is_no_config_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_model_file(saved(tmp_path, "config.json", data))
    assert "\n" not in str(caught.value) and "config.json" in str(caught.value)


def test_a_gguf_header_gives_exact_bytes_and_the_shape(tmp_path: Path) -> None:
    model = read_model_file(saved(tmp_path, "tiny.gguf", small_llama()))
    q4 = (1000 * 512 + 2 * (512 * 512 * 2 + 512 * 128 + 2 * 512 * 1024)) // 256 * 144
    q6 = (1000 * 512 + 2 * (512 * 128 + 1024 * 512)) // 256 * 210
    assert model.file_bytes == q4 + q6 + 2 * 512 * 4
    assert model.stored_as == "q4_k_m"
    assert model.counted == 2 * 1000 * 512 + 2 * (512 + 2 * 512 * 512 + 2 * 512 * 128 + 3 * 512 * 1024)
    mixer = model.architecture.layers[0].mixer
    assert mixer is not None and mixer.kind == "grouped"
    assert (mixer.heads, mixer.kv_heads, mixer.head_dim) == (8, 2, 64)


def test_a_gguf_model_is_sized_as_it_is_stored(tmp_path: Path) -> None:
    model = read_model_file(saved(tmp_path, "tiny.gguf", small_llama()))
    found = answer(FitRequest(context=1024), model, CATALOGUE.card("L4"))
    assert found.request.engine == "llama.cpp"
    assert found.per_gpu.weights == model.file_bytes
    assert found.per_gpu.kv_cache == 1024 * 2 * 2 * 2 * 64 * 2


def test_windows_and_key_lengths_of_a_gguf(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "llama.attention.sliding_window": 256,
        "llama.attention.sliding_window_pattern": [True, False],
    }
    model = read_model_file(saved(tmp_path, "tiny.gguf", small_llama(**(more | {"llama.attention.key_length": 128}))))
    windows = {
        (mixer.window, mixer.head_dim) for _, mixer in model.architecture.attention_groups if mixer.kind == "grouped"
    }
    assert windows == {(256, 128), (None, 128)}


def test_a_split_gguf_needs_all_its_files(tmp_path: Path) -> None:
    first = small_llama(**{"split.count": 2})
    path = saved(tmp_path, "tiny-00001-of-00002.gguf", first)
    with pytest.raises(InvalidInput, match=r"tiny-00002-of-00002\.gguf: missing"):
        read_model_file(path)
    saved(tmp_path, "tiny-00002-of-00002.gguf", gguf({"split.count": 2}, [("extra.weight", (512, 8), "f16")]))
    whole = read_model_file(saved(tmp_path, "whole.gguf", small_llama()))
    assert whole.file_bytes is not None
    assert read_model_file(path).file_bytes == whole.file_bytes + 512 * 8 * 2


def test_a_gguf_cut_off_anywhere_is_refused_in_one_line(tmp_path: Path) -> None:
    data = small_llama(layers=1)
    for length in range(len(data) - 1):
        path = saved(tmp_path, "cut.gguf", data[:length])
        with pytest.raises(InvalidInput) as caught:
            read_model_file(path)
        assert "\n" not in str(caught.value)


def test_a_gguf_cut_off_in_its_data_is_refused(tmp_path: Path) -> None:
    data = small_llama()
    path = saved(tmp_path, "cut.gguf", data + b"\0" * 10_000)
    with pytest.raises(InvalidInput, match="ends inside its tensor data"):
        read_model_file(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(4, 900), st.binary(min_size=1, max_size=9))
def test_a_gguf_with_any_bytes_changed_never_breaks_the_reader(tmp_path: Path, place: int, junk: bytes) -> None:
    data = bytearray(small_llama(layers=1))
    data[place : place + len(junk)] = junk
    path = saved(tmp_path, "odd.gguf", bytes(data))
    try:
        model = read_model_file(path)
    except InvalidInput as error:
        assert "\n" not in str(error)
    else:
        assert model.file_bytes and model.file_bytes > 0


def test_lengths_that_claim_more_than_the_file_holds_are_refused(tmp_path: Path) -> None:
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    bomb = head + text("general.architecture") + struct.pack("<I", 9) + struct.pack("<IQ", 8, 2**39)
    with pytest.raises(InvalidInput, match="ends inside"):
        read_model_file(saved(tmp_path, "bomb.gguf", bomb))


def safetensors(header: dict[str, Any], data: int = 0) -> bytes:
    encoded = json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + b"\0" * data


def test_a_safetensors_header_gives_the_exact_bytes(tmp_path: Path) -> None:
    saved(tmp_path, "config.json", LLAMA)
    header = {"w": {"dtype": "BF16", "shape": [4096, 4096], "data_offsets": [0, 4096 * 4096 * 2]}}
    model = read_model_file(saved(tmp_path, "model.safetensors", safetensors(header)))
    assert model.file_bytes == 4096 * 4096 * 2


def test_a_safetensors_index_gives_the_exact_bytes(tmp_path: Path) -> None:
    saved(tmp_path, "config.json", LLAMA)
    index = {"metadata": {"total_size": 16_060_522_496}, "weight_map": {}}
    path = saved(tmp_path, "model.safetensors.index.json", index)
    for given_path in (path, tmp_path):
        model = read_model_file(given_path)
        found = answer(FitRequest(context=1024), model, CATALOGUE.card("H100 SXM"))
        assert found.per_gpu.weights == 16_060_522_496


def test_a_safetensors_file_alone_says_what_is_missing(tmp_path: Path) -> None:
    header = {"w": {"dtype": "F16", "shape": [8], "data_offsets": [0, 16]}}
    with pytest.raises(InvalidInput, match=r"config\.json"):
        read_model_file(saved(tmp_path, "model.safetensors", safetensors(header)))


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"dtype": "F99", "shape": [8], "data_offsets": [0, 16]}, "dtype"),
        ({"dtype": "F16", "shape": [-8], "data_offsets": [0, 16]}, "shape"),
        ({"dtype": "F16", "shape": [8], "data_offsets": [0, 99]}, "spans 99 bytes"),
        ({"dtype": "F16", "shape": [2**40, 2**40], "data_offsets": [0, 1]}, "too many"),
        ({"dtype": "F16", "shape": [8]}, "data_offsets"),
        (7, "not an object"),
    ],
)
def test_a_senseless_safetensors_header_is_named(tmp_path: Path, entry: Any, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        read_model_file(saved(tmp_path, "model.safetensors", safetensors({"w": entry})))


@pytest.mark.parametrize("data", [b"", b"1234567", struct.pack("<Q", 2**60), struct.pack("<Q", 50) + b"{}"])
def test_a_broken_safetensors_file_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_model_file(saved(tmp_path, "model.safetensors", data))
    assert "\n" not in str(caught.value)


def test_vision_towers_of_a_config_are_counted() -> None:
    config = {
        "model_type": "gemma3",
        "text_config": {
            "model_type": "gemma3_text", "head_dim": 128, "hidden_size": 5376, "intermediate_size": 21504,
            "num_attention_heads": 32, "num_hidden_layers": 62, "num_key_value_heads": 16, "sliding_window": 1024,
            "vocab_size": 262208, "max_position_embeddings": 131072,
        },
        "vision_config": {
            "model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "image_size": 896,
            "num_hidden_layers": 27, "num_attention_heads": 16, "patch_size": 14,
        },
    }  # fmt: skip
    assert parameter_count(architecture_from_config(config)) == 27_432_406_640


def test_a_folder_written_as_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert CATALOGUE.model(str(tmp_path)).parameters == CATALOGUE.model("Llama 3.1 8B").parameters
    (tmp_path / "config.json").unlink()
    with pytest.raises(InvalidInput, match=r"config\.json"):
        CATALOGUE.model(str(tmp_path))


def _one_tensor(path: Path, size: int) -> None:
    header = json.dumps({"w": {"dtype": "BF16", "shape": [size], "data_offsets": [0, 2 * size]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


def test_one_file_of_several_stands_for_the_whole_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    for number, size in ((1, 1000), (2, 500)):
        _one_tensor(tmp_path / f"model-{number:05d}-of-00002.safetensors", size)
    for named in (tmp_path, tmp_path / "model-00001-of-00002.safetensors"):
        assert read_model_file(named).file_bytes == 3000
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"00002-of-00002\.safetensors: missing, of the 2 files"):
        read_model_file(tmp_path)


def test_endings_are_read_in_capitals_too(tmp_path: Path) -> None:
    broken = tmp_path / "MODEL.GGUF"
    broken.write_bytes(b"GGUF")
    with pytest.raises(InvalidInput, match="ends inside the version"):
        CATALOGUE.model(str(broken))
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    _one_tensor(tmp_path / "MODEL.SAFETENSORS", 700)
    assert read_model_file(tmp_path / "MODEL.SAFETENSORS").file_bytes == 1400


def test_a_folder_with_several_gguf_models_asks_which(tmp_path: Path) -> None:
    for name in ("a-Q4_K_M.gguf", "a-Q8_0.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(InvalidInput, match=r"several models .*Name the file"):
        read_model_file(tmp_path)
