"""A question is taken apart into what it asks, in four languages, without a model."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


@pytest.mark.parametrize(
    "question",
    [
        "How much memory does the MI355X have, and what does a B200 cost per hour?",
        "Hoeveel geheugen heeft de MI355X, en wat kost een B200 per uur?",
        "Hvor meget hukommelse har MI355X, og hvad koster en B200 i timen?",
        "MI355X 有多少显存，B200 每小时多少钱？",
    ],
)
def test_two_questions_in_one_are_read_as_two(assistant: Assistant, question: str) -> None:
    asks = assistant.understand(Question(text=question)).asks
    assert [ask.entities() for ask in asks] == [("amd-mi355x",), ("nvidia-b200",)]
    assert "memory_capacity" in asks[0].attributes
    assert "price_per_hour" in asks[1].attributes


def test_things_joined_by_and_are_one_question(assistant: Assistant) -> None:
    asks = assistant.understand(Question(text="What are the memory and bandwidth of the MI300X and the H200?")).asks
    assert len(asks) == 1
    assert set(asks[0].entities()) == {"amd-mi300x", "nvidia-h200"}


@pytest.mark.parametrize(
    "question",
    [
        "How much memory and bandwidth do the H100 SXM, H200 and MI300X have?",
        "Hoeveel geheugen en bandbreedte hebben de H100 SXM, H200 en MI300X?",
        "Hvor meget hukommelse og båndbredde har H100 SXM, H200 og MI300X?",
        "H100 SXM、H200 和 MI300X 各有多少显存和带宽？",
    ],
)
def test_a_verb_at_the_end_asks_for_everything_named_before_it(assistant: Assistant, question: str) -> None:
    for ask in assistant.understand(Question(text=question)).asks:
        assert set(ask.entities()) == {"nvidia-h100-sxm", "nvidia-h200", "amd-mi300x"}


@pytest.mark.parametrize(
    ("history", "question", "entities", "attribute"),
    [
        ("Wat kost een B200 bij RunPod?", "en bij Lambda?", {"lambda", "nvidia-b200"}, "price_per_hour"),
        ("H100 SXM 的显存是多少？", "那 MI355X 呢？", {"amd-mi355x"}, "memory_capacity"),
        ("How much power does the H100 SXM draw?", "And the MI300X?", {"amd-mi300x"}, "power"),
        ("Hvor meget hukommelse har MI325X?", "Og hvad med H200?", {"nvidia-h200"}, "memory_capacity"),
    ],
)
def test_a_follow_up_keeps_what_it_does_not_replace(
    assistant: Assistant, history: str, question: str, entities: set[str], attribute: str
) -> None:
    ask = assistant.understand(Question(text=question, history=(history,))).asks[0]
    assert set(ask.entities()) == entities
    assert attribute in ask.attributes


def test_a_question_that_stands_alone_forgets_the_one_before(assistant: Assistant) -> None:
    question = Question(text="How much memory does the H200 have?", history=("What does a B200 cost at Lambda?",))
    assert assistant.understand(question).asks[0].entities() == ("nvidia-h200",)


@pytest.mark.parametrize(
    "question",
    [
        "How much memory, bandwidth and power does the MI325X have?",
        "Hoeveel geheugen, bandbreedte en vermogen heeft de MI325X?",
        "Hvor meget hukommelse, og hvor meget strøm bruger MI325X?",
    ],
)
def test_a_thing_named_last_is_meant_by_every_part(assistant: Assistant, question: str) -> None:
    asks = assistant.understand(Question(text=question)).asks
    assert {ask.entities() for ask in asks} == {("amd-mi325x",)}


def test_by_how_much_asks_after_the_property_just_compared(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="MI325X和H200哪个显存大，差多少？"))
    assert answer.status == "answered"
    assert "115 GB" in answer.text


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What does an H200 cost per hour in euro?", "no exchange rate"),
        ("Wat kost een H200 per uur in euro?", "geen wisselkoers"),
        ("Hvad koster en H200 i timen i euro?", "ingen vekselkurs"),
        ("H200 每小时多少欧元？", "汇率"),
    ],
)
def test_without_an_exchange_rate_the_price_is_told_in_dollars(assistant: Assistant, question: str, says: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "partly_answered"
    assert says in answer.text
    assert "--rate" not in answer.text
    assert "3,59" in answer.text or "3.59" in answer.text


@pytest.mark.parametrize(
    ("history", "question", "says"),
    [
        ("Past Qwen3 32B op een RTX 4090?", "En op twee?", ("2 × NVIDIA GeForce RTX 4090",)),
        ("What does RunPod charge for a B200?", "For 8 of them over 10 hours?", ("543.20",)),
        ("一张 L40S 能跑 Qwen3 32B 吗？", "两张呢？", ("2 × NVIDIA L40S",)),
        ("Hoeveel geheugen en stroom heeft een MI300X?", "en de MI325X?", ("256 GB", "1.000 W")),
        ("MI355X 有多少显存？", "比 B200 多多少？", ("108 GB",)),
        ("Hvor meget hukommelse har L40S?", "Er det mere end L4?", ("48 GB", "24 GB")),
    ],
)
def test_a_follow_up_counts_compares_and_asks_for_all_that_was_asked(
    assistant: Assistant, history: str, question: str, says: tuple[str, ...]
) -> None:
    text = assistant.answer(Question(text=question, history=(history,))).text
    assert all(said in text for said in says)


def test_every_property_asked_of_a_card_is_told(assistant: Assistant) -> None:
    text = assistant.answer(Question(text="What are the memory and bandwidth of the H200?")).text
    assert "141 GB" in text
    assert "4.8 TB/s" in text


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("Hvad er hukommelseskapaciteten på MI325X?", "memory_capacity"),
        ("Sammenlign NVIDIAs og AMD's markedsandele for desktop-GPU'er.", "market_share"),
        ("Hvor høj er hukommelsesbåndbredden på H200?", "memory_bandwidth"),
        ("Hoeveel TB per seconde verwerkt het geheugen van de H200 SXM?", "memory_bandwidth"),
        ("H200 SXM 的显存每秒能传输多少 TB？", "memory_bandwidth"),
    ],
)
def test_a_property_is_known_with_the_endings_of_its_language_and_by_its_unit_in_words(
    assistant: Assistant, question: str, attribute: str
) -> None:
    assert attribute in assistant.understand(Question(text=question)).asks[0].attributes


@pytest.mark.parametrize(
    "question",
    [
        "Which costs should I count besides the purchase price of the hardware?",
        "Welke kosten moet ik meetellen naast de aanschafprijs van de hardware?",
        "Hvilke omkostninger skal jeg tælle med ud over selve købsprisen for hardwaren?",
        "除了购置价之外，还要计算哪些成本？",
    ],
)
def test_what_a_question_sets_aside_is_not_what_it_asks_for(assistant: Assistant, question: str) -> None:
    assert "purchase_price" not in assistant.understand(Question(text=question)).asks[0].attributes
    assert assistant.answer(Question(text=question)).status == "answered"


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("How should I train for my first marathon?", "out_of_scope"),
        ("Hoe train ik voor mijn eerste marathon?", "out_of_scope"),
        ("Hvordan træner jeg til mit første maraton?", "out_of_scope"),
        ("How should I train my puppy?", "out_of_scope"),
        ("What is the best credit card for travel?", "out_of_scope"),
        ("Welke kaart van Amsterdam is het best?", "out_of_scope"),
        ("What should I ask a supplier before signing?", "answered"),
        ("Which cards suit hobbyists?", "answered"),
    ],
)
def test_a_word_that_subjects_share_does_not_make_a_question_one_of_ours(
    assistant: Assistant, question: str, status: str
) -> None:
    assert assistant.answer(Question(text=question)).status == status


@pytest.mark.parametrize(
    "question",
    [
        "Helios 机架装 36 块 GPU，对吗？",
        "A Helios rack holds 36 GPUs, right?",
        "Klopt het dat een Helios-rack 36 GPU's heeft?",
        "Helios-racket har 36 GPU'er, ikke?",
    ],
)
def test_a_false_number_of_cards_is_answered_with_the_right_one(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered" and "72" in answer.text
