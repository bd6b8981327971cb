"""How long answers take and how much memory they need on this machine, against the budgets of docs/performance.md.

    python benchmarks/latency.py [--check] [--json]

Measured one after another: `gpu-assistant ask` in new processes, retrieval and composed answers in a warm one, and the
start of the chat. Beside it, in the same run, the obvious alternative: LangChain's Chroma over the same passages with
the same engine and raw cosine, which finds passages and answers nothing. Needs an index (`gpu-assistant index`), and
for the last row Debian's chromium. Figures of a busy machine say little; the ratios say more.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from plain_chroma import FOUND, fill, open_store
from rich.console import Console
from rich.table import Table

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from assistant.retrieval.embedding import load_engine
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.passage import split_article
from assistant.settings import ROOT, Settings
from evals.cases import read_suite
from evals.scoring import question_of

COLD_RUNS = 5
WARM_ROUNDS = 3
START_RUNS = 3
START_LIMIT_S = 60
COLD_QUESTION = "How much memory does the MI355X have, and what does a B200 cost per hour?"
CALCULATIONS = (
    "Past Llama 3.3 70B in 4-bit op één H100 SXM?",
    "Kan jeg køre Llama 3.3 70B på to H100 SXM?",
    "两张 H100 SXM 能放下 Llama 3.3 70B 吗？",
    "What do 8 H100 SXM cost for 100 hours?",
    "Compare the H200 with the MI325X",
)
# A process counts the memory of the one that it was forked from, so a small one stands between.
LAUNCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
COMMAND = "from assistant.interfaces.command_line import main; main()"
CHROMIUM_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                  "--disable-background-networking", "--disable-component-update", "--disable-sync")  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of the report. `budget` and `alternative` are None where there is none; all in `unit`."""

    what: str
    unit: str
    measured: float
    budget: float | None = None
    alternative: float | None = None

    @property
    def is_met(self) -> bool:
        return self.budget is None or self.measured <= self.budget


@dataclass(frozen=True)
class ColdRun:
    """Wall time and peak memory of a process."""

    seconds: float
    megabytes: float


def cold_run(arguments: Sequence[str]) -> ColdRun:
    """Run a command to its end. Raises CalledProcessError where it fails."""
    ended = subprocess.run(
        [sys.executable, "-c", LAUNCHER, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seconds, kilobytes = ended.stdout.split()
    return ColdRun(float(seconds), int(kilobytes) / 1000)


def median_of(runs: Sequence[ColdRun]) -> ColdRun:
    return ColdRun(statistics.median(r.seconds for r in runs), statistics.median(r.megabytes for r in runs))


def cold_rows(plain_directory: Path) -> list[Row]:
    """One question in a new process each time, by turns with the alternative. The first turn isn't counted."""
    ask = [sys.executable, "-c", COMMAND, "ask", "--no-llm", COLD_QUESTION]
    plain = [sys.executable, str(ROOT / "benchmarks" / "plain_chroma.py"), str(plain_directory), COLD_QUESTION]
    turns = [(cold_run(ask), cold_run(plain)) for _ in range(COLD_RUNS + 1)][1:]
    own, other = median_of([turn[0] for turn in turns]), median_of([turn[1] for turn in turns])
    return [
        Row("gpu-assistant ask, from cold", "s", own.seconds, 2.5, other.seconds),
        Row("its peak memory", "MB", own.megabytes, 350, other.megabytes),
    ]


def milliseconds(call: Callable[..., object], *arguments: Any, **named: Any) -> float:
    start = time.perf_counter()
    call(*arguments, **named)
    return (time.perf_counter() - start) * 1000


def percentile(times: Sequence[float], share: float) -> float:
    """The smallest time that `share` of the times don't exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]


def warm_rows(
    assistant: Assistant, engine: EmbeddingEngine, questions: Sequence[Question], plain_directory: Path
) -> list[Row]:
    """Embedding, retrieval, the alternative's retrieval and whole answers, one after the other for each question."""
    store = open_store(plain_directory, engine)
    languages: dict[str, Language] = {one.text: detect_language(one.text, one.history) for one in questions}
    embedding: list[float] = []
    retrieval: list[float] = []
    alternative: list[float] = []
    answers: list[float] = []
    for round_ in range(WARM_ROUNDS + 1):
        for question in questions:
            text, language = question.text, languages[question.text]
            times = (
                milliseconds(engine.embed_queries, [text]),
                milliseconds(assistant.index.search, text, language=language, top_k=FOUND),
                milliseconds(store.similarity_search, text, k=FOUND),
                milliseconds(assistant.answer, question),
            )
            if round_:  # the first round only warms up
                for kept, one in zip((embedding, retrieval, alternative, answers), times, strict=True):
                    kept.append(one)
    middle = statistics.median(embedding)
    return [
        Row("embedding a question alone, p50", "ms", middle),
        Row("retrieval once warm, embedding included, p50", "ms", statistics.median(retrieval), None,
            statistics.median(alternative)),
        Row("  against embedding alone, p50", "×", statistics.median(retrieval) / middle, 1.5,
            statistics.median(alternative) / middle),
        Row("  p95", "ms", percentile(retrieval, 0.95), None, percentile(alternative, 0.95)),
        Row("composed answer once warm, p50", "ms", statistics.median(answers), 60),
        Row("  p95", "ms", percentile(answers, 0.95), 150),
    ]  # fmt: skip


def started() -> float:
    """Seconds from `python app.py` until the question can be typed; until the page is sent, without chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return _until(_fetch)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM_FLAGS))
        page = browser.new_page()

        def type_a_question(address: str) -> None:
            page.goto(address)
            page.locator("#question textarea").fill(COLD_QUESTION, timeout=START_LIMIT_S * 1000)

        seconds = _until(type_a_question)
        browser.close()
    return seconds


def _fetch(address: str) -> None:
    import httpx2

    httpx2.get(address, timeout=START_LIMIT_S).raise_for_status()


def _until(ready: Callable[[str], None]) -> float:
    """Seconds from starting the chat until `ready` returns; its address is what the chat prints."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "app.py"), "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = next((found[0] for line in process.stdout if (found := re.search(r"http://[^\s]+", line))), None)
        if address is None:
            raise RuntimeError("the chat ended before it said where it is")
        ready(address)
        return time.perf_counter() - start
    finally:
        process.terminate()
        process.wait(timeout=START_LIMIT_S)


def start_rows() -> list[Row]:
    what = "question can be typed" if shutil.which("chromium") else "page is sent (no chromium here)"
    seconds = statistics.median(started() for _ in range(START_RUNS))
    return [Row(f"python app.py until the {what}", "s", seconds, 6)]


def report(rows: Sequence[Row], questions: int) -> Table:
    """The table that the benchmark prints."""
    table = Table(title=f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {questions} questions")
    table.add_column("what")
    for heading in ("budget", "measured", "of budget", "LangChain + Chroma", "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.what,
            "" if row.budget is None else f"{row.budget:g} {row.unit}",
            f"{row.measured:.3g} {row.unit}",
            "" if row.budget is None else f"{row.measured / row.budget:.0%}{'' if row.is_met else ' missed'}",
            "" if row.alternative is None else f"{row.alternative:.3g} {row.unit}",
            "" if row.alternative is None else f"{row.measured / row.alternative:.2f}",
        )
    return table


def measure(settings: Settings) -> tuple[list[Row], int]:
    """All rows, and the number of questions asked once warm."""
    cases = [case for case in read_suite().cases if case.set == "first"]
    questions = [*(question_of(case) for case in cases), *(Question(text=text) for text in CALCULATIONS)]
    engine = load_engine(settings)
    assistant = Assistant.open(settings)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        plain_directory = Path(scratch) / "plain"
        passages = [passage for article in assistant.corpus.articles.values() for passage in split_article(article)]
        fill(open_store(plain_directory, engine), passages)
        rows = [
            *cold_rows(plain_directory),
            *warm_rows(assistant, engine, questions, plain_directory),
            *start_rows(),
        ]
    return rows, len(questions)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure start, retrieval, answers and memory.")
    parser.add_argument("--check", action="store_true", help="exit status 1 where a budget is missed")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of a table")
    options = parser.parse_args()
    rows, questions = measure(Settings().model_copy(update={"llm_model": None, "cache_size": 0}))
    if options.json:
        print(json.dumps({"load": os.getloadavg()[0], "rows": [asdict(row) for row in rows]}, ensure_ascii=False))
    else:
        Console(width=120).print(report(rows, questions))
    return 1 if options.check and not all(row.is_met for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
