"""The cache of each engine, against the engines' own logs."""

import math

import pytest

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.architecture import Architecture, DenseFeedForward, GroupedAttention, LayerGroup
from assistant.tools.memory.cache_layout import (
    CacheLayout,
    Engine,
    bytes_per_token,
    bytes_read_per_token,
    kv_type,
    state_sizes,
)
from assistant.tools.memory.kv_cache import cache_bytes, cache_tokens
from assistant.tools.memory.language_model import read_language_models
from assistant.tools.memory.llama_cache import windowed_cells
from assistant.tools.memory.vllm_cache import block_pool, pool_tokens, pool_tokens_by_group

MODELS = {model.id: model.architecture for model in read_language_models(ROOT / "corpus")}
MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("llama-3.1-8b", 131_072), ("llama-3.1-70b", 327_680), ("llama-2-7b", 524_288), ("qwen2.5-7b", 57_344),
        ("qwen3-30b-a3b", 98_304), ("gpt-oss-20b", 49_152), ("phi-4", 204_800), ("deepseek-v3", 70_272),
    ],
)  # fmt: skip
def test_bytes_per_token(model: str, size: int) -> None:
    assert bytes_per_token(MODELS[model], CacheLayout()) == size


def test_latent_attention_is_one_copy_on_every_card() -> None:
    divided = CacheLayout(tensor_parallel=8)
    assert bytes_per_token(MODELS["deepseek-v3"], divided) == 70_272
    assert bytes_per_token(MODELS["deepseek-v3"], CacheLayout(kv_type="fp8_ds_mla")) == 40_016


def test_key_value_heads_are_copied_where_there_are_fewer_than_cards() -> None:
    per_card = [bytes_per_token(MODELS["qwen3-235b-a22b"], CacheLayout(tensor_parallel=n)) for n in (1, 4, 8)]
    assert per_card == [192_512, 48_128, 48_128]


@pytest.mark.parametrize(
    ("model", "gib", "kind", "context", "tokens"),
    [
        ("gemma-4-31b", 64.68, "bf16", 262_144, 626_949),
        ("qwen3.6-35b-a3b", 5.98, "fp8", 131_072, 567_978),
        ("gemma-4-26b-a4b", 15.18, "fp8", 32_768, 417_022),
    ],
)
def test_tokens_that_vllm_logged_for_hybrid_models(
    model: str, gib: float, kind: str, context: int, tokens: int
) -> None:
    pool = block_pool(MODELS[model], CacheLayout(kv_type=kind))
    assert pool_tokens(pool, int(gib * GIB), context=context, batched=8192) == pytest.approx(tokens, rel=0.0005)


@pytest.mark.parametrize(("model", "gib", "tokens"), [("gemma-4-31b", 24.54, 26_800), ("gpt-oss-120b", 5.38, 78_384)])
def test_tokens_as_vllm_logged_them_before_0_21(model: str, gib: float, tokens: int) -> None:
    pool = block_pool(MODELS[model], CacheLayout())
    assert pool_tokens_by_group(pool, int(gib * GIB)) == pytest.approx(tokens, rel=0.001)


def test_without_its_hybrid_manager_vllm_caches_every_layer_in_full() -> None:
    layout = CacheLayout(hybrid_manager=False)
    assert cache_bytes(MODELS["gpt-oss-120b"], layout, context=131_072) == 131_072 * 73_728
    assert cache_bytes(MODELS["gpt-oss-120b"], CacheLayout(), context=131_072) < 131_072 * 73_728 * 0.6


@pytest.mark.parametrize(("slots", "mib"), [(3, 27.0), (4, 18.0)])
def test_llama_servers_slots(slots: int, mib: float) -> None:
    layout = CacheLayout(engine="llama.cpp", kv_type="fp16")
    size = cache_bytes(MODELS["gemma-3-270m"], layout, context=1024 // slots, concurrency=slots)
    assert size == mib * MIB


def test_cells_of_a_window_follow_the_micro_batch() -> None:
    layout = CacheLayout(engine="llama.cpp", micro_batch=1024)
    assert windowed_cells(512, 4096, 1, layout) == 1536
    assert windowed_cells(512, 4096, 1, layout.model_copy(update={"swa_full": True})) == 4096


def test_a_quantised_cache_leaves_windowed_layers_in_16_bits() -> None:
    plain = CacheLayout(engine="llama.cpp", kv_type="fp16")
    small = CacheLayout(engine="llama.cpp", kv_type="q8_0")
    model = MODELS["gpt-oss-20b"]
    windowed = 12 * 2 * 8 * 64 * 2 * windowed_cells(128, 8192, 1, plain)
    full = 12 * 2 * 8 * 64 * 8192
    assert cache_bytes(model, plain, context=8192) == windowed + full * 2
    assert cache_bytes(model, small, context=8192) == windowed + full * 34 // 32


def test_a_unified_buffer_shares_the_window_among_sequences() -> None:
    apart = CacheLayout(engine="llama.cpp", kv_type="fp16")
    together = apart.model_copy(update={"unified": True})
    model = MODELS["gemma-3-27b"]
    assert cache_bytes(model, together, context=8192, concurrency=4) < cache_bytes(
        model, apart, context=8192, concurrency=4
    )


def test_paged_engines_round_up_to_a_page() -> None:
    layout = CacheLayout(block=16)
    assert cache_bytes(MODELS["llama-3.1-8b"], layout, context=1) == 16 * 131_072
    assert cache_bytes(MODELS["llama-3.1-8b"], layout, context=17) == 32 * 131_072


def test_sglang_keeps_windowed_layers_of_named_models_in_a_smaller_pool() -> None:
    layout = CacheLayout(engine="sglang")
    row = 2 * 8 * 64 * 2
    # gpt-oss-120b: 18 full and 18 windowed layers; the smaller pool has 0.8 of the tokens (pull request 18039).
    assert cache_bytes(MODELS["gpt-oss-120b"], layout, context=131_072) == math.ceil(131_072 * row * (18 + 18 * 0.8))
    gemma = MODELS["gemma-3-27b"]
    assert cache_bytes(gemma, layout, context=32_768) == 32_768 * bytes_per_token(gemma, layout)


def test_sglangs_pools_hold_the_windows_of_many_short_sequences() -> None:
    layout = CacheLayout(engine="sglang", batched_tokens=8192)
    row = 2 * 8 * 64 * 2
    # 16 sequences of 128 tokens lie wholly inside their windows, so the smaller pool decides: 2048 / 0.8 tokens.
    found = cache_bytes(MODELS["gpt-oss-120b"], layout, context=128, concurrency=16)
    assert found == 2048 / 0.8 * row * 18 + 2048 * row * 18


def test_decoding_reads_only_the_window() -> None:
    layout = CacheLayout()
    row = 2 * 8 * 64 * 2
    assert bytes_read_per_token(MODELS["gpt-oss-120b"], layout, 8192) == 18 * row * (8192 + 128)
    assert bytes_read_per_token(MODELS["llama-3.1-8b"], layout, 8192) == 8192 * 131_072


def test_a_shared_prefix_is_kept_once() -> None:
    model = MODELS["llama-3.1-8b"]
    apart = cache_bytes(model, CacheLayout(), context=4096, concurrency=8)
    shared = cache_bytes(model, CacheLayout(), context=4096, concurrency=8, prefix=1024)
    assert apart - shared == 7 * 1024 * 131_072


def test_linear_layers_keep_a_state_that_does_not_grow() -> None:
    layout = CacheLayout(engine="sglang")
    model = MODELS["qwen3.5-27b"]
    growth = cache_bytes(model, layout, context=65_536) - cache_bytes(model, layout, context=32_768)
    assert growth == 32_768 * 16 * 2 * 4 * 256 * 2
    assert sum(count for count, _ in state_sizes(model, layout)) == 48


def test_capacity_is_the_cache_turned_around() -> None:
    for engine in ("vllm", "sglang", "llama.cpp"):
        layout = CacheLayout(engine=engine)
        one = cache_bytes(MODELS["llama-3.1-8b"], layout, context=8192)
        assert cache_tokens(MODELS["llama-3.1-8b"], layout, 5 * one, context=8192) == 5 * 8192


@pytest.mark.parametrize(
    ("given", "engine", "kind"),
    [
        ("auto", "vllm", "bf16"),
        ("auto", "llama.cpp", "fp16"),
        ("fp8_e4m3", "vllm", "fp8"),
        ("q8_0", "llama.cpp", "q8_0"),
    ],
)
def test_cache_types(given: str, engine: Engine, kind: str) -> None:
    assert kv_type(given, engine) == kind


def test_an_unknown_cache_type_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="kv-type: 'q8_1x'"):
        kv_type("q8_1x", "vllm")


def test_layers_of_one_kind_share_a_pool_without_waste() -> None:
    mixer = GroupedAttention(heads=8, kv_heads=8, head_dim=64)
    layer = LayerGroup(count=5, mixer=mixer, feed_forward=DenseFeedForward(width=64))
    model = Architecture(hidden=512, vocabulary=1000, max_context=4096, layers=(layer,))
    assert block_pool(model, CacheLayout()).block_bytes == 5 * 16 * 2 * 8 * 64 * 2
