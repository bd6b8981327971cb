"""What is true of decision memos: their pages, the record that survives in them, and what a check finds."""

import re
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import TODAY

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.answering.memo.check import compare, describe, question_of
from assistant.answering.memo.page import PageFormat, memo_page
from assistant.answering.memo.record import MemoRecord, read_record, record_of
from assistant.answering.memo.wiki_markup import DOKUWIKI, MEDIAWIKI, wiki_markup
from assistant.errors import InvalidInput
from assistant.interfaces.command_line import gpu_assistant
from assistant.language.tongue import LANGUAGES, Language

FORMATS: tuple[PageFormat, ...] = ("markdown", "dokuwiki", "mediawiki")
QUESTIONS: dict[Language, str] = {
    "nl": "Hoeveel stroom verbruikt een MI355X?",
    "da": "Hvad koster 8 H100 SXM i 100 timer?",
    "zh": "两张 H100 SXM 能放下 Llama 3.3 70B 吗？",
    "en": "Compare the H200 with the MI325X",
}


def answered(assistant: Assistant, language: Language) -> tuple[Answer, MemoRecord]:
    answer = assistant.answer(Question(text=QUESTIONS[language]))
    return answer, record_of(answer, (), TODAY)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_memo_holds_question_sources_date_and_a_record_that_reads_back(
    assistant: Assistant, language: Language, form: PageFormat
) -> None:
    answer, record = answered(assistant, language)
    page = memo_page(answer, record, form)
    assert QUESTIONS[language] in page
    assert str(TODAY.year) in page and answer.knowledge[:12] in page
    for citation in answer.citations:
        assert f"[{citation.marker}]" in page
        if citation.kind != "tool":
            assert citation.title in page
    assert read_record(f"Anything before.\n{page}\nAnything after.") == record


def test_a_record_ends_no_comment_and_no_code_block(assistant: Assistant) -> None:
    answer, record = answered(assistant, "en")
    hostile = record.model_copy(update={"text": "--> </code> ``` }} ]]"})
    for form in FORMATS:
        page = memo_page(answer, hostile, form)
        data = page[page.index('{"gpu_assistant_memo"') :]
        assert data.count("-->") == (1 if form == "mediawiki" else 0)
        assert data.count("</code>") == (1 if form == "dokuwiki" else 0)
        assert data.count("```") == (1 if form == "markdown" else 0)
        assert read_record(page) == hostile


def test_an_unchanged_answer_is_called_unchanged(assistant: Assistant) -> None:
    _, record = answered(assistant, "nl")
    found = compare(record, assistant.answer(question_of(record)), TODAY)
    assert not found.changed
    assert describe(found, "nl") == "Ongewijzigd sinds 30 november 2026: hetzelfde antwoord uit dezelfde bronnen."


def test_what_changed_is_told_line_by_line_and_source_by_source(assistant: Assistant) -> None:
    answer, record = answered(assistant, "en")
    old = record.model_copy(
        update={
            "text": record.text.replace("141 GB", "140 GB"),
            "sources": record.sources[1:],
            "knowledge": "f" * 16,
            "asked": date(2026, 1, 2),
        }
    )
    found = compare(old, answer, TODAY)
    assert found.changed
    assert any("140 GB" in line for line in found.lines_gone)
    assert any("141 GB" in line for line in found.lines_new)
    assert len(found.sources_new) == 1 and not found.sources_gone
    told = describe(found, "en")
    assert told.startswith("Changed since 2 January 2026:") and "ffffffffffff →" in told


def test_a_change_of_the_same_length_in_any_line_is_found(assistant: Assistant) -> None:
    answer, record = answered(assistant, "en")
    lines = [line for line in record.text.splitlines() if any(character.isdigit() for character in line)]
    for line in lines:
        other = re.sub(r"\d(?![^\[]*\])", lambda found: str((int(found[0]) + 1) % 10), line)
        if other == line:
            continue
        found = compare(record.model_copy(update={"text": record.text.replace(line, other)}), answer, TODAY)
        assert found.changed and found.lines_gone and found.lines_new, line


def test_markers_that_only_move_change_nothing(assistant: Assistant) -> None:
    answer, record = answered(assistant, "en")
    moved = record.model_copy(update={"text": record.text.replace("[1]", "[11]")})
    assert not compare(moved, answer, TODAY).changed


@pytest.mark.parametrize("page", ["", "no memo", '{"gpu_assistant_memo":1', '{"gpu_assistant_memo":1,"question":3}'])
def test_a_page_without_a_whole_memo_is_refused_in_one_line(page: str) -> None:
    with pytest.raises(InvalidInput, match="memo"):
        read_record(page)


def test_tables_lists_and_emphasis_become_the_wikis_own() -> None:
    markdown = "## Head\n\nA **b** and `c`.\n\n- one\n  - two\n\n| X | Y |\n|---|---|\n| 1 | 2 |"
    assert wiki_markup(markdown, DOKUWIKI).split("\n\n") == [
        "===== Head =====", "A **b** and ''%%c%%''.", "  * one\n    * two", "^ X ^ Y ^\n| 1 | 2 |",
    ]  # fmt: skip
    assert wiki_markup(markdown, MEDIAWIKI).split("\n\n") == [
        "== Head ==", "A '''b''' and <code><nowiki>c</nowiki></code>.", "* one\n** two",
        '{| class="wikitable"\n! X\n! Y\n|-\n| 1\n| 2\n|}',
    ]  # fmt: skip


@pytest.mark.parametrize("hostile", ["{{evil}}", "[[File:x]]", "<script>x</script>", "~~NOCACHE~~", "</nowiki>{{x}}"])
def test_text_of_an_answer_is_no_markup_of_the_wiki(hostile: str) -> None:
    for syntax in (DOKUWIKI, MEDIAWIKI):
        shown = wiki_markup(f"Before {hostile} after", syntax)
        if syntax.special.search(hostile):
            assert shown.startswith("<nowiki>") and shown.endswith("</nowiki>") and shown.count("</nowiki>") == 1


def test_the_command_writes_a_memo_and_checks_it(assistant: Assistant, tmp_path: Path) -> None:
    memo = tmp_path / "memo.md"
    run = CliRunner()
    written = run.invoke(gpu_assistant, ["memo", str(memo), "--question", QUESTIONS["nl"]])
    assert written.exit_code == 0 and "1.000 W" in memo.read_text(encoding="utf-8")
    memo.write_text(memo.read_text(encoding="utf-8").replace("1.000 W per kaart", "900 W per kaart"), encoding="utf-8")
    checked = run.invoke(gpu_assistant, ["memo", str(memo), "--check"])
    assert checked.exit_code == 1
    assert "900 W per kaart" in checked.output and "1.000 W per kaart" in checked.output
    again = run.invoke(gpu_assistant, ["memo", str(memo), "--question", "x"])
    assert isinstance(again.exception, InvalidInput) and "exists" in str(again.exception)
