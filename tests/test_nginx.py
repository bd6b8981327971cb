"""Behind Debian's nginx with TLS, under a path, with buffering on and off: everything works and answers stream."""

import json
import re
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import httpx
import pytest
from playwright.sync_api import expect
from proxy import FORWARDED, make_certificate, nginx
from web import PATIENCE_S, Open, answered, ask, free_port, served

from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, Event
from assistant.answering.evidence import Question
from assistant.settings import Settings

PREFIX = "/wiki/gpu"
SERVER = """
server {{
  listen 127.0.0.1:{port} ssl;
  {forwarded}
  location {prefix}/ {{ proxy_pass {upstream}; proxy_buffering {buffering}; }}
}}
"""


class Pausing:
    """The assistant, which pauses between the text of an answer and its end, until what came before has been seen."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self.seen = threading.Event()
        self.waited_in_vain = False

    def hold(self) -> None:
        """Pause in the next answer."""
        self.seen.clear()
        self.waited_in_vain = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._assistant, name)

    def stream(self, question: Question) -> Iterator[Event]:
        for event in self._assistant.stream(question):
            if isinstance(event, AnswerReady):
                self.waited_in_vain |= not self.seen.wait(PATIENCE_S)
            yield event


@pytest.fixture(scope="module")
def pausing(assistant: Assistant) -> Pausing:
    return Pausing(assistant)


@pytest.fixture(scope="module")
def upstream(settings: Settings, pausing: Pausing) -> Iterator[str]:
    """A server that lives under the path, as the proxy says."""
    changed = {"root_path": PREFIX, "trusted_proxies": ("127.0.0.1",), "access": "open"}
    with served(settings.model_copy(update=changed), cast(Assistant, pausing)) as address:
        yield address


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("nginx")
    make_certificate(folder, ["IP:127.0.0.1"])
    return folder


@pytest.fixture(scope="module", params=["on", "off"])
def address(request: pytest.FixtureRequest, upstream: str, certificate: Path) -> Iterator[str]:
    port = free_port()
    server = SERVER.format(forwarded=FORWARDED, port=port, prefix=PREFIX, upstream=upstream, buffering=request.param)
    with nginx(certificate, port, server):
        yield f"https://127.0.0.1:{port}{PREFIX}"


@pytest.fixture(scope="module")
def client(certificate: Path) -> Iterator[httpx.Client]:
    context = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    with httpx.Client(verify=context, timeout=2 * PATIENCE_S) as opened:
        yield opened


def test_events_arrive_as_they_are_made(address: str, client: httpx.Client, pausing: Pausing) -> None:
    asked = {"question": "How much memory does the MI355X have?"}
    pausing.hold()
    events: list[str] = []
    with client.stream("POST", f"{address}/api/ask", json=asked, headers={"accept": "text/event-stream"}) as sent:
        for line in sent.iter_lines():
            if line.startswith("event: "):
                events.append(line.removeprefix("event: "))
            if events[-1:] == ["sentence"]:
                # The server goes on only now; had the proxy held the sentence back, it would have waited in vain.
                pausing.seen.set()
    assert "answer" in events and not pausing.waited_in_vain


def test_chunks_of_the_openai_protocol_arrive_as_they_are_made(
    address: str, client: httpx.Client, pausing: Pausing
) -> None:
    asked = {"stream": True, "messages": [{"role": "user", "content": "How much memory does the MI355X have?"}]}
    pausing.hold()
    lines: list[str] = []
    with client.stream("POST", f"{address}/v1/chat/completions", json=asked) as sent:
        for line in sent.iter_lines():
            lines.append(line)
            if "288 GB" in line:
                pausing.seen.set()
    assert "data: [DONE]" in lines and not pausing.waited_in_vain


def test_addresses_in_what_is_sent_lead_through_the_proxy(address: str, client: httpx.Client, pausing: Pausing) -> None:
    assert client.get(f"{address}/config").json()["root"] == address
    html = client.get(f"{address}/").text
    for path in re.findall(rf"\"({PREFIX}/page/[^\"]+)\"", html):
        assert client.get(address.removesuffix(PREFIX) + path).status_code == 200
    pausing.seen.set()
    asked = {"messages": [{"role": "user", "content": "How much memory does the MI355X have?"}]}
    given = client.post(f"{address}/v1/chat/completions", json=asked).json()["choices"][0]["message"]
    first = given["annotations"][0]["url_citation"]["url"]
    assert first.startswith(f"{address}/api/sources/") and "288 GB" in client.get(first).json()["quote"]
    assert client.get(address, follow_redirects=False).headers["location"].endswith(f"{PREFIX}/")


def test_the_chat_answers_in_a_browser_and_shows_the_text_before_the_end(open_chat: Open, pausing: Pausing) -> None:
    page = open_chat(ignore_https_errors=True)
    pausing.hold()
    ask(page, "How much memory does the MI355X have?")
    expect(page.locator("#conversation .answer")).to_contain_text("288 GB")
    expect(page.locator("#conversation .answer-foot")).to_have_count(0)
    pausing.seen.set()
    answered(page)
    assert not pausing.waited_in_vain


def test_a_script_of_the_page_finds_the_api_below_the_path(address: str, client: httpx.Client) -> None:
    described = client.get(f"{address}/api/openapi.json").json()
    assert PREFIX in json.dumps(described.get("servers", []))
    assert client.get(f"{address}/healthz").json()["status"] == "ok"
