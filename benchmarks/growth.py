"""What growth costs: time, disk and memory at 1,000, 10,000 and 100,000 passages, and what a million would cost.

    python benchmarks/growth.py [--sizes 1000,10000,100000] [--plots docs/images] [--json FILE]

Each size is a knowledge base of its own: the real one with articles made of its sentences added (grown_corpus.py). The
vectors of the first build are drawn at random, because embedding a hundred thousand passages takes most of an hour; the
time that it would take is the measured speed of the real engine times the number of passages, and is given apart.
Searches, answers and the article that changes use the real engine. Each measurement has a process of its own, so that
its peak memory is its own. Times are wall times, with the processor time beside them where a busy machine matters.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grown_corpus import DrawnVectors, build_grown, change_an_article, grow_articles
from growth_report import print_table, write_plots
from latency import CALCULATIONS, milliseconds, percentile
from peak_memory import peak_megabytes

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.language.detection import detect_language
from assistant.retrieval.embedding import open_engine
from assistant.retrieval.passage import split_article
from assistant.settings import ROOT, Settings
from evals.cases import read_suite
from evals.scoring import question_of

SIZES = (1_000, 10_000, 100_000)
PASSAGES_PER_ARTICLE = 14.3
ROUNDS = 3
SAMPLE = 256
COMMAND = "from assistant.interfaces.command_line import main; main()"


def embedding_speed() -> dict[str, float]:
    """Passages a second of the real engine over real passages, by wall time and by processor time."""
    from assistant.knowledge.corpus import load_corpus

    passages = [
        passage for article in load_corpus(ROOT / "corpus").articles.values() for passage in split_article(article)
    ]
    texts = [passage.embedded_text for passage in passages][:SAMPLE]
    engine = open_engine()
    engine.embed_passages(texts[:8])
    wall, processor = time.perf_counter(), time.process_time()
    engine.embed_passages(texts)
    return {
        "passages_per_second": len(texts) / (time.perf_counter() - wall),
        "passages_per_processor_second": len(texts) / (time.process_time() - processor),
    }


def build(settings: Settings) -> dict[str, Any]:
    """Index without embedding: cutting, centring, words, Chroma, checking."""
    wall, processor = time.perf_counter(), time.process_time()
    manifest = build_grown(settings, DrawnVectors(open_engine()))
    return {
        "passages": manifest.passage_count,
        "statements": sum(manifest.statements.values()),
        "build_s": time.perf_counter() - wall,
        "build_processor_s": time.process_time() - processor,
        "build_mb": peak_megabytes(),
        "disk_mb": sum(path.stat().st_size for path in settings.index.rglob("*") if path.is_file()) / 1e6,
    }


def ask(settings: Settings) -> dict[str, Any]:
    """Searches and composed answers once warm, and the memory of the process that gives them."""
    cases = [case for case in read_suite().cases if case.set == "first"]
    questions = [*(question_of(case) for case in cases), *(Question(text=text) for text in CALCULATIONS)]
    opened = time.perf_counter()
    assistant = Assistant.open(settings)
    opened = time.perf_counter() - opened
    searches: list[float] = []
    answers: list[float] = []
    for turn in range(ROUNDS + 1):
        for question in questions:
            language = detect_language(question.text, question.history)
            vector = assistant.index.embed_question(question.text)
            search = milliseconds(
                assistant.index.search, question.text, language=language, top_k=10, question_vector=vector
            )
            answer = milliseconds(assistant.answer, question)
            if turn:  # the first round only warms up
                searches.append(search)
                answers.append(answer)
    return {
        "open_s": opened,
        "search_p50_ms": statistics.median(searches),
        "search_p95_ms": percentile(searches, 0.95),
        "answer_p50_ms": statistics.median(answers),
        "answer_p95_ms": percentile(answers, 0.95),
        "ask_mb": peak_megabytes(),
    }


def reindex(settings: Settings) -> dict[str, Any]:
    """`gpu-assistant index` in a new process after one article changed, the quickest of three."""
    command = [sys.executable, "-c", COMMAND, "--corpus", str(settings.corpus), "--index", str(settings.index), "index"]
    walls, processors = [], []
    for turn in range(3):
        change_an_article(settings.corpus, f"A remark of turn {turn}.")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"reindex_s": min(walls), "reindex_processor_s": min(processors)}


MEASUREMENTS = {"build": build, "ask": ask, "reindex": reindex}


def measure(size: int, scratch: Path) -> dict[str, Any]:
    """All of one size, each measurement in a process of its own."""
    settings = Settings(corpus=scratch / "corpus", index=scratch / "index", llm_model=None)
    grow_articles(settings.corpus, max(24, round(size / PASSAGES_PER_ARTICLE)))
    row: dict[str, Any] = {"size": size, "load": os.getloadavg()[0]}
    for name in MEASUREMENTS:
        ended = subprocess.run(
            [sys.executable, __file__, "--measure", name, str(scratch)], cwd=ROOT, capture_output=True, text=True
        )
        if ended.returncode:
            raise RuntimeError(f"{name} at {size}: {ended.stderr.strip()[-500:]}")
        row |= json.loads(ended.stdout.splitlines()[-1])
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure what growth costs.")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of passages, with commas")
    parser.add_argument("--plots", type=Path, help="folder to write growth-*.svg to")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        name, scratch = options.measure
        settings = Settings(
            corpus=Path(scratch) / "corpus", index=Path(scratch) / "index", llm_model=None, cache_size=0
        )
        print(json.dumps(MEASUREMENTS[name](settings)))
        return
    rows = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            rows.append(measure(size, Path(scratch)))
    figures = {"embedding": embedding_speed(), "sizes": rows}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    print_table(figures)
    if options.plots:
        write_plots(figures, options.plots)


if __name__ == "__main__":
    main()
