"""Kills builds of an index at many points, and tells what is left after each: run by test_faults.py in its own process.

    python tests/kill_points.py FOLDER POINTS

A child is forked for each build, because threads of an engine don't survive a fork; so vectors are made from hashes
here. At the n-th call of a function of the product's own retrieval code the child ends itself with SIGKILL.
"""

import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from assistant.errors import AssistantError
from assistant.knowledge.article import Article
from assistant.retrieval.index import build_index, open_index
from assistant.retrieval.vectors import FloatArray, unit_vectors

OWN_CODE = str(Path("assistant") / "retrieval")


class HashedVectors:
    """Vectors that follow from a text alone."""

    identity, dimension = "hashed", 32

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        return unit_vectors([np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds])


def articles(version: int) -> list[Article]:
    return [
        Article(id=f"a{n}", title="Cards", language="en", kind="guide", body=f"Version {version} of card {n}.\n")
        for n in range(4)
    ]


def build(folder: Path, version: int) -> None:
    build_index(articles(version), HashedVectors(), folder, corpus_hash=str(version))


def what_is_told(folder: Path) -> str:
    """The version that the manifest names, where every passage is of that version; otherwise what is wrong."""
    try:
        index = open_index(folder, HashedVectors())
    except AssistantError as error:
        return str(error)
    texts = [result.passage.text for result in index.search("card", language="en", top_k=50)]
    version = index.manifest.corpus_hash
    whole = len(texts) == 4 and all(text.startswith(f"Version {version} ") for text in texts)
    return version if whole else f"{version} with {texts}"


def in_child(work: Callable[[], Any]) -> tuple[int, str]:
    """Do it in a fork; returns the signal that ended it, or 0, and what it returned as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, str(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        text = told.read()
    return os.WTERMSIG(os.waitpid(child, 0)[1]), text


def counting(work: Callable[[], None], stop_at: int = 0) -> int:
    """How many own functions a piece of work calls; at the call with number `stop_at` the process is killed."""
    calls = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call" and OWN_CODE in frame.f_code.co_filename:
            calls += 1
            if calls == stop_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)
    work()
    sys.setprofile(None)
    return calls


def main() -> None:
    import chromadb  # noqa: F401 (once, before the forks)

    folder, points = Path(sys.argv[1]), int(sys.argv[2])
    in_child(lambda: build(folder, 0))
    calls = int(in_child(lambda: counting(lambda: build(folder, 1)))[1])
    before = in_child(lambda: what_is_told(folder))[1]
    for point in range(points):
        # Half of the points lie in the last quarter, where the new build is put in use.
        share = (point + 1) / points
        stop_at = max(1, round(calls * (share if point < points // 2 else (1 + share) / 2)))
        version = point + 2
        ended_by, _ = in_child(
            lambda stop_at=stop_at, version=version: counting(lambda: build(folder, version), stop_at)
        )
        after = in_child(lambda: what_is_told(folder))[1]
        sys.stdout.write(
            json.dumps({"point": stop_at, "signal": ended_by, "before": before, "new": str(version), "after": after})
            + "\n"
        )
        before = after
    in_child(lambda: build(folder, 99))
    builds = len(list((folder / "builds").iterdir()))
    sys.stdout.write(json.dumps({"last": in_child(lambda: what_is_told(folder))[1], "builds": builds}) + "\n")


if __name__ == "__main__":
    main()
