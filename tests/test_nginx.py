"""Behind Debian's nginx with TLS, under a path, with buffering on and off: everything works and answers stream."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from web import chromium, served

from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, Event
from assistant.answering.evidence import Question
from assistant.settings import Settings

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
PREFIX = "/wiki/gpu"
START_LIMIT_S = 30
PAUSE_S = 3.0
CONFIGURATION = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    location {prefix}/ {{
      proxy_pass {upstream};
      proxy_buffering {buffering};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }}
  }}
}}
"""


class Pausing:
    """The assistant, which pauses between the text of an answer and its end, as a language model would."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    def __getattr__(self, name: str) -> object:
        return getattr(self._assistant, name)

    def stream(self, question: Question) -> Iterator[Event]:
        for event in self._assistant.stream(question):
            if isinstance(event, AnswerReady):
                time.sleep(PAUSE_S)
            yield event


@pytest.fixture(scope="module")
def upstream(settings: Settings, assistant: Assistant) -> Iterator[str]:
    """A server that lives under the path, as the proxy says."""
    changed = {"root_path": PREFIX, "trusted_proxies": ("127.0.0.1",), "access": "open"}
    with served(settings.model_copy(update=changed), Pausing(assistant)) as address:  # type: ignore[arg-type]
        yield address


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate of its own for 127.0.0.1."""
    if NGINX is None and "CI" not in os.environ:
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


@contextmanager
def proxied(upstream: str, folder: Path, buffering: str) -> Iterator[str]:
    """The address of the assistant behind nginx."""
    assert NGINX is not None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = CONFIGURATION.format(
        folder=folder, port=port, prefix=PREFIX, upstream=upstream, buffering=buffering
    )
    (folder / "nginx.conf").write_text(configuration, encoding="utf-8")
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline and process.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"https://127.0.0.1:{port}{PREFIX}"
    finally:
        process.terminate()
        process.wait(timeout=START_LIMIT_S)


@pytest.fixture(scope="module", params=["on", "off"])
def address(request: pytest.FixtureRequest, upstream: str, certificate: Path) -> Iterator[str]:
    with proxied(upstream, certificate, request.param) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def client(certificate: Path) -> Iterator[httpx.Client]:
    context = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    with httpx.Client(verify=context, timeout=60) as opened:
        yield opened


def test_events_arrive_as_they_are_made(address: str, client: httpx.Client) -> None:
    asked = {"question": "How much memory does the MI355X have?"}
    arrived: dict[str, float] = {}
    with client.stream("POST", f"{address}/api/ask", json=asked, headers={"accept": "text/event-stream"}) as sent:
        for line in sent.iter_lines():
            if line.startswith("event: "):
                arrived.setdefault(line.removeprefix("event: "), time.monotonic())
    # The server pauses between the two; held back, they would come together.
    assert arrived["answer"] - arrived["sentence"] > PAUSE_S / 2


def test_chunks_of_the_openai_protocol_arrive_as_they_are_made(address: str, client: httpx.Client) -> None:
    asked = {"stream": True, "messages": [{"role": "user", "content": "How much memory does the MI355X have?"}]}
    text, ended = 0.0, 0.0
    with client.stream("POST", f"{address}/v1/chat/completions", json=asked) as sent:
        for line in sent.iter_lines():
            if "288 GB" in line and not text:
                text = time.monotonic()
            if line == "data: [DONE]":
                ended = time.monotonic()
    assert ended - text > PAUSE_S / 2


def test_addresses_in_what_is_sent_lead_through_the_proxy(address: str, client: httpx.Client) -> None:
    assert client.get(f"{address}/config").json()["root"] == address
    html = client.get(f"{address}/").text
    for path in re.findall(rf"\"({PREFIX}/page/[^\"]+)\"", html):
        assert client.get(address.removesuffix(PREFIX) + path).status_code == 200
    asked = {"messages": [{"role": "user", "content": "How much memory does the MI355X have?"}]}
    given = client.post(f"{address}/v1/chat/completions", json=asked).json()["choices"][0]["message"]
    first = given["annotations"][0]["url_citation"]["url"]
    assert first.startswith(f"{address}/api/sources/") and "288 GB" in client.get(first).json()["quote"]
    assert client.get(address, follow_redirects=False).headers["location"].endswith(f"{PREFIX}/")


def test_the_chat_answers_in_a_browser_and_shows_the_text_before_the_end(address: str) -> None:
    with chromium() as browser:
        page = browser.new_page(ignore_https_errors=True)
        asked: list[str] = []
        page.on("request", lambda sent: asked.append(sent.url))
        page.goto(f"{address}/")
        page.locator("#question textarea").fill("How much memory does the MI355X have?", timeout=60_000)
        page.locator("#question textarea").press("Enter")
        page.get_by_text("288 GB").first.wait_for(timeout=60_000)
        shown = time.monotonic()
        page.locator(".answer-foot").first.wait_for(timeout=60_000)
        assert time.monotonic() - shown > PAUSE_S / 4
        assert [url for url in asked if not url.startswith((address, "data:"))] == []


def test_a_script_of_the_page_finds_the_api_below_the_path(address: str, client: httpx.Client) -> None:
    described = client.get(f"{address}/api/openapi.json").json()
    assert PREFIX in json.dumps(described.get("servers", []))
    assert client.get(f"{address}/healthz").json()["status"] == "ok"
