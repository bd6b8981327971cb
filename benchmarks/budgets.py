"""Budgets that latency.py doesn't measure: one changed article, a hundred times the passages, a model's first words.

    python benchmarks/budgets.py [--check] [--small]

Re-indexing is `gpu-assistant index` in a new process, on the real knowledge base grown to 1,000 articles
(grown_corpus.py). Search is compared between 1,000 and 100,000 passages, which takes half an hour to build; `--small`
compares with 10,000. The time to the first words with a language model is taken with an endpoint in this process that
says its first sentence at once: from the moment it has been asked until the verified sentence is told, and from the
question until the endpoint is asked, both on top of what a model takes itself.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from grown_corpus import DrawnVectors, build_grown, grow_articles
from growth import measure, reindex
from latency import Row, report
from rich.console import Console

from assistant.answering.assistant import Assistant
from assistant.answering.events import TextVerified
from assistant.answering.evidence import Question
from assistant.retrieval.embedding import open_engine
from assistant.settings import Settings
from evals.adversary.scripted_endpoint import Reply, scripted_endpoint

ARTICLES = 1_000
ASKED = 20
QUESTION = "What is the memory bandwidth of the H100 SXM?"
SAID = "The H100 SXM reaches 3.35 TB/s of memory bandwidth."


def reindex_rows() -> list[Row]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        settings = Settings(corpus=Path(scratch) / "corpus", index=Path(scratch) / "index", llm_model=None)
        grow_articles(settings.corpus, ARTICLES)
        build_grown(settings, DrawnVectors(open_engine()))
        taken = reindex(settings)
    return [
        Row(f"re-index after one article changed, of {ARTICLES:,}", "s", taken["reindex_s"], 3),
        Row("  its processor time", "s", taken["reindex_processor_s"]),
    ]


def search_rows(sizes: tuple[int, int]) -> list[Row]:
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            measured.append(measure(size, Path(scratch)))
    small, large = (row["search_p95_ms"] for row in measured)
    return [
        Row(f"search p95 at {sizes[0]:,} passages", "ms", small),
        Row(f"search p95 at {sizes[1]:,} passages", "ms", large),
        Row("  against each other", "×", large / small, 2),
    ]


def first_words_rows() -> list[Row]:
    """Medians of what the product adds before and after the model's own time."""
    before, after = [], []
    with scripted_endpoint() as endpoint:
        settings = Settings(llm_model="scripted-model", OPENAI_BASE_URL=endpoint.url)  # type: ignore[call-arg]
        assistant = Assistant.open(settings)
        for _ in range(ASKED):
            asked: list[float] = []

            def script(_: list[dict[str, object]], asked: list[float] = asked) -> Reply:
                asked.append(time.perf_counter())
                return Reply(f"{SAID} It has 80 GB.", chunk=10_000)

            endpoint.script = script
            start = time.perf_counter()
            for event in assistant.stream(Question(text=QUESTION)):
                if isinstance(event, TextVerified):
                    after.append((time.perf_counter() - asked[0]) * 1000)
                    before.append((asked[0] - start) * 1000)
                    break
    whole = [a + b for a, b in zip(before[1:], after[1:], strict=True)]
    return [
        Row("question to endpoint, p50", "ms", statistics.median(before[1:])),
        Row("endpoint's first sentence to the screen, p50", "ms", statistics.median(after[1:])),
        Row("first words, above the model's own time, p50", "ms", statistics.median(whole), 100),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure re-indexing, growth of search, and first words.")
    parser.add_argument("--check", action="store_true", help="exit status 1 where a budget is missed")
    parser.add_argument("--small", action="store_true", help="compare with 10,000 passages instead of 100,000")
    options = parser.parse_args()
    rows = [*first_words_rows(), *reindex_rows(), *search_rows((1_000, 10_000 if options.small else 100_000))]
    Console(width=120).print(report(rows, ASKED))
    print(f"load {os.getloadavg()[0]:.1f}")
    return 1 if options.check and not all(row.is_met for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
