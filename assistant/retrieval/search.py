"""Searching an open index: meaning and words in common, in all languages at once."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from assistant.errors import IndexUnavailable
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.centring import Centres
from assistant.retrieval.collections import Content, VectorsSilent, VectorStore
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.fusion import excess_coverage, fused_scores
from assistant.retrieval.lexical import CoverageIndex, LexicalQuery, lexical_query
from assistant.retrieval.manifest import REBUILD, Manifest
from assistant.retrieval.passage import Passage
from assistant.retrieval.reranking import MAX_RERANKED, Reranker
from assistant.retrieval.shelf import KeyedRows, PassageStore, read_ids, read_vectors, read_words
from assistant.retrieval.vectors import FloatArray

CANDIDATES = 40
"""Passages taken from each leg of each language; more than any answer reads."""
MAX_RESULTS = 200
CONSIDERED = 3
"""Candidates looked at for each result, so that other articles can take the place of repeats."""
REPEAT_PENALTY = 0.5
"""Standard deviations that a passage loses for each better one of its article."""

Rows = npt.NDArray[np.int64]


class SearchResult(BaseModel):
    """A passage found, with what speaks for it. Results are comparable within one question only."""

    model_config = ConfigDict(frozen=True)

    passage: Passage
    score: float
    """In standard deviations of its language's cosines with the question; with a reranker, the reranker's score."""
    cosine: float
    """Cosine of the centred vectors, -1 to 1; around 0 for what is unrelated."""
    coverage: float
    """Share of the question's information that stands literally in the passage, 0 to 1."""


@dataclass(frozen=True)
class _Shelf:
    """The passages of one language."""

    language: Language
    store: PassageStore
    rows: KeyedRows
    vectors: FloatArray
    words: CoverageIndex


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row of a shelf and what speaks for it."""

    score: float
    shelf: _Shelf
    row: int
    cosine: float
    coverage: float


@dataclass(frozen=True)
class _Literal:
    """What of a question stands literally in the passages of a language; `best` are the rows with most of it."""

    coverage: FloatArray
    excess: FloatArray
    names: FloatArray
    best: Rows

    @classmethod
    def of(cls, shelf: _Shelf, query: LexicalQuery, depth: int) -> "_Literal":
        coverage, names = shelf.words.coverage(query), shelf.words.name_coverage(query)
        excess = excess_coverage(coverage)
        # Of many passages with the same names, those with more of the other words.
        best = np.concatenate([_best(excess, depth), _best(names * (1 + coverage), depth)])
        return cls(coverage, excess, names, best)


@dataclass(frozen=True)
class _StatementShelf:
    """The claim statements in one language."""

    language: Language
    ids: list[str]
    rows: KeyedRows
    vectors: FloatArray
    words: CoverageIndex

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each statement, by its id."""
        return {id_: row for row, id_ in enumerate(self.ids)}

    def rows_of(self, ids: Sequence[str]) -> Rows:
        return np.fromiter((self.places[id_] for id_ in ids), dtype=np.int64, count=len(ids))


class SearchIndex:
    """An open index. Safe to use from several threads; sees only the build that it was opened on."""

    def __init__(
        self,
        manifest: Manifest,
        engine: EmbeddingEngine,
        store: VectorStore,
        shelves: Sequence[_Shelf],
        centres: Centres,
        statements: dict[Language, _StatementShelf],
        statement_centres: Centres | None,
    ) -> None:
        self.manifest = manifest
        self._engine = engine
        self._store = store
        self._shelves = tuple(shelves)
        self._centres = centres
        self._statements = statements
        self._statement_centres = statement_centres
        self._threads = ThreadPoolExecutor(max_workers=len(LANGUAGES), thread_name_prefix="search")

    @classmethod
    def open(cls, build: Path, manifest: Manifest, engine: EmbeddingEngine, store: VectorStore) -> "SearchIndex":
        """Open a build, with its store. Raises IndexUnavailable where a part of it is missing or damaged."""
        try:
            shelves = []
            for language, count in manifest.passages.items():
                store.open("passages", language, count)
                stem = build / f"passages-{language}"
                keys, words = read_words(stem, count)
                rows = KeyedRows.of(keys)
                shelves.append(_Shelf(language, PassageStore.load(stem), rows, read_vectors(stem), words))
            statements = {}
            for language, count in manifest.statements.items():
                store.open("statements", language, count)
                stem = build / f"statements-{language}"
                ids = read_ids(stem.with_suffix(".json"))
                keys, words = read_words(stem, count)
                rows = KeyedRows.of(keys)
                statements[language] = _StatementShelf(language, ids, rows, read_vectors(stem), words)
            centres = Centres.load(build / "passages.centres.npz")
            statement_centres = Centres.load(build / "statements.centres.npz") if statements else None
        except (OSError, ValueError, KeyError, EOFError) as error:
            store.close()
            raise IndexUnavailable(f"The index in {build.parent.parent} is damaged: {error}", REBUILD) from error
        except IndexUnavailable:
            store.close()
            raise
        return cls(manifest, engine, store, shelves, centres, statements, statement_centres)

    def embed_question(self, question: str) -> FloatArray:
        """The engine's vector of a question, shape (dimension,); give it to the methods below to embed only once."""
        vector: FloatArray = self._engine.embed_queries([question])[0]
        return vector

    def search(
        self,
        question: str,
        *,
        language: Language,
        top_k: int = 10,
        question_vector: FloatArray | None = None,
        reranker: Reranker | None = None,
    ) -> list[SearchResult]:
        """The passages that fit a question best, whatever language they are in; `language` is the question's.

        None where it holds no letter or digit: every passage is as near to nothing as any other.
        """
        top_k = min(top_k, MAX_RESULTS)
        if top_k < 1 or not any(sign.isalnum() for sign in question):
            return []
        vector = self.embed_question(question) if question_vector is None else question_vector
        centred = self._centres.centred_question(vector, language)
        depth = max(CANDIDATES, top_k)
        nearest = [
            self._threads.submit(self._nearest, "passages", shelf, centred, min(depth, len(shelf.store)))
            for shelf in self._shelves
        ]
        # Words are looked up while Chroma's threads work.
        query = lexical_query(question)
        literal = [_Literal.of(shelf, query, depth) for shelf in self._shelves]
        found = [
            candidate
            for shelf, near, words in zip(self._shelves, nearest, literal, strict=True)
            for candidate in self._scored(shelf, language, centred, near.result(), words)
        ]
        found.sort(key=lambda candidate: candidate.score, reverse=True)
        keep = max(top_k * CONSIDERED, MAX_RERANKED) if reranker else top_k * CONSIDERED
        results = [
            SearchResult(passage=one.shelf.store[one.row], score=one.score, cosine=one.cosine, coverage=one.coverage)
            for one in found[:keep]
        ]
        ordered = _reranked(results[:MAX_RERANKED], question, reranker) if reranker else _over_sources(results)
        return ordered[:top_k]

    def _scored(
        self,
        shelf: _Shelf,
        asked: Language,
        centred: FloatArray,
        nearest: tuple[Rows, FloatArray],
        literal: "_Literal",
    ) -> "list[_Candidate]":
        """The best passages of a language by any leg, with their scores."""
        rows, cosines = nearest
        others = np.setdiff1d(literal.best, rows)
        if len(others):
            rows = np.concatenate([rows, others])
            cosines = np.concatenate([cosines, shelf.vectors[others] @ centred])
        mean, deviation = self._centres.spread(centred, asked, shelf.language)
        scores = fused_scores((cosines - mean) / deviation, literal.excess[rows], literal.names[rows])
        coverages = literal.coverage[rows]
        return [
            _Candidate(score, shelf, row, cosine, coverage)
            for score, row, cosine, coverage in zip(
                scores.tolist(), rows.tolist(), cosines.tolist(), coverages.tolist(), strict=True
            )
        ]

    def _nearest(
        self, content: Content, shelf: "_Shelf | _StatementShelf", centred: FloatArray, count: int
    ) -> tuple[Rows, FloatArray]:
        """Rows of a shelf that are nearest, nearest first, and their cosines.

        All are compared where the store doesn't answer. Cosines are worked out here, so that they are the same to the
        last digit wherever the rows come from.
        """
        try:
            keys, _ = self._store.nearest(content, shelf.language, centred, count)
            rows = shelf.rows.rows(keys)
        except VectorsSilent:
            every = shelf.vectors @ centred
            rows = np.argpartition(-every, count - 1)[:count]
        rows = np.sort(rows)
        cosines = shelf.vectors[rows] @ centred
        order = np.argsort(-cosines, kind="stable")
        return rows[order], cosines[order]

    def nearest_statements(
        self, question_vector: FloatArray, language: Language, top_k: int
    ) -> list[tuple[str, float]]:
        """Claim ids whose statements are nearest in meaning, nearest first, in standard deviations above the mean.

        Half of a score is the statement in the question's language, half its mean over all languages: what a wording
        happens to be like in one of them weighs less, so that a question finds the same in each.
        """
        shelf = self._statements.get(language)
        if shelf is None or self._statement_centres is None:
            return []
        centres = self._statement_centres
        centred = centres.centred_question(question_vector, language)
        rows, _ = self._nearest("statements", shelf, centred, min(top_k, len(shelf.ids)))
        ids = [shelf.ids[row] for row in rows]
        spread = {other: centres.spread(centred, language, other) for other in self._statements}
        scores = {
            other: (held.vectors[held.rows_of(ids)] @ centred - spread[other][0]) / spread[other][1]
            for other, held in self._statements.items()
        }
        together = (scores[language] + np.mean(list(scores.values()), axis=0)) / 2
        return [(ids[place], float(together[place])) for place in np.argsort(-together, kind="stable")]

    def restatements(self, ids: Sequence[str], nearness: float) -> dict[str, frozenset[str]]:
        """Which of these statements say much the same: those at least this near to each other, by id.

        `nearness` is the cosine of their centred vectors, on average over the languages, so no question and no one
        language decides; ids that aren't of statements have none.
        """
        held = [id_ for id_ in ids if all(id_ in shelf.places for shelf in self._statements.values())]
        if not held or not self._statements:
            return {}
        vectors = [shelf.vectors[shelf.rows_of(held)] for shelf in self._statements.values()]
        near = np.mean([rows @ rows.T for rows in vectors], axis=0) >= nearness
        return {id_: frozenset(held[place] for place in np.flatnonzero(near[row])) for row, id_ in enumerate(held)}

    def lexical_statements(self, question: str, language: Language, top_k: int) -> list[tuple[str, float]]:
        """Claim ids whose statement holds most of the question's information literally, with that share, 0 to 1."""
        shelf = self._statements.get(language)
        if shelf is None:
            return []
        coverage = shelf.words.coverage(lexical_query(question))
        return [(shelf.ids[row], float(coverage[row])) for row in _best(coverage, top_k)]

    def close(self) -> None:
        self._threads.shutdown(wait=True)
        self._store.close()


def _best(values: FloatArray, count: int) -> Rows:
    """Rows with the highest values, best first, none without any."""
    rows = np.flatnonzero(values)
    if len(rows) > count:
        rows = rows[np.argpartition(values[rows], len(rows) - count)[len(rows) - count :]]
    best: Rows = rows[np.argsort(-values[rows], kind="stable")]
    return best


def _over_sources(results: Sequence[SearchResult]) -> list[SearchResult]:
    """The results with each further passage of an article held back a little, so that more articles have a say."""
    before: Counter[str] = Counter()
    held_back = []
    for result in results:
        penalty = REPEAT_PENALTY * before[result.passage.source_id]
        held_back.append(result.model_copy(update={"score": result.score - penalty}) if penalty else result)
        before[result.passage.source_id] += 1
    return sorted(held_back, key=lambda result: result.score, reverse=True)


def _reranked(results: list[SearchResult], question: str, reranker: Reranker) -> list[SearchResult]:
    scores = reranker.scores(question, [result.passage.embedded_text for result in results])
    scored = [result.model_copy(update={"score": score}) for result, score in zip(results, scores, strict=True)]
    return sorted(scored, key=lambda result: result.score, reverse=True)
