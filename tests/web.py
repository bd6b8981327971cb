"""What browser and network tests share: a server that runs beside the test, a browser, and pages that are watched."""

import os
import random
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Frame,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from assistant.answering.assistant import Assistant
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording
from assistant.interfaces.server import create_app
from assistant.interfaces.serving import listen, server_of
from assistant.language.tongue import Language
from assistant.settings import Settings

PATIENCE_S = 60
"""How long a test waits for what must come, on a machine that does much else; what comes sooner isn't waited for."""
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
NARROW = {"width": 320, "height": 640}
LOCALES: dict[Language, str] = {"nl": "nl-NL", "da": "da-DK", "zh": "zh-CN", "en": "en-US"}

_THIS_MACHINE = {"127.0.0.1", "localhost"}
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
_WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Outside the range from which connections get theirs, so that nothing takes it before it is used.
_PORTS = range(20_000, 30_000)
# What each tab of the chat shows when it has what it is for.
_TAB_CONTENTS = {
    "tab_chat": "#question textarea",
    "tab_memory": "#memory-outcome .outcome",
    "tab_compare": "#compare-outcome .comparison",
    "tab_library": "#library-outcome [role=status]",
    "tab_cost": "#rent-outcome .outcome",
    "tab_train": "#train-outcome .outcome",
    "tab_own": "#own-outcome .outcome",
    "tab_tokens": "#tokens-outcome .outcome",
    "tab_offers": "#offers-outcome .outcome",
    "tab_migrate": "#migrate-outcome .outcome",
}
_CLEARED = "nothing was copied yet"
# What waits for a function takes a promise for an answer, so this waits by itself.
_READ_CHANGED = """async ({cleared, limit}) => {
  for (const end = Date.now() + limit; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const text = await navigator.clipboard.readText();
    if (text !== cleared || Date.now() > end) return text;
  }
}"""

expect.set_options(timeout=PATIENCE_S * 1000)

Open = Callable[..., Page]


@contextmanager
def served(settings: Settings, assistant: Assistant) -> Iterator[str]:
    """The address of a server that runs beside the test."""
    bound = listen("127.0.0.1", 0)
    app = create_app(settings, Opening(settings, lambda _: assistant))
    server = server_of(app, settings.model_copy(update={"stop_timeout_s": 1}))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield "http://{}:{}".format(*bound.getsockname())
    server.should_exit = True
    thread.join(10)
    bound.close()


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Debian's Chromium with these flags; without it the test is skipped, but for CI, where it fails."""
    path = shutil.which("chromium")
    if path is None and "CI" not in os.environ:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*_FLAGS, *flags])
        yield opened
        opened.close()


def free_port() -> int:
    """A port of 127.0.0.1 for a program that can't be handed a socket."""
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no port is free")


class Watch:
    """Opens pages and notes whom they ask and what their consoles complain of."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._expected: list[str] = []
        self.hosts: set[str | None] = set()
        self.complaints: list[str] = []

    def open(
        self, at: str, *, context: BrowserContext | None = None, complains_of: tuple[str, ...] = (), **options: Any
    ) -> Page:
        """A page at that address; `complains_of` are parts of what its console may say."""
        self._expected.extend(complains_of)
        if context is None:
            context = self._browser.new_context(**{"viewport": DESKTOP, **options})
            context.set_default_timeout(PATIENCE_S * 1000)
            self._contexts.append(context)
        page = context.new_page()
        page.on("request", self._asked)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(at)
        return page

    def close(self) -> None:
        """Close all pages; before the server ends, where it doesn't outlive them: a page asks on by itself."""
        while self._contexts:
            self._contexts.pop().close()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(("data:", "blob:", "chrome-error:")):
            self.hosts.add(urlsplit(request.url).hostname)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.text for part in self._expected):
            self.complaints.append(message.text)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant) -> Iterator[str]:
    with served(settings, assistant) as found:
        yield found


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages; afterwards, that no request left the machine and nothing was wrong in the console."""
    watch = Watch(browser)
    yield watch.open
    watch.close()
    assert watch.hosts <= _THIS_MACHINE
    assert watch.complaints == []


@pytest.fixture
def open_chat(open_page: Open, address: str) -> Open:
    """Opens the chat, ready to type in; watched like any page."""

    def open_it(language: Language = "en", *, at: str = address, path: str = "/", **options: Any) -> Page:
        page = open_page(at + path, **{"locale": LOCALES[language], **options})
        expect(page.locator("html")).to_have_attribute("lang", LANGUAGE_TAGS[language])
        expect(page.locator("#brand h1")).to_have_text(page_wording().say("title", language))
        expect(page.locator("body.spoken")).to_be_attached()
        return page

    return open_it


def ask(page: Page, question: str) -> None:
    """Type a question into the chat and send it."""
    page.locator("#question textarea").fill(question)
    page.locator("#question textarea").press("Enter")


def answered(page: Page, count: int = 1) -> None:
    """Wait for so many answers in the chat, and for the last one to be whole."""
    expect(page.locator("#conversation .copied")).to_have_count(count)
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("#stop")).to_be_hidden()


def open_tab(page: Page, name: str, language: Language) -> None:
    """Open a tab of the chat, and wait for what it shows."""
    page.get_by_role("tab", name=page_wording().say(name, language), exact=True).click()
    expect(page.locator(_TAB_CONTENTS[name]).first).to_be_visible()


def copied(page: Page, button: Locator) -> str:
    """What a click on that button puts on the clipboard; `page` needs the permissions to read and to write it."""
    page.evaluate("text => navigator.clipboard.writeText(text)", _CLEARED)
    button.click()
    text: str = page.evaluate(_READ_CHANGED, {"cleared": _CLEARED, "limit": PATIENCE_S * 1000})
    assert text != _CLEARED
    return text


def fits_in_width(page: Page | Frame) -> None:
    """Wait until nothing is wider than the window."""
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def inaccessible(page: Page) -> list[str]:
    """What axe finds against WCAG 2.2 AA, of any weight; `page` must be open with `bypass_csp`."""
    found = Axe().run(page, options={"runOnly": _WCAG})
    return [
        f"{violation['id']} ({violation['impact']}): {[node['html'][:160] for node in violation['nodes']]}"
        for violation in found.response["violations"]
    ]
