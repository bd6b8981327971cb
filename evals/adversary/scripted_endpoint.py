"""An OpenAI-compatible endpoint on this machine that answers as a script says, to see what a lying model can do."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, Any]]
Script = Callable[[Messages], "Reply"]


class Reply:
    """What the endpoint sends: text in chunks, calls of tools, or raw bytes and a status of its own."""

    def __init__(
        self,
        text: str = "",
        *,
        chunk: int = 12,
        calls: tuple[dict[str, Any], ...] = (),
        status: int = 200,
        raw: bytes | None = None,
        finish: str | None = "stop",
        pause_s: float = 0.0,
    ) -> None:
        self.text = text
        self.chunk = chunk
        self.calls = calls
        self.status = status
        self.raw = raw
        self.finish = finish
        self.pause_s = pause_s

    def blocks(self) -> Iterator[bytes]:
        """The body, block by block."""
        if self.raw is not None:
            yield self.raw
            return
        for start in range(0, len(self.text), self.chunk):
            yield _event({"content": self.text[start : start + self.chunk]})
        for index, call in enumerate(self.calls):
            function = {"name": call["name"], "arguments": json.dumps(call["args"])}
            yield _event(
                {"tool_calls": [{"index": index, "id": f"call{index}", "type": "function", "function": function}]}
            )
        if self.finish is not None:
            yield _event({}, finish="tool_calls" if self.calls else self.finish)
            yield b"data: [DONE]\n\n"


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    body = {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


class ScriptedEndpoint:
    """The server's address, its script, and the conversations it was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.script: Script = lambda messages: Reply("")
        self.asked: list[Messages] = []
        self.closing = threading.Event()
        self.lists_models = False
        """Whether it answers the question which models it has, by which one sees that a server lives."""


@contextmanager
def scripted_endpoint() -> Iterator[ScriptedEndpoint]:
    """A server on a free port of 127.0.0.1 for as long as the block runs."""
    endpoint: ScriptedEndpoint

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if endpoint.lists_models else 501)
            self.end_headers()

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(body["messages"])
            reply = endpoint.script(body["messages"])
            self.send_response(reply.status)
            self.send_header("Content-Type", "text/event-stream" if reply.status == 200 else "application/json")
            self.end_headers()
            try:
                for block in reply.blocks():
                    self.wfile.write(block)
                    self.wfile.flush()
                    if reply.pause_s and endpoint.closing.wait(reply.pause_s):
                        return
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
            """Quiet: what was asked is kept in `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = ScriptedEndpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
