"""Training states against the ZeRO paper and measured runs; activations by what is recomputed."""

import pytest

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.card import Card
from assistant.tools.memory.fit import answer
from assistant.tools.memory.language_model import read_language_models
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.training import OPTIMIZER_STATES, lora_parameters, sharded_states

MODELS = {model.id: model for model in read_language_models(ROOT / "corpus")}
A100 = Card(id="a100", name="A100", nominal_gb=80, usable_bytes=80 * 2**30, usable_measured=True)


@pytest.mark.parametrize(("stage", "gigabytes"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_the_zero_papers_own_example(stage: int, gigabytes: float) -> None:
    states = sharded_states(0, 7.5e9, OPTIMIZER_STATES["adamw"], zero=stage, data_parallel=64, offload="none")
    assert sum(states) / 1e9 == pytest.approx(gigabytes, rel=0.02)


@pytest.mark.parametrize(("optimizer", "gigabytes"), [("adamw-bf16", 54), ("adamw-8bit", 40.5)])
def test_torchtunes_measured_runs(optimizer: str, gigabytes: float) -> None:
    request = FitRequest.model_validate({"task": "full", "optimizer": optimizer, "batch": 1, "sequence": 512})
    per_gpu = answer(request, MODELS["llama-2-7b"], A100).per_gpu
    assert (per_gpu.weights + per_gpu.gradients + per_gpu.optimizer) / 1e9 == pytest.approx(gigabytes, rel=0.05)


def test_deepspeeds_own_measurement_is_sixteen_bytes_a_parameter_divided() -> None:
    states = sharded_states(0, 6.86e9, OPTIMIZER_STATES["adamw"], zero=3, data_parallel=4, offload="none")
    assert sum(states) / 2**30 == pytest.approx(25.74, rel=0.01)


def test_adapters_are_rank_times_inputs_and_outputs() -> None:
    # Llama-2-7B, rank 8, all linear layers: 32 × 8 × (4 × 8192 + 3 × 15104).
    assert lora_parameters(MODELS["llama-2-7b"].architecture, 8) == 32 * 8 * (4 * 8192 + 3 * 15_104)


@pytest.mark.parametrize(("sequence", "gigabytes"), [(1024, 6), (4096, 9), (8192, 12), (16_384, 19), (32_768, 32)])
def test_qlora_measured_on_one_card(sequence: int, gigabytes: int) -> None:
    model = MODELS["llama-2-7b"]
    longer = model.model_copy(update={"architecture": model.architecture.model_copy(update={"max_context": 65_536})})
    request = FitRequest(task="qlora", weights="nf4-single", sequence=sequence, lora_rank=8)
    total = answer(request, longer, A100).per_gpu.total
    assert total.low - 0.5e9 <= gigabytes * 1e9 <= total.high + 0.5e9


def test_offloading_moves_states_off_the_card() -> None:
    kept = answer(FitRequest(task="full", gpus=8, zero=3), MODELS["llama-3.1-8b"], A100).per_gpu
    moved = answer(FitRequest(task="full", gpus=8, zero=3, offload="optimizer"), MODELS["llama-3.1-8b"], A100).per_gpu
    everything = answer(FitRequest(task="full", gpus=8, zero=3, offload="all"), MODELS["llama-3.1-8b"], A100).per_gpu
    assert kept.optimizer > 0 == moved.optimizer
    assert moved.weights == kept.weights > 0
    assert everything.weights == everything.gradients == everything.optimizer == 0


def test_accumulating_gradients_costs_nothing_without_a_pipeline() -> None:
    once = answer(FitRequest(task="full"), MODELS["llama-3.1-8b"], A100)
    often = answer(FitRequest(task="full", accumulation=16), MODELS["llama-3.1-8b"], A100)
    assert once.per_gpu == often.per_gpu


def test_a_pipeline_keeps_a_micro_batch_for_each_stage() -> None:
    alone = answer(FitRequest(task="full", gpus=4, pp=4), MODELS["llama-3.1-8b"], A100).per_gpu
    filled = answer(FitRequest(task="full", gpus=4, pp=4, accumulation=8), MODELS["llama-3.1-8b"], A100).per_gpu
    assert filled.activations > alone.activations


def test_logits_in_chunks_take_less() -> None:
    whole = answer(FitRequest(task="lora"), MODELS["llama-3.1-8b"], A100).per_gpu.activations
    chunked = answer(FitRequest(task="lora", loss="chunked"), MODELS["llama-3.1-8b"], A100).per_gpu.activations
    assert whole - chunked == pytest.approx(2048 * 128_256 * 10 * 7 / 8, rel=0.001)


def test_quantised_weights_cannot_be_trained_in_full() -> None:
    with pytest.raises(InvalidInput, match="weights: int4"):
        answer(FitRequest(task="full", weights="int4"), MODELS["llama-3.1-8b"], A100)
