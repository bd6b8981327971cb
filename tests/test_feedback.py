"""What readers write into feedback is printed without harm, and exported so that it loads again."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.errors import InvalidInput
from assistant.feedback.case_draft import case_drafts
from assistant.feedback.record import Feedback, FeedbackRecord
from assistant.feedback.store import FeedbackStore
from assistant.interfaces.command_line import gpu_assistant
from assistant.printable import is_plain, json_line, one_line
from assistant.settings import Settings
from assistant.tools.cost.offers import usual_path

NASTY = "a\x1b[2Jb\r\nc\u202ed\u2028e\x85f\x9bg\0h: - 'i' # \"j\"\\ \ufeff\U000e0041👩‍🚀 两\u3000张\n\n  - k\t"


def record(question: str, comment: str = "", history: tuple[str, ...] = ()) -> FeedbackRecord:
    given_ = Feedback(answer_id="x", question=question, comment=comment, history=history, language="en", verdict="down")
    return FeedbackRecord(id=1, given=FeedbackRecord.now(), feedback=given_)


@given(st.text(), st.text(), st.text())
@example(NASTY, NASTY, NASTY)
@example("# no comment", "x\ncases: []", " padded ")
@example("no", "2026-01-01", "1_000")
@example("word " * 60 + "\n" + "word " * 60, "y" * 300, "é " * 200)
def test_drafts_of_cases_load_again_to_the_same_text(question: str, comment: str, earlier: str) -> None:
    drafts = case_drafts([record(question, comment, (earlier,)), record("next")])
    assert all(is_plain(line) for line in drafts.split("\n"))
    first, second = yaml.safe_load(drafts)["cases"]
    assert first["question"] == question and first["history"] == [earlier] and second["question"] == "next"


@given(st.text())
@example(NASTY)
@example("\x7f\u2028\U000e0041")
def test_a_line_of_json_is_one_line_of_seen_signs_and_reads_back_the_same(text: str) -> None:
    line = json_line({"said": text})
    assert is_plain(line) and json.loads(line) == {"said": text}


def test_listing_and_export_obey_no_control_character(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_DATA", str(tmp_path))
    kept = FeedbackStore(tmp_path).add(record(NASTY, NASTY, (NASTY,)).feedback)
    # What is kept is the question as it was asked; a remark loses what nobody meant to write.
    assert kept.feedback.question == NASTY
    assert (
        kept.feedback.comment.startswith("a[2Jb\ncd\ne\nfgh") and "👩‍🚀 两\u3000张\n\n  - k\t" in kept.feedback.comment
    )
    listed = CliRunner().invoke(gpu_assistant, ["feedback", "list"]).stdout
    assert listed.count("\n") == 1 and is_plain(listed.removesuffix("\n")) and "👩‍🚀 两 张 - k" in listed
    exported = CliRunner().invoke(gpu_assistant, ["feedback", "export"]).stdout
    assert is_plain(exported.removesuffix("\n")) and json.loads(exported)["question"] == NASTY
    drafts = CliRunner().invoke(gpu_assistant, ["feedback", "export", "--cases"]).stdout
    assert yaml.safe_load(drafts)["cases"][0]["history"] == [NASTY]
    gaps = CliRunner().invoke(gpu_assistant, ["sources", "gaps", "--from", "feedback"]).stdout
    assert all(is_plain(line) for line in gaps.split("\n"))


def test_an_error_shows_no_sign_that_moves_the_cursor() -> None:
    assert str(InvalidInput(f"{NASTY} is no card.")) == f"{one_line(NASTY)} is no card."
    assert is_plain(one_line(NASTY)) and one_line("人 \u3000 a\u00a0b") == "人 a b"


def test_the_tests_keep_nothing_in_the_home_folder(settings: Settings) -> None:
    assert not settings.data.is_relative_to(Path.home())
    assert not usual_path().is_relative_to(Path.home())
