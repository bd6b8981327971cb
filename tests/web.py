"""What browser and network tests share: a server that runs beside the test, and a browser."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from assistant.answering.assistant import Assistant
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.server import create_app
from assistant.interfaces.serving import listen, server_of
from assistant.settings import Settings

_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip

# Long enough for a machine that does much else; a state that comes sooner isn't waited for.
expect.set_options(timeout=20_000)


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
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; without it the test is skipped, but for CI, where it fails."""
    path = shutil.which("chromium")
    if path is None and "CI" not in os.environ:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield opened
        opened.close()
