"""What is true of the page for a frame, and of the script that brings it into a page, in a real browser."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Page, expect
from web import PATIENCE_S, Open, copied, fits_in_width, inaccessible, served

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, Event, StepBegun, TextVerified
from assistant.answering.evidence import Question
from assistant.answering.memo.record import read_record
from assistant.interfaces.access.tokens import TokenStore
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording
from assistant.interfaces.wiki.document import may_frame
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings

TEXT = page_wording()
QUESTIONS: dict[Language, str] = {
    "nl": "Hoeveel geheugen heeft de MI355X?",
    "da": "Hvor meget hukommelse har MI355X?",
    "zh": "MI355X 有多少显存？",
    "en": "How much memory does the MI355X have?",
}
HOSTILE = '<img src=x onerror="window.hit=1"> **bold** [9] </script> [x](javascript:hit()) | a | `code`'


class Site:
    """Pages of a wiki on a host of its own."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = site.pages.get(urlsplit(self.path).path, "").encode()
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Scripted:
    """An assistant whose answer waits, or is hostile, over the real knowledge base."""

    def __init__(self, real: Assistant) -> None:
        self._real = real
        self.go_on = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def stream(self, question: Question) -> Iterator[Event]:
        yield StepBegun(step="gathering")
        yield TextVerified(text="First.")
        if "wait" in question.text:
            self.go_on.wait(2 * PATIENCE_S)
        if "defect" in question.text:
            raise RuntimeError("a defect of the program")
        answer = Answer(
            id="x", question=question.text, language="en", status="answered", text=HOSTILE, knowledge=self.corpus.hash
        )
        yield AnswerReady(answer=answer)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    opened = Site()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant, site: Site) -> Iterator[str]:
    with served(settings.model_copy(update={"frame_ancestors": (site.address,)}), assistant) as found:
        yield found


@pytest.fixture(scope="module")
def scripted(settings: Settings, assistant: Assistant) -> Iterator[tuple[str, Scripted]]:
    script = Scripted(assistant)
    with served(settings, cast(Assistant, script)) as found:
        yield found, script
        script.go_on.set()


def embed(address: str, question: str = "", **fields: str) -> str:
    return f"{address}/embed?{urlencode(fields)}" + (f"#q={quote(question)}" if question else "")


def answered(page: Page | FrameLocator, count: int = 1) -> None:
    expect(page.locator(".turn .copier")).to_have_count(count)


def wiki_page(address: str, language: str = "nl", attributes: str = "", style: str = "") -> str:
    return (
        f'<!doctype html><html lang="{language}"><title>Wiki</title><body style="{style}"><h1>AMD Instinct MI355X</h1>'
        f'<p>Text.</p><div id="here"></div><script src="{address}/widget.js" {attributes} defer></script>'
    )


# The page for a frame


@pytest.mark.parametrize(("language", "theme"), list(zip(LANGUAGES, ("light", "dark", "light", "dark"), strict=True)))
def test_a_first_question_is_answered_with_its_citation_in_each_language(
    open_page: Open, address: str, language: Language, theme: str
) -> None:
    page = open_page(
        embed(address, QUESTIONS[language], language=language, theme=theme), viewport={"width": 320, "height": 640}
    )
    answered(page)
    expect(page.locator("html")).to_have_attribute("lang", LANGUAGE_TAGS[language])
    expect(page.locator(".answer")).to_contain_text("288 GB")
    page.locator("a.cite").first.click()
    source = page.locator("details.source[open]")
    expect(source.locator("blockquote")).to_contain_text("288 GB")
    expect(source).to_contain_text(TEXT.say("based_on", language))
    fits_in_width(page)
    words = {one.en for name, one in TEXT.phrases.items() if one.en != one.in_language(language) and name != "lang_en"}
    lines = {line.strip() for line in page.locator("body").inner_text().splitlines()}
    assert language == "en" or not lines & words


def test_the_page_speaks_the_visitors_language_where_none_is_asked_for(open_page: Open, address: str) -> None:
    page = open_page(embed(address), locale="da-DK")
    expect(page.locator("#ask")).to_have_text("Spørg")


def test_a_follow_up_is_understood_from_the_page_around_it_until_it_is_let_go(open_page: Open, address: str) -> None:
    page = open_page(embed(address, "How much memory does it have?", language="en", context="AMD Instinct MI355X"))
    answered(page)
    expect(page.locator(".answer")).to_contain_text("288 GB")
    page.locator("#question").fill("And the H200?")
    page.keyboard.press("Enter")
    answered(page, 2)
    expect(page.locator(".answer").last).to_contain_text("141 GB")
    page.get_by_role("button", name=TEXT.say("forget_page", "en")).click()
    expect(page.locator("#about")).to_have_count(0)
    expect(page.locator("#question")).to_be_focused()


def test_what_is_offered_to_go_on_with_is_answered(open_page: Open, address: str) -> None:
    page = open_page(embed(address, QUESTIONS["zh"], language="zh"))
    offered = page.locator("#follow-ups button")
    expect(offered.first).to_be_visible()
    question = offered.first.text_content() or ""
    offered.first.click()
    answered(page, 2)
    expect(page.locator(".question").last).to_have_text(question)
    expect(page.locator(".problem")).to_have_count(0)


def test_what_would_change_a_cost_stands_beside_it(open_page: Open, address: str) -> None:
    page = open_page(embed(address, "Hvad koster 8 H100 SXM i 100 timer?", language="da"))
    answered(page)
    page.locator(".changes summary").click()
    expect(page.locator(".changes li").first).to_contain_text("dollar")


def test_sources_are_reached_and_left_with_the_keyboard(open_page: Open, address: str) -> None:
    page = open_page(embed(address, QUESTIONS["en"], language="en"))
    answered(page)
    page.locator("a.cite").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("details.source[open] summary")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("a.cite").first).to_be_focused()


@pytest.mark.parametrize("form", ["markdown", "dokuwiki", "mediawiki"])
def test_an_answer_is_copied_as_a_memo(open_page: Open, address: str, form: str) -> None:
    page = open_page(embed(address, QUESTIONS["nl"], language="nl"), permissions=["clipboard-read", "clipboard-write"])
    answered(page)
    page.get_by_label(TEXT.say("copy_as", "nl")).select_option(form)
    text = copied(page, page.locator("button.copy"))
    assert "288 GB" in text and "Bronnen" in text and read_record(text).question == QUESTIONS["nl"]


def test_a_question_can_be_asked_again_or_changed(open_page: Open, address: str) -> None:
    page = open_page(embed(address, QUESTIONS["en"], language="en"))
    answered(page)
    page.get_by_role("button", name=TEXT.say("retry", "en")).click()
    answered(page, 2)
    page.get_by_role("button", name=TEXT.say("edit", "en")).first.click()
    expect(page.locator("#question")).to_have_value(QUESTIONS["en"])


def test_an_answer_can_be_stopped_and_another_asked(open_page: Open, scripted: tuple[str, Scripted]) -> None:
    at, script = scripted
    script.go_on.clear()
    page = open_page(embed(at, "wait", language="da"))
    expect(page.locator(".answer")).to_contain_text("First.")
    page.locator("#stop").click()
    expect(page.locator(".problem")).to_have_text("Stoppet.")
    script.go_on.set()
    page.locator("#question").fill("go")
    page.keyboard.press("Enter")
    answered(page)


def test_no_answer_brings_markup_of_its_own(open_page: Open, scripted: tuple[str, Scripted]) -> None:
    page = open_page(embed(scripted[0], "hostile", language="en"))
    answered(page)
    expect(page.locator(".answer strong")).to_have_text("bold")
    expect(page.locator(".answer")).to_contain_text("<img src=x")
    assert page.locator(".answer img, .answer a, .answer script").count() == 0
    assert page.evaluate("window.hit") is None


def test_a_defect_is_one_line(open_page: Open, scripted: tuple[str, Scripted]) -> None:
    page = open_page(embed(scripted[0], "defect", language="en"), complains_of=("ERR_INCOMPLETE",))
    expect(page.locator(".problem")).to_be_visible()
    assert "RuntimeError" not in page.content()


def test_what_the_address_says_is_text(open_page: Open, address: str) -> None:
    context = '</script><script>window.hit=1</script>"<b>'
    page = open_page(embed(address, context=context, language="en"))
    expect(page.locator("#about")).to_contain_text(context)
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize(
    "fields", [{"language": "xx"}, {"theme": "pink"}, {"origin": "javascript:x"}, {"context": "x" * 301}]
)
def test_an_address_that_asks_for_the_impossible_is_refused(
    open_page: Open, address: str, fields: dict[str, str]
) -> None:
    page = open_page(embed(address, **fields), complains_of=("400",))
    assert json.loads(page.locator("body").inner_text())["status"] == 400


# The script tag


@pytest.mark.parametrize("width", [390, 1000])
def test_the_button_opens_the_assistant_over_a_wiki_page(open_page: Open, address: str, site: Site, width: int) -> None:
    site.pages["/button"] = wiki_page(address)
    page = open_page(f"{site.address}/button", viewport={"width": width, "height": 800})
    opener = page.get_by_role("button", name="Vraag de GPU-assistent")
    opener.focus()
    page.keyboard.press("Enter")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#about")).to_contain_text("Over deze pagina: AMD Instinct MI355X")
    frame.locator("#question").fill("Hoeveel geheugen heeft hij?")
    frame.locator("#question").press("Enter")
    answered(frame)
    expect(frame.locator(".answer")).to_contain_text("288 GB")
    frame.locator("a.cite").first.click()
    expect(frame.locator("details.source[open] blockquote")).to_be_visible()
    frame.locator("#question").press("Escape")
    expect(opener).to_be_focused()
    expect(page.locator("iframe")).to_be_hidden()
    opener.click()
    answered(frame)


def test_the_box_grows_with_its_answer_and_takes_the_pages_colours(open_page: Open, address: str, site: Site) -> None:
    site.pages["/box"] = wiki_page(address, "da", 'data-target="#here"', "background:#111;color:#eee")
    page = open_page(f"{site.address}/box")
    page.get_by_role("textbox").fill("Hvor meget strøm bruger den?")
    page.keyboard.press("Enter")
    frame = page.frame_locator("iframe")
    answered(frame)
    expect(frame.locator(".answer")).to_contain_text("W")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_function(
        "document.querySelector('#here > div').shadowRoot.querySelector('iframe').clientHeight > 300"
    )


def test_the_styles_of_the_page_and_of_the_widget_leave_each_other_alone(
    open_page: Open, address: str, site: Site
) -> None:
    rude = "<style>* {display:none!important} button {font-size:99px; background:red!important}</style>"
    site.pages["/rude"] = (
        wiki_page(address).replace("<body", f"{rude}<body").replace("display:none!important", "letter-spacing:9px")
    )
    page = open_page(f"{site.address}/rude")
    opener = page.get_by_role("button", name="Vraag de GPU-assistent")
    style = opener.evaluate("(e) => [getComputedStyle(e).fontSize, getComputedStyle(e).backgroundColor]")
    assert style == ["15px", "rgb(15, 106, 100)"]
    assert page.evaluate("document.styleSheets.length") == 1


def test_the_script_sets_no_cookie_and_holds_no_key(open_page: Open, address: str, site: Site) -> None:
    site.pages["/clean"] = wiki_page(address)
    page = open_page(f"{site.address}/clean")
    page.get_by_role("button").click()
    frame = page.frame_locator("iframe")
    frame.locator("#question").fill(QUESTIONS["nl"])
    frame.locator("#question").press("Enter")
    answered(frame)
    assert page.context.cookies() == []


def test_who_is_logged_in_stays_so_in_the_frame(open_page: Open, address: str, site: Site) -> None:
    """A cookie of the same site, as a proxy that asks for a login sets it, goes with every question from the frame."""
    site.pages["/login"] = wiki_page(address)
    page = open_page(f"{site.address}/login")
    login = {"name": "login", "value": "me", "url": address, "httpOnly": True, "sameSite": "Lax"}
    page.context.add_cookies([cast(Any, login)])
    page.get_by_role("button").click()
    frame = page.frame_locator("iframe")
    frame.locator("#question").fill(QUESTIONS["nl"])
    with page.expect_request("**/api/ask") as asked:
        frame.locator("#question").press("Enter")
    assert asked.value.all_headers()["cookie"] == "login=me"
    answered(frame)


def test_who_has_to_log_in_does_so_in_the_frame_and_goes_on(
    open_page: Open, assistant: Assistant, site: Site, tmp_path: Path
) -> None:
    _, token = TokenStore(tmp_path).new("wiki", frozenset({"ask"}), 30)
    closed = Settings(frame_ancestors=(site.address,), access="token", data=tmp_path, rate_per_address=0)
    with served(closed, assistant) as at:
        site.pages["/closed"] = wiki_page(at)
        page = open_page(f"{site.address}/closed", complains_of=("401",))
        page.get_by_role("button").click()
        frame = page.frame_locator("iframe")
        frame.locator("#question").fill(QUESTIONS["nl"])
        frame.locator("#question").press("Enter")
        expect(frame.locator(".problem")).to_have_text(TEXT.say("sign_in", "nl"))
        frame.get_by_role("link", name="Inloggen").click()
        frame.locator("input[name=token]").fill(token)
        frame.locator("button[type=submit]").click()
        expect(frame.locator("#question")).to_have_value(QUESTIONS["nl"])
        frame.locator("#question").press("Enter")
        answered(frame)
        page.reload()
        page.get_by_role("button").click()
        frame.locator("#question").fill(QUESTIONS["nl"])
        frame.locator("#question").press("Enter")
        answered(frame)
        assert token not in page.content()
        page.context.close()


def test_a_site_that_is_not_allowed_is_told_so(open_page: Open, address: str, site: Site) -> None:
    site.pages["/foreign"] = wiki_page(address, "da")
    foreign = f"http://localhost:{site.port}"
    page = open_page(f"{foreign}/foreign", complains_of=("CORS policy", "ERR_FAILED"))
    page.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_have_text(TEXT.say("frame_refused", "da", origin=foreign))
    expect(page.get_by_role("button", name="Luk")).to_be_focused()
    expect(page.locator("iframe")).to_have_count(0)
    assert (
        page.evaluate(
            f"fetch('{address}/api/ask', {{method: 'POST', headers: {{'content-type': 'application/json'}},"
            " body: '{\"question\": \"x\"}'}).then(() => 'read', () => 'refused')"
        )
        == "refused"
    )


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://wiki.example.org", True), ("https://a.wide.example.org", True), ("http://assistant.local:7860", True),
        ("http://wiki.example.org", False), ("https://wide.example.org", False), ("https://wiki.example.org:44", False),
        ("https://evilwiki.example.org", False), ("null", False), ("http://[", False), ("", False),
    ],
)  # fmt: skip
def test_which_sites_may_show_it_is_told_as_browsers_read_the_policy(origin: str, allowed: bool) -> None:
    ancestors = ("https://wiki.example.org", "https://*.wide.example.org")
    assert may_frame(origin, "assistant.local:7860", ancestors) is allowed


# Everybody


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_for_a_frame_is_accessible(open_page: Open, address: str, theme: str) -> None:
    page = open_page(
        embed(address, "Compare the H200 with the MI325X", language="en", theme=theme, context="GPUs"), bypass_csp=True
    )
    answered(page)
    page.locator("a.cite").first.click()
    page.locator(".thumb.down").click()
    assert inaccessible(page) == []


def test_the_widget_is_accessible(open_page: Open, address: str, site: Site) -> None:
    site.pages["/axe"] = wiki_page(address, "en")
    page = open_page(f"{site.address}/axe", bypass_csp=True)
    assert inaccessible(page) == []
    page.get_by_role("button").click()
    expect(page.frame_locator("iframe").locator("#question")).to_be_visible()
    assert inaccessible(page) == []
