"""A yes or a no opens an answer only where figures settle it, and then the right one."""

import re

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.language.tongue import LANGUAGES

_OPENS = re.compile(r"^(?:Ja|Nee|Nej|Yes|No)[.,:]|^(?:是的|不是)[，。]")

SETTLED = [
    ("Does the B200 have more memory than the MI355X?", "No. "),
    ("Does the B200 have less memory than the MI355X?", "Yes. "),
    ("Heeft de B200 meer geheugen dan de MI355X?", "Nee. "),
    ("Har MI325X mere hukommelse end H200?", "Ja. "),
    ("B200的显存比MI355X大吗？", "不是。"),
    ("Kost de B200 minder dan de H100?", "Nee. "),
    ("Does the H200 have 192 GB?", "No. "),
    ("Is the H100 PCIe memory over 70 GB?", "Yes. "),
    ("Does the H100 have more than 100 GB?", "No. "),
]

OPEN = [
    # A question that denies can be meant either way.
    "Does the MI300X not have more memory than the H100?",
    # The sources disagree on the bandwidth of the one.
    "Does the MI355X have more bandwidth than the B200?",
    "Is ROCm paid software?",
    "Moet ik voor ROCm betalen?",
    "用 ROCm 要花钱吗？",
    "Skal jeg betale for ROCm?",
    "PyTorch支持AMD的卡吗",
]


@pytest.mark.parametrize(("question", "opening"), SETTLED)
def test_what_figures_settle_is_answered_with_yes_or_no(assistant: Assistant, question: str, opening: str) -> None:
    assert assistant.answer(Question(text=question)).text.startswith(opening)


@pytest.mark.parametrize("question", OPEN)
def test_what_they_leave_open_begins_with_neither(assistant: Assistant, question: str) -> None:
    assert not _OPENS.match(assistant.answer(Question(text=question)).text)


def test_no_statement_of_a_source_answers_a_question_it_does_not_know(assistant: Assistant) -> None:
    statements = [fact.statement.in_language(language) for fact in assistant.facts for language in LANGUAGES]
    assert not [statement for statement in statements if _OPENS.match(statement)]


@pytest.mark.parametrize(
    "question",
    [
        "When is Radeon a reasonable pick?",
        "Wanneer is Radeon een redelijke keus?",
        "Hvornår er Radeon et fornuftigt valg?",
        "什么时候 Radeon 显卡值得考虑？",
    ],
)
def test_when_something_is_a_good_choice_asks_for_circumstances(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "Linux" in answer.text and "Radeon" in answer.text


@pytest.mark.parametrize(
    "question", ["AMD的第一批Helios什么时候交货？", "when will the first helios racks be delivered"]
)
def test_the_word_for_what_is_dated_says_more_than_when(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert {dispute.attribute for dispute in answer.conflicts} == {"first_availability"}


@pytest.mark.parametrize(
    "question",
    [
        "Should I rent or buy GPUs?",
        "Skal jeg leje eller købe GPU'er?",
        "GPU应该租还是买？",
        "Kan ik beter een server kopen of cloud huren?",
    ],
)
def test_rent_or_buy_is_advice_and_not_a_price(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    cited = {citation.source_id for citation in answer.citations}
    assert cited & {"da-hosting-udbydere", "zh-support-cloud-availability"}


@pytest.mark.parametrize(
    "question",
    ["MI325X和H200哪个显存大，大多少", "Which has more memory, the MI325X or the H200, and how much more?"],
)
def test_how_much_more_asks_after_what_was_compared(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "115 GB" in answer.text
