"""What is true of the chat page in a real browser."""

import re
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
from playwright.sync_api import expect
from web import (
    DESKTOP,
    NARROW,
    PATIENCE_S,
    PHONE,
    Open,
    answered,
    ask,
    copied,
    fits_in_width,
    inaccessible,
    open_tab,
    served,
)

from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, Event, StepBegun, TextVerified
from assistant.answering.evidence import Question
from assistant.errors import EndpointUnavailable
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings

TEXT = page_wording()
QUESTIONS = {
    "nl": "Hoeveel geheugen heeft de MI355X?",
    "da": "Hvor meget hukommelse har MI355X?",
    "zh": "MI355X 有多少显存？",
    "en": "How much memory does the MI355X have?",
}
TABS = (
    "tab_memory", "tab_compare", "tab_library", "tab_cost", "tab_train", "tab_own", "tab_tokens", "tab_offers",
    "tab_migrate",
)  # fmt: skip


class Scripted:
    """An assistant whose answers take their time or fail, over the real knowledge base."""

    def __init__(self, real: Assistant) -> None:
        self._real = real
        self.go_on = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def stream(self, question: Question) -> Iterator[Event]:
        yield StepBegun(step="gathering")
        if "endpoint" in question.text:
            raise EndpointUnavailable("The endpoint is gone.", "Try again later.")
        if "defect" in question.text:
            raise RuntimeError("a defect of the program")
        yield TextVerified(text="The first sentence.")
        yield StepBegun(step="writing")
        self.go_on.wait(2 * PATIENCE_S)
        yield AnswerReady(answer=self._real.answer(question))


# Asking, and reading sources


@pytest.mark.parametrize(("language", "scheme"), zip(LANGUAGES, ("light", "dark", "light", "dark"), strict=True))
def test_a_question_is_answered_and_its_citation_opens_the_marked_passage(
    open_chat: Open, assistant: Assistant, language: Language, scheme: str
) -> None:
    page = open_chat(language, color_scheme=scheme)
    ask(page, QUESTIONS[language])
    answered(page)
    answer = page.locator("#conversation .answer")
    expect(answer).to_contain_text("288 GB")
    expect(answer).to_have_attribute("lang", LANGUAGE_TAGS[language])
    citation = assistant.answer(Question(text=QUESTIONS[language])).citations[0]
    link = page.locator("a.cite").first
    link.click()
    passage = page.locator("#sources details[open]")
    expect(passage).to_be_visible()
    expect(passage).to_contain_text(citation.title)
    expect(passage).to_contain_text(TEXT.say(f"lang_{citation.language}", language))
    expect(passage).to_contain_text(TEXT.say("based_on", language))
    for piece in filter(None, re.split(r"[|\s*]+", citation.quote)):
        expect(passage.locator("mark", has_text=piece).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    expect(page.locator("body.dark")).to_have_count(1 if scheme == "dark" else 0)


def test_sources_can_be_reached_with_the_keyboard_alone(open_chat: Open) -> None:
    page = open_chat()
    expect(page.locator("#question textarea")).to_be_focused()
    page.keyboard.type("How much memory does the MI355X have?")
    page.keyboard.press("Enter")
    answered(page)
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('a.cite')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#sources details[open] summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#sources details[open]")).to_have_count(0)


def test_the_sources_of_an_earlier_answer_can_still_be_opened(open_chat: Open) -> None:
    page = open_chat()
    ask(page, "How much memory does the MI355X have?")
    answered(page)
    ask(page, "What does a B200 cost per hour?")
    answered(page, 2)
    expect(page.locator("#sources-2")).to_be_visible()
    page.locator("a.cite[href='#passage-1-1']").click()
    expect(page.locator("#sources-1")).to_be_visible()
    expect(page.locator("#sources-2")).to_be_hidden()


def test_a_follow_up_is_understood_from_the_question_before(open_chat: Open) -> None:
    page = open_chat()
    ask(page, "How much memory does the MI355X have?")
    answered(page)
    ask(page, "And the H200?")
    answered(page, 2)
    expect(page.locator("#conversation .answer").nth(1)).to_contain_text("141 GB")


def test_what_would_change_a_cost_stands_beside_it(open_chat: Open) -> None:
    page = open_chat("nl")
    ask(page, "Wat kost het om 8 H100 SXM 100 uur te huren?")
    answered(page)
    changes = page.locator("#conversation .changes")
    expect(changes.locator("summary")).to_have_text(TEXT.say("would_change", "nl"))
    changes.locator("summary").click()
    expect(changes.locator("li").first).to_contain_text("dollar")


@pytest.mark.parametrize("question", ["Wat kost een B200 per uur?", "Wat kost een H100 PCIe per uur?"])
def test_what_would_change_a_price_stands_beside_it(assistant: Assistant, question: str) -> None:
    (run,) = assistant.answer(Question(text=question)).tool_runs
    assert any("730 uur" in change for change in run.changes)


def test_an_example_question_is_asked_with_a_click(open_chat: Open) -> None:
    page = open_chat("zh")
    examples = page.locator("button.example")
    expect(examples.first).to_be_visible()
    question = examples.first.inner_text()
    examples.first.click()
    answered(page)
    expect(page.locator("#conversation .question")).to_have_text(question)
    expect(examples.first).to_be_hidden()
    page.locator("#new").click()
    expect(page.locator("#conversation .question")).to_have_count(0)
    expect(examples.first).to_be_visible()


def test_an_answer_can_be_copied_with_its_sources(open_chat: Open) -> None:
    page = open_chat(permissions=["clipboard-read", "clipboard-write"])
    ask(page, "How much memory does the MI355X have?")
    answered(page)
    text = copied(page, page.locator("button.copy"))
    assert "288 GB" in text and "[1] " in text and "“" in text


# Language and theme


def test_the_language_can_be_changed_in_the_midst_of_a_conversation_and_stays(open_chat: Open) -> None:
    page = open_chat("en")
    ask(page, "How much memory does the MI355X have?")
    answered(page)
    page.get_by_label("中文").check()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator("#brand h1")).to_have_text("GPU 助手")
    expect(page.locator("#ask")).to_have_text("提问")
    expect(page.locator("button.copy")).to_have_text("复制回答")
    expect(page.locator("#sources-panel h2")).to_have_text("来源")
    expect(page.locator("#conversation .answer")).to_contain_text("288 GB")
    page.locator("a.cite").first.click()
    expect(page.locator("#sources details[open]")).to_contain_text("依据")
    page.reload()
    expect(page.locator("#brand h1")).to_have_text("GPU 助手")
    expect(page).to_have_title("GPU 助手")


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_english_is_left_on_the_page_in_another_language(open_chat: Open, language: Language) -> None:
    page = open_chat(language)
    ask(page, QUESTIONS[language])
    answered(page)
    shown: list[str] = []
    names: list[str] = []
    for name in ("tab_chat", *TABS):
        open_tab(page, name, language)
        shown.append(page.locator("body").inner_text())
        names += page.evaluate(
            "[...document.querySelectorAll('[aria-label],[title],[placeholder]')].filter(e => e.offsetParent)"
            ".flatMap(e => [e.ariaLabel, e.title, e.placeholder]).filter(Boolean)"
        )
    words = {
        phrase.en
        for name, phrase in TEXT.phrases.items()
        if "{" not in phrase.en and phrase.en != phrase.in_language(language) and name != "lang_en"
    }
    for text in [*shown, *names]:
        lines = {line.strip() for line in text.splitlines()}
        assert sorted(lines & words) == []
    assert not [name for name in names if re.search(r"message|chatbot|More tabs|Clear|Remove|Submit|Copy", name)]
    assert {TEXT.say("remove_one", language, name="NVIDIA H200"), TEXT.say("remove_all", language)} <= set(names)


def test_light_and_dark_can_be_chosen_and_stay(open_chat: Open) -> None:
    page = open_chat(color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    expect(page.locator("body.dark")).not_to_have_css("background-color", light)
    page.goto(page.url.partition("?")[0])
    expect(page.locator("#brand h1")).to_be_visible()
    expect(page.locator("body.dark")).not_to_have_css("background-color", light)


# Calculators


def test_the_memory_calculator_tells_and_draws_whether_it_fits(open_chat: Open) -> None:
    language: Language = "nl"
    page = open_chat(language)
    open_tab(page, "tab_memory", language)
    outcome = page.locator("#memory-outcome")
    expect(outcome.locator(".plot-bars .segment").first).to_be_visible()
    expect(outcome.locator("figcaption")).to_have_text(TEXT.say("memory_chart", language))
    lead = outcome.locator(".lead")
    page.get_by_label(TEXT.say("cards", language), exact=True).first.fill("4")
    expect(lead).to_contain_text("4 ×")
    page.get_by_label(TEXT.say("task_full", language), exact=True).check()
    expect(page.get_by_label(TEXT.say("batch", language), exact=True)).to_be_visible()


def test_a_wrong_field_is_one_line_and_the_calculator_goes_on(open_chat: Open) -> None:
    page = open_chat("da")
    open_tab(page, "tab_memory", "da")
    count = page.get_by_label("Antal kort", exact=True).first
    outcome = page.locator("#memory-outcome")
    expect(outcome.locator("figure")).to_be_visible()
    count.fill("-2")
    expect(outcome.locator(".problem")).to_have_text("“Antal kort” skal være et tal fra 1 til 10.000.")
    count.fill("2")
    expect(outcome.locator("figure")).to_be_visible()


def test_the_cost_calculators_tell_and_draw(open_chat: Open) -> None:
    language: Language = "zh"
    page = open_chat(language)
    open_tab(page, "tab_cost", language)
    expect(page.locator("#rent-outcome .lead")).to_be_visible()
    open_tab(page, "tab_train", language)
    expect(page.locator("#train-outcome figure .segment").first).to_be_visible()
    open_tab(page, "tab_own", language)
    chart = page.locator("#own-outcome figure.lines")
    expect(chart.locator("line.stroke").first).to_be_attached()
    expect(chart.locator(".crossing-label")).to_be_visible()
    expect(chart.locator("line.stroke").first).to_have_attribute("x1", "0.00%")
    open_tab(page, "tab_tokens", language)
    expect(page.locator("#tokens-outcome .bar-row")).to_have_count(4)
    open_tab(page, "tab_offers", language)
    outcome = page.locator("#offers-outcome")
    expect(outcome.locator(".bar-row")).to_have_count(2)
    page.get_by_label(TEXT.say("price", language), exact=True).locator("visible=true").first.fill("1.25")
    expect(outcome).to_contain_text("400 美元")
    open_tab(page, "tab_migrate", language)
    expect(page.locator("#migrate-outcome .crossing-label")).to_be_visible()


def test_the_calculators_follow_the_language(open_chat: Open) -> None:
    page = open_chat("en")
    open_tab(page, "tab_cost", "en")
    expect(page.locator("#rent-outcome .lead")).to_contain_text("Renting")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "queue/join" in request.url else None)
    page.get_by_label("Nederlands").check()
    expect(page.locator("#rent-outcome .lead")).to_contain_text("huren")
    expect(page.locator("#brand h1")).to_have_text(TEXT.say("title", "nl"))
    # The page and all its outcomes in one call: with one for each, the words come last.
    assert len(asked) == 1


@pytest.mark.parametrize("size", [DESKTOP, NARROW])
def test_bars_of_one_chart_have_one_scale(open_chat: Open, size: dict[str, int]) -> None:
    page = open_chat("nl", viewport=size)
    open_tab(page, "tab_compare", "nl")
    tracks = "#compare-outcome .bar-row .bar"
    expect(page.locator(tracks)).to_have_count(3)
    edges = page.locator(tracks).evaluate_all(
        "(all) => all.map((one) => { const r = one.getBoundingClientRect(); return [r.left, r.right].map(Math.round) })"
    )
    assert edges[0][1] - edges[0][0] > 200
    assert edges == [edges[0]] * 3


# Odd questions


@pytest.mark.parametrize(
    "question",
    [
        " ",
        "🙂🙃🚀",
        "a\0b",
        "كم ذاكرة MI355X؟",
        "<img src=x onerror='window.harmed=1'> <script>window.harmed=1</script>",
        "![pixel](http://203.0.113.9/p.png) [link](javascript:window.harmed=1) # heading",
        "${window.harmed=1} {{value}} `code` $$x^2$$",
        "x" * 20_000,
        "MI355X 有多少显存？" * 300,
    ],
    ids=["blank", "emoji", "nul", "right-to-left", "html", "markdown", "template", "long", "long-chinese"],
)
def test_an_odd_question_gets_an_answer_and_harms_nothing(open_chat: Open, question: str) -> None:
    page = open_chat()
    box = page.locator("#question textarea")
    box.evaluate(
        "(box, text) => { box.value = text; box.dispatchEvent(new Event('input', {bubbles: true})) }", question
    )
    page.locator("#ask").click()
    answered(page)
    assert page.locator("#conversation .answer").inner_text().strip()
    assert page.evaluate("window.harmed") is None
    assert page.locator("#conversation img").count() == 0
    assert page.locator("#conversation .question a").count() == 0
    fits_in_width(page)
    shown = page.locator("#conversation .question").inner_text()
    assert shown.split()[:1] == question.replace("\0", " ")[:1_200].split()[:1]
    ask(page, "How much memory does the MI355X have?")
    answered(page, 2)
    expect(page.locator("#conversation .answer").nth(1)).to_contain_text("288 GB")


def test_an_unknown_card_is_named_and_not_replaced(open_chat: Open) -> None:
    page = open_chat()
    ask(page, "How much memory does the H900 have?")
    answered(page)
    expect(page.locator("#conversation .answer")).to_contain_text("H900")
    expect(page.locator("#conversation .answer")).not_to_contain_text("80 GB")


# While an answer is made, and when it fails


@pytest.fixture(scope="module")
def scripted(settings: Settings, assistant: Assistant) -> Iterator[tuple[str, Scripted]]:
    script = Scripted(assistant)
    with served(settings, cast(Assistant, script)) as found:
        yield found, script


def test_the_step_and_the_text_so_far_are_shown_while_an_answer_is_made(
    open_chat: Open, scripted: tuple[str, Scripted]
) -> None:
    at, script = scripted
    script.go_on.clear()
    page = open_chat("nl", at=at)
    ask(page, QUESTIONS["nl"])
    expect(page.locator("#conversation .step")).to_have_text(TEXT.say("step_writing", "nl"))
    expect(page.locator("#conversation .answer")).to_contain_text("The first sentence.")
    expect(page.locator("#stop")).to_be_visible()
    # The first question leaves the box before anyone types the next one.
    expect(page.locator("#question textarea")).to_have_value("")
    ask(page, "A second question, too early")
    script.go_on.set()
    answered(page)
    expect(page.locator("#question textarea")).to_have_value("A second question, too early")
    expect(page.locator("#conversation .step")).to_have_count(0)
    expect(page.locator("#ask")).to_be_visible()


def test_an_answer_can_be_stopped(open_chat: Open, scripted: tuple[str, Scripted]) -> None:
    at, script = scripted
    script.go_on.clear()
    page = open_chat("da", at=at)
    ask(page, QUESTIONS["da"])
    expect(page.locator("#conversation .step")).to_be_visible()
    page.locator("#stop").click()
    expect(page.locator("#conversation .problem")).to_have_text("Stoppet.")
    script.go_on.set()
    expect(page.locator("#ask")).to_be_visible()
    ask(page, QUESTIONS["da"])
    answered(page)


def test_an_expected_error_is_one_line(open_chat: Open, scripted: tuple[str, Scripted]) -> None:
    page = open_chat("en", at=scripted[0])
    ask(page, "endpoint")
    expect(page.locator("#conversation .problem")).to_have_text(
        "That did not work: The endpoint is gone. Try again later."
    )


def test_a_defect_is_one_line_and_never_a_traceback(open_chat: Open, scripted: tuple[str, Scripted]) -> None:
    at, script = scripted
    script.go_on.set()
    page = open_chat("en", at=at)
    ask(page, "defect")
    expect(page.locator("#conversation .problem")).to_have_text(TEXT.say("failure", "en"))
    assert "Traceback" not in page.content() and "RuntimeError" not in page.content()
    ask(page, QUESTIONS["en"])
    answered(page)


# Sizes and access


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_a_phone(open_chat: Open, language: Language) -> None:
    page = open_chat(language, viewport=NARROW, has_touch=True)
    ask(page, QUESTIONS[language])
    answered(page)
    fits_in_width(page)
    for tab in page.get_by_role("tab").all()[:5]:
        expect(tab).to_be_in_viewport(ratio=1)
        assert tab.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    page.wait_for_function("document.getElementById('asking').getBoundingClientRect().bottom <= innerHeight")
    for name in TABS:
        open_tab(page, name, language)
        fits_in_width(page)


def test_on_a_phone_the_passage_comes_up_over_the_page_and_goes_again(open_chat: Open) -> None:
    page = open_chat("da", viewport=PHONE, has_touch=True)
    ask(page, QUESTIONS["da"])
    answered(page)
    panel = page.locator("#sources")
    expect(panel).to_be_hidden()
    page.locator("a.cite").first.tap()
    expect(panel.locator("mark").first).to_be_in_viewport()
    page.get_by_role("button", name="Luk").tap()
    expect(panel).to_be_hidden()


def test_the_question_being_answered_is_at_the_top(open_chat: Open) -> None:
    page = open_chat("en", viewport=PHONE)
    for number, question in enumerate(
        ("Does Llama 3.3 70B fit on two H100 SXM?", "Compare the H200 with the MI325X"), 1
    ):
        ask(page, question)
        answered(page, number)
        page.wait_for_function(
            "() => { const [row, box] = [[...document.querySelectorAll('#conversation .user-row')].at(-1),"
            " document.querySelector('#conversation .bubble-wrap')].map((one) => one.getBoundingClientRect());"
            " return row.top >= box.top && row.top < box.top + 40 }"
        )


def test_on_paper_the_conversation_stands_whole_and_light_without_what_can_be_pressed(open_chat: Open) -> None:
    page = open_chat(color_scheme="dark")
    ask(page, QUESTIONS["en"])
    answered(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator("body.dark")).to_have_count(0)
    for gone in ("#asking", "#follow-ups", "#language", "#conversation .answer-foot", "[role=tablist]"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator("#conversation .answer")).to_be_visible()
    page.wait_for_function(
        "document.querySelector('#conversation .answer').getBoundingClientRect().bottom"
        " <= document.getElementById('sources').getBoundingClientRect().top"
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("body.dark")).to_have_count(1)


@pytest.mark.parametrize(("language", "scheme", "size"), [("en", "light", DESKTOP), ("da", "dark", PHONE)])
def test_the_page_is_accessible(open_chat: Open, language: Language, scheme: str, size: dict[str, int]) -> None:
    page = open_chat(language, color_scheme=scheme, viewport=size, bypass_csp=True)
    problems: list[str] = []

    def check(where: str) -> None:
        problems.extend(f"{where}: {found}" for found in inaccessible(page))

    check("empty")
    ask(page, "How much memory does the MI355X have, and what does renting 8 H100 SXM for 100 hours cost?")
    answered(page)
    for unfolded in ("details.more summary", ".thumb.down"):
        page.locator(unfolded).click()
    check("answered")
    page.locator("a.cite").first.click()
    check("passage")
    page.keyboard.press("Escape")
    for name in TABS:
        open_tab(page, name, language)
        check(name)
    assert not problems, "\n".join(problems)
