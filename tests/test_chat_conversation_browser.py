"""What is true of a conversation as a whole in a real browser: asking again, keeping, sharing, taking it elsewhere."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect
from web import chromium, served

from assistant.answering.assistant import Assistant
from assistant.answering.memo.record import read_record
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language
from assistant.settings import Settings

TEXT = page_wording()
LOCALES = {"nl": "nl-NL", "da": "da-DK", "zh": "zh-CN", "en": "en-US"}
MEMORY = "How much memory does the MI355X have?"

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant) -> Iterator[str]:
    with served(settings, assistant) as found:
        yield found


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Opens the page; afterwards, that no request left the machine and nothing was wrong in the console."""
    contexts: list[BrowserContext] = []
    hosts: set[str | None] = set()
    complaints: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")):
            hosts.add(urlsplit(request.url).hostname)

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    def open_it(language: Language = "en", *, path: str = "/", context: BrowserContext | None = None) -> Page:
        opened = context or browser.new_context(
            locale=LOCALES[language], permissions=["clipboard-read", "clipboard-write"], accept_downloads=True
        )
        contexts.append(opened)
        page = opened.new_page()
        page.on("request", asked)
        page.on("console", said)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address + path)
        expect(page.locator("#brand h1")).to_have_text(TEXT.say("title", language))
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert hosts == {"127.0.0.1"}
    assert complaints == []


def ask(page: Page, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.locator("#question textarea").press("Enter")


def answered(page: Page, count: int = 1) -> None:
    expect(page.locator("#conversation .copied")).to_have_count(count, timeout=20_000)
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("#stop")).to_be_hidden()


def test_an_answer_can_be_asked_again_in_its_place(open_page: Open) -> None:
    page = open_page()
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


def test_a_question_can_be_changed_and_takes_its_own_place(open_page: Open) -> None:
    page = open_page("nl")
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


def test_a_change_can_be_called_off(open_page: Open) -> None:
    page = open_page()
    ask(page, MEMORY)
    answered(page)
    page.locator(".do-edit").click()
    page.keyboard.press("Escape")
    expect(page.locator("#question textarea")).to_have_value("")
    ask(page, "What does a B200 cost per hour?")
    answered(page, 2)


@pytest.mark.parametrize(("language", "question"), [("zh", "MI355X 有多少显存？"), ("da", "Hvad er ROCm?")])
def test_what_is_offered_to_go_on_with_is_answered(open_page: Open, language: Language, question: str) -> None:
    page = open_page(language)
    ask(page, question)
    answered(page)
    offered = page.locator("#follow-ups button")
    expect(offered.first).to_be_visible(timeout=20_000)
    first = offered.first.inner_text()
    offered.first.click()
    answered(page, 2)
    expect(page.locator("#conversation .question").last).to_have_text(first)
    record = json.loads(page.locator("#conversation .record").last.text_content() or "")
    assert record["answer"]["status"] == "answered" and record["answer"]["language"] == language


def test_earlier_conversations_are_kept_in_the_browser_alone_and_can_be_deleted(open_page: Open) -> None:
    page = open_page("en")
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
    expect(page.locator("#follow-ups button").first).to_be_visible(timeout=20_000)
    page.reload()
    page.locator("#history summary").click()
    page.get_by_role("button", name=TEXT.say("history_delete", "en", title=MEMORY)).click()
    expect(page.locator("#history")).to_have_count(0)
    assert json.loads(page.evaluate("localStorage.getItem('gpu-assistant-history')")) == []


def test_a_spoiled_store_breaks_nothing(open_page: Open) -> None:
    page = open_page()
    spoiled = [{"id": "a", "title": "<b>x", "exchanges": [{"number": 1, "question": "x", "answer": {"text": 3}}]}]
    page.evaluate("(all) => localStorage.setItem('gpu-assistant-history', JSON.stringify(all))", spoiled)
    page.reload()
    page.locator("#history summary").click()
    page.get_by_role("button", name="<b>x", exact=True).click()
    ask(page, MEMORY)
    answered(page)


def test_a_shared_link_asks_the_same_again_with_what_came_before(open_page: Open, address: str) -> None:
    page = open_page("en")
    ask(page, MEMORY)
    answered(page)
    ask(page, "And the H200?")
    answered(page, 2)
    page.locator("details.more summary").last.click()
    page.locator(".do-copy-link").last.click()
    expect(page.locator(".do-copy-link.done")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{address}/#q=")
    other = open_page("en", path=link.removeprefix(address))
    answered(other)
    expect(other.locator("#conversation .answer")).to_contain_text("141 GB")
    expect(other.locator("#conversation .question")).to_have_text(["And the H200?"])
    assert "#" not in other.url
    assert TEXT.say("shared_changed", "en") not in other.locator("#conversation").inner_text()


def test_a_link_from_before_the_knowledge_changed_says_so(open_page: Open) -> None:
    page = open_page("da", path="/#" + urlencode({"q": "Hvor meget hukommelse har MI355X?", "a": "0" * 12}))
    answered(page)
    expect(page.locator("#conversation p.aside")).to_have_text(TEXT.say("shared_changed", "da"))


def test_an_answer_is_taken_elsewhere_as_markdown_and_as_wiki_markup(open_page: Open) -> None:
    page = open_page("en")
    ask(page, MEMORY)
    answered(page)
    page.locator("details.more summary").click()
    with page.expect_download() as started:
        page.locator(".do-download").click()
    saved = Path(started.value.path()).read_text(encoding="utf-8")
    assert re.fullmatch(r"gpu-[0-9a-f]{12}\.md", started.value.suggested_filename)
    assert "288 GB" in saved and "## Sources" in saved and read_record(saved).question == MEMORY
    for action, mark in (("copy-dokuwiki", "===== Sources ====="), ("copy-mediawiki", "== Sources ==")):
        page.locator(f".do-{action}").click()
        expect(page.locator(f".do-{action}.done")).to_be_visible()
        assert mark in page.evaluate("navigator.clipboard.readText()")


def test_any_cards_are_put_side_by_side(open_page: Open) -> None:
    language: Language = "da"
    page = open_page(language)
    page.get_by_role("tab", name=TEXT.say("tab_compare", language), exact=True).click()
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


def test_the_sources_are_searched_across_languages_and_filtered(open_page: Open) -> None:
    language: Language = "en"
    page = open_page(language)
    page.get_by_role("tab", name=TEXT.say("tab_library", language), exact=True).click()
    cards = page.locator("#library-outcome .library > li")
    expect(page.locator("#library-outcome [role=status]")).to_contain_text(re.compile(r"^(\d+) of \1 sources$"))
    page.locator("#library-words textarea, #library-words input").fill("liquid cooling of racks")
    expect(cards.locator("blockquote").first).to_be_visible()
    spoken = page.get_by_label(TEXT.say("library_language", language), exact=True)
    spoken.click()
    page.get_by_role("option", name="Chinese", exact=True).click()
    expect(cards.locator("a.title:not([lang='zh-CN'])")).to_have_count(0)
    expect(cards.first).to_contain_text("Chinese")
    with page.context.expect_page() as opened:
        cards.first.get_by_text(TEXT.say("library_in_place", language)).click()
    expect(opened.value.locator("mark").first).to_be_visible()
