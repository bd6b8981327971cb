"""Questions that ask for a calculation, in the words people use in four languages: what is read, and what is told."""

from decimal import Decimal

import pytest

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.calculation.inputs import read_inputs
from assistant.answering.evidence import Question


def inputs_of(answer: Answer, tool: str) -> dict[str, object]:
    """What the one run of a tool was given."""
    (run,) = [run for run in answer.tool_runs if run.tool == tool]
    return run.inputs


def figures(given: dict[str, object], *names: str) -> list[Decimal]:
    """Inputs as numbers; a run keeps exact decimals as text."""
    return [Decimal(str(given[name])) for name in names]


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("Wat kost het om 8 H200's een week te huren bij RunPod?", "168"),
        ("What does it cost to rent an H100 for a month?", "730"),
        ("Hvad koster det at leje 4 H100 en uge?", "168"),
        ("Wat kost een H100 per dag?", "24"),
        ("租8张H200一年要多少钱？", "8760"),
        ("租两张H100三天多少钱？", "72"),
        ("What do 3 weeks with a B200 cost?", "504"),
        ("If I use an H100 8 hours a day, what do I pay per month?", "243.33"),
        ("H200 RunPod 每天用8小时，一个月多少钱？", "243.33"),
        ("Wat betaal ik per jaar voor een H200 die 40 uur per week draait?", "2085.71"),
        ("Hvad koster en B200 med 10 timer om dagen i en uge?", "70"),
        ("What does an H100 cost for 8 hours a day?", "8"),
    ],
)
def test_how_long_is_read_with_and_without_a_figure(assistant: Assistant, question: str, hours: str) -> None:
    (ask,) = assistant.understand(Question(text=question)).asks
    assert read_inputs(ask).hours == Decimal(hours)
    assert Decimal(str(inputs_of(assistant.answer(Question(text=question)), "rent")["hours"])) == Decimal(hours)


@pytest.mark.parametrize(
    "question",
    ["What did a B200 cost a month ago?", "Wat kostte een B200 een week geleden?", "一个月前 B200 多少钱？"],
)
def test_how_long_something_is_ago_is_no_length_of_a_rent(assistant: Assistant, question: str) -> None:
    (ask,) = assistant.understand(Question(text=question)).asks
    assert read_inputs(ask).hours is None


@pytest.mark.parametrize(
    "question",
    [
        "I have two RTX 3090s. Can I run Llama 3.3 70B at 4 bit with 32k context?",
        "Ik heb twee RTX 3090's. Kan ik Llama 3.3 70B in 4 bit draaien met 32k context?",
        "Jeg har to RTX 3090. Kan jeg køre Llama 3.3 70B i 4 bit med 32k kontekst?",
        "我有两张 RTX 3090。能跑 Llama 3.3 70B 的 4bit 吗，上下文 32k？",
        "I have two RTX 3090s, can I run Llama 3.3 70B at 4 bit with 32k context?",
    ],
)
def test_what_one_has_told_before_asking_is_calculated_with(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    given = inputs_of(answer, "fit")
    assert (given["gpu"], given["gpus"]) == ("NVIDIA GeForce RTX 3090", 2)
    assert (given["weights"], given["context"]) == ("int4", 32_768)


@pytest.mark.parametrize(
    "question",
    [
        "How many H200s do I need for Llama 3.1 405B in fp8?",
        "Hoeveel H200's heb ik nodig voor Llama 3.1 405B in fp8?",
        "Hvor mange H200 skal jeg bruge til Llama 3.1 405B i fp8?",
        "跑 Llama 3.1 405B fp8 需要几张 H200？",
    ],
)
def test_how_many_cards_is_answered_first_and_with_that_many(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    given = inputs_of(answer, "fit")
    count = answer.tool_runs[0].result["gpus_needed"]
    assert given["gpus"] == count and count > 1
    assert f"{count} × NVIDIA H200" in answer.text.splitlines()[0]


@pytest.mark.parametrize(
    "question",
    [
        "How many GPUs do I need for Llama 3.1 405B?",
        "Hoeveel GPU's zijn er nodig voor Llama 3.1 405B?",
        "Hvor mange GPU'er kræver Llama 3.1 405B?",
        "Llama 3.1 405B 需要多少张卡？",
    ],
)
def test_how_many_of_any_card_names_counts_of_cards(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "answered"
    assert "5 × AMD Instinct MI300X" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Why does vLLM run out of memory with Llama 3.1 8B on my 24 GB card?",
        "Waarom raakt het geheugen vol als ik Llama 3.1 8B met vLLM op een kaart van 24 GB draai?",
        "Hvorfor løber vLLM tør for hukommelse med Llama 3.1 8B på mit 24 GB kort?",
        "为什么 vLLM 在 24GB 显卡上跑 Llama 3.1 8B 会 OOM？",
    ],
)
def test_why_vllm_runs_out_is_calculated_with_the_context_it_reserves(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    given = inputs_of(answer, "fit")
    assert (given["engine"], given["context"]) == ("vllm", 131_072)
    assert answer.tool_runs[0].result["verdict"] == "does_not_fit"
    assert "--max-model-len" in answer.text.split("\n\n")[0]


@pytest.mark.parametrize(
    "question",
    [
        "Buy or rent 8 H100 SXM if they cost 30000 dollar each and power is 0.2 dollar per kWh?",
        "Kopen of huren: 8 H100 SXM voor 30.000 dollar per stuk, stroom 0,2 dollar per kWh?",
        "Skal vi købe eller leje 8 H100 SXM til 30.000 dollar stykket, med strøm til 0,2 dollar pr. kWh?",
        "8 张 H100 SXM 是买还是租？每张 3 万美元，电费每千瓦时 0.2 美元",
    ],
)
def test_buying_is_set_against_renting_with_the_prices_stated(assistant: Assistant, question: str) -> None:
    given = inputs_of(assistant.answer(Question(text=question)), "buy-or-rent")
    assert (given["gpu"], given["gpus"]) == ("NVIDIA H100 SXM", 8)
    assert figures(given, "purchase_price", "electricity_price") == [240_000, Decimal("0.2")]


def test_what_buying_lacks_is_asked_for_once_and_then_used(assistant: Assistant) -> None:
    first = "Is it cheaper to buy or rent an H100 SXM?"
    asked = assistant.answer(Question(text=first))
    assert asked.status == "needs_input" and asked.missing is not None
    assert asked.missing.what == ("purchase_price",)
    told = assistant.answer(Question(text="30000 dollars, and 0.2 dollar per kWh", history=(first,)))
    assert figures(inputs_of(told, "buy-or-rent"), "purchase_price") == [30_000]


def test_buying_is_reckoned_without_a_price_of_electricity(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Is it cheaper to buy an H100 SXM for 30000 dollars or to rent one?"))
    assert "electricity_price" not in inputs_of(answer, "buy-or-rent")


def test_amounts_in_another_currency_than_the_rent_are_not_mixed(assistant: Assistant) -> None:
    question = "Skal vi købe eller leje 8 H100, hvis de koster 2.000.000 kroner og strømmen 1 krone pr. kWh?"
    answer = assistant.answer(Question(text=question))
    assert answer.status == "needs_input" and "dollar" in answer.text


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("Hvad er billigst: 2 H100 eller 1 H200 hos RunPod?", ["1 × NVIDIA H200 (RunPod)", "2 × NVIDIA H100 (RunPod)"]),
        (
            "Is a B200 cheaper at Lambda or RunPod for 100 hours?",
            ["1 × NVIDIA B200 (Lambda)", "1 × NVIDIA B200 (RunPod)"],
        ),
    ],
)
def test_several_offers_are_set_against_each_other(assistant: Assistant, question: str, labels: list[str]) -> None:
    answer = assistant.answer(Question(text=question))
    (run,) = answer.tool_runs
    assert sorted(option["label"] for option in run.result["options"]) == labels


@pytest.mark.parametrize(
    "question",
    [
        "What does it cost to train a 7B model?",
        "Wat kost het om een 7B-model te trainen?",
        "Hvad koster det at træne en 7B-model?",
        "训练一个7B模型要多少钱？",
    ],
)
def test_the_price_of_training_is_not_its_memory(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.status == "needs_input" and answer.missing is not None
    assert answer.missing.what == ("gpu", "tokens")


def test_training_hours_follow_from_parameters_and_tokens(assistant: Assistant) -> None:
    question = "What does it cost to train a 7B model on 1T tokens with 64 H100 SXM at 40% MFU?"
    given = inputs_of(assistant.answer(Question(text=question)), "train")
    assert figures(given, "parameters", "tokens", "gpus", "mfu") == [7 * 10**9, 10**12, 64, Decimal("0.4")]


@pytest.mark.parametrize(
    "question",
    [
        "How fast is Llama 3.1 8B on an RTX 4090?",
        "Hoe snel draait Llama 3.1 8B op een RTX 4090?",
        "Hvor hurtigt kører Llama 3.1 8B på et RTX 4090?",
        "Llama 3.1 8B 在 RTX 4090 上有多快？",
    ],
)
def test_how_fast_a_model_runs_is_answered_by_the_ceiling_that_follows(assistant: Assistant, question: str) -> None:
    answer = assistant.answer(Question(text=question))
    ceiling = answer.tool_runs[0].result["decode_ceiling_tokens_per_s"]
    assert f"{ceiling:.0f}" in answer.text.splitlines()[0]


@pytest.mark.parametrize(
    ("question", "gpu", "gpus"),
    [
        ("What models can I run on a 24 GB card?", "24 GB GPU", 1),
        ("Welke modellen passen op twee RTX 3090's?", "NVIDIA GeForce RTX 3090", 2),
        ("Hvor stor en model kan jeg køre på et RTX 4090?", "NVIDIA GeForce RTX 4090", 1),
        ("DGX Spark 能跑多大的模型？", "NVIDIA DGX Spark", 1),
        ("Is 16GB VRAM enough for LLMs?", "16 GB GPU", 1),
    ],
)
def test_what_a_card_can_run_is_told_by_the_largest_models(
    assistant: Assistant, question: str, gpu: str, gpus: int
) -> None:
    answer = assistant.answer(Question(text=question))
    given = inputs_of(answer, "largest")
    assert (given["gpu"], given["gpus"]) == (gpu, gpus)
    formats = answer.tool_runs[0].result["formats"]
    largest = [max(held["parameters"]) for held in formats]
    assert largest == sorted(largest) and len(largest) == 3
    assert all(total["high"] <= held["usable"] for held in formats for total in held["totals"])
    assert formats[-1]["models"][0] in answer.text.splitlines()[0]


def test_a_model_that_is_meant_but_not_named_is_still_asked_for(assistant: Assistant) -> None:
    assert assistant.answer(Question(text="Past het op een kaart van 24 GB?")).status == "needs_input"


@pytest.mark.parametrize(
    "question",
    [
        "What do a million tokens cost on a B200 at 2400 tokens per second?",
        "Wat kosten een miljoen tokens op een B200 bij 2400 tokens per seconde?",
        "Hvad koster en million tokens på en B200 ved 2400 tokens i sekundet?",
        "B200 每秒 2400 token，每百万 token 成本是多少？",
    ],
)
def test_the_price_of_tokens_follows_from_the_throughput(assistant: Assistant, question: str) -> None:
    given = inputs_of(assistant.answer(Question(text=question)), "tokens")
    assert figures(given, "throughput") == [2400] and given["gpu"] == "NVIDIA B200"


def test_a_throughput_that_is_not_told_is_asked_for(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="What do a million tokens cost on a B200?"))
    assert answer.status == "needs_input" and answer.missing is not None and answer.missing.what == ("throughput",)


@pytest.mark.parametrize(
    ("question", "gpu", "gpus"),
    [
        ("Past Llama 3.3 70B op 2 keer RTX 5090 in 4 bit?", "NVIDIA GeForce RTX 5090", 2),
        ("Kan jeg køre Llama 3.3 70B i 4 bit på to gange RTX 3090?", "NVIDIA GeForce RTX 3090", 2),
        ("Kan en RTX 4090 der står hjemme køre Llama 3.1 8B?", "NVIDIA GeForce RTX 4090", 1),
    ],
)
def test_times_counts_cards_and_a_word_behind_a_card_is_none_of_its_name(
    assistant: Assistant, question: str, gpu: str, gpus: int
) -> None:
    given = inputs_of(assistant.answer(Question(text=question)), "fit")
    assert (given["gpu"], given["gpus"]) == (gpu, gpus)


def test_a_card_without_data_is_left_to_what_the_sources_say(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Can I run Llama 3.1 70B on a MacBook with M4 Max?"))
    assert answer.tool_runs == () and "is not a known" not in answer.text


@pytest.mark.parametrize(
    "question", ["CUDA out of memory 怎么看？", "RuntimeError: CUDA error: invalid device function 是什么意思？"]
)
def test_what_is_asked_in_chinese_behind_an_english_message_is_answered_in_chinese(
    assistant: Assistant, question: str
) -> None:
    assert assistant.answer(Question(text=question)).language == "zh"


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("A job takes 60 hours at 2.50 dollars per hour, another 40 hours at 3.50 dollars per hour. Which is cheaper?",
         ["2.50 × 60 h", "3.50 × 40 h"]),
        ("AMD costs $2.50/h and needs 60 hours, NVIDIA costs $3.50/h and needs 40 hours. Which run is cheaper?",
         ["AMD", "NVIDIA"]),
        ("AMD kost 2,50 dollar per uur en heeft 60 uur nodig, NVIDIA 3,50 dollar per uur en 40 uur. Wat is goedkoper?",
         ["AMD", "NVIDIA"]),
        ("AMD koster 2,50 dollar i timen i 60 timer, NVIDIA 3,50 dollar i timen i 40 timer. Hvad er billigst?",
         ["AMD", "NVIDIA"]),
        ("AMD 每小时 2.50 美元，需要 60 小时；NVIDIA 每小时 3.50 美元，需要 40 小时。哪个更便宜？", ["AMD", "NVIDIA"]),
        ("60 uur voor 2,50 dollar of 40 uur voor 3,50 dollar, wat is goedkoper?", ["2,50 × 60 h", "3,50 × 40 h"]),
    ],
)  # fmt: skip
def test_bare_prices_and_hours_are_set_against_each_other(
    assistant: Assistant, question: str, labels: list[str]
) -> None:
    (run,) = assistant.answer(Question(text=question)).tool_runs
    totals = {option["label"]: Decimal(option["total"]["high"]) for option in run.result["options"]}
    assert totals == dict(zip(labels, (Decimal(150), Decimal(140)), strict=True))
    assert run.result["cheapest"] == labels[1]


def test_cards_are_counted_in_a_comparison_of_bare_prices(assistant: Assistant) -> None:
    question = "8 GPUs at $2.50/h for 60 hours or 4 GPUs at $3.50/h for 40 hours: which is cheaper?"
    (run,) = assistant.answer(Question(text=question)).tool_runs
    assert sorted(Decimal(option["total"]["high"]) for option in run.result["options"]) == [560, 1200]


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("How big is the KV cache of Llama 3.1 70B at 32k?", "The KV cache of Llama 3.1 70B takes 10.7 GB (10.0 GiB)"),
        (
            "Hoe groot is de KV-cache van Llama 3.1 70B bij 32k?",
            "De KV-cache van Llama 3.1 70B kost 10,7 GB (10,0 GiB)",
        ),
        ("Hvor stor er KV-cachen for Llama 3.1 70B ved 32k?", "KV-cachen for Llama 3.1 70B fylder 10,7 GB (10,0 GiB)"),
        ("Llama 3.1 70B 在 32k 上下文时 KV 缓存多大？", "Llama 3.1 70B 的 KV 缓存为 10.7 GB (10.0 GiB)"),
    ],
)
def test_the_size_of_a_cache_is_told_first(assistant: Assistant, question: str, begins: str) -> None:
    assert assistant.answer(Question(text=question)).text.startswith(begins)


def test_a_format_beside_a_cache_alone_is_the_caches(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="How much does the KV cache of Qwen3 32B take with 8 users at 16k in fp8?"))
    (run,) = answer.tool_runs
    assert run.result["kv_cache"] == 8 * 16_384 * 2 * 64 * 8 * 128


@pytest.mark.parametrize(
    "question",
    [
        "Full fine-tuning of a 7B model with Adam-mini: how much memory?",
        "Full fine-tuning of Llama 3.1 8B with Adafactor on an H200: does it fit?",
        "Past volledig finetunen van Llama 3.1 8B met Lion op een H200?",
    ],
)
def test_an_optimizer_that_no_calculation_knows_is_told_to_be_left_out(assistant: Assistant, question: str) -> None:
    text = assistant.answer(Question(text=question)).text
    told = [line for line in text.splitlines() if "Left out" in line or "Niet meegerekend" in line]
    assert any(name in line for line in told for name in ("Adam-mini", "Adafactor", "Lion"))
