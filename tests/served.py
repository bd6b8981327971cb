"""An application on a real port, for tests that need a connection that can be cut, slow or encrypted."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from assistant.interfaces.server import listen

START_LIMIT_S = 60


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of the application, with all that the product's own server does to connections."""
    with listen("127.0.0.1", 0) as bound:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            _wait_until_open(bound.getsockname())
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=START_LIMIT_S)


def _wait_until_open(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=START_LIMIT_S) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert connection.recv(12).startswith(b"HTTP/1.1")
