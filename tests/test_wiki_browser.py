"""What is true of the recipes for wikis: each is run as docs/wiki.md tells it, and asked from a page of it."""

import http.server
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import expect
from web import Open, free_port, served
from wikis import DOKUWIKI, MEDIAWIKI, DokuWiki, MediaWiki, needed, run

from assistant.answering.assistant import Assistant
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language
from assistant.settings import ROOT, Settings

RECIPES = ROOT / "docs" / "wiki"
SHOWN_AS = "https://assistant.example.org"
PAGE = "AMD Instinct MI355X"
SCREENSHOTS = ROOT / "tests" / "screenshots"


@pytest.fixture(scope="module")
def port() -> int:
    """Where the wiki will be: known before it starts, so that the assistant can allow it."""
    return free_port()


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant, port: int) -> Iterator[str]:
    allowed = settings.model_copy(update={"frame_ancestors": (f"http://127.0.0.1:{port}",)})
    with served(allowed, assistant) as found:
        yield found


def recipe(name: str, address: str) -> str:
    """A file of docs/wiki/ with the address of this test's server in it."""
    text = (RECIPES / name).read_text(encoding="utf-8")
    assert SHOWN_AS in text
    return text.replace(SHOWN_AS, address)


@contextmanager
def php(port: int, root: Path, *options: str, **environment: str) -> Iterator[None]:
    """PHP's own server over a folder, until the block ends."""
    command = ["php", *options, "-S", f"127.0.0.1:{port}", "-t", str(root)]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _await(port, process)
        yield
    finally:
        process.kill()
        process.wait()


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the wiki's server ended")


def ask_from(
    open_page: Open, wiki: str, language: Language, question: str, expected: str, name: str, width: int, scheme: str
) -> None:
    """Open the assistant on a page of the wiki with the keyboard, ask, read the citation; nothing goes elsewhere."""
    text = page_wording()
    # A wiki made anew lacks its icon.
    page = open_page(wiki, viewport={"width": width, "height": 800}, color_scheme=scheme, complains_of=("404",))
    opener = page.get_by_role("button", name=text.say("ask_here", language))
    opener.focus()
    page.keyboard.press("Enter")
    frame = page.frame_locator("iframe[src*='/embed']")
    expect(frame.locator("#about")).to_contain_text(PAGE)
    frame.locator("#question").fill(question)
    frame.locator("#question").press("Enter")
    expect(frame.locator(".copier")).to_be_visible()
    expect(frame.locator(".answer")).to_contain_text(expected)
    frame.locator("a.cite").first.click()
    expect(frame.locator("details.source[open] blockquote")).to_be_visible()
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")


def test_dokuwiki(open_page: Open, address: str, port: int, tmp_path: Path) -> None:
    needed(DOKUWIKI / "doku.php", "dokuwiki")
    wiki = DokuWiki(tmp_path, "da")
    wiki.save("start", f"====== {PAGE} ======\n\nNoter om kortet.\n")
    (wiki.settings / "userscript.js").write_text(recipe("dokuwiki-userscript.js", address), encoding="utf-8")
    with php(port, DOKUWIKI, *wiki.options):
        at = f"http://127.0.0.1:{port}/doku.php"
        ask_from(open_page, at, "da", "Hvor meget hukommelse har det?", "288 GB", "dokuwiki", 1100, "light")


def test_mediawiki(open_page: Open, address: str, port: int, tmp_path: Path) -> None:
    needed(MEDIAWIKI / "index.php", "mediawiki")
    at = f"http://127.0.0.1:{port}"
    wiki = MediaWiki(tmp_path, at, "nl")
    wiki.save(PAGE, "Notities.")
    wiki.save("MediaWiki:Common.js", recipe("mediawiki-common.js", address))
    with php(port, MEDIAWIKI, MW_CONFIG_FILE=str(wiki.settings)):
        page = f"{at}/index.php?title={PAGE.replace(' ', '_')}"
        ask_from(open_page, page, "nl", "Hoeveel geheugen heeft hij?", "288 GB", "mediawiki", 1100, "light")


def test_mkdocs(open_page: Open, address: str, port: int, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# {PAGE}\n\nNotes on the card.\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(recipe("mkdocs.yml", address), encoding="utf-8")
    run([sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(tmp_path / "mkdocs.yml")])
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        wiki = f"http://127.0.0.1:{port}/"
        ask_from(open_page, wiki, "en", "How much power does it draw?", "1,400 W", "mkdocs", 390, "light")
    finally:
        server.shutdown()
        server.server_close()
