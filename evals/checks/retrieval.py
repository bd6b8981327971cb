"""How well search alone finds the passages that hold the expected quotes: nDCG@10, recall@10, reciprocal rank."""

from collections.abc import Sequence
from math import log2

from assistant.language.tongue import Language
from assistant.retrieval.search import SearchIndex
from evals.checks.bench import Bench
from evals.suite.case import Asked

DEPTH = 10


def retrieval_scores(asked: Asked, language: Language, index: SearchIndex, bench: Bench) -> dict[str, float]:
    """Scores for a question whose claims stand in passages; empty for one that expects no claim or leans on history."""
    wanted = {
        (bench.corpus.article_of[id_], bench.corpus.claims[id_].quote)
        for id_ in asked.case.expect.claims
        if id_ in bench.corpus.claims
    }
    if not wanted or asked.history:
        return {}
    found = index.search(asked.question, language=language, top_k=DEPTH)
    gains = [
        [quote for quote in wanted if quote[0] == hit.passage.source_id and quote[1] in hit.passage.text]
        for hit in found
    ]
    return scores(gains, len(wanted))


def scores(gains: Sequence[Sequence[object]], wanted: int) -> dict[str, float]:
    """`gains` names, for each passage in order, the wanted things it holds; of `wanted` there are that many.

    A passage counts as relevant where it holds one that none before it held. nDCG is binary, over the first ten,
    against the best order there could be (Järvelin and Kekäläinen, 2002).
    """
    seen: set[object] = set()
    relevant: list[bool] = []
    for held in gains[:DEPTH]:
        new = set(held) - seen
        relevant.append(bool(new))
        seen |= new
    gained = sum(1 / log2(place + 2) for place, hit in enumerate(relevant) if hit)
    # One passage may hold several quotes; fewer passages than quotes are then the best there can be.
    best = sum(
        1 / log2(place + 2) for place in range(min(max(sum(relevant), wanted - len(seen) + sum(relevant)), DEPTH))
    )
    first = next((place for place, hit in enumerate(relevant) if hit), None)
    return {
        "ndcg": round(gained / best, 4) if best else 0.0,
        "recall": round(len(seen) / wanted, 4),
        "mrr": round(1 / (first + 1), 4) if first is not None else 0.0,
    }
