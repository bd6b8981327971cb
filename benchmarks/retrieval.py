"""How well a question finds its paragraph in its own language and in the others, in one index of all languages.

    python benchmarks/retrieval.py ../shared/benchmarks/xquad

The folder holds question sets in SQuAD's JSON format, one file a language, named SOMETHING.<language>.json; questions
with the same id are translations of each other. All paragraphs go into one index. For each question, nDCG@10 of

- its paragraph in its own language, with the translations left in the index, and
- its paragraph in each other language, with the translations in all remaining languages taken out of the ranking.

The alternative measured beside it is the usual one: LangChain's Chroma with the same engine and raw cosine.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assistant.knowledge.article import Article
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.index import build_index, open_index
from assistant.retrieval.vectors import FloatArray

DEPTH = 10
FETCHED = 120

Ranking = Callable[[str, Language, FloatArray], list[str]]
"""Paragraph ids, best first, for a question, its language and its vector."""


@dataclass
class QuestionSet:
    """Paragraphs and questions of one language; `paragraph_of` maps question ids to paragraph ids."""

    language: Language
    paragraphs: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    paragraph_of: dict[str, str] = field(default_factory=dict)


def read_question_set(path: Path, language: Language) -> QuestionSet:
    """Read one file in SQuAD's format."""
    found = QuestionSet(language)
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            paragraph_id = f"{language}-{len(found.paragraphs)}"
            found.paragraphs[paragraph_id] = paragraph["context"]
            for question in paragraph["qas"]:
                found.questions[question["id"]] = question["question"]
                found.paragraph_of[question["id"]] = paragraph_id
    return found


def read_question_sets(directory: Path) -> list[QuestionSet]:
    """All languages' sets in a folder."""
    return [
        read_question_set(path, language)
        for language in LANGUAGES
        for path in sorted(directory.glob(f"*.{language}.json"))
    ]


def product_ranking(sets: Sequence[QuestionSet], engine: EmbeddingEngine, directory: Path) -> Ranking:
    """The product's index, one article a paragraph, and its search."""
    articles = [
        Article(id=paragraph_id, title=paragraph_id, language=one.language, kind="dataset", body=f"{text.strip()}\n")
        for one in sets
        for paragraph_id, text in one.paragraphs.items()
    ]
    build_index(articles, engine, directory)
    index = open_index(directory, engine)

    def rank(question: str, language: Language, vector: FloatArray) -> list[str]:
        found = index.search(question, language=language, top_k=FETCHED, question_vector=vector)
        return list(dict.fromkeys(result.passage.source_id for result in found))

    return rank


def plain_ranking(sets: Sequence[QuestionSet], engine: EmbeddingEngine, directory: Path) -> Ranking:
    """LangChain's Chroma over the same paragraphs, ranked by cosine."""
    from plain_chroma import open_store

    store = open_store(directory, engine)
    for one in sets:
        store.add_texts(list(one.paragraphs.values()), ids=list(one.paragraphs))

    def rank(_: str, __: Language, vector: FloatArray) -> list[str]:
        found = store.similarity_search_by_vector(vector.tolist(), k=FETCHED)
        return [document.id or "" for document in found]

    return rank


def ndcg(ranking: Sequence[str], relevant: str, removed: set[str]) -> float:
    """nDCG@10 with one relevant paragraph."""
    kept = [paragraph_id for paragraph_id in ranking if paragraph_id not in removed][:DEPTH]
    return 1 / log2(kept.index(relevant) + 2) if relevant in kept else 0.0


@dataclass
class Measured:
    """Mean nDCG@10 by language of the question and of the paragraph, and seconds a search."""

    scores: dict[tuple[Language, Language], float]
    seconds: float


def measure(sets: Sequence[QuestionSet], vectors: dict[tuple[Language, str], FloatArray], rank: Ranking) -> Measured:
    """Ask all questions of all sets."""
    scores: dict[tuple[Language, Language], list[float]] = {}
    times: list[float] = []
    for asked in sets:
        for question_id, question in asked.questions.items():
            start = time.perf_counter()
            ranking = rank(question, asked.language, vectors[asked.language, question_id])
            times.append(time.perf_counter() - start)
            twins = {one.language: one.paragraph_of[question_id] for one in sets if question_id in one.paragraph_of}
            for language, paragraph in twins.items():
                removed = set() if language == asked.language else set(twins.values()) - {paragraph}
                scores.setdefault((asked.language, language), []).append(ndcg(ranking, paragraph, removed))
    means = {pair: statistics.fmean(values) for pair, values in scores.items()}
    return Measured(means, statistics.median(times))


def embed_questions(
    sets: Sequence[QuestionSet], engine: EmbeddingEngine
) -> tuple[dict[tuple[Language, str], FloatArray], float]:
    """Vectors of all questions, and the median seconds that one takes."""
    vectors: dict[tuple[Language, str], FloatArray] = {}
    times: list[float] = []
    for one in sets:
        for question_id, question in one.questions.items():
            start = time.perf_counter()
            vectors[one.language, question_id] = engine.embed_queries([question])[0]
            times.append(time.perf_counter() - start)
    return vectors, statistics.median(times)


def report(product: Measured, plain: Measured, embedding_seconds: float) -> Table:
    """The table that the benchmark prints."""
    table = Table(title="nDCG@10 in one index of all languages")
    for heading in ("question", "paragraph", "this product", "LangChain + Chroma, raw cosine"):
        table.add_column(heading, justify="right" if heading not in ("question", "paragraph") else "left")
    for (asked, held), score in sorted(product.scores.items(), key=lambda item: (item[0][0] != item[0][1], item[0])):
        table.add_row(asked, held, f"{score:.3f}", f"{plain.scores[asked, held]:.3f}")
    table.add_section()
    ratios = [f"{1 + one.seconds / embedding_seconds:.2f} ×" for one in (product, plain)]
    table.add_row("search, embedding included, p50", "", *ratios)
    table.caption = f"× the {embedding_seconds * 1000:.1f} ms that embedding a question takes alone"
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure retrieval across languages.")
    parser.add_argument("directory", type=Path, help="folder with SOMETHING.<language>.json in SQuAD's format")
    parser.add_argument("--engine", default=BUNDLED, help="embedding model, as in ASSISTANT_EMBEDDING_MODEL")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of a table")
    options = parser.parse_args()
    sets = read_question_sets(options.directory)
    if not sets:
        print(f"{options.directory} holds no SOMETHING.<language>.json.", file=sys.stderr)
        return 2
    engine = open_engine(options.engine)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        vectors, embedding_seconds = embed_questions(sets, engine)
        product = measure(sets, vectors, product_ranking(sets, engine, Path(scratch) / "product"))
        plain = measure(sets, vectors, plain_ranking(sets, engine, Path(scratch) / "plain"))
    if options.json:
        named = {"product": product, "plain": plain}
        print(
            json.dumps(
                {
                    name: {f"{asked}>{held}": round(score, 4) for (asked, held), score in one.scores.items()}
                    for name, one in named.items()
                }
            )
        )
    else:
        Console(width=100).print(report(product, plain, embedding_seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
