"""Disagreement is found from the facts, and the same value in other words is none."""

from decimal import Decimal

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.conflict import contradict, corrections, find_conflicts
from assistant.answering.evidence import Question
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from evals.conflicts.originals import disclosures
from evals.conflicts.restated import restatements


def of_value(fact: Fact, value: object, unit: str | None) -> Fact:
    return fact.model_copy(update={"value": value, "unit": unit})


@pytest.fixture
def power(assistant: Assistant) -> Fact:
    return next(fact for fact in assistant.facts if fact.attribute == "power" and isinstance(fact.value, Decimal))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((Decimal(800), "W"), (Decimal("0.8"), "kW"), False),
        ((Decimal(1400), "W"), (Decimal("1.4"), "kW"), False),
        ((Decimal(1000), "W"), (Decimal(1400), "W"), True),
        ((Period("2026-09"), None), (Period("2026-09-09"), None), False),
        ((Period("2026-H2"), None), (Period("2027-H1"), None), True),
    ],
)
def test_values_contradict_only_where_both_can_not_hold(
    power: Fact, one: tuple[object, str | None], other: tuple[object, str | None], expected: bool
) -> None:
    assert contradict(of_value(power, *one), of_value(power, *other), "W") is expected


def test_rounding_is_no_contradiction(power: Fact) -> None:
    assert not contradict(of_value(power, Decimal("3.35"), "TB/s"), of_value(power, Decimal("3.4"), "TB/s"), "TB/s")


@pytest.mark.parametrize(
    ("attribute", "about"),
    [
        ("introduced", "cuda"),
        ("power", "amd-mi355x"),
        ("first_capacity_online", "anthropic"),
        ("first_availability", "amd-mi455x"),
    ],
)
def test_the_disagreements_of_the_sources_are_found(assistant: Assistant, attribute: str, about: str) -> None:
    found = find_conflicts(assistant.facts, assistant.corpus.attributes)
    assert any(
        group.sides[0].attribute == attribute and any(about in fact.about for fact in group.sides) for group in found
    )


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Since which year has CUDA existed?", ["2006", "2007"]),
        ("Sinds welk jaar bestaat CUDA?", ["2006", "2007"]),
        ("Hvor mange watt bruger MI355X?", ["1.400", "1.000"]),
        ("MI355X 的功耗是多少？", ["1400", "1000"]),
        ("Wanneer komt de eerste gigawatt van Anthropic?", ["2026", "2027"]),
    ],
)
def test_an_answer_tells_every_side(assistant: Assistant, question: str, values: list[str]) -> None:
    answer = assistant.answer(Question(text=question))
    assert answer.conflicts, answer.text
    assert all(value in answer.text for value in values)
    assert all(side.marker in {c.marker for c in answer.citations} for c in answer.conflicts for side in c.values)


def test_the_originals_disagreements_are_told_with_every_value_source_and_date(
    assistant: Assistant,
) -> None:
    left_out = {(one.id, one.language): one.left_out for one in disclosures(assistant) if one.left_out}
    assert left_out == {}


@pytest.mark.parametrize("altered", [False, True])
def test_facts_said_again_disagree_only_where_the_value_differs(assistant: Assistant, altered: bool) -> None:
    attributes = assistant.corpus.attributes
    again = list(restatements(assistant.facts, attributes, 80, seed=5, altered=altered))
    assert len(again) == 80
    assert [(one.fact.id, one.said) for one in again if (one.conflicts > 0) is not altered] == []


def test_a_claim_that_corrects_another_is_told_as_a_correction(assistant: Assistant, power: Fact) -> None:
    old = power.model_copy(update={"id": "old", "value": power.value * 2, "superseded": True})
    attributes = assistant.corpus.attributes
    assert find_conflicts([power, old], attributes) == []
    assert corrections([power, old], attributes) == {power.id: [old]}
    answer = assistant.answer(Question(text="How much memory does the MI325X have?", language="en"))
    assert "288 GB. Announced value" in answer.text and "corrected" not in answer.text and not answer.conflicts
