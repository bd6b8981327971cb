"""What a question states of a fit, in words of four languages or as options, is what is calculated with and told."""

import json
import random

import pytest

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.calculation.fit_option_words import fit_option_words
from assistant.answering.evidence import Question
from assistant.interfaces.command_line import main
from assistant.interfaces.commands.fit import read_request
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest

CATALOGUE = open_catalogue(ROOT / "corpus")
# How each option is said, in each language; the option of the command line that it stands for is the key.
SERVING: dict[str, dict[str, str]] = {
    "--kv-type fp8": {"nl": "KV-cache in fp8", "da": "KV-cache i fp8", "zh": "KV缓存用fp8", "en": "an fp8 KV cache"},
    "--concurrency 8": {
        "nl": "8 gelijktijdige gesprekken", "da": "8 samtidige brugere", "zh": "并发8", "en": "8 concurrent users",
    },
    "--context 32k": {"nl": "context 32k", "da": "kontekst på 32k", "zh": "上下文32k", "en": "a context of 32k"},
    "--tp 2": {"nl": "tp 2", "da": "tensorparallelisme på 2", "zh": "张量并行2", "en": "tensor parallel 2"},
    "--memory-utilization 0.85": {
        "nl": "85% van het geheugen", "da": "85 % af hukommelsen", "zh": "显存利用率0.85",
        "en": "gpu-memory-utilization 0.85",
    },
    "--engine sglang": {"nl": "SGLang", "da": "SGLang", "zh": "SGLang", "en": "SGLang"},
    "--weights int4": {"nl": "gewichten in int4", "da": "vægte i int4", "zh": "权重int4", "en": "weights in int4"},
}  # fmt: skip
TRAINING: dict[str, dict[str, str]] = {
    "--zero 3": {"nl": "ZeRO-3", "da": "ZeRO trin 3", "zh": "ZeRO第3阶段", "en": "ZeRO stage 3"},
    "--zero 2": {"nl": "ZeRO 2", "da": "ZeRO-2", "zh": "ZeRO-2", "en": "ZeRO-2"},
    "--batch 4": {"nl": "batchgrootte 4", "da": "batch på 4", "zh": "批大小4", "en": "a batch size of 4"},
    "--sequence 4k": {
        "nl": "sequentielengte 4096", "da": "sekvenslængde 4096", "zh": "序列长度4096", "en": "sequence length 4,096",
    },
    "--optimizer adamw-8bit": {"nl": "8-bits AdamW", "da": "8-bit AdamW", "zh": "8位AdamW", "en": "8-bit Adam"},
    "--recompute none": {
        "nl": "zonder herberekening", "da": "uden genberegning", "zh": "不用梯度检查点",
        "en": "no gradient checkpointing",
    },
    "--recompute selective": {
        "nl": "selectieve herberekening", "da": "selektiv genberegning", "zh": "选择性重计算",
        "en": "selective recomputation",
    },
    "--offload optimizer": {
        "nl": "cpu offload", "da": "optimizer offload", "zh": "优化器卸载", "en": "optimizer offload",
    },
    "--loss chunked": {"nl": "loss in stukken", "da": "chunked loss", "zh": "分块损失", "en": "a chunked loss"},
}  # fmt: skip
LORA: dict[str, dict[str, str]] = {
    "--lora-rank 64": {"nl": "rang 64", "da": "LoRA-rang 64", "zh": "秩64", "en": "rank 64"},
    **{option: words for option, words in TRAINING.items() if "zero" not in option},
}
ASKED = {
    "inference": {
        "nl": "Past Llama 3.3 70B op 2 H100 SXM met {}?", "da": "Kan Llama 3.3 70B være på 2 H100 SXM med {}?",
        "zh": "2张 H100 SXM 能放下 Llama 3.3 70B 吗？{}", "en": "Does Llama 3.3 70B fit on 2 H100 SXM with {}?",
    },
    "full": {
        "nl": "Past een volledige training van Llama 3.3 70B op 2 H100 SXM met {}?",
        "da": "Kan en fuld finjustering af Llama 3.3 70B være på 2 H100 SXM med {}?",
        "zh": "2张 H100 SXM 能全量微调 Llama 3.3 70B 吗？{}",
        "en": "Does full fine-tuning of Llama 3.3 70B fit on 2 H100 SXM with {}?",
    },
    "lora": {
        "nl": "Past LoRA van Llama 3.3 70B op 2 H100 SXM met {}?",
        "da": "Kan LoRA af Llama 3.3 70B være på 2 H100 SXM med {}?",
        "zh": "2张 H100 SXM 能跑 Llama 3.3 70B 的 LoRA 吗？{}",
        "en": "Does LoRA of Llama 3.3 70B fit on 2 H100 SXM with {}?",
    },
}  # fmt: skip
OPTIONS = {"inference": SERVING, "full": TRAINING, "lora": LORA}
JOINS = {"nl": ", ", "da": ", ", "zh": "，", "en": ", "}


def samples() -> list[tuple[str, str, tuple[str, ...]]]:
    """(language, task, options): every option once in each language, in random company."""
    dice = random.Random(20260901)
    found = []
    for language in JOINS:
        for task, options in OPTIONS.items():
            left = list(options)
            dice.shuffle(left)
            while left:
                chosen: dict[str, str] = {}
                for option in left[:3]:
                    chosen.setdefault(option.split()[0], option)
                left = [option for option in left if option not in chosen.values()]
                found.append((language, task, tuple(chosen.values())))
    return found


def by_command(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    """What `gpu-assistant fit` works out."""
    capsys.readouterr()
    arguments = ["fit", "--model", "Llama 3.3 70B", "--gpu", "H100 SXM", "--gpus", "2", *options, "--json"]
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert not stop.value.code
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def fit_of(answer: Answer) -> dict[str, object]:
    (run,) = [run for run in answer.tool_runs if run.tool == "fit"]
    return dict(run.result)


def as_command_reads(task: str, options: tuple[str, ...]) -> dict[str, object]:
    """What the command works out of options, without starting it."""
    choices = {option.split()[0][2:].replace("-", "_"): option.split()[1] for option in options}
    request = read_request({"task": task, "gpus": 2, **choices})
    found = estimate_fit(request, CATALOGUE.model("Llama 3.3 70B"), CATALOGUE.card("H100 SXM"))
    return found.model_dump(mode="json")


@pytest.mark.parametrize(("language", "task", "options"), samples())
def test_a_question_gives_the_bytes_of_the_command_with_the_same_inputs(
    assistant: Assistant, language: str, task: str, options: tuple[str, ...]
) -> None:
    said = JOINS[language].join(OPTIONS[task][option][language] for option in options)
    answer = assistant.answer(Question(text=ASKED[task][language].format(said)))
    assert answer.language == language
    told = fit_of(answer)
    worked_out = as_command_reads(task, options)
    for name in ("per_gpu", "verdict", "binding", "gpus_needed", "max_context", "max_concurrency"):
        assert told[name] == worked_out[name], name


@pytest.mark.parametrize(("task", "language"), [("inference", "nl"), ("full", "da"), ("lora", "zh")])
def test_options_of_the_command_line_are_read_as_they_are_typed(
    assistant: Assistant, capsys: pytest.CaptureFixture[str], task: str, language: str
) -> None:
    chosen: dict[str, str] = {}
    for option in OPTIONS[task]:
        chosen.setdefault(option.split()[0], option)
    typed = " ".join(chosen.values())
    told = fit_of(assistant.answer(Question(text=ASKED[task][language].format(typed))))
    assert told["per_gpu"] == by_command(capsys, "--task", task, *typed.split())["per_gpu"]


def test_every_choice_of_the_calculator_can_be_said() -> None:
    named_otherwise = {"task", "weights", "gpus", "engine"}
    assert fit_option_words().options.keys() | named_otherwise == set(FitRequest.model_fields)


def test_what_is_stated_is_told_and_what_cannot_be_used_is_said(assistant: Assistant) -> None:
    text = assistant.answer(
        Question(text="Past Llama 3.1 8B op een L4 --kv-type fp8 --swa-full --frobnicate 3 --concurrency 4?")
    ).text
    assert "Gerekend met wat je opgaf: KV-cache in fp8; gelijktijdige gesprekken: 4." in text
    assert "Opgegeven, maar hier zonder invloed: swa-full." in text
    assert "--frobnicate 3" in text


def test_a_division_without_a_count_is_of_that_many_cards(assistant: Assistant) -> None:
    told = fit_of(assistant.answer(Question(text="Does Llama 3.3 70B fp8 fit on H100 SXM with tp 4?")))
    again = fit_of(assistant.answer(Question(text="Does Llama 3.3 70B fp8 fit on 4 H100 SXM?")))
    assert told["per_gpu"] == again["per_gpu"]


@pytest.mark.parametrize("said", ["with ZeRO-7", "--zero 7"])
def test_a_value_out_of_bounds_is_refused_by_its_name(assistant: Assistant, said: str) -> None:
    answer = assistant.answer(Question(text=f"Does Llama 3.1 8B fit on an L4 {said}?"))
    assert answer.status == "needs_input"
    assert "zero" in answer.text


@pytest.mark.parametrize(
    ("before", "then", "options"),
    [
        ("Does full fine-tuning of Llama 3.3 70B fit on 2 H100 SXM with batch 4?", "And with ZeRO-3 and batch 8?",
         "--task full --zero 3 --batch 8"),
        ("Past Llama 3.3 70B int4 op 2 H100 SXM met KV-cache in bf16 en context 32k?", "En met een fp8 KV-cache?",
         "--weights int4 --kv-type fp8 --context 32k"),
        ("2张 H100 SXM 能全量微调 Llama 3.3 70B 吗？", "不用梯度检查点呢？", "--task full --recompute none"),
        ("Kan Llama 3.3 70B være på 2 H100 SXM?", "Og ved 64k?", "--context 64k"),
    ],
)  # fmt: skip
def test_a_further_question_changes_what_it_states_and_keeps_the_rest(
    assistant: Assistant, capsys: pytest.CaptureFixture[str], before: str, then: str, options: str
) -> None:
    told = fit_of(assistant.answer(Question(text=then, history=(before,))))
    assert told["per_gpu"] == by_command(capsys, *options.split())["per_gpu"]
