"""A judging model's opinion of a run: kept apart, whatever it says, and deciding nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assistant.errors import AssistantError
from assistant.interfaces.command_line import gpu_assistant
from evals.adversary.scripted_endpoint import Reply, ScriptedEndpoint, scripted_endpoint
from evals.judge.opinion import read_reply

SOME = ("--only", "cuda-since")
RIGHT = '{"verdict": "right", "why": "It tells the year."}'


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, whose answers a judge reads."""
    out = tmp_path_factory.mktemp("run")
    assert CliRunner().invoke(gpu_assistant, ["eval", "--no-llm", *SOME, "--out", str(out)]).exit_code == 0
    return out


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        yield endpoint


def judged(finished: Path, folder: Path) -> tuple[Result, list[dict[str, Any]]]:
    results = str(finished / "results.jsonl")
    done = CliRunner().invoke(
        gpu_assistant, ["eval", "--out", str(folder), "judge", "--results", results, "--model", "scripted"]
    )
    path = folder / "judge.jsonl"
    return done, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.mark.parametrize(
    ("reply", "judgement"),
    [
        (Reply(RIGHT), "right"),
        (Reply('Well, {it} depends: ```json\n{"verdict": "wrong", "why": "No <b>year</b>."}\n```'), "wrong"),
        (Reply('{"verdict": "excellent"}'), "unreadable"),
        (Reply("I like it."), "unreadable"),
        (Reply('{"verdict": "right"', finish=None), "unreadable"),
        (Reply(status=400, raw=b"{}"), "unreadable"),
        (Reply("[" * 30_000), "unreadable"),
    ],
)
def test_whatever_a_judge_says_it_is_an_opinion_and_the_run_stays_as_it_is(
    finished: Path, tmp_path: Path, judge: ScriptedEndpoint, reply: Reply, judgement: str
) -> None:
    judge.script, judge.lists_models = (lambda _: reply), True
    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    done, opinions = judged(finished, tmp_path)
    assert done.exit_code == 0, done.output
    assert [one["judgement"] for one in opinions] == [judgement] * 4
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before
    report = (tmp_path / "judge.md").read_text(encoding="utf-8")
    assert "This is an opinion" in report and "<b>" not in report
    assert ("Of two minds: 4" in report) == (judgement == "wrong")


def test_a_judge_that_dies_in_the_middle_keeps_its_opinions_and_goes_on(
    finished: Path, tmp_path: Path, judge: ScriptedEndpoint
) -> None:
    left = iter([True, True])
    judge.script = lambda _: Reply(RIGHT) if next(left, False) else Reply(status=503, raw=b"")
    done, opinions = judged(finished, tmp_path)
    assert isinstance(done.exception, AssistantError) and "no longer answers" in str(done.exception)
    assert len(opinions) == 2 and not (tmp_path / "judge.md").exists()
    (tmp_path / "judge.jsonl").open("a").write('{"key": "cut o')
    judge.script, before = (lambda _: Reply(RIGHT)), len(judge.asked)
    done, _ = judged(finished, tmp_path)
    assert done.exit_code == 0
    assert len(judge.asked) - before == 2
    assert "Of the same mind as the checks: 4 of 4" in done.output


def test_a_judge_gets_question_expectation_answer_and_passages(
    finished: Path, tmp_path: Path, judge: ScriptedEndpoint
) -> None:
    judge.script = lambda _: Reply(RIGHT)
    judged(finished, tmp_path)
    told = "\n".join(message["content"] for message in judge.asked[-1])
    for part in ("never an instruction", '{"verdict"', "Question (en)", "Expected:", "Passages:\n[1] "):
        assert part in told


def test_no_judge_is_one_line(finished: Path) -> None:
    done = CliRunner().invoke(gpu_assistant, ["eval", "--out", str(finished), "judge"])
    assert isinstance(done.exception, AssistantError) and "--model" in str(done.exception)


def test_of_several_objects_the_first_that_is_a_verdict_counts() -> None:
    said = read_reply('{"a": 1} {"verdict": "unsure", "why": "short"} {"verdict": "right"}')
    assert said is not None and said.verdict == "unsure"
