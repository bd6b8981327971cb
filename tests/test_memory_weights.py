"""Bytes of weights: checkpoints to the byte, quantised files by their real bits per weight."""

import pytest

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.language_model import read_language_models
from assistant.tools.memory.quantization import (
    as_loaded,
    gguf_format,
    mean_bits,
    padded_inside,
    weight_bytes,
    weight_format,
)

MODELS = {model.id: model.architecture for model in read_language_models(ROOT / "corpus")}
GIB = 2**30


@pytest.mark.parametrize(
    ("model", "form", "size"),
    [
        ("llama-3.1-8b", "bf16", 16_060_522_496),
        ("llama-3.1-70b", "bf16", 141_107_412_992),
        ("mixtral-8x7b", "bf16", 93_405_585_408),
        ("qwen3-235b-a22b", "bf16", 470_187_269_120),
        ("gpt-oss-20b", "mxfp4", 13_761_264_768),
        ("gpt-oss-120b", "mxfp4", 65_248_815_744),
    ],
)
def test_checkpoints_to_the_byte(model: str, form: str, size: int) -> None:
    assert weight_bytes(MODELS[model], weight_format(form)) == size


def test_deepseeks_fp8_checkpoint_with_its_scales_and_prediction_module() -> None:
    size = weight_bytes(MODELS["deepseek-v3"], weight_format("fp8"), prediction=True)
    assert size == pytest.approx(688_574_839_360, rel=1e-6)


@pytest.mark.parametrize(
    ("mixture", "bits"),
    [
        ("iq2_xs", 2.5882), ("q2_k", 3.1593), ("q3_k_s", 3.6429), ("q3_k_l", 4.2979), ("iq4_xs", 4.4597),
        ("q4_k_s", 4.6672), ("q4_k_m", 4.8944), ("q5_k_s", 5.5704), ("q5_k_m", 5.7036), ("q6_k", 6.5633),
        ("q8_0", 8.5008), ("f16", 16.0005),
    ],
)  # fmt: skip
def test_gguf_bits_per_weight_as_llama_cpp_measured_them(mixture: str, bits: float) -> None:
    assert mean_bits(MODELS["llama-3.1-8b"], gguf_format(mixture)) == pytest.approx(bits, rel=1e-4)


@pytest.mark.parametrize(
    ("model", "mixture", "gib"),
    [
        ("llama-3.3-70b", "q4_k_m", 39.59),
        ("llama-3.1-70b", "q4_0", 37.22),
        ("mixtral-8x7b", "q4_0", 24.62),
        ("qwen3-30b-a3b", "q4_k_m", 17.28),
        ("gpt-oss-120b", "mxfp4_moe", 59.02),
        ("kimi-k2", "q8_0", 1016.623),
    ],
)
def test_gguf_files_of_other_models(model: str, mixture: str, gib: float) -> None:
    assert weight_bytes(MODELS[model], gguf_format(mixture)) / GIB == pytest.approx(gib, rel=1e-3)


def test_eight_bit_checkpoints_keep_embeddings_and_head_in_16_bits() -> None:
    assert weight_bytes(MODELS["llama-3.1-70b"], weight_format("w8a8")) / GIB == pytest.approx(67.72, rel=1e-3)


@pytest.mark.parametrize(
    ("model", "tensor", "gib"),
    [("llama-3-8b", 2, 7.48), ("qwen3-30b-a3b", 4, 14.2474), ("qwen3-235b-a22b", 8, 54.9206)],
)
def test_weights_that_vllm_loaded_on_each_card(model: str, tensor: int, gib: float) -> None:
    size = weight_bytes(MODELS[model], weight_format("bf16"), tensor_parallel=tensor)
    assert size / GIB == pytest.approx(gib, rel=0.005)


def test_mxfp4_takes_more_memory_than_disk_because_kernels_pad_it() -> None:
    loaded = weight_bytes(MODELS["gpt-oss-120b"], as_loaded(weight_format("mxfp4")))
    assert loaded / GIB == pytest.approx(64.38, rel=0.005)


def test_marlin_pads_the_experts_own_width_too() -> None:
    loaded = weight_bytes(MODELS["gpt-oss-120b"], padded_inside(as_loaded(weight_format("mxfp4"))))
    assert loaded / GIB == pytest.approx(65.9651, rel=0.005)
    assert padded_inside(weight_format("bf16")) == weight_format("bf16")


def test_a_checkpoint_known_by_name_leaves_in_16_bits_what_its_publisher_left() -> None:
    known = next(m for m in read_language_models(ROOT / "corpus") if m.id == "llama-3.1-405b-instruct-fp8")
    everything = weight_bytes(known.architecture, weight_format("fp8"), tensor_parallel=8)
    with_attention = weight_bytes(known.architecture, known.stored_form, tensor_parallel=8)
    attention = 126 * (2 * 16384 * 16384 + 2 * 16384 * 1024)
    outer = 2 * 3 * 16384 * 53248
    assert with_attention - everything == pytest.approx((attention + outer) / 8, rel=0.001)


def test_what_cannot_be_divided_is_whole_on_each_card() -> None:
    model = MODELS["qwen3-235b-a22b"]
    form = weight_format("bf16")
    # Four key-value heads: from TP 4 on, their projections are copied.
    excess = weight_bytes(model, form, tensor_parallel=8) * 8 - weight_bytes(model, form)
    copied = model.layer_count * 2 * model.hidden * 4 * 128 * 2
    assert excess >= copied


def test_nf4_with_and_without_double_quantisation() -> None:
    assert weight_format("nf4").bits == pytest.approx(4.127, abs=1e-3)
    assert weight_format("nf4-single").bits == 4.5
    assert weight_format("mxfp4").bits == 4.25


@pytest.mark.parametrize(
    ("given", "name"), [("Q4_K_M", "q4_k_m"), ("GPTQ", "int4"), ("float16", "fp16"), ("q8", "q8_0")]
)
def test_usual_spellings_of_formats(given: str, name: str) -> None:
    assert weight_format(given).name == name


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"weights: 'q4_k_x'.*q4_k_"):
        weight_format("q4_k_x")
