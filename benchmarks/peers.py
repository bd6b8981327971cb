"""Side by side: this product, plain LangChain with Chroma, LlamaIndex and Haystack, on one corpus with one model.

    python benchmarks/peers.py --venvs FOLDER [--questions 60]

FOLDER holds virtual environments `langchain`, `llamaindex` and `haystack`, which see this one's packages by a file of
theirs that names its folder of packages (site-packages/shared.pth); the benchmark says what to install in those that
are missing. Every peer is set up as its own documentation says, with sentence-transformers and the
weights of this product unpacked into a directory, so that all embed alike; each runs in a process of its own
(peers_run.py). The corpus is the knowledge base's own articles, cut into the same passages for all. What is asked for
is a claim, said in each of the four languages; to be found is the passage that it was taken from, in the language
asked or in another. Recall counts how often that passage is among the first ten.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from unpacked_model import unpack

from assistant.knowledge.corpus import load_corpus
from assistant.language.tongue import LANGUAGES
from assistant.retrieval.passage import split_article
from assistant.settings import ROOT

RUN = ROOT / "benchmarks" / "peers_run.py"
PEERS = {
    "gpu-assistant": None,
    "langchain": "pip install langchain-huggingface",
    "llamaindex": "pip install llama-index-core llama-index-embeddings-huggingface llama-index-vector-stores-chroma",
    "haystack": "pip install haystack-ai chroma-haystack sentence-transformers-haystack",
}
ROWS = (
    ("cold_s", "start: imports, open the index, one question", "s"),
    ("cold_processor_s", "  processor time", "s"),
    ("index_s", "index", "s"),
    ("index_processor_s", "  processor time", "s"),
    ("disk_mb", "disk", "MB"),
    ("memory_mb", "peak memory while searching", "MB"),
    ("p50_ms", "search, p50", "ms"),
    ("p95_ms", "search, p95", "ms"),
    ("search_processor_ms", "  processor time, mean", "ms"),
    ("same", "recall@10, passage in the question's language", ""),
    ("across", "recall@10, passage in another language only", ""),
)


def write_data(folder: Path, questions: int) -> None:
    """Passages and questions as files. A question is a claim's statement; its answer is the passage of the quote."""
    corpus = load_corpus(ROOT / "corpus")
    passages = [passage for article in corpus.articles.values() for passage in split_article(article)]
    rows = [
        {"id": one.id, "source": one.source_id, "language": one.language, "text": one.embedded_text,
         "article": corpus.articles[one.source_id].model_dump(mode="json")} for one in passages
    ]  # fmt: skip
    asked = []
    claims = list(corpus.claims.values())
    for number in range(questions):
        claim = claims[number * len(claims) // questions]
        holding = [one for one in passages if one.source_id == corpus.article_of[claim.id] and claim.quote in one.text]
        asked += [
            {
                "text": claim.statement.in_language(language),
                "language": language,
                "passage": one.id,
                "held": one.language,
            }
            for one in holding[:1]
            for language in LANGUAGES
        ]
    (folder / "passages.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")


def run(peer: str, python: str, folder: Path) -> dict[str, Any]:
    """Index and search in a new process each."""
    row: dict[str, Any] = {}
    for step in ("index", "cold", "search"):
        command = [python, str(RUN), peer, step, str(folder)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if ended.returncode:
            raise RuntimeError(f"{peer} {step}: {ended.stderr.strip()[-800:]}")
        row |= json.loads(ended.stdout.splitlines()[-1])
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description="This product beside its peers.")
    parser.add_argument("--venvs", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        write_data(folder, options.questions)
        unpack(folder / "model")
        for peer, install in PEERS.items():
            python = str(options.venvs / peer / "bin" / "python") if install else sys.executable
            if install and not Path(python).is_file():
                print(f"{peer} is left out; make {options.venvs / peer} and in it: {install}")
                continue
            try:
                results[peer] = run(peer, python, folder)
            except RuntimeError as error:
                print(f"{peer} is left out: {error}")
    table = Table(title=f"{options.questions} statements in four languages each, load {os.getloadavg()[0]:.1f}")
    table.add_column("what")
    for peer in results:
        table.add_column(peer, justify="right")
    for key, what, unit in ROWS:
        table.add_row(
            what, *(f"{row[key]:,.{0 if row[key] >= 100 else 2}f} {unit}".strip() for row in results.values())
        )
    Console(width=140).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
