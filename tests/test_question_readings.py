"""Questions whose words may be read in two ways are answered in the way that a reader means."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Wanneer is een Radeon de moeite waard voor AI?", "officieel ondersteund"),
        ("When is a Radeon worth it for AI?", "officially supported"),
        ("企业为什么在乎 GPU 放在哪个国家？", "GDPR"),
        ("Hoeveel bits kost een gewicht in MXFP4?", "4,25 bits"),
        ("Hvor mange bit bruger en vægt i MXFP4?", "4,25 bit"),
        ("Is een betaald softwarepakket een garantie tegen storingen?", "behoedt niet automatisch voor storingen"),
        ("Welke Python-versies horen bij PyTorch onder Windows met ROCm?", "Python 3.11 tot en met 3.14"),
        ("Moet ik per maand betalen als ik een eigen GPU-server huur?", "per maand of volgens contract"),
    ],
)
def test_what_is_meant_is_answered(assistant: Assistant, question: str, says: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert says in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "In which year did Intel buy AMD?",
        "AMD 哪一年收购了 NVIDIA？",
        "When did NVIDIA merge with AMD?",
        "Wanneer werd AMD opgericht?",
    ],
)
def test_an_event_that_no_source_tells_is_said_to_be_missing(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "not_in_sources"
    assert ">" not in answer.text, "no passage on something else is quoted as nearest to an answer"


def test_figures_told_in_a_sentence_on_both_cards_are_not_told_again(assistant: Assistant) -> None:
    first = assistant.answer(Question(text="Compare the H200 with the MI325X")).text.split("\n\n")[0]
    assert first.count("256 GB") == 1
    assert first.count("TB/s") == 2


def test_a_model_that_is_not_held_is_compared_with_nothing(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Which is bigger, Llama 9 70B or Llama 3.3 70B?"))
    assert answer.status == "not_in_sources"
    assert "KV heads" not in answer.text


def test_the_model_that_is_held_is_sized_beside_one_that_is_not(assistant: Assistant) -> None:
    text = assistant.answer(Question(text="Compare Llama 3.3 70B and Llama 9 70B on an H200")).text
    assert "“Llama 9 70B” is not in the sources" in text
    assert "Llama 3.3 70B (bf16) does not fit on 1 × NVIDIA H200" in text


@pytest.mark.parametrize(
    "question",
    [
        "Which GPU should I buy for a 32B model?",
        "Hvilket kort skal jeg købe til en 32B-model?",
        "Welke kaart moet ik kopen voor een 32B-model?",
        "买什么卡跑 32B 模型？",
    ],
)
def test_which_card_to_buy_for_a_model_is_answered_by_what_holds_it(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "H100 NVL" in answer.text


def test_a_price_told_in_other_words_is_told_once_beside_a_comparison(assistant: Assistant) -> None:
    question = "Wat is het verschil tussen de H100 PCIe en de H100 SXM?"
    first = assistant.answer(Question(text=question)).text.split("\n\n")[0]
    assert first.count("marktplaats") == 1
