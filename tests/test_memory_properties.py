"""What holds for every model, card and request: more never needs less, bytes add up, formulas invert."""

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.cache_layout import CacheLayout
from assistant.tools.memory.card import Card
from assistant.tools.memory.fit import answer
from assistant.tools.memory.kv_cache import cache_bytes, cache_tokens
from assistant.tools.memory.language_model import read_language_models
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject
from assistant.tools.memory.subject import parameter_count_only

MODELS = read_language_models(ROOT / "corpus")
H100 = Card(id="h100", name="H100", nominal_gb=80, usable_bytes=81_559 * 2**20, usable_measured=True, bandwidth=3.35e12)
models = st.sampled_from(MODELS)
engines = st.sampled_from(["vllm", "llama.cpp", "sglang"])
checked = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def sized(subject: Subject, **choices: Any) -> FitResult:
    try:
        return answer(FitRequest.model_validate(choices), subject, H100)
    except InvalidInput:
        assume(False)
        raise


def terms(result: FitResult) -> list[int]:
    return [result.per_gpu.kv_cache, result.per_gpu.activations, result.per_gpu.total.low, result.per_gpu.total.high]


@checked
@given(models, engines, st.integers(1, 20_000), st.integers(0, 20_000), st.integers(1, 64))
def test_more_context_never_needs_less(model: Any, engine: str, context: int, more: int, sequences: int) -> None:
    less = sized(model, engine=engine, weights="bf16", context=context, concurrency=sequences)
    longer = sized(model, engine=engine, weights="bf16", context=context + more, concurrency=sequences)
    assert all(a <= b for a, b in zip(terms(less), terms(longer), strict=True))


@checked
@given(models, engines, st.integers(1, 4000), st.integers(1, 200), st.integers(0, 200))
def test_more_sequences_never_need_less(model: Any, engine: str, context: int, sequences: int, more: int) -> None:
    fewer = sized(model, engine=engine, weights="bf16", context=context, concurrency=sequences)
    crowded = sized(model, engine=engine, weights="bf16", context=context, concurrency=sequences + more)
    assert all(a <= b for a, b in zip(terms(fewer), terms(crowded), strict=True))


@checked
@given(st.integers(10**8, 2 * 10**12), st.integers(0, 10**12), st.sampled_from(["bf16", "int4", "q4_k_m"]))
def test_more_parameters_never_need_less(parameters: int, more: int, weights: str) -> None:
    smaller = sized(parameter_count_only(parameters, MODELS), weights=weights)
    larger = sized(parameter_count_only(parameters + more, MODELS), weights=weights)
    assert smaller.per_gpu.total.low <= larger.per_gpu.total.low
    assert smaller.per_gpu.total.high <= larger.per_gpu.total.high


@checked
@given(models, st.sampled_from([1, 2, 4, 8, 16, 32]), st.integers(1, 4000), st.integers(1, 16))
def test_more_cards_never_need_more_each(model: Any, gpus: int, context: int, sequences: int) -> None:
    few = sized(model, weights="bf16", gpus=gpus, context=context, concurrency=sequences)
    many = sized(model, weights="bf16", gpus=gpus * 2, context=context, concurrency=sequences)
    assert many.per_gpu.weights <= few.per_gpu.weights
    assert many.per_gpu.kv_cache <= few.per_gpu.kv_cache
    assert many.per_gpu.total.high <= few.per_gpu.total.high


@checked
@given(models, st.integers(0, 3), st.integers(1, 512), st.sampled_from(["full", "lora", "qlora"]))
def test_more_cards_never_need_more_each_in_training(model: Any, zero: int, gpus: int, task: str) -> None:
    few = sized(model, task=task, zero=zero, gpus=gpus, sequence=512)
    many = sized(model, task=task, zero=zero, gpus=gpus + 1, sequence=512)
    assert many.per_gpu.total.high <= few.per_gpu.total.high


@checked
@given(models, st.integers(1, 2000), st.integers(0, 2000), st.integers(1, 8), st.integers(0, 8))
def test_longer_sequences_and_larger_batches_never_need_less(
    model: Any, sequence: int, longer: int, batch: int, more: int
) -> None:
    less = sized(model, task="lora", sequence=sequence, batch=batch)
    greater = sized(model, task="lora", sequence=sequence + longer, batch=batch + more)
    assert less.per_gpu.total.high <= greater.per_gpu.total.high


@checked
@given(models, st.sampled_from(["none", "selective", "full"]), st.integers(256, 4096))
def test_recomputing_more_never_needs_more(model: Any, recompute: str, sequence: int) -> None:
    chosen = sized(model, task="full", recompute=recompute, sequence=sequence, flash_attention=False)
    kept = sized(model, task="full", recompute="none", sequence=sequence, flash_attention=False)
    assert chosen.per_gpu.activations <= kept.per_gpu.activations * 1.05


@checked
@given(models, engines, st.integers(1, 8000), st.sampled_from([1, 2, 4, 8]))
def test_bytes_add_up(model: Any, engine: str, context: int, gpus: int) -> None:
    per_gpu = sized(model, engine=engine, weights="bf16", context=context, gpus=gpus).per_gpu
    parts = per_gpu.weights + per_gpu.kv_cache + per_gpu.gradients + per_gpu.optimizer + per_gpu.activations
    assert per_gpu.total.low == parts + per_gpu.overhead.low
    assert per_gpu.total.high == parts + per_gpu.overhead.high


@checked
@given(models, engines, st.integers(1, 30_000), st.integers(1, 50))
def test_tokens_that_a_cache_holds_turn_the_cache_around(model: Any, engine: Any, context: int, sequences: int) -> None:
    layout = CacheLayout(engine=engine)
    context = min(context, model.architecture.max_context)
    one = cache_bytes(model.architecture, layout, context=context)
    assume(one > 0)
    assert cache_tokens(model.architecture, layout, one * sequences, context=context) >= (sequences - 1) * context


@checked
@given(models, engines, st.integers(1, 8000))
def test_what_is_said_to_fit_does(model: Any, engine: str, context: int) -> None:
    found = sized(model, engine=engine, weights="bf16", context=context, gpus=8)
    assume(found.max_context and found.max_concurrency)
    longest = sized(model, engine=engine, weights="bf16", context=found.max_context, gpus=8)
    crowded = sized(model, engine=engine, weights="bf16", context=context, concurrency=found.max_concurrency, gpus=8)
    assert longest.verdict == crowded.verdict == "fits"


@checked
@given(models, st.sampled_from(["fp32", "bf16", "fp8", "int4", "q8_0", "q4_k_m"]))
def test_every_formula_states_the_figure_that_it_explains(model: Any, weights: str) -> None:
    result = sized(model, weights=weights, context=1024)
    stated = {formula.term: formula.value for formula in result.formulas}
    assert stated["weights"] == result.per_gpu.weights
    assert stated["kv_cache"] == result.per_gpu.kv_cache
    assert stated["kv_bytes_per_token"] == result.kv_bytes_per_token
    assert stated["usable"] == result.per_gpu.usable


@pytest.mark.parametrize("field", ["context", "concurrency", "gpus", "batch", "sequence", "lora_rank"])
@checked
@given(value=st.one_of(st.integers(max_value=0), st.just(10**30), st.floats(allow_nan=True, allow_infinity=True)))
def test_impossible_counts_are_refused_by_name(field: str, value: float) -> None:
    assume(not (isinstance(value, float) and value.is_integer() and 1 <= value <= 100_000_000))
    with pytest.raises(ValueError, match=field):
        FitRequest.model_validate({field: value})
