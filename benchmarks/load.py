"""Many people at once: how long answers take and how many come, beside a bare Gradio app that answers nothing.

    python benchmarks/load.py [--people 50] [--seconds 60] [--json]

Each person asks the next question as soon as the last is answered, without a pause. Three rows in one run, each server
in a process of its own on 127.0.0.1: the API, the chat page's own events, and an echo function in an otherwise empty
Gradio app over the same events, which is the least that a Gradio chat can take. No language model. Needs an index.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from assistant.settings import ROOT
from evals.cases import read_suite

PEOPLE = 50
SECONDS = 60
START_LIMIT_S = 120
ANSWER_LIMIT_S = 60
ECHO = """
import gradio
with gradio.Blocks(analytics_enabled=False) as page:
    question, answer = gradio.Textbox(), gradio.Textbox()
    question.submit(lambda text: text, question, answer)
page.queue(default_concurrency_limit=4, max_size=64)
page.launch(server_name="127.0.0.1", server_port=int(__import__("sys").argv[1]), quiet=True, prevent_thread_lock=False)
"""

Ask = Callable[[httpx2.AsyncClient, str], Awaitable[bool]]


@dataclass(frozen=True)
class Row:
    """One kind of load: answers that came, those that failed, and their times in seconds."""

    what: str
    answers: int
    errors: int
    per_second: float
    p50: float
    p95: float
    p99: float


@contextmanager
def running(arguments: Sequence[str], address: str | None = None) -> Iterator[str]:
    """The address of a server in a process of its own: given, or the one that it prints."""
    with tempfile.TemporaryDirectory() as data:
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "ASSISTANT_DATA": data, "ASSISTANT_LLM_MODEL": "", "GRADIO_ANALYTICS_ENABLED": "False"},
        )  # fmt: skip
        try:
            assert process.stdout is not None
            if address is None:
                found = (re.search(r"http://\S+", line) for line in process.stdout)
                address = next((one[0] for one in found if one), None)
            if address is None:
                raise RuntimeError("the server ended before it said where it is")
            _wait_for(address)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=START_LIMIT_S)


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        try:
            httpx2.get(address, timeout=START_LIMIT_S).raise_for_status()
            return
        except httpx2.HTTPError:
            time.sleep(0.2)
    raise RuntimeError(f"nothing answers at {address}")


async def ask_api(client: httpx2.AsyncClient, question: str) -> bool:
    """One question to the API; true where it was answered."""
    given = await client.post("/api/ask", json={"question": question})
    return given.status_code == 200 and bool(given.json()["text"])


def over_events(function: int, inputs: Callable[[str], list[Any]]) -> Ask:
    """Asks as the browser does: joins the queue with a function of the page, then listens to its events."""

    async def ask(client: httpx2.AsyncClient, question: str) -> bool:
        session = secrets.token_hex(6)
        body = {"data": inputs(question), "fn_index": function, "session_hash": session, "trigger_id": None}
        joined = await client.post("/gradio_api/queue/join", json=body)
        if joined.status_code != 200:
            return False
        async with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as events:
            async for line in events.aiter_lines():
                if line.startswith("data: "):
                    event = json.loads(line.removeprefix("data: "))
                    if event["msg"] == "process_completed":
                        return bool(event["success"])
        return False

    return ask


def asking_function(address: str, target: str) -> tuple[int, Callable[[str], list[Any]]]:
    """Number of the function that is called when a question is entered, and what it is given for a question."""
    config = httpx2.get(f"{address}/config", timeout=START_LIMIT_S).json()
    boxes = [one["id"] for one in config["components"] if one["type"] == "textbox"]
    ids = [one["id"] for one in config["components"] if one["props"].get("elem_id") == target] or boxes[:1]
    present = dict.fromkeys(boxes, "") | {
        one["id"]: one["props"]["value"] for one in config["components"] if one["props"].get("value") is not None
    }
    asking = next(
        (one for one in config["dependencies"] if [ids[0], "submit"] in [list(pair) for pair in one["targets"]]), None
    )
    if asking is None:
        raise RuntimeError("the page has no box for questions")
    inputs = asking["inputs"]
    return int(asking["id"]), lambda text: [text if one == ids[0] else present.get(one) for one in inputs]


async def load(what: str, address: str, ask: Ask, questions: Sequence[str], people: int, seconds: float) -> Row:
    """So many people who ask for so long."""
    limits = httpx2.Limits(max_connections=2 * people, max_keepalive_connections=people)
    times: list[float] = []
    errors = 0
    async with httpx2.AsyncClient(base_url=address, timeout=ANSWER_LIMIT_S, limits=limits) as client:
        for question in questions[:5]:  # what is loaded at first use is loaded before the clock starts
            await ask(client, question)
        begun = time.perf_counter()

        async def person(first: int) -> None:
            nonlocal errors
            for question in itertools.islice(itertools.cycle(questions), first, None):
                started = time.perf_counter()
                if started - begun > seconds:
                    return
                try:
                    answered = await ask(client, question)
                except httpx2.HTTPError:
                    answered = False
                times.append(time.perf_counter() - started)
                errors += not answered

        await asyncio.gather(*(person(number * 7 % len(questions)) for number in range(people)))
        lasted = time.perf_counter() - begun
    ordered = sorted(times)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return Row(what, len(times), errors, len(times) / lasted, at(0.5), at(0.95), at(0.99))


def measure(people: int, seconds: float) -> list[Row]:
    """The rows, one after another."""
    questions = [case.question for case in read_suite().cases if case.set == "first" and not case.history]
    rows = []
    with running([str(ROOT / "app.py"), "--port", "0"]) as address:
        rows.append(asyncio.run(load("POST /api/ask", address, ask_api, questions, people, seconds)))
        chat = over_events(*asking_function(address, "question"))
        rows.append(asyncio.run(load("the chat page", address, chat, questions, people, seconds)))
    port = _free_port()
    with running(["-c", ECHO, str(port)], f"http://127.0.0.1:{port}") as address:
        echo = over_events(*asking_function(address, ""))
        rows.append(asyncio.run(load("bare Gradio echo", address, echo, questions, people, seconds)))
    return rows


def _free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def report(rows: Sequence[Row], people: int, seconds: float) -> Table:
    """The table that the benchmark prints."""
    title = f"{people} people for {seconds:g} s, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"
    table = Table(title=title)
    for heading in ("what", "answers", "errors", "per second", "p50", "p95", "p99"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for row in rows:
        times = [f"{value:.2f} s" for value in (row.p50, row.p95, row.p99)]
        table.add_row(row.what, str(row.answers), str(row.errors), f"{row.per_second:.1f}", *times)
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description="Answers for many people at once, beside a bare Gradio echo.")
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--json", action="store_true", help="print a JSON array instead of a table")
    options = parser.parse_args()
    rows = measure(options.people, options.seconds)
    if options.json:
        print(json.dumps([asdict(row) for row in rows]))
    else:
        Console(width=120).print(report(rows, options.people, options.seconds))
    return 1 if any(row.errors for row in rows[:2]) else 0


if __name__ == "__main__":
    sys.exit(main())
