"""Every figure of an estimate can be worked out again from the line that explains it, as the line is printed."""

import math
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.fit import answer, estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, Formula
from assistant.tools.memory.sizing import Subject

CATALOGUE = open_catalogue(ROOT / "corpus")
CARDS = [CATALOGUE.card(name) for name in ("H100 SXM", "A100 80GB", "RTX 4090", "MI300X", "B200")]
FORMATS = ["bf16", "fp32", "fp8", "w8a8", "int4", "nf4", "mxfp4", "q4_k_m", "q8_0", "iq2_xs"]
_TOKEN = re.compile(r" *(\d[\d\u202f]*(?:\.\d+)?(?:e[+-]?\d+)?|min|max|[()⌈⌉⌊⌋+−×÷,])")


class Sum:
    """Reads a sum as a person would: brackets first, × and ÷ before + and −, from left to right."""

    def __init__(self, text: str) -> None:
        self.signs = _TOKEN.findall(text)
        assert "".join(self.signs) == text.replace(" ", ""), text
        self.place = 0

    def next(self) -> str:
        return self.signs[self.place] if self.place < len(self.signs) else ""

    def take(self, sign: str = "") -> str:
        found = self.next()
        assert not sign or found == sign, (sign, self.signs[self.place :])
        self.place += 1
        return found

    def whole(self) -> float:
        value = self.sum()
        assert self.place == len(self.signs), self.signs[self.place :]
        return value

    def sum(self) -> float:
        value = self.product()
        while self.next() in ("+", "−"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.atom()
        while self.next() in ("×", "÷"):
            value = value * self.atom() if self.take() == "×" else value / self.atom()
        return value

    def atom(self) -> float:
        sign = self.take()
        if sign == "(":
            value = self.sum()
            self.take(")")
        elif sign in "⌈⌊":
            # A hair's breadth beside a whole number is that number.
            inner = self.sum()
            near = round(inner)
            exact = near if abs(inner - near) < 1e-12 * max(1.0, abs(inner)) else inner
            value = math.ceil(exact) if sign == "⌈" else math.floor(exact)
            self.take("⌉" if sign == "⌈" else "⌋")
        elif sign in ("min", "max"):
            self.take("(")
            first = self.sum()
            self.take(",")
            second = self.sum()
            self.take(")")
            value = min(first, second) if sign == "min" else max(first, second)
        else:
            value = float(sign.replace("\u202f", ""))
        return value


def near(made: float, stated: float, unit: str) -> bool:
    """Within what is rounded: a few bytes, a tenth of a token a second, and the last of twelve digits."""
    slack = 0.06 if unit == "tokens/s" else 8
    return abs(made - stated) <= slack + 1e-8 * abs(stated)


def check(step: Formula) -> None:
    text = step.filled.partition(": ")[2] or step.filled
    if "≤" in text or "<" in text:
        parts = re.split(r" (≤|<) ", text)
        values = [Sum(part).whole() for part in parts[::2]]
        for sign, left, right in zip(parts[1::2], values, values[1:], strict=False):
            assert left <= right if sign == "≤" else left < right, step
        return
    ends = text.split(" – ")
    stated = [step.value] if step.low is None else [step.low, step.value]
    assert len(ends) == len(stated), step
    for end, value in zip(ends, stated, strict=True):
        left, equals, right = end.partition(" = ")
        assert near(Sum(left).whole(), value, step.unit), (step.term, step.filled, Sum(left).whole())
        if equals:
            assert near(Sum(right).whole(), value, step.unit), step


def checked(result: FitResult) -> None:
    """Every line can be worked out, has a source, and every figure of the result is some line's."""
    for step in result.formulas:
        check(step)
        assert step.source
    lines = {step.term: step for step in result.formulas}
    per_gpu, inference = result.per_gpu, result.request.task == "inference"
    figures: dict[str, float | None] = {
        "parameters": result.model.parameters, "active_parameters": result.model.active_parameters,
        "weights": per_gpu.weights, "activations": per_gpu.activations, "usable": per_gpu.usable,
        "overhead_total": per_gpu.overhead.high, "total": per_gpu.total.high,
        "gpus_needed": result.gpus_needed, "max_context": result.max_context,
        "max_concurrency": result.max_concurrency, "kv_tokens_capacity": result.kv_tokens_capacity,
        "decode_ceiling_tokens_per_s": result.decode_ceiling_tokens_per_s,
        "prefill_ceiling_tokens_per_s": result.prefill_ceiling_tokens_per_s,
    }  # fmt: skip
    if inference:
        figures |= {"kv_cache": per_gpu.kv_cache, "kv_bytes_per_token": result.kv_bytes_per_token}
    else:
        figures |= {"gradients": per_gpu.gradients, "optimizer": per_gpu.optimizer}
    for term, value in figures.items():
        if value is not None:
            assert lines[term].value == value, term
    assert lines["total"].low == per_gpu.total.low and lines["overhead_total"].low == per_gpu.overhead.low
    parts = per_gpu.weights + per_gpu.kv_cache + per_gpu.gradients + per_gpu.optimizer + per_gpu.activations
    assert (parts + per_gpu.overhead.low, parts + per_gpu.overhead.high) == (per_gpu.total.low, per_gpu.total.high)


subjects: st.SearchStrategy[Subject] = st.one_of(
    st.sampled_from(CATALOGUE.models),
    st.integers(10**8, 2 * 10**12).map(lambda count: CATALOGUE.subject(None, count)),
)
serving = st.fixed_dictionaries(
    {"gpus": st.sampled_from([1, 2, 3, 4, 8, 16]), "context": st.integers(1, 40_000),
     "concurrency": st.integers(1, 300)},
    optional={"prefix": st.integers(0, 3000), "engine": st.sampled_from(["vllm", "llama.cpp", "sglang"]),
              "weights": st.sampled_from(FORMATS),
              "kv_type": st.sampled_from(["auto", "fp8", "q8_0", "q4_0"]), "hybrid_manager": st.booleans(),
              "swa_full": st.booleans(), "unified_kv": st.booleans(), "block": st.sampled_from([1, 16, 64]),
              "batched_tokens": st.integers(1, 20_000), "max_sequences": st.integers(1, 2000),
              "memory_utilization": st.sampled_from([0.5, 0.9, 0.95, 1.0])},
)  # fmt: skip
training = st.fixed_dictionaries(
    {"task": st.sampled_from(["full", "lora", "qlora"]), "gpus": st.sampled_from([1, 2, 4, 8]),
     "sequence": st.integers(1, 9000), "batch": st.integers(1, 9)},
    optional={"zero": st.integers(0, 3), "recompute": st.sampled_from(["none", "selective", "full"]),
              "optimizer": st.sampled_from(["adamw", "adamw-bf16", "adamw-8bit", "adamw-fp32", "sgd"]),
              "offload": st.sampled_from(["none", "optimizer", "all"]), "tp": st.sampled_from([1, 2]),
              "pp": st.sampled_from([1, 2]), "flash_attention": st.booleans(),
              "loss": st.sampled_from(["full", "chunked"]), "accumulation": st.integers(1, 4),
              "lora_rank": st.integers(1, 128)},
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(subjects, st.sampled_from(CARDS), st.one_of(serving, training))
def test_every_figure_follows_from_its_line(subject: Subject, card: Any, choices: dict[str, Any]) -> None:
    try:
        result = answer(FitRequest.model_validate(choices), subject, card)
    except InvalidInput:
        assume(False)
        raise
    checked(result)


@pytest.mark.parametrize("model", [model.id for model in CATALOGUE.models])
def test_every_known_model_is_explained(model: str) -> None:
    checked(answer(FitRequest(gpus=8), CATALOGUE.model(model), CATALOGUE.card("H100 SXM")))


def test_the_number_of_cards_is_explained() -> None:
    checked(estimate_fit(FitRequest(), CATALOGUE.model("llama-3.3-70b"), CATALOGUE.card("H100 SXM")))
