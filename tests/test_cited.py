"""A source is shown alike everywhere: a quote as a quote, a row of data as a row, and one date."""

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.cited import dated, shown_words
from assistant.answering.evidence import Question
from assistant.answering.memo.page import source_line
from assistant.interfaces.chat.sources_panel import panel_html
from assistant.interfaces.chat.text import page_wording
from assistant.interfaces.commands.ask import readable
from assistant.interfaces.footnotes import footnotes
from assistant.knowledge.citation import Citation
from assistant.language.tongue import Language


@pytest.mark.parametrize(
    ("language", "question", "row"),
    [
        ("nl", "Hoeveel bandbreedte heeft de MI355X?", "AMD Instinct MI355X · geheugenbandbreedte · 8 TB/s"),
        ("da", "Hvor stor båndbredde har MI355X?", "AMD Instinct MI355X · hukommelsesbåndbredde · 8 TB/s"),
        ("en", "What is the memory bandwidth of the MI355X?", "AMD Instinct MI355X · memory bandwidth · 8 TB/s"),
    ],
)
def test_a_row_is_shown_as_a_row_in_the_language_asked(
    assistant: Assistant, language: Language, question: str, row: str
) -> None:
    answer = assistant.answer(Question(text=question))
    rows = [citation for citation in answer.citations if citation.kind == "specification"]
    assert [citation.quote for citation in rows] == [row]
    for shown in (readable(answer), footnotes(answer), source_line(rows[0], language)):
        assert row in shown
        assert f"“{row}”" not in shown
    assert f"<mark>{row}</mark>" not in panel_html([(1, answer.citations)], assistant.corpus, page_wording(), language)


def test_a_row_of_support_or_price_says_what_it_holds(assistant: Assistant) -> None:
    rows = {
        fact.kind: fact.citation.told_in("en").quote
        for fact in assistant.facts
        if fact.kind in ("price", "release", "support") and "not" not in fact.statement.en
    }
    assert set(rows) == {"price", "release", "support"}
    assert all(row.count(" · ") >= 2 for row in rows.values())


def test_quotes_keep_their_words_and_marks(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="Hoeveel bandbreedte heeft de MI355X?"))
    quoted = [citation for citation in answer.citations if citation.kind == "article"]
    assert quoted
    for citation in quoted:
        article = assistant.corpus.articles[citation.source_id]
        assert article.body[citation.start : citation.end] == citation.quote
        assert shown_words(citation).startswith("“")


def test_the_date_of_a_source_is_one_wherever_it_is_shown(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="What is the memory bandwidth of the MI355X?"))
    panel = panel_html([(1, answer.citations)], assistant.corpus, page_wording(), "en")
    for citation in answer.citations:
        date = dated(citation, "en")
        assert date == "September 2026"
        assert date in source_line(citation, "en")
    assert readable(answer).count("September 2026") >= len(answer.citations)
    assert "30 November 2026" not in panel
    assert isinstance(answer.citations[0], Citation)


def test_what_a_row_notes_is_part_of_the_row_that_is_cited(assistant: Assistant) -> None:
    answer = assistant.answer(Question(text="How many FP8 TFLOPS does the H100 SXM have with sparsity?"))
    assert any("2:4 sparsity" in citation.quote for citation in answer.citations if citation.kind == "specification")
