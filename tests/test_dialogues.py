"""Conversations without a language model, matched pairs and parity: their data, and what must hold of each kind."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.language.tongue import LANGUAGES
from evals.dialogues.__main__ import SETS, Dialogue, hold, read_dialogues
from evals.pairs.__main__ import ask_pairs, over_refusal, read_pairs

DIALOGUES = {dialogue.id: dialogue for dialogue in read_dialogues("dialogues")}
KINDS = (
    "nl-follow-2", "da-follow-1", "zh-follow-1", "en-follow-1", "en-correct-1", "zh-correct-1", "da-language-1",
    "nl-pronoun-1", "nl-missing-1", "en-missing-1", "en-missing-2", "en-assume-1", "nl-cycle-1", "da-contra-1",
    "en-false-1", "nl-mixed-1", "zh-change-1", "en-change-1",
)  # fmt: skip


def test_every_set_is_in_four_languages() -> None:
    for name in SETS:
        assert {dialogue.language for dialogue in read_dialogues(name)} == set(LANGUAGES)
    assert len(read_dialogues("dialogues")) + len(read_dialogues("fresh")) >= 60
    assert len(read_dialogues("premises")) >= 30
    assert len(read_pairs("first")) >= 60
    assert len(read_pairs("fresh")) >= 60


@pytest.mark.parametrize("dialogue", [DIALOGUES[id_] for id_ in KINDS], ids=lambda dialogue: dialogue.id)
def test_a_conversation_is_understood(dialogue: Dialogue, assistant: Assistant) -> None:
    assert [failure.why for failure in hold(dialogue, assistant)] == []


def test_pairs_that_differ_in_card_version_and_provider(assistant: Assistant) -> None:
    chosen = [pair for pair in read_pairs("first") if pair.apart in ("card", "version", "provider")][::4]
    outcomes = ask_pairs(chosen, assistant)
    assert over_refusal(outcomes) == 0
    assert [one.pair.id for one in outcomes if not one.is_refused] == []


def test_two_hundred_turns_weigh_no_more_than_a_few(assistant: Assistant) -> None:
    turns = ["en de H100 SXM?", "en de MI300X?"] * 99
    question = Question(text="en de MI325X?", history=("Hoeveel geheugen heeft de B200?", *turns))
    understood = assistant.understand(question)
    assert len(understood.asks[0].text) < 1_000
    answer = assistant.answer(question)
    assert "256 GB" in answer.text
    assert "192 GB" not in answer.text
