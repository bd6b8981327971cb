"""Disagreement is found from the facts, and the same value in other words is none."""

from decimal import Decimal

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.conflict import contradict, find_conflicts
from assistant.answering.evidence import Question
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period


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
