"""Answers without a model: right, cited, in the language asked, and silent where the sources are."""

import re

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question

FIRST_QUESTION = {
    "en": "How much memory does the MI355X have, and what does a B200 cost per hour?",
    "nl": "Hoeveel geheugen heeft de MI355X, en wat kost een B200 per uur?",
    "da": "Hvor meget hukommelse har MI355X, og hvad koster en B200 i timen?",
    "zh": "MI355X 有多少显存，B200 每小时多少钱？",
}


@pytest.mark.parametrize("language", FIRST_QUESTION)
def test_the_first_question_is_answered_and_cited_in_four_languages(assistant: Assistant, language: str) -> None:
    answer = assistant.answer(Question(text=FIRST_QUESTION[language]))
    assert (answer.status, answer.language, answer.model) == ("answered", language, None)
    decimal = "," if language in ("nl", "da") else "."
    for figure in ("288 GB", f"6{decimal}69", f"6{decimal}99", f"6{decimal}79"):
        assert figure in answer.text
    assert any("288" in citation.quote for citation in answer.citations)
    assert any(re.search(r"6[.,]79", citation.quote) for citation in answer.citations)
    assert any(caveat.code == "stale" for caveat in answer.caveats)


@pytest.mark.parametrize("language", FIRST_QUESTION)
def test_every_citation_is_verbatim_in_its_article(assistant: Assistant, language: str) -> None:
    answer = assistant.answer(Question(text=FIRST_QUESTION[language]))
    for citation in answer.citations:
        if citation.kind == "article":
            body = assistant.corpus.articles[citation.source_id].body
            assert body[citation.start : citation.end] == citation.quote
    marked = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
    assert marked == {citation.marker for citation in answer.citations}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does the H900 cost?", "H900"),
        ("Hoeveel geheugen heeft de RTX 4095?", "RTX 4095"),
        ("Hvad koster en B200 hos Graphcore Cloud?", "Graphcore"),
        ("ROCm 12 什么时候发布？", "ROCm 12"),
    ],
)
def test_an_unknown_name_is_said_to_be_unknown(assistant: Assistant, question: str, name: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status in ("not_in_sources", "partly_answered")
    assert name in answer.text
    assert answer.missing is not None and any(name in what for what in answer.missing.what)


@pytest.mark.parametrize(
    "question",
    [
        "Who won the football match yesterday?",
        "Geef me een recept voor appeltaart",
        "Hvad er klokken i Tokyo?",
        "今天天气怎么样？",
        "🎉🎉🎉",
        "",
        "   ",
        "\0\0",
    ],
)
def test_what_the_sources_are_not_about_is_refused(assistant: Assistant, question: str) -> None:
    assert assistant.answer(Question(text=question)).status in ("out_of_scope", "not_in_sources")


@pytest.mark.parametrize(
    "question",
    [
        "memory " * 3000,
        "<script>alert(1)</script> MI300X memory?",
        "[x](javascript:alert(1)) ![i](http://evil/x.png) How much memory does the MI300X have?",
        "\u202eX003IM\u202c geheugen MI300X",
        "MI300X\0memory",
        "-5 H100 for -3 hours cost",
        "What do 1e30 H100 cost for 1 hour?",
    ],
)
def test_strange_questions_are_answered_honestly(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.text
    assert "<script" not in answer.text and "http://evil" not in answer.text


def test_a_list_is_told_whole_and_in_order(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Welke stappen zijn er om van CUDA naar ROCm te migreren?"))
    assert re.findall(r"^(\d)\. ", answer.text, re.MULTILINE) == list("1234567")


def test_cards_are_compared_in_a_table(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Compare the memory and bandwidth of the H100 SXM and the MI300X"))
    assert "| Property | NVIDIA H100 SXM | AMD Instinct MI300X |" in answer.text
    for figure in ("80 GB", "192 GB", "3.35 TB/s", "5.3 TB/s"):
        assert figure in answer.text


def test_a_fit_is_calculated_by_the_tool(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Does Llama 3.3 70B fit on one H100 SXM?"))
    assert answer.text.startswith("No")
    assert answer.tool_runs[0].tool == "fit"
    assert answer.tool_runs[0].result["verdict"] == "does_not_fit"


def test_rent_is_calculated_with_its_price_and_date(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Wat kosten 8 H200's voor 100 uur bij RunPod?"))
    assert answer.tool_runs[0].tool == "rent"
    assert "2.872" in answer.text and "3.672" in answer.text
    assert "september 2026" in answer.text


def test_kroner_are_converted_at_the_stated_rate(assistant: Assistant) -> None:
    assert "14 kr" in assistant.answer(Question(text="Hvad koster en H100 PCIe i timen i kroner?")).text


def test_answers_come_fast_once_warm(assistant: Assistant) -> None:
    question = Question(text=FIRST_QUESTION["en"])
    assistant.answer(question)
    timings = [sum(assistant.answer(question).timings_ms.values()) for _ in range(9)]
    assert sorted(timings)[len(timings) // 2] < 500  # the budget is 60 ms; a busy machine must not fail the suite


def test_a_price_that_is_not_held_is_said_to_be_missing_with_those_held_elsewhere_cited(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="在 Vast.ai 上租一张 B200 一小时多少钱？"))
    assert answer.status == "partly_answered"
    assert answer.missing is not None
    assert "Vast.ai" in " ".join(answer.missing.what)
    quotes = " ".join(citation.quote for citation in answer.citations)
    assert "6.69" in answer.text and "6.69" in quotes


def test_a_passage_without_any_price_does_not_answer_what_a_card_costs(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Wat kost de MI355X per uur?"))
    assert answer.status == "not_in_sources"
    assert answer.missing is not None
    assert "MI355X" in " ".join(answer.missing.what)
