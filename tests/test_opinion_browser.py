"""What is true of the verdict that people give on an answer, in the chat and in a frame."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Page, expect
from web import Open, answered, ask, served

from assistant.answering.assistant import Assistant
from assistant.feedback.record import Feedback
from assistant.feedback.store import FeedbackStore
from assistant.interfaces.access.gate import SESSION_COOKIE
from assistant.interfaces.access.tokens import TokenStore
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings

TEXT = page_wording()
QUESTIONS: dict[Language, str] = {
    "nl": "Hoeveel geheugen heeft de MI355X?",
    "da": "Hvor meget hukommelse har MI355X?",
    "zh": "MI355X 有多少显存？",
    "en": "How much memory does the MI355X have?",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant, data: Path) -> Iterator[str]:
    with served(settings.model_copy(update={"data": data}), assistant) as found:
        yield found


@pytest.fixture
def kept(data: Path) -> FeedbackStore:
    """Where verdicts are kept; empty, as the tests take back what they give."""
    return FeedbackStore(data)


def given(store: FeedbackStore) -> list[Feedback]:
    return [record.feedback for record in store.records()]


def give_and_change_and_take_back(page: Page, store: FeedbackStore, language: Language, question: str) -> None:
    """The whole way, with what is kept after each step; the page tells a step only when the server has answered."""
    up = page.get_by_role("button", name=TEXT.say("opinion_up", language), exact=True)
    down = page.get_by_role("button", name=TEXT.say("opinion_down", language), exact=True)
    assert given(store) == []
    down.click()
    page.get_by_role("button", name=TEXT.say("cancel", language), exact=True).click()
    expect(down).to_be_focused()
    assert given(store) == []
    up.click()
    expect(up).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".opinion-status")).to_have_text(TEXT.say("opinion_thanks", language))
    (first,) = given(store)
    assert (first.verdict, first.question, first.language, first.reason) == ("up", question, language, None)
    down.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    expect(page.get_by_label(TEXT.say("reason_wrong_figure", language), exact=True)).to_be_checked()
    page.get_by_label(TEXT.say("opinion_comment", language)).fill("4 GB")
    page.get_by_role("button", name=TEXT.say("opinion_send", language), exact=True).click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(up).to_have_attribute("aria-pressed", "false")
    (second,) = given(store)
    assert (second.verdict, second.reason, second.comment) == ("down", "wrong_figure", "4 GB")
    page.get_by_role("button", name=TEXT.say("opinion_back", language), exact=True).click()
    expect(down).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".opinion-status")).to_have_text(TEXT.say("opinion_gone", language))
    assert given(store) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verdict_is_given_changed_and_taken_back_in_the_chat(
    open_chat: Open, kept: FeedbackStore, language: Language
) -> None:
    page = open_chat(language)
    ask(page, QUESTIONS[language])
    answered(page)
    give_and_change_and_take_back(page, kept, language, QUESTIONS[language])


def test_a_verdict_is_given_changed_and_taken_back_in_a_frame(
    open_page: Open, address: str, kept: FeedbackStore
) -> None:
    page = open_page(f"{address}/embed?language=da#q={QUESTIONS['da']}", viewport={"width": 320, "height": 640})
    expect(page.locator(".turn .copier")).to_be_visible()
    give_and_change_and_take_back(page, kept, "da", QUESTIONS["da"])


def test_a_verdict_is_still_shown_when_the_conversation_is_brought_back(open_chat: Open, kept: FeedbackStore) -> None:
    page = open_chat()
    ask(page, QUESTIONS["en"])
    answered(page)
    page.locator(".thumb.up").click()
    expect(page.locator(".thumb.up")).to_have_attribute("aria-pressed", "true")
    page.locator("#new").click()
    expect(page.locator("#conversation .question")).to_have_count(0)
    page.locator("#history summary").click()
    page.locator("#history .restore").first.click()
    expect(page.locator(".thumb.up")).to_have_attribute("aria-pressed", "true")
    page.locator(".opinion-back").click()
    expect(page.locator(".thumb.up")).to_have_attribute("aria-pressed", "false")
    assert given(kept) == []


def test_who_may_only_ask_is_told_that_no_verdict_can_be_given(
    open_page: Open, assistant: Assistant, tmp_path: Path
) -> None:
    _, token = TokenStore(tmp_path).new("wiki", frozenset({"ask"}), 30)
    closed = Settings(access="token", data=tmp_path, rate_per_address=0)
    with served(closed, assistant) as at:
        page = open_page(f"{at}/embed?language=en", complains_of=("403",))
        login = {"name": SESSION_COOKIE, "value": token, "url": at, "httpOnly": True, "sameSite": "Lax"}
        page.context.add_cookies([cast(Any, login)])
        page.locator("#question").fill(QUESTIONS["en"])
        page.locator("#question").press("Enter")
        page.locator(".thumb.up").click()
        expect(page.locator(".opinion-status")).to_have_text(TEXT.say("opinion_refused", "en"))
        expect(page.locator(".thumb.up")).to_have_attribute("aria-pressed", "false")
        page.context.close()
    assert given(FeedbackStore(tmp_path)) == []
