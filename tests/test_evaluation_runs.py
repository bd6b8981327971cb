"""A run from questions to reports: what is compared, what blocks, what could not be measured, and what is kept."""

import json
import xml.etree.ElementTree as ElementTree
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from junitparser import Error, Failure, JUnitXml, Skipped

from assistant.answering.answer import Answer, ToolRun
from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.interfaces.command_line import gpu_assistant
from assistant.knowledge.freshness import SourceRecord, Standing
from assistant.settings import Settings
from evals.adversary.scripted_endpoint import Reply, scripted_endpoint
from evals.checks.bench import Bench
from evals.checks.retrieval import scores
from evals.checks.score import Check
from evals.checks.tool import recomputed
from evals.reports.junit import write_junit
from evals.reports.markdown import markdown
from evals.reports.page import page
from evals.runs.comparison import Exit, Thresholds, compare, decide, mcnemar, pass_power, wilson
from evals.runs.record import Result as Asked
from evals.runs.record import Run, RunHeader, read_run, slim, write_run
from evals.runs.session import BASELINE, read_asked, read_baseline
from evals.suite.reader import CASES
from evals.trials.kill_rate import faulted, right_answers, survivors

DAY = date(2026, 11, 30)
SOME = ("--only", "cuda-since", "--only", "rent-four-b200")


def header(**more: object) -> RunHeader:
    fields: dict[str, object] = {
        "corpus": "c", "code": "d", "cases": "s", "engine": "e", "clock": DAY, "asked": "a", "whole": True,
        "sources": SourceRecord(articles={}, claims={}), **more,
    }  # fmt: skip
    return RunHeader.model_validate(fields)


def result(key: str, verdict: str = "passed", **more: object) -> Asked:
    case, _, language = key.partition("@")
    text = str(more.pop("text", "80 GB [1]"))
    answer = {"id": key, "question": "Q?", "language": language, "status": "answered", "text": text, "knowledge": "k"}
    fields: dict[str, object] = {
        "key": key, "case": case, "language": language, "kind": "fact", "severity": "should_pass", "question": "Q?",
        "verdict": verdict, "answer": Answer.model_validate(answer), "timings_ms": {"gather": 2.0}, **more,
    }  # fmt: skip
    if verdict == "failed":
        fields.setdefault("checks", (Check(name="value", passed=False, found="not stated: x"),))
    return Asked.model_validate(fields)


def run_of(*results: Asked, **more: object) -> Run:
    return Run(header=header(**more), results=results)


def decided(run: Run, baseline: Run | None, **thresholds: float) -> Exit:
    return decide(run, compare(run, baseline), Thresholds(**thresholds), baseline is not None).status


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(gpu_assistant, list(arguments))


# --- the gate --------------------------------------------------------------------------------------------------------


def test_one_must_pass_question_that_flips_blocks_and_another_that_flips_does_not() -> None:
    before = run_of(*(result(f"case-{n}@en") for n in range(20)))
    should = run_of(result("case-0@en", "failed"), *before.results[1:])
    must = run_of(result("case-0@en", "failed", severity="must_pass"), *before.results[1:])
    assert decided(before, before) is Exit.HELD
    assert decided(should, before) is Exit.HELD
    assert decided(must, before) is Exit.REGRESSED


def test_a_must_pass_question_that_fails_blocks_though_the_baseline_fails_too_unless_it_was_accepted_by_name() -> None:
    failing = run_of(result("case-0@en", "failed", severity="must_pass", question="How much?"), result("case-1@en"))
    assert decided(failing, failing) is Exit.REGRESSED
    accepted = run_of(*failing.results, accepted=("case-0@en",))
    assert decided(failing, accepted) is Exit.HELD
    comparison = compare(failing, accepted)
    decision = decide(failing, comparison, Thresholds(), has_baseline=True)
    for text in (markdown(failing, comparison, decision), page(failing, accepted, comparison, decision)):
        assert "accepted as failing" in text
        assert "How much?" in text


def test_a_run_with_a_failing_must_pass_question_is_blessed_only_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write_run(run_of(result("case-0@en", "failed", severity="must_pass"), result("case-1@en", "failed")), path)
    bless = ("eval", "--baseline", str(tmp_path / "b.jsonl"), "bless", "--results", str(path), "--reason", "as it is")
    refused = invoke(*bless)
    assert isinstance(refused.exception, AssistantError)
    assert "case-0@en must pass and fails." in str(refused.exception)
    other = invoke(*bless, "--accept-failing", "case-0@en", "--accept-failing", "case-1@en")
    assert "case-1@en is no must-pass question that fails" in str(other.exception)
    assert invoke(*bless, "--accept-failing", "case-0@en").exit_code == 0
    assert read_run(tmp_path / "b.jsonl").header.accepted == ("case-0@en",)


def test_a_question_that_writes_out_what_a_claim_no_longer_says_is_named_though_it_passes() -> None:
    before = run_of(result("case-0@en", tied=("prices.b200",), rests_on=("prices.b200",)), result("case-1@en"))
    after = run_of(result("case-0@en"), result("case-1@en"))
    comparison = compare(after, before)
    decision = decide(after, comparison, Thresholds(), has_baseline=True)
    assert decision.status is Exit.REGRESSED
    assert decision.reasons == ("case-0@en writes out what prices.b200 said, and no longer says",)
    assert [one.key for one in comparison.affected] == ["case-0@en"]
    assert decided(after, after) is Exit.HELD


def test_the_suite_as_a_whole_blocks_where_more_got_worse_than_chance_allows() -> None:
    before = run_of(*(result(f"case-{n}@en") for n in range(40)))
    five = run_of(*(result(f"case-{n}@en", "failed") for n in range(5)), *before.results[5:])
    six = run_of(*(result(f"case-{n}@en", "failed") for n in range(6)), *before.results[6:])
    assert mcnemar(5, 0) == pytest.approx(0.0625)
    assert mcnemar(6, 0) == pytest.approx(0.03125)
    assert mcnemar(0, 0) == 1.0
    assert decided(five, before) is Exit.HELD
    assert decided(six, before) is Exit.REGRESSED
    assert decided(five, before, significance=0.1) is Exit.REGRESSED
    assert decided(before, before, least_passed=1.0) is Exit.HELD
    assert decided(five, before, least_passed=0.9) is Exit.REGRESSED


@pytest.mark.parametrize("verdict", ["error", "skipped"])
def test_what_was_not_measured_is_never_green(verdict: str) -> None:
    before = run_of(result("case-0@en"), result("case-1@en"))
    assert decided(run_of(), before) is Exit.NOT_MEASURED
    assert decided(run_of(result("case-0@en", verdict)), before) is Exit.NOT_MEASURED
    assert decided(run_of(result("case-0@en")), None) is Exit.NOT_MEASURED
    partly = run_of(result("case-0@en"), result("case-1@en", "error", note="no answer"))
    assert decided(partly, before) is Exit.NOT_MEASURED
    assert decided(run_of(result("case-0@en"), result("case-1@en", "skipped")), before) is Exit.NOT_MEASURED


def test_a_claim_whose_source_changed_blocks_even_where_no_question_rests_on_it() -> None:
    before = run_of(result("case-0@en"))
    broken = Standing(id="a.b", source="a", state="VALUE_CHANGED", value="1", found="2")
    assert decided(run_of(result("case-0@en"), standings=(broken,)), before) is Exit.REGRESSED
    known = run_of(result("case-0@en"), standings=(broken,))
    assert decided(known, known) is Exit.HELD
    disputed = run_of(result("case-0@en", rests_on=("a.b",)), disputes=(("a.b", "a.c"),))
    assert decided(disputed, before) is Exit.REGRESSED
    assert [one.key for one in compare(disputed, before).affected] == ["case-0@en"]


def test_intervals_and_pass_power_are_the_published_ones() -> None:
    low, high = wilson(9, 10)
    assert (low, high) == (pytest.approx(0.596, abs=0.001), pytest.approx(0.982, abs=0.001))
    assert wilson(0, 0) == (0.0, 1.0)
    assert pass_power((True, True, False), 2) == pytest.approx(1 / 3)
    assert pass_power((True, True, True), 3) == 1.0


@pytest.mark.parametrize(
    ("gains", "wanted"), [([[1], [], [2]], 2), ([[], [1], []], 1), ([[2], [1], []], 2), ([[], [], []], 1)]
)
def test_retrieval_measures_agree_with_scikit_learn(gains: list[list[int]], wanted: int) -> None:
    from sklearn.metrics import ndcg_score

    found = scores(gains, wanted)
    relevant = [float(bool(gain)) for gain in gains]
    missing = wanted - sum(map(len, gains))
    # What wasn't found at all stands below everything that was.
    truth = relevant + [1.0] * missing + [0.0] * 5
    ranked = [float(len(truth) - place) if place < len(gains) else 0.0 for place in range(len(truth))]
    if missing == 0:
        assert found["ndcg"] == pytest.approx(ndcg_score([truth], [ranked], k=10), abs=1e-3)
    assert found["recall"] == pytest.approx(sum(map(len, gains)) / wanted)
    first = next((place for place, gain in enumerate(gains) if gain), None)
    assert found["mrr"] == (0.0 if first is None else pytest.approx(1 / (first + 1), abs=1e-3))


@pytest.mark.parametrize(
    ("formula", "comes_out"),
    [
        ("CUDA graphs: 0 – 0.36 × 1\u202f073\u202f741\u202f824 = 386\u202f547\u202f057", True),
        ("CUDA graphs: 0 – 0.36 × 1\u202f073\u202f741\u202f824 = 368\u202f547\u202f057", False),
        ("0.16 × 100 = 16 – 1.79 × 100 = 179", True),
        ("0.16 × 100 = 16 – 1.79 × 100 = 197", False),
        ("3.49–3.99 × 8 × 100 = 2,792–3,192", True),
        ("3.49–3.99 × 8 × 100 = 2,792–3,292", False),
    ],
)
def test_a_calculation_is_done_again_at_both_of_its_ends(formula: str, comes_out: bool) -> None:
    assert (recomputed(ToolRun(tool="fit", inputs={}, result={}, formula=formula)) == []) == comes_out


# --- reports ---------------------------------------------------------------------------------------------------------


def test_junit_tells_failed_unmeasured_and_skipped_apart_and_takes_any_character(tmp_path: Path) -> None:
    ugly = "80 GB\x00\x0b\ufffe <&> \U0001f600 ]]>"
    run = run_of(
        result("case-0@en"),
        result("case-1@nl", "failed", text=ugly),
        result("case-2@da", "error", note="the endpoint\x1b died"),
        result("case-3@zh", "skipped", note="the article can't be read"),
    )
    write_junit(run, tmp_path / "junit.xml")
    ElementTree.parse(tmp_path / "junit.xml")
    read = JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert (read.tests, read.failures, read.errors, read.skipped) == (4, 1, 1, 1)
    kinds = [type(case.result[0]) if case.result else None for suite in read for case in suite]
    assert kinds == [None, Failure, Error, Skipped]


def test_the_page_holds_everything_itself_escapes_what_it_is_given_and_shows_the_baseline_beside() -> None:
    before = run_of(result("case-0@en", text="the old answer"))
    run = run_of(result("case-0@en", "failed", text="<script>alert(1)</script> new"))
    comparison = compare(run, before)
    html = page(run, before, comparison, decide(run, comparison, Thresholds(), True))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "the old answer" in html
    for outside in ("http://", "https://", "src=", "@import", "url("):
        assert outside not in html
    text = markdown(run, comparison, decide(run, comparison, Thresholds(), True))
    assert text.index("Got worse: 1") < text.index("| kind |")
    assert "case-0@en" in text


def test_a_baseline_of_another_format_or_a_torn_one_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "baseline.jsonl"
    write_run(run_of(result("case-0@en")), path)
    assert read_run(path).results[0].key == "case-0@en"
    good = path.read_text(encoding="utf-8")
    for text, said in (
        (good.replace('"format": 1', '"format": 7', 1), "format 7"),
        (good[:-20], "line 2"),
        ("", "empty"),
        ('{"key": "x"}\n', "no results file"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(AssistantError) as raised:
            read_run(path)
        assert said in str(raised.value)
        assert raised.value.exit_status == 2


def test_the_committed_baseline_holds_no_times_and_no_held_out_question() -> None:
    baseline = read_baseline(BASELINE)
    assert baseline is not None
    assert baseline.header.reason
    assert baseline.header.times == {}
    assert not any(one.timings_ms or "held" in one.tags for one in baseline.results)
    assert slim(baseline) == baseline


# --- whole runs ------------------------------------------------------------------------------------------------------


def test_two_runs_differ_in_their_times_alone_and_reports_are_written(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        done = invoke("eval", "--no-llm", *SOME, "--out", str(tmp_path / name))
        assert done.exit_code == 0, done.output
        run = read_run(tmp_path / name / "results.jsonl")
        assert [one.verdict for one in run.results] == ["passed"] * 8
        texts.append(slim(run).model_dump_json())
        rows = [json.loads(line) for line in (tmp_path / name / "results.jsonl").read_text().splitlines()]
        for row in rows:
            row.pop("timings_ms", None)
            row.get("run", {}).pop("times", None)
        texts.append(json.dumps(rows))
        assert {path.name for path in (tmp_path / name).iterdir()} == {
            "results.jsonl", "report.md", "report.html", "junit.xml",
        }  # fmt: skip
    assert texts[0] == texts[2]
    assert texts[1] == texts[3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--only", "nobody"), "nobody"),
        (("--tag", "nothing"), "nothing was measured"),
        (("--as-of", "2019-01-01", "--only", "h900-memory"), "2019-01-01"),
        (("--baseline", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--cases", "nowhere"), "nowhere"),
        (("--changed-since", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_measured_is_one_line_and_never_green(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = invoke("eval", "--no-llm", "--out", str(tmp_path), *options)
    assert isinstance(done.exception, AssistantError)
    assert done.exception.exit_status in (2, 3)
    assert said in str(done.exception)


def test_answers_are_scored_again_without_being_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke("eval", "--no-llm", *SOME, "--out", str(tmp_path)).exit_code == 0

    def never(*_: object) -> Answer:
        raise AssertionError("a question was asked")

    monkeypatch.setattr(Assistant, "answer", never)
    path = tmp_path / "results.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("651.84", "651.85"), encoding="utf-8")
    done = invoke("eval", "--out", str(tmp_path), "rescore")
    assert done.exit_code == 0, done.output
    assert "rent-four-b200@en" in done.output
    assert invoke("eval", "--out", str(tmp_path), "--least-passed", "1", "rescore").exit_code == 1


def test_a_part_of_the_cases_is_never_blessed(tmp_path: Path) -> None:
    write_run(run_of(result("case-0@en"), whole=False), tmp_path / "results.jsonl")
    blessing = (
        "eval", "--out", str(tmp_path), "--baseline", str(tmp_path / "b.jsonl"), "bless", "--reason", "looked at",
    )  # fmt: skip
    done = invoke(*blessing)
    assert isinstance(done.exception, AssistantError)
    assert not (tmp_path / "b.jsonl").exists()
    write_run(run_of(result("case-0@en")), tmp_path / "results.jsonl")
    assert invoke(*blessing).exit_code == 0
    blessed = read_baseline(tmp_path / "b.jsonl")
    assert blessed is not None
    assert blessed.header.reason == "looked at"


SAID = {
    "Hoeveel": "De NVIDIA H100 SXM heeft 80 GB geheugen. [1]",
    "Hvor": "NVIDIA H100 SXM har 80 GB hukommelse. [1]",
    "多少": "NVIDIA H100 SXM 配备 80 GB 显存。[1]",
    "How": "The NVIDIA H100 SXM has 80 GB of memory. [1]",
}


def test_an_endpoint_that_dies_in_the_middle_keeps_what_was_finished_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("eval", "--only", "h100-sxm-memory", "--runs", "1", "--jobs", "1", "--out", str(tmp_path))
    alive = {"left": 2}

    def script(messages: list[dict[str, Any]]) -> Reply:
        alive["left"] -= 1
        question = messages[-1]["content"]
        said = next(text for word, text in SAID.items() if word in question)
        return Reply(said) if alive["left"] >= 0 else Reply(status=503, raw=b"")

    with scripted_endpoint() as endpoint:
        endpoint.script = script
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("ASSISTANT_LLM_MODEL", "scripted")
        died = invoke(*options)
        assert isinstance(died.exception, AssistantError)
        assert died.exception.exit_status == 2
        assert "no longer answers" in str(died.exception)
        kept = read_run(tmp_path / "results.partial.jsonl").results
        assert [one.key for one in kept] == ["h100-sxm-memory@nl", "h100-sxm-memory@da"]
        alive["left"] = 100
        asked_before = len(endpoint.asked)
        assert invoke(*options).exit_code == 0
        assert len(endpoint.asked) - asked_before == 2
    assert all(one.answer and one.answer.model for one in read_run(tmp_path / "results.jsonl").results)
    assert not (tmp_path / "results.partial.jsonl").exists()


# --- the tester tested -----------------------------------------------------------------------------------------------


def test_spoilt_answers_are_noticed_and_right_ones_said_otherwise_are_not_faulted(
    assistant: Assistant, settings: Settings
) -> None:
    bench = Bench(assistant.corpus, settings.corpus)
    suite = [one for one in read_asked(CASES) if one.case.kind in ("fact", "qualified", "comparison", "conflict")][::3]
    right = right_answers(suite, assistant, bench)
    passed, flagged = survivors(right, 200, 5, bench), faulted(right, 200, 5, bench)
    assert passed.total == flagged.total == 200
    assert passed.share <= 0.02, passed.examples
    assert flagged.share <= 0.02, flagged.examples
