"""What is true of a conversation as a whole in a real browser: asking again, keeping, sharing, taking it elsewhere."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from web import Open, answered, ask, copied, open_tab

from assistant.answering.memo.record import read_record
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language

TEXT = page_wording()
CLIPBOARD = ["clipboard-read", "clipboard-write"]
MEMORY = "How much memory does the MI355X have?"


def test_an_answer_can_be_asked_again_in_its_place(open_chat: Open) -> None:
    page = open_chat()
    ask(page, MEMORY)
    answered(page)
    ask(page, "And the H200?")
    answered(page, 2)
    # The new answer can be there within a frame: what is told apart is the old one, not a moment without one.
    page.locator("#conversation .answer").last.evaluate("answer => answer.dataset.former = ''")
    page.locator(".do-retry").last.click()
    expect(page.locator("#conversation [data-former]")).to_have_count(0)
    answered(page, 2)
    expect(page.locator("#conversation .answer").last).to_contain_text("141 GB")


def test_a_question_can_be_changed_and_takes_its_own_place(open_chat: Open) -> None:
    page = open_chat("nl")
    ask(page, "Hoeveel geheugen heeft de MI355X?")
    answered(page)
    ask(page, "En de H200?")
    answered(page, 2)
    page.locator(".do-edit").first.click()
    box = page.locator("#question textarea")
    expect(box).to_be_focused()
    expect(box).to_have_value("Hoeveel geheugen heeft de MI355X?")
    ask(page, "Hoeveel geheugen heeft de B200?")
    expect(page.locator("#conversation .question")).to_have_text(["Hoeveel geheugen heeft de B200?"])
    answered(page)
    expect(page.locator("#conversation .answer")).to_contain_text("180 GB")


def test_a_change_can_be_called_off(open_chat: Open) -> None:
    page = open_chat()
    ask(page, MEMORY)
    answered(page)
    page.locator(".do-edit").click()
    page.keyboard.press("Escape")
    expect(page.locator("#question textarea")).to_have_value("")
    ask(page, "What does a B200 cost per hour?")
    answered(page, 2)


@pytest.mark.parametrize(("language", "question"), [("zh", "MI355X 有多少显存？"), ("da", "Hvad er ROCm?")])
def test_what_is_offered_to_go_on_with_is_answered(open_chat: Open, language: Language, question: str) -> None:
    page = open_chat(language)
    ask(page, question)
    answered(page)
    offered = page.locator("#follow-ups button")
    expect(offered.first).to_be_visible()
    first = offered.first.inner_text()
    offered.first.click()
    answered(page, 2)
    expect(page.locator("#conversation .question").last).to_have_text(first)
    record = json.loads(page.locator("#conversation .record").last.text_content() or "")
    assert record["answer"]["status"] == "answered" and record["answer"]["language"] == language


def test_earlier_conversations_are_kept_in_the_browser_alone_and_can_be_deleted(open_chat: Open) -> None:
    page = open_chat("en")
    ask(page, MEMORY)
    answered(page)
    page.locator("#new").click()
    expect(page.locator("#conversation .question")).to_have_count(0)
    page.locator("#history summary").click()
    page.locator("#history").get_by_role("button", name=MEMORY, exact=True).click()
    answered(page)
    expect(page.locator("#conversation .answer")).to_contain_text("288 GB")
    page.locator("a.cite").first.click()
    expect(page.locator("#sources details[open] mark").first).to_be_visible()
    ask(page, "And the H200?")
    answered(page, 2)
    expect(page.locator("#conversation .answer").last).to_contain_text("141 GB")
    # What is under way when a page is left is called off, and the console says so.
    expect(page.locator("#follow-ups button").first).to_be_visible()
    page.reload()
    answered(page, 2)
    page.locator("#new").click()
    page.locator("#history summary").click()
    page.get_by_role("button", name=TEXT.say("history_delete", "en", title=MEMORY)).click()
    expect(page.locator("#history")).to_have_count(0)
    assert json.loads(page.evaluate("localStorage.getItem('gpu-assistant-history')")) == []


def test_a_spoiled_store_breaks_nothing(open_chat: Open) -> None:
    page = open_chat()
    spoiled = [{"id": "a", "title": "<b>x", "exchanges": [{"number": 1, "question": "x", "answer": {"text": 3}}]}]
    page.evaluate("(all) => localStorage.setItem('gpu-assistant-history', JSON.stringify(all))", spoiled)
    page.reload()
    page.locator("#history summary").click()
    page.get_by_role("button", name="<b>x", exact=True).click()
    ask(page, MEMORY)
    answered(page)


def test_a_shared_link_asks_the_same_again_with_what_came_before(open_chat: Open, address: str) -> None:
    page = open_chat("en", permissions=CLIPBOARD)
    ask(page, MEMORY)
    answered(page)
    ask(page, "And the H200?")
    answered(page, 2)
    page.locator("details.more summary").last.click()
    link = copied(page, page.locator(".do-copy-link").last)
    assert link.startswith(f"{address}/#q=")
    other = open_chat("en", path=link.removeprefix(address))
    answered(other)
    expect(other.locator("#conversation .answer")).to_contain_text("141 GB")
    expect(other.locator("#conversation .question")).to_have_text(["And the H200?"])
    assert "#" not in other.url
    expect(other.locator("#conversation")).not_to_contain_text(TEXT.say("shared_changed", "en"))


def test_a_link_from_before_the_knowledge_changed_says_so(open_chat: Open) -> None:
    page = open_chat("da", path="/#" + urlencode({"q": "Hvor meget hukommelse har MI355X?", "a": "0" * 12}))
    answered(page)
    expect(page.locator("#conversation p.aside")).to_have_text(TEXT.say("shared_changed", "da"))


def test_an_answer_is_taken_elsewhere_as_markdown_and_as_wiki_markup(open_chat: Open) -> None:
    page = open_chat("en", permissions=CLIPBOARD)
    ask(page, MEMORY)
    answered(page)
    page.locator("details.more summary").click()
    with page.expect_download() as started:
        page.locator(".do-download").click()
    saved = Path(started.value.path()).read_text(encoding="utf-8")
    assert re.fullmatch(r"gpu-[0-9a-f]{12}\.md", started.value.suggested_filename)
    assert "288 GB" in saved and "## Sources" in saved and read_record(saved).question == MEMORY
    for action, mark in (("copy-dokuwiki", "===== Sources ====="), ("copy-mediawiki", "== Sources ==")):
        assert mark in copied(page, page.locator(f".do-{action}"))


def test_any_cards_are_put_side_by_side(open_chat: Open) -> None:
    language: Language = "da"
    page = open_chat(language)
    open_tab(page, "tab_compare", language)
    outcome = page.locator("#compare-outcome")
    names = outcome.locator("table").last.locator("thead th")
    expect(names).to_have_text(["NVIDIA H200", "NVIDIA B200", "AMD Instinct MI355X"])
    expect(outcome.locator("tbody tr", has_text="hukommelse").first).to_contain_text("288 GB")
    expect(outcome.locator("figure .bar-row")).to_have_count(3)
    cards = page.get_by_label(TEXT.say("compare_cards", language), exact=True)
    cards.click()
    cards.fill("MI300X")
    page.get_by_role("option", name="AMD Instinct MI300X", exact=True).click()
    expect(names).to_have_count(4)
    expect(outcome.locator("figure .bar-row")).to_have_count(4)
    expect(outcome.locator(".compared-sources li").first).to_be_visible()


def test_the_sources_are_searched_across_languages_and_filtered(open_chat: Open) -> None:
    language: Language = "en"
    page = open_chat(language)
    open_tab(page, "tab_library", language)
    cards = page.locator("#library-outcome .library > li")
    expect(page.locator("#library-outcome [role=status]")).to_contain_text(re.compile(r"^(\d+) of \1 sources$"))
    words = page.locator("#library-words textarea, #library-words input")
    status = page.locator("#library-outcome [role=status]")
    words.fill("bananas")
    expect(status).to_contain_text(TEXT.say("library_none", language))
    expect(cards).to_have_count(0)
    words.fill("strømforbrug")
    expect(cards.locator("a.title[lang='nl']").first).to_be_visible()
    words.fill("MI355X")
    expect(cards.locator("mark", has_text="MI355X").first).to_be_visible()
    expect(status).to_have_text(re.compile(r"^[1-9]\d* of [1-9]\d* sources$"))
    expect(status).not_to_have_text(re.compile(r"^(\d+) of \1 sources$"))
    spoken = page.get_by_label(TEXT.say("library_language", language), exact=True)
    spoken.click()
    page.get_by_role("option", name="Chinese", exact=True).click()
    expect(cards.locator("a.title:not([lang='zh-CN'])")).to_have_count(0)
    expect(cards.first).to_contain_text("Chinese")
    with page.context.expect_page() as opened:
        cards.first.get_by_text(TEXT.say("library_in_place", language)).click()
    expect(opened.value.locator("mark").first).to_be_visible()
