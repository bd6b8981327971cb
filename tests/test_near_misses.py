"""What is close to something held, but isn't held, is told as such; what a question limits is kept to."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.language.asked_nouns import asked_nouns, stands_in


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many fans are in an AMD Helios rack?", "Helios"),
        ("Hvem er direktør for TensorWave?", "TensorWave"),
        ("Hoeveel stuks verkocht AMD op de laptopmarkt in Q2 2026?", "laptopmarkt"),
        ("OpenAI跟AMD签了多少吉瓦的合同？", "OpenAI"),
        ("hvilke kort er i CDNA 5", "CDNA 5"),
        ("hoeveel gpus zitten er in een Helios Mini rack", "Helios Mini"),
        ("What does Intel use instead of NCCL?", "Intel"),
    ],
)
def test_a_near_miss_is_refused_and_names_what_is_missing(assistant: Assistant, question: str, named: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "not_in_sources"
    assert named in answer.text


@pytest.mark.parametrize(
    ("question", "included", "excluded"),
    [
        ("which cards have more than 200 GB?", "MI325X", "MI300X"),
        ("哪些卡显存超过200GB", "MI355X", "B200 SXM"),
        ("which cards in the sources need 1000 W or more?", "MI325X", "H100"),
    ],
)
def test_cards_are_told_on_the_asked_side_of_a_figure_only(
    assistant: Assistant, question: str, included: str, excluded: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert included in answer.text
    assert excluded not in answer.text


@pytest.mark.parametrize(
    ("question", "first_item"),
    [
        ("op welke vier niveaus moet je nvidia en amd eigenlijk vergelijken?", "chip"),
        ("看显存的时候要注意哪三点？", "容量"),
        ("Hvad er ulemperne ved ROCm 10?", "cloududbydere"),
    ],
)
def test_a_list_is_found_by_a_question_in_other_words(assistant: Assistant, question: str, first_item: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.text.startswith("**")
    assert first_item in answer.text


def test_the_noun_asked_for_is_read_where_the_question_says_it_by_a_noun() -> None:
    assert asked_nouns("How many fans does it have?", [], "en") == ("fans",)
    assert asked_nouns("How much power does it draw?", [], "en") == ()


def test_a_noun_stands_in_a_text_by_its_stem_and_not_by_its_end() -> None:
    assert stands_in("kaart", "nvidia-kaarten in de cloud")
    assert not stands_in("laptopmarkt", "de markt voor losse desktop-gpu's")
