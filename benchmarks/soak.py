"""Three processes behind nginx with a Chroma server, as deploy/ has them, under the load of readers for some time.

    python benchmarks/soak.py [--seconds 1200] [--readers 20] [--leave 10000] [--no-faults]

Runs the commands of deploy/*.service and the configuration deploy/nginx.conf, on free ports and in a folder of its own.
Readers ask in four languages, with calculators, through nginx. A third of the way one process is killed and started
again, as systemd would; halfway and at two thirds an article is changed and the index published anew. Beforehand
`--leave` connections are opened and left. Told at the end: requests and how many failed, answers that mix two states of
the knowledge base, p95 of the first and the last quarter, and how memory, files and threads of each process grew from
the first quarter to the end. An index before is let go two minutes after the change, so growth is judged
with `--no-faults` alone. Exit status 1 where a request failed, an answer mixed, or memory grew by 5 % or more.
"""

import argparse
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from latency import CALCULATIONS, percentile

from assistant.knowledge.corpus import load_corpus
from assistant.retrieval.location import VECTORS
from assistant.settings import ROOT, Settings
from evals.cases import read_suite

DEPLOY = ROOT / "deploy"
START_LIMIT_S = 180
STOP_LIMIT_S = 40
THINKING_S = (0.5, 2.0)
CHANGED = "How many herrings does the aquarium of the data centre hold?"
PORTS = ("7861", "7862", "7863")


@dataclass
class Told:
    """What the readers saw: seconds since the start, seconds waited, status, knowledge, and the figure if asked."""

    answers: list[tuple[float, float, int, str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Footprint:
    """Of one process: resident megabytes, open files, threads."""

    megabytes: float
    files: int
    threads: int

    @classmethod
    def of(cls, process: int) -> "Footprint":
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]
        threads = int(re.search(r"Threads:\s+(\d+)", status)[1])  # type: ignore[index]
        return cls(resident / 1000, len(list(Path(f"/proc/{process}/fd").iterdir())), threads)


class Deployment:
    """The units of deploy/ as processes over a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ports = folder, {port: str(_free_port()) for port in (*PORTS, "8000", "80")}
        self.address = f"http://127.0.0.1:{self.ports['80']}"
        shutil.copytree(ROOT / "corpus", folder / "corpus")
        (folder / "index").mkdir()
        if (known := Settings().index / VECTORS).is_file():  # of the texts that aren't changed
            shutil.copy(known, folder / "index")
        self._environment = {**os.environ, **self._settings(), "PYTHONPATH": str(ROOT)}
        self._log = (folder / "log").open("w", encoding="utf-8")
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def _settings(self) -> dict[str, str]:
        lines = (DEPLOY / "settings.env").read_text(encoding="utf-8").splitlines()
        return dict(self._here(line).split("=", 1) for line in lines if line and not line.startswith("#"))

    def _here(self, text: str) -> str:
        for port, free in self.ports.items():
            text = re.sub(rf"\b{port}\b", free, text)
        return text.replace("/srv/gpu-assistant", str(self.folder))

    def command(self, unit: str, instance: str = "") -> list[str]:
        """The unit's ExecStart, with this interpreter's programs."""
        text = (DEPLOY / unit).read_text(encoding="utf-8")
        line = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1]  # type: ignore[index]
        program, *arguments = shlex.split(self._here(line.replace("%i", instance)))
        return [str(Path(sys.executable).parent / Path(program).name), *arguments]

    def start(self, name: str, command: list[str]) -> None:
        self.running[name] = subprocess.Popen(command, env=self._environment, stdout=self._log, stderr=self._log)

    def start_server(self, port: str) -> None:
        self.start(port, self.command("gpu-assistant@.service", port))

    def index(self) -> None:
        command = self.command("gpu-assistant-index.service")
        subprocess.run(command, env=self._environment, check=True, stdout=self._log, stderr=self._log)

    def start_nginx(self) -> None:
        site = self._here((DEPLOY / "nginx.conf").read_text(encoding="utf-8"))
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {self.folder}/nginx-{kind};" for kind in kinds)
        main = (
            f"daemon off; worker_processes 1; error_log {self.folder}/nginx-error.log; pid {self.folder}/nginx.pid;\n"
        )
        main += f"events {{ worker_connections 16384; }}\nhttp {{ access_log off; {temporary}\n{site}\n}}\n"
        (self.folder / "nginx.conf").write_text(main, encoding="utf-8")
        self.start("nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(self.folder / "nginx.conf")])

    def stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()

    def until_answering(self, port: str) -> None:
        _until(lambda: httpx.get(f"http://127.0.0.1:{self.ports[port]}/readyz", timeout=5).status_code == 200)

    def write_article(self, herrings: int) -> str:
        """Change the article that is asked about; returns the hash of the knowledge base with it."""
        head = '---\nid: aquarium\ntitle: "The aquarium of the data centre"\nlanguage: en\nkind: guide\n---\n'
        body = f"The aquarium of the data centre holds {herrings} herrings, which are counted every Monday.\n"
        (self.folder / "corpus" / "articles" / "en" / "aquarium.md").write_text(head + body, encoding="utf-8")
        return load_corpus(self.folder / "corpus").hash


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _until(holds: "object") -> None:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end:
        try:
            if holds():  # type: ignore[operator]
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError("a process doesn't answer")


def read_on(address: str, seed: int, begun: float, ended: threading.Event, told: Told) -> None:
    """One reader: asks, thinks, asks again."""
    chosen = random.Random(seed)
    questions = [case.question for case in read_suite().cases if case.set == "first"]
    questions += [*CALCULATIONS, *[CHANGED] * (len(questions) // 4)]
    with httpx.Client(timeout=120) as client:
        while not ended.is_set():
            question = chosen.choice(questions)
            start = time.monotonic()
            try:
                reply = client.post(f"{address}/api/ask", json={"question": question})
                answer = reply.json()
                waited = time.monotonic() - start
                quotes = " ".join(citation["quote"] for citation in answer.get("citations", []))
                figure = (re.search(r"(\d+) herrings", quotes) or ["", ""])[1] if question == CHANGED else ""
                if reply.status_code != 200:
                    told.failures.append(f"{start - begun:.1f} s: status {reply.status_code}: {reply.text[:100]}")
                told.answers.append((start - begun, waited, reply.status_code, answer.get("knowledge", ""), figure))
            except (httpx.HTTPError, ValueError) as error:
                told.failures.append(f"{start - begun:.1f} s: {type(error).__name__}: {error}")
            ended.wait(chosen.uniform(*THINKING_S))


def leave_connections(port: int, count: int) -> None:
    """Open connections, send half a request, and go."""
    for first in range(0, count, 500):
        left = []
        for _ in range(min(500, count - first)):
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall(b"POST /api/ask HTTP/1.1\r\nHost: x\r\n")
            left.append(connection)
        for connection in left:
            connection.close()


def footprints(deployment: Deployment) -> dict[str, Footprint]:
    return {port: Footprint.of(deployment.running[port].pid) for port in PORTS}


def soak(deployment: Deployment, seconds: float, readers: int, faults: bool) -> bool:
    told, ended, begun = Told(), threading.Event(), time.monotonic()
    truth = {load_corpus(deployment.folder / "corpus").hash: "1"}
    threads = [
        threading.Thread(target=read_on, args=(deployment.address, seed, begun, ended, told)) for seed in range(readers)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 4)
    early, killed = footprints(deployment), ""
    events = [(1 / 3, "kill"), (1 / 2, "2"), (2 / 3, "3")] if faults else []
    for share, event in events:
        time.sleep(max(0.0, begun + seconds * share - time.monotonic()))
        if event == "kill":
            killed = PORTS[1]
            deployment.running[killed].send_signal(signal.SIGKILL)
            deployment.running[killed].wait()
            print(f"{time.monotonic() - begun:.0f} s: the process on port {killed} was killed")
            time.sleep(2)
            deployment.start_server(killed)
            deployment.until_answering(killed)
        else:
            truth[deployment.write_article(int(event))] = event
            deployment.index()
        done = "it answers again" if event == "kill" else f"index {event} is published"
        print(f"{time.monotonic() - begun:.0f} s: {done}")
    time.sleep(max(0.0, begun + seconds - time.monotonic()))
    late = footprints(deployment)
    ended.set()
    for thread in threads:
        thread.join(130)
    return report(told, truth, seconds, {port: (early[port], late[port]) for port in PORTS if port != killed})


def report(told: Told, truth: dict[str, str], seconds: float, grown: dict[str, tuple[Footprint, Footprint]]) -> bool:
    mixed = [
        one for one in told.answers if one[2] == 200 and (one[3] not in truth or one[4] not in ("", truth[one[3]]))
    ]
    print(f"{len(told.answers)} answers, {len(told.failures)} failed, {len(mixed)} of mixed knowledge")
    for failure in told.failures[:10]:
        print(f"  {failure}")
    by_state = {figure: sum(one[3] == state for one in told.answers) for state, figure in truth.items()}
    print("answers by state of the knowledge base: " + ", ".join(f"{figure}: {n}" for figure, n in by_state.items()))
    for what, first, last in (("first", 0.0, seconds / 4), ("last", seconds * 3 / 4, seconds)):
        waited = [one[1] * 1000 for one in told.answers if first <= one[0] < last]
        if waited:
            middle, slow = percentile(waited, 0.5), percentile(waited, 0.95)
            print(f"{what} quarter: p50 {middle:.0f} ms, p95 {slow:.0f} ms, {len(waited)} answers")
    steady = True
    for port, (early, late) in grown.items():
        growth = late.megabytes / early.megabytes - 1
        steady &= growth < 0.05
        print(
            f"port {port}: {early.megabytes:.0f} → {late.megabytes:.0f} MB ({growth:+.1%}), "
            f"{early.files} → {late.files} files, {early.threads} → {late.threads} threads"
        )
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    return not told.failures and not mixed and (steady or len(truth) > 1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Three processes behind nginx under load.")
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--leave", type=int, default=10_000, help="connections opened and left at the beginning")
    parser.add_argument("--no-faults", action="store_true", help="kill and publish nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        deployment = Deployment(Path(scratch))
        try:
            deployment.start("chroma", deployment.command("chroma.service"))
            heartbeat = f"http://127.0.0.1:{deployment.ports['8000']}/api/v2/heartbeat"
            _until(lambda: httpx.get(heartbeat, timeout=5).status_code == 200)
            deployment.write_article(1)
            deployment.index()
            for port in PORTS:
                deployment.start_server(port)
            for port in PORTS:
                deployment.until_answering(port)
            deployment.start_nginx()
            _until(lambda: httpx.get(f"{deployment.address}/readyz", timeout=5).status_code == 200)
            start = time.monotonic()
            leave_connections(int(deployment.ports["80"]), options.leave)
            print(f"{options.leave} connections were opened and left in {time.monotonic() - start:.0f} s")
            return 0 if soak(deployment, options.seconds, options.readers, not options.no_faults) else 1
        finally:
            deployment.stop()


if __name__ == "__main__":
    sys.exit(main())
