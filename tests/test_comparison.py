"""Two cards side by side: what is subtracted, and what isn't."""

from decimal import Decimal

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.knowledge.claim import Qualifiers, Range
from assistant.knowledge.fact import Fact
from assistant.tools.comparison import ComparisonRow


def _memory(value: Decimal | Range, unit: str = "GB", status: str = "specified", **qualifiers: object) -> Fact:
    words = dict.fromkeys(("nl", "da", "zh", "en"), "Words.")
    citation = {"marker": 0, "source_id": "a", "title": "A", "language": "en", "section": "", "quote": "q"}
    return Fact.model_validate(
        {
            "id": "fact",
            "kind": "claim",
            "about": ("card",),
            "attribute": "memory_capacity",
            "value": value,
            "unit": unit,
            "status": status,
            "qualifiers": Qualifiers.model_validate(qualifiers),
            "statement": words,
            "citation": {**citation, "start": 0, "end": 1, "kind": "article", "publisher": "P", "url": None},
        }
    )


def _row(*cells: tuple[Fact, ...]) -> ComparisonRow:
    return ComparisonRow(
        attribute="memory_capacity", unit="GB", cards=tuple(map(str, range(len(cells)))), cells=tuple(cells)
    )


@pytest.mark.parametrize(
    ("question", "difference"),
    [
        ("Hoeveel meer geheugen heeft een MI355X dan een B200?", "Het verschil is 108 GB (288 GB − 180 GB)."),
        ("Hvad er forskellen i hukommelse mellem MI355X og B200?", "Forskellen er 108 GB (288 GB − 180 GB)."),
        ("MI355X 的显存比 B200 多多少？", "二者相差 108 GB（288 GB − 180 GB）。"),
        ("How much more memory does the MI355X have than the B200?", "The difference is 108 GB (288 GB − 180 GB)."),
    ],
)
def test_a_difference_is_computed_and_both_figures_cited(assistant: Assistant, question: str, difference: str) -> None:
    answer = assistant.answer(Question(text=question))
    assert difference in answer.text
    assert [run.result for run in answer.tool_runs] == [{"difference": 108.0, "unit": "GB"}]
    quotes = " ".join(citation.quote for citation in answer.citations)
    assert "288" in quotes and "180" in quotes


def test_units_are_converted_before_subtracting() -> None:
    difference = _row((_memory(Decimal("0.288"), "TB"),), (_memory(Decimal(180)),)).difference()
    assert difference is not None
    assert difference.amount == Decimal(108)


@pytest.mark.parametrize(
    "other",
    [
        (),
        (_memory(Decimal(288)),),
        (_memory(Decimal(180)), _memory(Decimal(192))),
        (_memory(Range(low=Decimal(180), high=Decimal(192))),),
        (_memory(Decimal(180), approx=True),),
        (_memory(Decimal(180), bound="at_least"),),
        (_memory(Decimal(180), scope="superchip"),),
        (_memory(Decimal(432), status="forecast"),),
        (_memory(Decimal(700), "W"),),
    ],
    ids=["unknown", "equal", "several", "range", "about", "bound", "other scope", "forecast", "other unit"],
)
def test_nothing_is_subtracted_from_what_is_no_single_firm_figure(other: tuple[Fact, ...]) -> None:
    assert _row((_memory(Decimal(288)),), other).difference() is None
