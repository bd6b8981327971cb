"""Beside what is calculated for a card stands what a source says of the very same case."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Are eight A100-80GB enough to fully fine-tune a 70B model?", "paged 8-bit AdamW"),
        ("Kan ik met 2 A10's van 24 GB een 13B-model met LoRA trainen?", "vierbits-kwantisatie"),
        ("RTX 3090 这类 Ampere 卡能跑 gpt-oss-120b 这种 MXFP4 模型吗？", "Triton"),
        ("A blog says that full fine-tuning of Llama-3.1-70B takes 300 GB. Is that right?", "admitted an error"),
    ],
)
def test_a_calculated_case_that_a_source_settles_is_told_with_it(
    assistant: Assistant, question: str, told: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.tool_runs
    assert told in answer.text
    assert {citation.kind for citation in answer.citations} >= {"article", "tool"}


@pytest.mark.parametrize(
    "question",
    [
        "两张 H100 SXM 能放下 Llama 3.3 70B 吗？",
        "Hvad koster 8 H100 SXM i 100 timer?",
        "How much memory does Llama 3.1 8B need in int4?",
    ],
)
def test_nothing_of_another_case_is_told_beside_a_calculation(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.tool_runs
    assert not [citation for citation in answer.citations if citation.kind == "article"]
