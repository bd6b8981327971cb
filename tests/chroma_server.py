"""A real Chroma server on a free port, for tests."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

START_LIMIT_S = 60
COMMAND = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"


class RunningChroma:
    """`chroma run` over a folder; it can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self._port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = [COMMAND, "run", "--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self._port)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_LIMIT_S
        while time.monotonic() < end:
            try:
                httpx.get(f"{self.url}/api/v2/heartbeat", timeout=2).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError("chroma run doesn't answer")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
