"""Cards put side by side in an answer, whatever words ask for it; an order is told only where figures give one."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("Is the MI300X a good alternative to the H100 for inference?", ("MI300X", "H100")),
        ("Hvad er forskellen mellem MI350X og MI355X?", ("MI350X", "MI355X")),
        ("Welke is beter, de H200 of de MI325X?", ("H200", "MI325X")),
        ("MI300X能代替H100吗？", ("MI300X", "H100")),
        ("RTX 4090 or RTX 3090 for LLMs?", ("RTX 4090", "RTX 3090")),
        ("Er H200 hurtigere end H100?", ("H200", "H100")),
        ("B200 vs B300", ("B200", "B300")),
    ],
)
def test_two_cards_are_compared_in_the_usual_figures(
    assistant: Assistant, question: str, cards: tuple[str, str]
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    (header,) = [line for line in answer.text.splitlines() if line.startswith("|") and cards[0] in line]
    assert cards[1] in header
    assert not answer.text.startswith("|"), "a sentence comes before the table"


@pytest.mark.parametrize(
    "question",
    [
        "Which draws more power, the MI355X or the B200?",
        "Wat verbruikt meer vermogen, de MI355X of de B200?",
        "Hvad har højest strømforbrug, MI355X eller B200?",
        "MI355X和B200哪个功耗更高？",
    ],
)
def test_figures_that_overlap_give_no_order(assistant: Assistant, question: str) -> None:
    first = assistant.answer(Question(text=question)).text.splitlines()[0]
    assert "MI355X" in first and "B200" in first
    for figure in ("400 W", "700 W"):
        assert figure in first


def test_the_lead_of_a_family_tells_every_edition(assistant: Assistant) -> None:
    first = assistant.answer(Question(text="Is the H100 better than the A100?")).text.splitlines()[0]
    assert "H100" in first and "PCIe" in first and "SXM" in first


def test_editions_with_the_same_figure_share_it(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Should I upgrade from A100 to H100?"))
    assert "312 TFLOPS (40GB PCIe, 40GB SXM, 80GB PCIe, 80GB SXM)" in answer.text
