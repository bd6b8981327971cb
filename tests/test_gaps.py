"""Questions that got no answer, from feedback, logs and evaluations, by what was missing."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import AssistantError
from assistant.feedback.record import Feedback
from assistant.feedback.store import FeedbackStore
from assistant.interfaces.command_line import gpu_assistant
from assistant.interfaces.log import JsonLines
from assistant.interfaces.observation import observed
from evals.gaps.asked import AskedQuestion, log_files, merged, of_cases, of_feedback, of_log
from evals.gaps.gap import Gap, gaps_of
from evals.gaps.grouping import listing, report_of
from evals.suite.reader import CASES, read_cases

UNKNOWN_CARD = {
    "nl": "Hoeveel geheugen heeft de H900?",
    "da": "Hvor meget hukommelse har H900?",
    "zh": "H900 有多少显存？",
    "en": "How much memory does the H900 have?",
}
NO_SUCH_PROPERTY = {
    "nl": "Hoeveel transistors heeft een H100?",
    "da": "Hvor mange transistorer har en H100?",
    "zh": "H100 有多少个晶体管？",
    "en": "How many transistors does an H100 have?",
}
HELD = "How much memory does the MI355X have?"


def line(question: str, **more: object) -> str:
    return json.dumps({"event": "answer", "status": "answered", "question": question, **more}, ensure_ascii=False)


def asked(text: str, *history: str) -> AskedQuestion:
    return AskedQuestion(question=Question(text=text, history=history), origins={"log": 1})


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(gpu_assistant, ["sources", "gaps", *arguments])


@pytest.mark.parametrize(
    ("questions", "kind"), [(UNKNOWN_CARD, "name"), (NO_SUCH_PROPERTY, "property")], ids=["card", "property"]
)
def test_one_gap_in_four_languages_is_one(assistant: Assistant, questions: dict[str, str], kind: str) -> None:
    found = [(asked(text), gaps_of(asked(text), assistant)) for text in questions.values()]
    (group,) = report_of(found).groups
    assert group.kind == kind
    assert len(group.questions) == 4
    assert "H900" in group.what or any("H100" in name for name in group.about)


def test_what_is_answered_is_no_gap_and_a_follow_up_is_read_with_what_came_before(assistant: Assistant) -> None:
    assert gaps_of(asked(HELD), assistant) == []
    assert gaps_of(asked("And the H200?", HELD), assistant) == []
    (after,) = gaps_of(asked("And how many transistors?", HELD), assistant)
    assert after.about == ("AMD Instinct MI355X",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What was NVIDIA's share of the discrete desktop GPU market in Q2 2031?", "time"),
        ("What is the best recipe for pancakes?", "outside"),
    ],
)
def test_times_and_other_subjects_are_told_apart(assistant: Assistant, text: str, kind: str) -> None:
    assert [gap.kind for gap in gaps_of(asked(text), assistant)] == [kind]


def test_of_several_parts_only_the_silent_one_is_a_gap(assistant: Assistant) -> None:
    (gap,) = gaps_of(asked("How much memory does the MI355X have, and how much has the H900?"), assistant)
    assert gap.kind == "name" and gap.what == "H900"


def test_an_answer_that_a_reader_found_wanting_is_listed_though_it_is_one(assistant: Assistant, tmp_path: Path) -> None:
    store = FeedbackStore(tmp_path)
    for question, verdict, reason in ((HELD, "down", "missing"), (UNKNOWN_CARD["en"], "up", None)):
        given = {"answer_id": "1", "question": question, "language": "en", "verdict": verdict, "reason": reason}
        store.add(Feedback.model_validate(given))
    found = [(one, gaps_of(one, assistant)) for one in of_feedback(tmp_path)]
    assert [(gap.kind, gap.what) for _, missing in found for gap in missing] == [
        ("said", "AMD Instinct MI355X"), ("name", "H900"),
    ]  # fmt: skip


def test_the_same_question_is_asked_once_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("\n".join([line(UNKNOWN_CARD["en"])] * 2 + [line(" how much  memory does the h900 have?")]) + "\n")
    (one,) = merged(of_log(path))
    assert one.origins == {"log": 3} and one.by_people == 3
    assert len(merged([asked("And?", HELD), asked("And?")])) == 2


def test_what_the_server_logs_is_what_is_read_back(tmp_path: Path, assistant: Assistant, caplog: Any) -> None:
    caplog.set_level("INFO", "assistant.answers")
    question = Question(text="Og H900?", history=("Hvor meget hukommelse har MI355X?",))
    list(observed(question, assistant.stream(question), log_question=True))
    (tmp_path / "log").write_text(JsonLines().format(caplog.records[-1]) + "\n", encoding="utf-8")
    (one,) = of_log(tmp_path / "log")
    assert one.question.text == question.text and one.question.history == question.history
    assert one.question.language == "da"


def test_a_log_may_be_packed_torn_and_full_of_other_things(tmp_path: Path) -> None:
    noise = ['{"event": "call"}', "no JSON", "[1]", '{"event": "answer"}', "[" * 5_000, line("x", history=3), "\x00"]
    torn = "\n".join([*noise, line(UNKNOWN_CARD["zh"], language="zh")]) + "\n" + line("cut off")[:-9]
    with gzip.open(tmp_path / "log.2.gz", "wt", encoding="utf-8") as file:
        file.write(torn)
    (tmp_path / "log").write_bytes(b"\xff\xfe\n" + line(HELD).encode() + b"\n")
    assert [path.name for path in log_files(tmp_path / "log")] == ["log", "log.2.gz"]
    read = [one.question.text for path in log_files(tmp_path / "log") for one in of_log(path)]
    assert read == [HELD, UNKNOWN_CARD["zh"]]


@pytest.mark.parametrize(
    ("name", "content", "said", "status"),
    [
        ("absent", None, "can't be read", 3),
        ("log", b'{"event": "answer"}\n', "ASSISTANT_LOG_QUESTIONS", 2),
        ("log.gz", b"no gzip", "can't be read", 3),
        ("log", b"", "no question to look at", 2),
    ],
)
def test_a_log_without_questions_is_one_clear_line(
    tmp_path: Path, name: str, content: bytes | None, said: str, status: int
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = invoke("--from", "log", "--log", str(tmp_path / name))
    assert isinstance(done.exception, AssistantError)
    assert done.exception.exit_status == status
    assert said in str(done.exception) and "\n" not in str(done.exception)


def test_questions_meant_to_get_no_answer_stand_apart_until_a_reader_asks_them() -> None:
    meant = [one for one in of_cases(read_cases(CASES)) if one.meant_silent]
    assert len(meant) >= 20
    gap = Gap(kind="name", key="h900", what="H900")
    by_case = meant[0].model_copy(update={"origins": {"evals": 1}})
    assert [group.is_meant for group in report_of([(by_case, [gap])]).groups] == [True]
    by_reader = meant[0].model_copy(update={"origins": {"evals": 1, "log": 1}})
    assert [group.is_meant for group in report_of([(by_reader, [gap])]).groups] == [False]
    assert any(
        text.startswith("Meant to get no answer")
        for text in "\n".join(listing(report_of([(by_case, [gap])]), 3)).split("\n")
    )


def test_the_command_lists_gaps_as_text_and_as_json(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("\n".join(map(line, [HELD, *UNKNOWN_CARD.values(), *NO_SUCH_PROPERTY.values()])), encoding="utf-8")
    done = invoke("--from", "log", "--log", str(path), "--examples", "1")
    assert done.exit_code == 0, done.output
    assert "8 of 9 questions got no whole answer: 8 in the log." in done.output
    assert "H900: 4 questions (nl 1 da 1 zh 1 en 1), asked 4 times by readers" in done.output
    assert "and 3 more" in done.output
    told = json.loads(CliRunner().invoke(
        gpu_assistant, ["sources", "gaps", "--from", "log", "--log", str(path), "--most", "3", "--json"]
    ).stdout)  # fmt: skip
    assert (told["asked"], told["left_out"]) == (3, 6)
    assert told["groups"][0]["questions"][0]["text"] == UNKNOWN_CARD["nl"]
