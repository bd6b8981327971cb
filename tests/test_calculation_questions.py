"""Questions that ask for a calculation, in the words people use in four languages: what is read, and what is told."""

from decimal import Decimal

import pytest

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.calculation_inputs import read_inputs
from assistant.answering.evidence import Question


def inputs_of(answer: Answer, tool: str) -> dict[str, object]:
    """What the one run of a tool was given."""
    (run,) = [run for run in answer.tool_runs if run.tool == tool]
    return run.inputs


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("Wat kost het om 8 H200's een week te huren bij RunPod?", "168"),
        ("What does it cost to rent an H100 for a month?", "730"),
        ("Hvad koster det at leje 4 H100 en uge?", "168"),
        ("Wat kost een H100 per dag?", "24"),
        ("租8张H200一年要多少钱？", "8760"),
        ("租两张H100三天多少钱？", "72"),
        ("What do 3 weeks with a B200 cost?", "504"),
        ("If I use an H100 8 hours a day, what do I pay per month?", "243.33"),
        ("H200 RunPod 每天用8小时，一个月多少钱？", "243.33"),
        ("Wat betaal ik per jaar voor een H200 die 40 uur per week draait?", "2085.71"),
        ("Hvad koster en B200 med 10 timer om dagen i en uge?", "70"),
        ("What does an H100 cost for 8 hours a day?", "8"),
    ],
)
def test_how_long_is_read_with_and_without_a_figure(assistant: Assistant, question: str, hours: str) -> None:
    (ask,) = assistant.understand(Question(text=question)).asks
    assert read_inputs(ask).hours == Decimal(hours)
    assert Decimal(str(inputs_of(assistant.answer(Question(text=question)), "rent")["hours"])) == Decimal(hours)


@pytest.mark.parametrize(
    "question",
    ["What did a B200 cost a month ago?", "Wat kostte een B200 een week geleden?", "一个月前 B200 多少钱？"],
)
def test_how_long_something_is_ago_is_no_length_of_a_rent(assistant: Assistant, question: str) -> None:
    (ask,) = assistant.understand(Question(text=question)).asks
    assert read_inputs(ask).hours is None


@pytest.mark.parametrize(
    "question",
    [
        "I have two RTX 3090s. Can I run Llama 3.3 70B at 4 bit with 32k context?",
        "Ik heb twee RTX 3090's. Kan ik Llama 3.3 70B in 4 bit draaien met 32k context?",
        "Jeg har to RTX 3090. Kan jeg køre Llama 3.3 70B i 4 bit med 32k kontekst?",
        "我有两张 RTX 3090。能跑 Llama 3.3 70B 的 4bit 吗，上下文 32k？",
        "I have two RTX 3090s, can I run Llama 3.3 70B at 4 bit with 32k context?",
    ],
)
def test_what_one_has_told_before_asking_is_calculated_with(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    given = inputs_of(answer, "fit")
    assert (given["gpu"], given["gpus"]) == ("NVIDIA GeForce RTX 3090", 2)
    assert (given["weights"], given["context"]) == ("int4", 32_768)


@pytest.mark.parametrize(
    "question",
    [
        "How many H200s do I need for Llama 3.1 405B in fp8?",
        "Hoeveel H200's heb ik nodig voor Llama 3.1 405B in fp8?",
        "Hvor mange H200 skal jeg bruge til Llama 3.1 405B i fp8?",
        "跑 Llama 3.1 405B fp8 需要几张 H200？",
    ],
)
def test_how_many_cards_is_answered_first_and_with_that_many(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    given = inputs_of(answer, "fit")
    count = answer.tool_runs[0].result["gpus_needed"]
    assert given["gpus"] == count and count > 1
    assert f"{count} × NVIDIA H200" in answer.text.splitlines()[0]


@pytest.mark.parametrize(
    "question",
    [
        "How many GPUs do I need for Llama 3.1 405B?",
        "Hoeveel GPU's zijn er nodig voor Llama 3.1 405B?",
        "Hvor mange GPU'er kræver Llama 3.1 405B?",
        "Llama 3.1 405B 需要多少张卡？",
    ],
)
def test_how_many_of_any_card_names_counts_of_cards(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "5 × AMD Instinct MI300X" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Why does vLLM run out of memory with Llama 3.1 8B on my 24 GB card?",
        "Waarom raakt het geheugen vol als ik Llama 3.1 8B met vLLM op een kaart van 24 GB draai?",
        "Hvorfor løber vLLM tør for hukommelse med Llama 3.1 8B på mit 24 GB kort?",
        "为什么 vLLM 在 24GB 显卡上跑 Llama 3.1 8B 会 OOM？",
    ],
)
def test_why_vllm_runs_out_is_calculated_with_the_context_it_reserves(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    given = inputs_of(answer, "fit")
    assert (given["engine"], given["context"]) == ("vllm", 131_072)
    assert answer.tool_runs[0].result["verdict"] == "does_not_fit"
    assert "--max-model-len" in answer.text.split("\n\n")[0]
