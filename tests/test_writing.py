"""Answers that a language model writes, over a scripted endpoint: what it may say, and what happens when it fails."""

import re
import time
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

import pytest
from langchain_core.tools import BaseTool

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, TextVerified
from assistant.answering.evidence import Question
from assistant.answering.writing.writing import open_writer
from assistant.language.tongue import Language
from assistant.settings import Settings
from evals.adversary.scripted_endpoint import Reply, ScriptedEndpoint, scripted_endpoint

TODAY = date(2026, 11, 30)
QUESTION = "What is the memory bandwidth of the H100 SXM?"
TRUE = "The H100 SXM reaches 3.35 TB/s of memory bandwidth."
FAILED = "gave no usable answer"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as server:
        yield server


@pytest.fixture(scope="module")
def written(endpoint: ScriptedEndpoint) -> Iterator[Assistant]:
    settings = Settings(
        llm_model="scripted-model",
        OPENAI_BASE_URL=endpoint.url,  # type: ignore[call-arg]
        llm_timeout_s=3,
    )
    opened = Assistant.open(settings, today=TODAY)
    yield opened
    opened.index.close()


def ask(assistant: Assistant, endpoint: ScriptedEndpoint, reply: Reply, question: str = QUESTION) -> Answer:
    endpoint.script = lambda messages: reply
    return assistant.answer(Question(text=question))


def test_a_carried_draft_is_the_answer_with_the_right_marker(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    answer = ask(written, endpoint, Reply(f"{TRUE[:-1]} [7]."))
    assert answer.model == "scripted-model"
    assert answer.text.startswith(f"{TRUE} [1]")
    assert re.search(r"3[.,]35", answer.citations[0].quote)
    assert "left out" not in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "The H100 SXM reaches 3.53 TB/s of memory bandwidth [1].",
        "The H100 SXM reaches 335 GB/s of memory bandwidth [1].",
        "The H200 SXM reaches 3.35 TB/s of memory bandwidth [1].",
        "The H900 reaches 3.35 TB/s of memory bandwidth [1].",
        "The H100 SXM does not reach 3.35 TB/s of memory bandwidth [1].",
        "The H100 SXM reaches more than 3.35 TB/s of memory bandwidth [1].",
        "With 3.35 TB/s of memory bandwidth the H100 SXM is the fastest card in the world [1].",
        "The H100 SXM was recalled in 2025 [1].",
        "The H100 SXM reaches 3.35 TB/s of memory bandwidth and runs every program [1].",
    ],
)
def test_a_false_sentence_is_never_on_screen(written: Assistant, endpoint: ScriptedEndpoint, text: str) -> None:
    endpoint.script = lambda messages: Reply(f"{TRUE} {text}", chunk=3)
    shown = [e.text if isinstance(e, TextVerified) else e.answer.text for e in written.stream(Question(text=QUESTION))
             if isinstance(e, TextVerified | AnswerReady)]  # fmt: skip
    assert all(text.removesuffix(" [1].") not in screen for screen in shown)
    assert "1 sentence" in shown[-1] and TRUE in shown[-1]


def test_what_was_shown_stays_in_the_answer(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    endpoint.script = lambda messages: Reply(f"{TRUE} It has 80 GB of memory. Buy it now at 99 dollars.", chunk=2)
    texts = [e.text for e in written.stream(Question(text=QUESTION)) if isinstance(e, TextVerified)]
    assert len(texts) >= 3
    for earlier, later in pairwise(texts):
        assert later.startswith(earlier)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(""),
        Reply("[1] [2]"),
        Reply("   \n\n"),
        Reply("", raw=b"{}", status=500),
        Reply("", raw=b'{"error": {"message": "slow down"}}', status=429),
        Reply("", raw=b"data: \xff\xfe\xfa\n\n"),
        Reply("", raw=b"data: " + b"x" * 10_000_000),
        Reply("", raw=b'data: {"choices": null}\n\ndata: [1, 2]\n\n'),
        Reply("", raw=b"<html>bad gateway</html>"),
        Reply("De H100 SXM is een kaart met 3,35 TB/s geheugenbandbreedte en dat staat in de bronnen."),
        Reply("The weather in Paris is lovely today."),
    ],
    ids=["empty", "markers", "blank", "500", "429", "utf-8", "10 MB", "protocol", "html", "language", "off topic"],
)
def test_a_useless_endpoint_still_ends_in_the_composed_answer(
    written: Assistant, assistant: Assistant, endpoint: ScriptedEndpoint, reply: Reply
) -> None:
    begun = time.monotonic()
    answer = ask(written, endpoint, reply)
    composed = assistant.answer(Question(text=QUESTION))
    assert answer.text.startswith(composed.text) and FAILED in answer.text
    assert (answer.model, answer.status, answer.citations) == (None, composed.status, composed.citations)
    assert time.monotonic() - begun < 10


def test_a_stream_that_drips_for_ever_ends_with_the_time_out(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    begun = time.monotonic()
    answer = ask(written, endpoint, Reply(f"{TRUE} " + "And then " * 500, chunk=4, pause_s=0.2))
    assert time.monotonic() - begun < 8
    assert answer.status == "answered" and "3.35 TB/s" in answer.text


def test_a_cut_off_stream_keeps_whole_sentences_only(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    answer = ask(written, endpoint, Reply(f"{TRUE} The H100 SXM has 80", finish=None))
    assert answer.text.startswith(TRUE) and "has 80" not in answer.text


def test_a_draft_of_lies_alone_becomes_what_the_evidence_says(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    lie = "The H100 SXM reaches 9.35 TB/s of memory bandwidth."
    endpoint.script = lambda messages: Reply(f"{lie} {lie[:-1]} today.")
    events = list(written.stream(Question(text=QUESTION)))
    texts = [event.text for event in events if isinstance(event, TextVerified)]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert "9.35" not in texts[-1] and "3.35 TB/s" in texts[-1] and FAILED in texts[-1]


def test_endless_repetition_is_stopped(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    answer = ask(written, endpoint, Reply(f"{TRUE} " * 5_000, chunk=2_000))
    assert answer.text.count(TRUE) == 1
    nonsense = ask(written, endpoint, Reply("blah " * 100_000, chunk=5_000))
    assert len(nonsense.text) < 1_000


def test_markers_that_do_not_exist_are_replaced_by_ones_that_do(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    for text in (f"[99] {TRUE}", f"{TRUE} [99]", f"{TRUE}[99][100]", f"{TRUE}【99】"):
        answer = ask(written, endpoint, Reply(text))
        markers = {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)}
        assert markers == {citation.marker for citation in answer.citations} == {1}


def test_no_link_image_or_html_of_a_draft_survives(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    text = (
        "![p](https://evil.example/p.png) " + TRUE + " <img src=x onerror=alert(1)> [more](https://evil.example) "
        "https://evil.example/x <!-- hidden --> \u202eevil\u200b"
    )
    answer = ask(written, endpoint, Reply(text))
    for trace in ("evil", "<img", "onerror", "hidden", "\u202e", "\u200b", "!["):
        assert trace not in answer.text
    assert TRUE in answer.text


@pytest.mark.parametrize(
    ("language", "question", "draft", "part"),
    [
        ("nl", "Hoeveel geheugen heeft de MI355X?", "De MI355X biedt 288 GB VRAM. Hij kost 5 euro.", "biedt 288 GB"),
        ("da", "Hvor meget hukommelse har MI355X?", "MI355X rummer 288 GB hukommelse. Den koster 5 euro.", "rummer"),
        ("zh", "MI355X 有多少显存？", "MI355X 的显存达到 288 GB。它售价 5 欧元。", "显存达到 288 GB"),
        ("en", "How much memory does the MI355X have?", "- MI355X: 288 GB\n- Price: 5 euro", "- MI355X: 288 GB"),
    ],
)
def test_four_languages_are_verified_alike(
    written: Assistant, endpoint: ScriptedEndpoint, language: Language, question: str, draft: str, part: str
) -> None:
    answer = ask(written, endpoint, Reply(draft), question)
    assert answer.language == language and part in answer.text
    assert not re.search(r"5 (?:euro|欧元)", answer.text)


def test_the_direct_answer_and_the_disagreement_are_told_whatever_the_model_leaves_out(
    written: Assistant, assistant: Assistant, endpoint: ScriptedEndpoint
) -> None:
    question = "How much power does the MI355X draw?"
    answer = ask(written, endpoint, Reply("The MI355X has 288 GB of memory."), question)
    composed = assistant.answer(Question(text=question))
    assert composed.conflicts and [c.attribute for c in answer.conflicts] == [c.attribute for c in composed.conflicts]
    for figure in ("1,400 W", "1,000 W"):
        assert figure in answer.text
    assert {v.marker for c in answer.conflicts for v in c.values} <= {c.marker for c in answer.citations}


def test_a_price_carries_its_date_whatever_the_model_leaves_out(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    question = "What does a B200 cost per hour at RunPod?"
    answer = ask(written, endpoint, Reply("The NVIDIA B200 costs $6.79 per hour at RunPod."), question)
    assert answer.text.startswith("The NVIDIA B200 costs $6.79 per hour at RunPod (September 2026). [1]")


def test_silence_stays_silence(written: Assistant, endpoint: ScriptedEndpoint) -> None:
    asked = len(endpoint.asked)
    answer = ask(written, endpoint, Reply("The H900 has 500 GB of memory."), "How much memory does the H900 have?")
    assert answer.status == "not_in_sources" and "500" not in answer.text
    assert len(endpoint.asked) == asked


def test_evidence_comes_before_the_question_and_earlier_questions_go_along(
    written: Assistant, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = lambda messages: Reply(TRUE)
    written.answer(Question(text="And its memory bandwidth?", history=("How much memory has the H100 SXM?",)))
    system, question = endpoint.asked[-1]
    assert system["role"] == "system" and "[1]" in system["content"] and "3.35 TB/s" in system["content"]
    assert question["content"].rstrip().endswith("And its memory bandwidth?")
    assert "How much memory has the H100 SXM?" in question["content"]


def test_a_tool_that_the_model_calls_is_run_and_carries_what_it_computed(
    assistant: Assistant, endpoint: ScriptedEndpoint, settings: Settings
) -> None:
    from assistant.tools.toolbox import langchain_tools

    def tools(language: Language) -> list[BaseTool]:
        return langchain_tools(assistant.corpus, settings.corpus, TODAY, language)

    replies = iter(
        [
            Reply(calls=({"name": "rent", "args": {"price": 4, "gpus": 2, "hours": 10}}, {"name": "none", "args": {}})),
            Reply("The H100 SXM reaches 3.35 TB/s of memory bandwidth. The total is $80. The total is $90."),
        ]
    )
    endpoint.script = lambda messages: next(replies)
    wired = settings.model_copy(update={"llm_model": "scripted-model", "openai_base_url": endpoint.url})
    calling = Assistant(assistant.corpus, assistant.index, settings.corpus, TODAY)
    calling.writer = open_writer(wired, calling.library, calling.names, calling.facts, tools)
    answer = calling.answer(Question(text=QUESTION))
    results = [message for message in endpoint.asked[-1] if message["role"] == "tool"]
    assert len(results) == 2 and "80" in results[0]["content"]
    assert [run.tool for run in answer.tool_runs] == ["rent"]
    assert "$90" not in answer.text


def test_the_first_sentence_is_shown_within_a_tenth_of_a_second_of_the_model_writing_it(
    written: Assistant, endpoint: ScriptedEndpoint
) -> None:
    ask(written, endpoint, Reply(TRUE))
    delays = []
    for _ in range(5):
        sent: list[float] = []

        def script(messages: list[dict[str, object]], sent: list[float] = sent) -> Reply:
            sent.append(time.perf_counter())
            return Reply(f"{TRUE} It has 80 GB.", chunk=10_000)

        endpoint.script = script
        for event in written.stream(Question(text=QUESTION)):
            if isinstance(event, TextVerified):
                delays.append(time.perf_counter() - sent[0])
                break
    assert min(delays) < 0.1
