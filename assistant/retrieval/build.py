"""Writing one build of the index: vectors, centres, Chroma collections, lexical files, passages, manifest."""

import hashlib
import heapq
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np

from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.calibration import calibration_texts
from assistant.retrieval.centring import fit_centres
from assistant.retrieval.collections import Collections
from assistant.retrieval.embedding import EmbeddingEngine, FloatArray
from assistant.retrieval.lexical import CoverageIndex
from assistant.retrieval.manifest import FORMAT, Manifest, checksum_of, write_manifest
from assistant.retrieval.passage import CHUNKER_VERSION, Passage
from assistant.retrieval.passage_store import PassageStore, write_ids
from assistant.retrieval.sentences import sentence_spans
from assistant.retrieval.vector_cache import Embed, VectorCache

Statements = Mapping[Language, Sequence[tuple[str, str]]]
"""Per language, claim ids with the claim's statement in that language."""
Progress = Callable[[int, int], None]
"""Told how many texts are embedded, and how many there are."""

PassagesByLanguage = Mapping[Language, Sequence[Passage]]
Vectors = Mapping[Language, FloatArray]

SAMPLED_SENTENCES = 64
"""Sentences a language that are embedded as questions, to see how far questions lie from passages."""


def write_build(
    build: Path,
    cache: VectorCache,
    engine: EmbeddingEngine,
    passages: PassagesByLanguage,
    statements: Statements,
    *,
    corpus_hash: str,
    progress: Progress | None,
) -> Manifest:
    """Fill the folder `build`; the manifest is written last, so that a folder without one is known to be half built."""
    embedder = _Embedder(cache, engine, _text_count(passages, statements), progress)
    calibration = embedder.calibration()
    passage_vectors = {lang: embedder.passages([row.embedded_text for row in rows]) for lang, rows in passages.items()}
    questions = {lang: embedder.questions(sample_sentences(rows)) for lang, rows in passages.items()}
    statement_vectors = {lang: embedder.passages([s for _, s in rows]) for lang, rows in statements.items() if rows}
    collections = Collections(build / "chroma")
    try:
        for language, rows in passages.items():
            stem = build / f"passages-{language}"
            PassageStore.write(stem, rows)
            CoverageIndex.build([passage.embedded_text for passage in rows]).save(stem)
        _write_vectors(build, collections, passage_vectors, calibration, questions)
        for language in statement_vectors:
            stem = build / f"statements-{language}"
            write_ids(stem.with_suffix(".json"), [claim_id for claim_id, _ in statements[language]])
            CoverageIndex.build([text for _, text in statements[language]]).save(stem)
        _write_statement_vectors(build, collections, statement_vectors, calibration, questions)
    finally:
        collections.close()
    manifest = Manifest(
        format=FORMAT,
        engine=engine.identity,
        dimension=engine.dimension,
        chunker=CHUNKER_VERSION,
        chromadb=metadata.version("chromadb"),
        corpus_hash=corpus_hash,
        passages={language: len(rows) for language, rows in passage_vectors.items()},
        statements={language: len(rows) for language, rows in statement_vectors.items()},
        files={path.name: checksum_of(path) for path in sorted(build.iterdir()) if path.is_file()},
        embedded=cache.embedded,
        built=datetime.now(UTC),
    )
    write_manifest(manifest, build)
    return manifest


def sample_sentences(passages: Sequence[Passage]) -> list[str]:
    """One sentence each of some passages. Which ones depends on their text alone, so most stay when articles change."""
    chosen = heapq.nsmallest(SAMPLED_SENTENCES, {passage.text for passage in passages}, key=_digest)
    return [min((text[start:end] for start, end in sentence_spans(text)), key=_digest) for text in chosen]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def _text_count(passages: PassagesByLanguage, statements: Statements) -> int:
    return (
        len(LANGUAGES) * len(calibration_texts().texts)
        + sum(len(rows) + min(len({row.text for row in rows}), SAMPLED_SENTENCES) for rows in passages.values())
        + sum(map(len, statements.values()))
    )


class _Embedder:
    """Embeds through the cache and tells the progress over all texts of a build."""

    def __init__(self, cache: VectorCache, engine: EmbeddingEngine, total: int, progress: Progress | None) -> None:
        self._cache, self._engine, self._total, self._progress = cache, engine, total, progress
        self._done = 0

    def passages(self, texts: Sequence[str]) -> FloatArray:
        return self._vectors(texts, self._engine.embed_passages, "passage")

    def questions(self, texts: Sequence[str]) -> FloatArray:
        return self._vectors(texts, self._engine.embed_queries, "query")

    def _vectors(self, texts: Sequence[str], embed: Embed, role: str) -> FloatArray:
        kind = f"{self._engine.identity} {role}"
        return self._cache.vectors(texts, embed, kind, self._engine.dimension, self._count)

    def calibration(self) -> dict[Language, FloatArray]:
        texts = calibration_texts().texts
        return {lang: self.passages([text.in_language(lang) for text in texts]) for lang in LANGUAGES}

    def _count(self, more: int) -> None:
        self._done += more
        if self._progress is not None:
            self._progress(self._done, self._total)


def _write_vectors(
    build: Path,
    collections: Collections,
    vectors: Vectors,
    calibration: Vectors,
    questions: Vectors,
) -> None:
    centres = fit_centres(vectors, calibration, questions)
    centres.save(build / "passages.centres.npz")
    for language, rows in vectors.items():
        centred = centres.centred_passages(rows, language)
        np.save(build / f"passages-{language}.vectors.npy", centred)
        collections.write("passages", language, centred)


def _write_statement_vectors(
    build: Path,
    collections: Collections,
    vectors: Vectors,
    calibration: Vectors,
    questions: Vectors,
) -> None:
    if not vectors:
        return
    centres = fit_centres(vectors, calibration, questions)
    centres.save(build / "statements.centres.npz")
    for language, rows in vectors.items():
        collections.write("statements", language, centres.centred_passages(rows, language))
