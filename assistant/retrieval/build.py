"""Writing one build of the index: vectors, centres, Chroma collections, lexical files, passages, manifest."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from assistant.knowledge.article import Article
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.centring import Centres, fit_centres, refit_spreads
from assistant.retrieval.chroma_server import ChromaServer
from assistant.retrieval.collections import Collections, Content, embedded_collections
from assistant.retrieval.earlier_build import ARTICLES, EarlierBuild, split_articles
from assistant.retrieval.embedder import Embedder, Progress, Vectors, sample_sentences
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.lexical import CoverageIndex, Keys, text_features
from assistant.retrieval.location import CHROMA
from assistant.retrieval.manifest import FORMAT, Manifest, checksum_of, write_manifest
from assistant.retrieval.passage import CHUNKER_VERSION, Passage
from assistant.retrieval.shelf import PassageStore, copy_words, keys_of, write_ids, write_vectors, write_words
from assistant.retrieval.vector_cache import VectorCache

Statements = Mapping[Language, Sequence[tuple[str, str]]]
"""Per language, claim ids with the claim's statement in that language."""
Entries = Mapping[Language, Sequence[tuple[str, str]]]
"""Per language, ids with the text that is embedded and searched."""


@dataclass(frozen=True)
class Sources:
    """What an index is built from: passages by language, the rows of each article, and claim statements."""

    passages: dict[Language, list[Passage]]
    articles: dict[str, list[tuple[Language, int]]]
    statements: dict[Language, Sequence[tuple[str, str]]]
    corpus_hash: str

    @classmethod
    def of(
        cls, articles: Sequence[Article], statements: Statements, corpus_hash: str, earlier: EarlierBuild | None
    ) -> "Sources":
        passages: dict[Language, list[Passage]] = {language: [] for language in LANGUAGES}
        rows: dict[str, list[tuple[Language, int]]] = {}
        for digest, found in split_articles(articles, earlier).items():
            rows[digest] = []
            for passage in found:
                rows[digest].append((passage.language, len(passages[passage.language])))
                passages[passage.language].append(passage)
        return cls(
            {language: found for language, found in passages.items() if found},
            rows,
            {language: statements[language] for language in LANGUAGES if statements.get(language)},
            corpus_hash,
        )

    def entries(self, content: Content) -> Entries:
        if content == "statements":
            return self.statements
        return {
            language: [(passage.id, passage.embedded_text) for passage in rows]
            for language, rows in self.passages.items()
        }


def write_build(
    build: Path,
    cache: VectorCache,
    engine: EmbeddingEngine,
    sources: Sources,
    *,
    earlier: EarlierBuild | None,
    progress: Progress | None,
    server: ChromaServer | None,
) -> Manifest:
    """Fill the folder `build`; the manifest is written last, so that a folder without one is known to be half built."""
    contents: dict[Content, Entries] = {"passages": sources.entries("passages")}
    if sources.statements:
        contents["statements"] = sources.entries("statements")
    sampled = {lang: sample_sentences(rows) for lang, rows in sources.passages.items()}
    embedder = Embedder(cache, engine, progress)
    embedder.announce(
        passages=(text for entries in contents.values() for rows in entries.values() for _, text in rows),
        questions=(sentence for sentences in sampled.values() for sentence in sentences),
    )
    questions = {lang: embedder.questions(sentences) for lang, sentences in sampled.items()}
    calibration = embedder.calibration()
    keys = {content: {lang: keys_of(rows) for lang, rows in entries.items()} for content, entries in contents.items()}
    drift = _write_words(build, contents, keys, earlier)
    taken_over = server is None and drift is not None and earlier is not None and earlier.manifest.server is None
    if taken_over and earlier is not None:
        shutil.copytree(earlier.path / CHROMA, build / CHROMA)
    collections = server.collections_for_writing(build.name) if server else embedded_collections(build / CHROMA)
    try:
        for content, entries in contents.items():
            vectors = {lang: embedder.passages([text for _, text in rows]) for lang, rows in entries.items()}
            if drift is not None and earlier is not None:
                centres = earlier.centres(content)
                if not all(earlier.has_just(content, lang, of) for lang, of in keys[content].items()):
                    centres = refit_spreads(centres, vectors)
            else:
                centres = fit_centres(vectors, calibration, questions)
            _write_vectors(build, collections, content, keys[content], vectors, centres, update=taken_over)
    finally:
        collections.close()
    for language, rows in sources.passages.items():
        PassageStore.write(build / f"passages-{language}", rows)
    for language, statements in sources.statements.items():
        write_ids(build / f"statements-{language}.json", [claim_id for claim_id, _ in statements])
    (build / ARTICLES).write_text(json.dumps(sources.articles), encoding="utf-8")
    manifest = Manifest(
        format=FORMAT,
        engine=engine.identity,
        dimension=engine.dimension,
        chunker=CHUNKER_VERSION,
        chromadb=metadata.version("chromadb"),
        corpus_hash=sources.corpus_hash,
        passages={language: len(rows) for language, rows in sources.passages.items()},
        statements={language: len(rows) for language, rows in sources.statements.items()},
        drift=drift or 0,
        server=server.url if server else None,
        files={path.name: checksum_of(path) for path in sorted(build.iterdir()) if path.is_file()},
        embedded=cache.embedded,
        built=datetime.now(UTC),
    )
    write_manifest(manifest, build)
    return manifest


def _write_words(
    build: Path,
    contents: Mapping[Content, Entries],
    keys: Mapping[Content, Mapping[Language, Keys]],
    earlier: EarlierBuild | None,
) -> int | None:
    """Write the lexical files; returns the drift from the earlier build, or None where nothing is taken over."""
    changed = 0
    for content, entries in contents.items():
        for language, rows in entries.items():
            if earlier is not None and earlier.has_just(content, language, keys[content][language]):
                copy_words(earlier.path / f"{content}-{language}", build / f"{content}-{language}")
                continue
            known = earlier.features(content, language) if earlier else {}
            here = keys[content][language].tolist()
            features = [
                known[key] if key in known else text_features(text) for key, (_, text) in zip(here, rows, strict=True)
            ]
            changed += len(known.keys() ^ set(here))
            write_words(build / f"{content}-{language}", keys[content][language], CoverageIndex.build(features))
    if earlier is None:
        return None
    counts = {
        content: {language: len(rows) for language, rows in entries.items()} for content, entries in contents.items()
    }
    return earlier.drift(counts, changed)


def _write_vectors(
    build: Path,
    collections: Collections,
    content: Content,
    keys: Mapping[Language, Keys],
    vectors: Vectors,
    centres: Centres,
    *,
    update: bool,
) -> None:
    centres.save(build / f"{content}.centres.npz")
    for language, rows in vectors.items():
        centred = centres.centred_passages(rows, language)
        write_vectors(build / f"{content}-{language}", centred)
        write = collections.update if update else collections.write
        write(content, language, keys[language], centred)
