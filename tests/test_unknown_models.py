"""A model that the knowledge base doesn't have is said to be unknown, and never sized as if it were another."""

import pytest

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


def ask(assistant: Assistant, text: str) -> Answer:
    return assistant.answer(Question(text=text))


@pytest.mark.parametrize(
    ("question", "name", "near", "said_as_such"),
    [
        ("Does Llama 9 70B fit on an H100?", "Llama 9 70B", "Llama 3.3 70B", "Only the number of parameters"),
        ("Past Qwen 8 32B op een 4090?", "Qwen 8 32B", "Qwen3 32B", "Alleen van het aantal parameters"),
        ("Passer Mistral Ultra 123B på 2 H200?", "Mistral Ultra 123B", "Mistral Large", "antallet af parametre"),
        ("Llama 9 70B 能放进 H100 吗？", "Llama 9 70B", "Llama 3.3 70B", "只能按参数量"),
        ("Hoeveel geheugen heeft Qwen9-235B nodig?", "Qwen9-235B", "Qwen3 235B-A22B", "aantal parameters"),
        ("Does Llama 3.3 80B fit on an H100?", "Llama 3.3 80B", "Llama 3.3 70B", "Only the number of parameters"),
        ("Does Qwen3 33B fit on an H100?", "Qwen3 33B", "Qwen3 32B", "Only the number of parameters"),
    ],
)
def test_an_unknown_model_is_named_before_any_model_of_its_size_is_calculated(
    assistant: Assistant, question: str, name: str, near: str, said_as_such: str
) -> None:
    answer = ask(assistant, question)
    first, lead, _ = answer.text.split("\n\n", 2)
    assert answer.status == "partly_answered"
    assert f"“{name}”" in first
    assert near in first
    assert said_as_such in lead
    assert answer.missing is not None
    assert name in answer.missing.what


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Does Foobar 70B fit on an H100?", "Foobar 70B"),
        ("Past Zephyr-9 40B op een A100?", "Zephyr-9 40B"),
        ("Will Grok 7 314B run on 8 H200?", "Grok 7 314B"),
        ("两张 H100 能跑盘古 72B 吗？", "盘古 72B"),
    ],
)
def test_a_size_behind_any_name_makes_it_a_models_name(assistant: Assistant, question: str, name: str) -> None:
    answer = ask(assistant, question)
    assert answer.status == "partly_answered"
    assert f"“{name}”" in answer.text.split("\n\n")[0]


def test_of_an_unknown_model_beside_a_known_one_only_the_known_is_sized(assistant: Assistant) -> None:
    answer = ask(assistant, "Do Llama 3.3 70B and Llama 9 405B fit on 8 H200?")
    assert answer.status == "partly_answered"
    assert "“Llama 9 405B”" in answer.text
    assert {run.inputs["model"] for run in answer.tool_runs} == {"Llama 3.3 70B"}


@pytest.mark.parametrize("question", ["Kan GPT-9 køre på en H100?", "Does Phi-9 fit on an RTX 4090?"])
def test_without_a_size_nothing_is_calculated_and_nothing_beside_it_told(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert answer.status == "not_in_sources"
    assert not answer.citations


@pytest.mark.parametrize(
    ("question", "model"),
    [
        ("Does a 70B model fit on an H100?", "70B"),
        ("Past een Llama-model van 70B op een H100?", "70B"),
        ("Passer en 70B-model på 2 H100?", "70B"),
        ("700亿参数的模型能放进两张 H100 吗？", "70B"),
        ("Does DeepSeek-R1 671B fit on 8 H200?", "DeepSeek-R1"),
        ("Does Llama 3.1 405B fit on 8 H200?", "Llama 3.1 405B"),
        ("Past Kimi K2 1000B op 8 B200?", "Kimi K2"),
    ],
)
def test_a_bare_size_and_a_known_size_stay_what_they_are(assistant: Assistant, question: str, model: str) -> None:
    answer = ask(assistant, question)
    assert answer.status == "answered"
    assert {run.inputs["model"] for run in answer.tool_runs} == {model}
