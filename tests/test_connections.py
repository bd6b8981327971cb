"""Clients that are slow, that leave, or that are many: the server goes on answering the others."""

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from web import served

from assistant.answering.assistant import Assistant
from assistant.answering.events import Event, StepBegun, TextVerified
from assistant.answering.evidence import Question
from assistant.interfaces import connections, guard
from assistant.settings import Settings

ASKED = {"question": "How much memory does the MI355X have?"}
CONNECTIONS = 1_000
LEFT = 10_000
LIMIT_S = 60


class Endless:
    """An assistant that writes without end, and knows whether it was told to stop."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self.begun = threading.Event()
        self.stopped = threading.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._assistant, name)

    def stream(self, question: Question) -> Iterator[Event]:
        if "without end" not in question.text:
            yield from self._assistant.stream(question)
            return
        try:
            yield StepBegun(step="writing")
            self.begun.set()
            for count in range(100_000):
                time.sleep(0.02)
                yield TextVerified(text="word " * (count % 500 + 1))
        finally:
            self.stopped.set()


@pytest.fixture(scope="module")
def endless(assistant: Assistant) -> Endless:
    return Endless(assistant)


@pytest.fixture(scope="module")
def address(settings: Settings, endless: Endless) -> Iterator[str]:
    with served(settings, endless) as opened:  # type: ignore[arg-type]
        yield opened


def connection_to(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=LIMIT_S)


@pytest.mark.parametrize(
    ("path", "body", "accept"),
    [("/api/ask", {"question": "Write without end"}, "text/event-stream"),
     ("/api/ask", {"question": "Write without end"}, "application/json"),
     ("/v1/chat/completions", {"stream": True, "messages": [{"role": "user", "content": "Write without end"}]}, "*/*"),
     ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Write without end"}]}, "*/*")],
    ids=["events", "whole", "chunks", "completion"],
)  # fmt: skip
def test_when_a_client_leaves_the_work_for_it_stops(
    address: str, endless: Endless, path: str, body: dict[str, object], accept: str
) -> None:
    endless.begun.clear()
    endless.stopped.clear()
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=LIMIT_S)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json", "accept": accept})
    assert endless.begun.wait(LIMIT_S)
    assert not endless.stopped.is_set()
    connection.sock.close()
    assert endless.stopped.wait(LIMIT_S)
    # Whoever comes next is answered.
    assert httpx.post(f"{address}/api/ask", json=ASKED, timeout=LIMIT_S).json()["status"] == "answered"


def test_a_thousand_slow_connections_keep_nobody_from_an_answer(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_LIMIT_S", 20)
    with ExitStack() as stack:
        for number in range(CONNECTIONS):
            slow = stack.enter_context(connection_to(address))
            # Half of them stop within the head of the request, half within its body.
            head = b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            slow.sendall(head + (b"Content-Le" if number % 2 else b"Content-Length: 100\r\n\r\n{"))
        assert httpx.post(f"{address}/api/ask", json=ASKED, timeout=LIMIT_S).json()["status"] == "answered"


def test_ten_thousand_connections_that_are_opened_and_left_leave_nothing_behind(address: str) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = open_files()
    for _ in range(LEFT // 250):
        left = [connection_to(address) for _ in range(250)]
        for number, connection in enumerate(left):
            if number % 2:
                connection.sendall(b"POST /api/ask HTTP/1.1\r\nHost: x\r\n")
            connection.close()
    assert httpx.post(f"{address}/api/ask", json=ASKED, timeout=LIMIT_S).json()["status"] == "answered"
    end = time.monotonic() + LIMIT_S
    while open_files() > before + 20 and time.monotonic() < end:
        time.sleep(0.1)
    assert open_files() <= before + 20, "the server runs in this process, so that its sockets are counted here"


def test_a_request_that_does_not_come_in_time_is_given_up(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_LIMIT_S", 0.3)
    monkeypatch.setattr(guard, "BODY_LIMIT_S", 0.3)
    with connection_to(address) as silent, connection_to(address) as slow:
        slow.sendall(b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        assert silent.recv(100) == b""
        answer = slow.recv(4_000).decode()
        assert answer.startswith("HTTP/1.1 408") and "did not arrive" in answer


def test_a_body_without_a_length_is_bounded_too(address: str) -> None:
    def endless_body() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100_000

    sent = httpx.post(f"{address}/api/ask", content=endless_body(), timeout=LIMIT_S)
    assert sent.status_code == 413 and "longer than" in sent.json()["detail"]


@pytest.mark.parametrize(
    "head",
    [b"\x00\x01\x02\r\n\r\n", b"GET /healthz HTTP/9.9\r\n\r\n", b"POST /api/ask HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
     b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
     b"GET /api/sources/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     b"GET /gradio_api/file=/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     b"GET /page/../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     b"GET /embed/%2e%2e/%2e%2e/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     b"GET /static/fonts/" + b"a" * 300 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     b"GET /healthz HTTP/1.0\r\n\r\n", b"GET /config HTTP/1.1\r\nHost: evil.invalid\r\n\r\n",
     b"GET http://127.0.0.1/config HTTP/1.1\r\nHost: evil.invalid\r\n\r\n",
     b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.invalid\r\n\r\n",
     b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     b"GET " + b"/a" * 60_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ids=["noise", "version", "negative", "two-lengths", "climbs", "file", "asset", "encoded",
         "long-name", "no-host", "foreign-host", "foreign-host-absolute", "two-hosts", "smuggled",
         "long"],
)  # fmt: skip
def test_a_malformed_request_is_refused(address: str, head: bytes) -> None:
    with connection_to(address) as sender:
        sender.sendall(head)
        sender.shutdown(socket.SHUT_WR)
        answer = sender.recv(4_000)
    assert answer == b"" or re.match(rb"HTTP/1.1 4\d\d", answer), answer[:200]
    assert b"root:" not in answer


@pytest.mark.parametrize("sent", [b"GET /" + b"a" * 400_000, b"GET / HTTP/1.1\r\nX: " + b"a" * 400_000,
                                     b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 80_000])  # fmt: skip
def test_a_head_without_end_is_cut_off(address: str, sent: bytes) -> None:
    with connection_to(address) as sender:
        try:
            sender.sendall(sent)
            answer = sender.recv(4_000)
        except (ConnectionResetError, BrokenPipeError):
            answer = b""
    assert answer == b"" or re.match(rb"HTTP/1.1 4(31|00) ", answer), answer[:200]
