"""Remedies and turning points can be run as they are given, and then give the verdict that stands beside them."""

import json
import shlex
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.interfaces.command_line import main
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.fit import answer, estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject

CATALOGUE = open_catalogue(ROOT / "corpus")
CARDS = tuple(CATALOGUE.cards.values())
subjects: st.SearchStrategy[Subject] = st.one_of(
    st.sampled_from(CATALOGUE.models),
    st.sampled_from([3, 8, 14, 32, 70, 123, 405, 671]).map(lambda n: CATALOGUE.subject(None, n * 10**9)),
)
serving = st.fixed_dictionaries(
    {"gpus": st.sampled_from([1, 2, 3, 4, 6, 8, 16]), "context": st.sampled_from([512, 4096, 32_768]),
     "concurrency": st.sampled_from([1, 7, 64])},
    optional={"tp": st.sampled_from([1, 2, 4, 8]), "pp": st.sampled_from([1, 2]),
              "engine": st.sampled_from(["vllm", "llama.cpp", "sglang"]),
              "weights": st.sampled_from(["bf16", "fp8", "int4", "q4_k_m", "q8_0"]),
              "kv_type": st.sampled_from(["auto", "fp8", "q8_0"])},
)  # fmt: skip
training = st.fixed_dictionaries(
    {"task": st.sampled_from(["full", "lora", "qlora"]), "gpus": st.sampled_from([1, 2, 4, 8]),
     "sequence": st.sampled_from([512, 2048, 8192]), "batch": st.sampled_from([1, 4])},
    optional={"zero": st.sampled_from([0, 1, 2, 3]), "recompute": st.sampled_from(["none", "selective", "full"])},
)  # fmt: skip


def found(subject: Subject, card: Any, choices: dict[str, Any]) -> FitResult:
    try:
        return estimate_fit(FitRequest.model_validate(choices), subject, card, CARDS)
    except InvalidInput:
        assume(False)
        raise


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(subjects, st.sampled_from(CARDS), st.one_of(serving, serving, training))
def test_every_change_gives_the_verdict_that_it_states(subject: Subject, card: Any, choices: dict[str, Any]) -> None:
    result = found(subject, card, choices)
    for remedy in (*result.remedies, *result.would_change):
        change = dict(remedy.change)
        on = CATALOGUE.card(str(change.pop("gpu"))) if "gpu" in change else card
        again = answer(FitRequest.model_validate(choices | change), subject, on)
        assert (again.verdict, again.per_gpu.total, again.per_gpu.usable) == (
            remedy.verdict, remedy.total, remedy.usable,
        ), (remedy.code, remedy.change)  # fmt: skip
    for remedy in result.remedies:
        assert remedy.verdict == ("tight" if remedy.code == "weights_tight" else "fits")
    assert result.verdict != "fits" or result.remedies == ()


def fit(capsys: pytest.CaptureFixture[str], call: list[str]) -> Any:
    with pytest.raises(SystemExit) as stop:
        main(["fit", *call, "--json"])
    assert not stop.value.code
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "call",
    [
        ["--model", "Llama 3.3 70B", "--gpu", "H100 SXM", "--gpus", "2", "--tp", "2", "--context", "32k"],
        ["--params", "70B", "--gpu", "H100 SXM", "--gpus", "2", "--tp", "2"],
        ["--model", "llama-3.1-8b", "--task", "full", "--gpu", "L40S", "--gpus", "2", "--batch", "4"],
    ],
)
def test_the_options_of_a_remedy_are_put_behind_the_call(capsys: pytest.CaptureFixture[str], call: list[str]) -> None:
    result = fit(capsys, call)
    assert result["would_change"]
    for remedy in result["would_change"]:
        again = fit(capsys, [*call, *shlex.split(remedy["options"])])
        assert (again["verdict"], again["per_gpu"]["total"]) == (remedy["verdict"], remedy["total"]), remedy["options"]
        assert remedy["text"]


def test_smaller_weights_that_may_fit_are_told_as_tight() -> None:
    model, card = CATALOGUE.model("deepseek-r1-distill-qwen-32b"), CATALOGUE.card("RTX 4090")
    result = estimate_fit(FitRequest(), model, card, CARDS)
    (tight,) = [remedy for remedy in result.remedies if remedy.code == "weights_tight"]
    assert tight.change["weights"] == "int4" and tight.total.low <= tight.usable < tight.total.high
