"""Which language a short question is in, names and borrowed terms and all."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.detection import detect_language
from assistant.language.tongue import LANGUAGES, Language

QUESTIONS: list[tuple[Language, str]] = [
    (language, question)
    for line in (Path(__file__).parent / "data" / "short_questions.tsv").read_text(encoding="utf-8").splitlines()
    for language, question in [line.split("\t")]
    if language in LANGUAGES
]


def test_the_language_of_short_questions_is_told_in_at_least_98_of_100() -> None:
    assert len(QUESTIONS) >= 200
    wrong = [
        (language, detect_language(text), text) for language, text in QUESTIONS if detect_language(text) != language
    ]
    for language in LANGUAGES:
        asked = sum(of == language for of, _ in QUESTIONS)
        missed = sum(of == language for of, _, _ in wrong)
        assert missed <= 0.02 * asked, wrong


def test_a_question_without_words_of_a_language_takes_that_of_the_question_before() -> None:
    assert detect_language("MI325X?", ["Hvor meget hukommelse har MI300X?"]) == "da"
    assert detect_language("B200?", ["H100?", "显存多大？"]) == "zh"
    assert detect_language("MI325X?") == "en"
    assert detect_language("rtx 4090 vram?", ["Wat kost een B200?"]) == "nl"
    assert detect_language("And the price?", ["Wat kost een B200?"]) == "en"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "Wat betekent “Torch not compiled with CUDA enabled”?"),
        ("da", 'Hvad betyder "could not select device driver" for min container?'),
        ("zh", "“CUDA out of memory, tried to allocate 2 GiB” 怎么办？"),
        ("en", "What does “geheugen vol” mean?"),
    ],
)
def test_a_question_on_a_quoted_message_is_in_the_language_of_the_words_around_it(
    language: Language, text: str
) -> None:
    assert detect_language(text) == language


def test_a_first_word_with_a_danish_letter_is_danish() -> None:
    assert detect_language("Væskekøles en GB200 NVL72?") == "da"


def test_a_passage_that_names_chinese_headings_in_english_text_is_english() -> None:
    text = "Cherry 服务器 is relevant for organizations evaluating dedicated GPU and bare-metal infrastructure."
    assert detect_language(text, usual="zh") == "en"


def test_a_chinese_passage_full_of_product_names_is_chinese() -> None:
    text = "NVIDIA 提供专为大规模 AI 工作负载设计的数据中心加速器，包括 H100、H200 和 B200。"
    assert detect_language(text, usual="en") == "zh"


def test_detection_takes_less_than_two_milliseconds() -> None:
    detect_language("warm up the model")
    start = time.perf_counter()
    for _, text in QUESTIONS:
        detect_language(text)
    assert (time.perf_counter() - start) / len(QUESTIONS) < 0.002


@given(st.text(max_size=300))
def test_any_text_has_a_language(text: str) -> None:
    assert detect_language(text) in LANGUAGES


@pytest.mark.parametrize("text", ["", "🙂🙂", "\0", "   ", "مرحبا بالعالم", "<script>alert(1)</script>"])
def test_text_in_none_of_the_languages_gets_the_usual_one(text: str) -> None:
    assert detect_language(text, usual="nl") in LANGUAGES
