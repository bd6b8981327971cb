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


@pytest.mark.parametrize(
    ("question", "asked", "held", "value"),
    [
        ("Hvad kostede en H200 hos RunPod i 2024?", "2024", "september 2026", "3,59"),
        ("2025年第四季度Nvidia的桌面显卡份额是多少？", "2025 年第 4 季度", "2026 年第 2 季度", "90%"),
        (
            "Wat was het marktaandeel van AMD in het eerste kwartaal van 2025?",
            "1e kwartaal van 2025",
            "2026",
            "8 procent",
        ),
        ("What was Nvidia's desktop share in Q1 2026?", "Q1 2026", "Q2 2026", "90%"),
    ],
)
def test_a_figure_of_another_time_is_told_as_the_nearest_and_not_as_the_answer(
    assistant: Assistant, question: str, asked: str, held: str, value: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "not_in_sources"
    assert answer.text.index(asked) < answer.text.index(held) < answer.text.index(value)
    assert answer.missing is not None
    assert answer.missing.nearest


def test_a_figure_of_the_time_asked_is_the_answer(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="What was Nvidia's desktop share in Q2 2026?"))
    assert answer.status == "answered"
    assert "90%" in answer.text


@pytest.mark.parametrize(
    ("question", "value"),
    [("Wat kost een H100 bij Vast.ai per uur?", "1,99"), ("在阿里云租一块H100每小时多少钱？", "3.49")],
)
def test_prices_of_other_providers_are_the_nearest_to_a_price_that_is_not_held(
    assistant: Assistant, question: str, value: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "not_in_sources"
    assert value in answer.text
    assert answer.missing is not None
    assert answer.missing.nearest


@pytest.mark.parametrize(
    "question",
    [
        "hoeveel procent van de desktop gpu's is AMD?",
        "What percentage of desktop GPUs is AMD?",
        "AMD在桌面显卡市场占多少？",
    ],
)
def test_a_percentage_is_asked_of_a_share_and_not_of_what_is_counted(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "8" in answer.text


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Hvad skal jeg spørge om i en supportaftale?", "svartid"),
        ("Waar let ik op bij een supportovereenkomst?", "responstijd"),
        ("Is the sm_ versus gfx generation count a fair comparison?", "differently"),
        ("Waarom vergelijkt het aantal generaties sm_ en gfx niet eerlijk?", "niet op dezelfde manier"),
    ],
)
def test_what_the_sources_speak_of_is_not_called_another_subject(
    assistant: Assistant, question: str, told: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert told in answer.text


def test_a_property_of_another_kind_than_the_one_asked_is_no_answer(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="What inference engines run on the MI325X?"))
    assert "vLLM" in answer.text
    assert "HBM3E" not in answer.text


def test_a_value_in_code_is_no_missing_name(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Betyder torch.cuda.is_available() = True at jeg har et nvidia kort?"))
    assert answer.status == "answered"
    assert "“True”" not in answer.text


def test_a_chinese_noun_is_read_to_its_end() -> None:
    assert asked_nouns("B200有多少个晶体管？", [], "zh") == ("晶体管",)
    assert asked_nouns("里面有多少风扇吗？", [], "zh") == ("风扇",)


@pytest.mark.parametrize(
    ("question", "first", "items"),
    [
        ("Welke problemen kom je vaak tegen bij overstappen van CUDA naar ROCm?", "valkuilen", 3),
        ("Hvad er de typiske faldgruber når man skifter fra CUDA til ROCm?", "faldgruber", 3),
        ("What are common pitfalls when migrating from CUDA to ROCm?", "pitfalls", 3),
        ("啥时候买Radeon比较合适？", "Radeon", 5),
    ],
)
def test_a_list_of_the_kind_asked_is_told_whole(assistant: Assistant, question: str, first: str, items: int) -> None:
    text = assistant.answer(Question(text=question)).text
    assert first in text.splitlines()[0]
    assert sum(line.startswith("- ") for line in text.splitlines()) == items


def test_both_of_two_makers_named_are_told_where_the_facts_are_about_one_each(assistant: Assistant) -> None:
    question = "i det opdigtede eksempel, hvor mange timer bruger AMD- og NVIDIA-serveren?"
    answer = assistant.answer(Question(text=question))
    assert "60 timer" in answer.text
    assert "40 timer" in answer.text
    assert [caveat.code for caveat in answer.caveats] == ["hypothetical"]


def test_the_date_beside_a_source_is_that_sources_own_and_only_a_correction_is_called_one(
    assistant: Assistant,
) -> None:
    answer = assistant.answer(Question(text="Hoeveel bandbreedte haalt de MI325X?"))
    assert "6,0 TB/s" in answer.text
    assert "gecorrigeerd" not in answer.text
    memory = assistant.answer(Question(text="How much memory does the MI325X have?"))
    assert "(December 2025) gives 288 GB" in memory.text


@pytest.mark.parametrize(
    "question",
    [
        "Waarom mag je die 3,3x van AMD niet zien als bewijs tegen CUDA?",
        "Hvorfor siger AMDs 3,3 gange ikke noget om CUDA?",
        "AMD说的3.3倍为什么不能证明比CUDA快？",
        "Does AMD's 3.3x mean ROCm beats CUDA?",
    ],
)
def test_what_is_asked_about_a_figure_is_answered_by_facts_that_speak_of_it(
    assistant: Assistant, question: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "ROCm 7" in answer.text
    assert len(answer.text.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Welke GPU-hosters noemt de Chinese gids?",
        "Which GPU hosting providers does the guide list?",
        "Hvilke udbydere af GPU-servere bliver nævnt som man kan sammenligne?",
    ],
)
def test_a_fact_that_names_several_things_is_a_list_of_them(assistant: Assistant, question: str) -> None:
    text = assistant.answer(Question(text=question)).text
    assert all(name in text for name in ("Cherry Servers", "RunPod", "Vast.ai", "GPU Mart", "ServerMania"))


def test_the_result_of_a_worked_example_is_told_where_it_is_asked(assistant: Assistant) -> None:
    question = "In dat rekenvoorbeeld van 2,50 tegen 3,50 per uur, wie is er dan goedkoper en hoeveel?"
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "140" in answer.text
    assert "150" in answer.text
    assert [caveat.code for caveat in answer.caveats] == ["hypothetical"]


@pytest.mark.parametrize(
    "question",
    ["Who is TensorWave and what do they do?", "Wie is TensorWave en wat doen ze?", "TensorWave这家公司做什么？"],
)
def test_what_a_company_does_is_told_beside_what_it_is(assistant: Assistant, question: str) -> None:
    assert "Instinct" in assistant.answer(Question(text=question)).text


@pytest.mark.parametrize(
    "question",
    [
        "Hoeveel procent van de datacentermarkt heeft AMD?",
        "Hvad koster Cherry Servers pr. måned?",
        "How much faster is ROCm 10 than CUDA?",
    ],
)
def test_a_figure_of_another_market_price_or_comparison_is_no_answer(assistant: Assistant, question: str) -> None:
    assert assistant.answer(Question(text=question)).status in ("not_in_sources", "partly_answered")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Hvilken arkitektur og hvor meget hukommelse har H200?", "H200 bygger på Hopper"),
        ("In the made-up example which server ends up cheaper?", "$140"),
        ("is the 3.3x from amd a hardware or a software gain?", "software improvement"),
        ("which company put everything on AMD Instinct?", "TensorWave"),
        ("Wat moet ik bij Vast.ai nakijken voordat ik huur?", "betrouwbaarheid van de host"),
    ],
)
def test_the_first_sentence_answers_what_is_asked_in_free_words(
    assistant: Assistant, question: str, named: str
) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert named in answer.text.split("[1]")[0]
