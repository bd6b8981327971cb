"""What is true of the recipes for wikis: each is run as docs/wiki.md tells it, and asked from a page of it."""

import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Request, expect
from web import chromium, served

from assistant.answering.assistant import Assistant
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language
from assistant.settings import ROOT, Settings

RECIPES = ROOT / "docs" / "wiki"
SHOWN_AS = "https://assistant.example.org"
DOKUWIKI = Path("/usr/share/dokuwiki")
MEDIAWIKI = Path("/usr/share/mediawiki")
PAGE = "AMD Instinct MI355X"
SCREENSHOTS = ROOT / "tests" / "screenshots"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def port() -> int:
    """Where the wiki will be: known before it starts, so that the assistant can allow it."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        taken: int = found.getsockname()[1]
        return taken


@pytest.fixture(scope="module")
def address(settings: Settings, assistant: Assistant, port: int) -> Iterator[str]:
    allowed = settings.model_copy(update={"frame_ancestors": (f"http://127.0.0.1:{port}",)})
    with served(allowed, assistant) as found:
        yield found


def needed(path: Path, package: str) -> None:
    if not path.exists() or shutil.which("php") is None:
        if "CI" in os.environ:
            raise AssertionError(f"{package} is not installed")
        pytest.skip(f"{package} is not installed")


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
    raise AssertionError("the wiki's server ended")


def ask_from(
    browser: Browser, wiki: str, language: Language, question: str, expected: str, name: str, width: int, scheme: str
) -> None:
    """Open the assistant on a page of the wiki with the keyboard, ask, read the citation; nothing goes elsewhere."""
    text = page_wording()
    hosts: set[str | None] = set()
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()

    def asked(request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")):
            hosts.add(urlsplit(request.url).hostname)

    page.on("request", asked)
    page.goto(wiki)
    opener = page.get_by_role("button", name=text.say("ask_here", language))
    opener.focus()
    page.keyboard.press("Enter")
    frame = page.frame_locator("iframe[src*='/embed']")
    expect(frame.locator("#about")).to_contain_text(PAGE)
    frame.locator("#question").fill(question)
    frame.locator("#question").press("Enter")
    expect(frame.locator(".copier")).to_be_visible(timeout=20_000)
    expect(frame.locator(".answer")).to_contain_text(expected)
    frame.locator("a.cite").first.click()
    expect(frame.locator("details.source[open] blockquote")).to_be_visible()
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    context.close()
    assert hosts == {"127.0.0.1"}


def test_dokuwiki(browser: Browser, address: str, port: int, tmp_path: Path) -> None:
    needed(DOKUWIKI / "doku.php", "dokuwiki")
    data, conf = tmp_path / "data", tmp_path / "conf"
    folders = ("pages", "attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "tmp")
    for folder in folders:
        (data / folder).mkdir(parents=True)
    conf.mkdir()
    (data / "pages" / "start.txt").write_text(f"====== {PAGE} ======\n\nNoter om kortet.\n", encoding="utf-8")
    (conf / "local.php").write_text(
        f"<?php $conf['savedir'] = '{data}'; $conf['lang'] = 'da'; $conf['useacl'] = 0; $conf['title'] = 'GPU';",
        encoding="utf-8",
    )
    (conf / "userscript.js").write_text(recipe("dokuwiki-userscript.js", address), encoding="utf-8")
    # The package keeps its settings under /etc; this wiki has its own.
    (tmp_path / "own.php").write_text(f"<?php define('DOKU_CONF', '{conf}/');", encoding="utf-8")
    with php(port, DOKUWIKI, "-d", f"auto_prepend_file={tmp_path / 'own.php'}"):
        wiki = f"http://127.0.0.1:{port}/doku.php"
        ask_from(browser, wiki, "da", "Hvor meget hukommelse har det?", "288 GB", "dokuwiki", 1100, "light")


def test_mediawiki(browser: Browser, address: str, port: int, tmp_path: Path) -> None:
    needed(MEDIAWIKI / "index.php", "mediawiki")
    wiki = f"http://127.0.0.1:{port}"
    install = [
        "php", str(MEDIAWIKI / "maintenance" / "install.php"), "--dbtype", "sqlite", "--dbpath", str(tmp_path / "db"),
        "--confpath", str(tmp_path), "--scriptpath", "", "--server", wiki, "--lang", "nl", "--skins", "Vector",
        "--pass", "a-long-passphrase-9", "GPU", "Admin",
    ]  # fmt: skip
    run(install)
    settings = tmp_path / "LocalSettings.php"
    own = f"\n$wgCacheDirectory = '{tmp_path}';\n$wgUploadDirectory = '{tmp_path}';\n$wgLogos = false;\n"
    settings.write_text(settings.read_text(encoding="utf-8") + own, encoding="utf-8")
    for title, text in ((PAGE, "Notities."), ("MediaWiki:Common.js", recipe("mediawiki-common.js", address))):
        edit = ["php", str(MEDIAWIKI / "maintenance" / "edit.php"), "--conf", str(settings), "--user", "Admin", title]
        run(edit, text)
    with php(port, MEDIAWIKI, MW_CONFIG_FILE=str(settings)):
        title = PAGE.replace(" ", "_")
        ask_from(
            browser, f"{wiki}/index.php?title={title}", "nl", "Hoeveel geheugen heeft hij?", "288 GB", "mediawiki",
            1100, "light",
        )  # fmt: skip


def run(command: list[str], text: str = "") -> None:
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mkdocs(browser: Browser, address: str, port: int, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# {PAGE}\n\nNotes on the card.\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(recipe("mkdocs.yml", address), encoding="utf-8")
    run([sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(tmp_path / "mkdocs.yml")])
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        wiki = f"http://127.0.0.1:{port}/"
        ask_from(browser, wiki, "en", "How much power does it draw?", "1,400 W", "mkdocs", 390, "light")
    finally:
        server.shutdown()
        server.server_close()
