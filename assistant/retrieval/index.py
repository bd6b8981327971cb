"""The search index: built from articles in one call, opened in another."""

import hashlib
import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import CorpusError, IndexUnavailable
from assistant.knowledge.article import Article
from assistant.retrieval.build import Sources, Statements, write_build
from assistant.retrieval.chroma_server import ChromaServer
from assistant.retrieval.collections import NoCollections, VectorStore, embedded_collections
from assistant.retrieval.earlier_build import EarlierBuild
from assistant.retrieval.embedder import Progress
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.location import (
    CHROMA,
    VECTORS,
    current_build,
    fresh_build,
    is_in_use,
    is_writable,
    put_in_use,
    space_of,
    writing,
)
from assistant.retrieval.manifest import Manifest, check_manifest, read_manifest
from assistant.retrieval.search import SearchIndex
from assistant.retrieval.vector_cache import VectorCache

_log = logging.getLogger(__name__)


def build_index(
    articles: Sequence[Article],
    engine: EmbeddingEngine,
    directory: Path,
    *,
    statements: Statements | None = None,
    corpus_hash: str | None = None,
    progress: Progress | None = None,
    forget_vectors: bool = False,
    chroma_url: str | None = None,
) -> Manifest:
    """Build an index of the articles, and of claim statements, and put it in use; with `chroma_url`, on that server.

    The index in use stays so until the new one is complete and verified. What hasn't changed is taken over from it, and
    texts whose vectors are known aren't embedded again, unless `forget_vectors`. Raises CorpusError where there is
    nothing to index, IndexUnavailable where another process is writing, InvalidInput where the folder holds
    something else.
    """
    with writing(directory):
        earlier = None if forget_vectors else EarlierBuild.in_use(directory, engine.identity)
        corpus_hash = corpus_hash or corpus_hash_of(articles, statements)
        sources = Sources.of(articles, statements or {}, corpus_hash, earlier)
        if not sources.passages:
            raise CorpusError("There is no text to index.", "Add an article with: gpu-assistant sources add FILE")
        server = ChromaServer(chroma_url, space_of(directory)) if chroma_url else None
        replaced = earlier.path.name if earlier else ""
        build = fresh_build(directory)
        cache = VectorCache(directory / VECTORS)
        try:
            if forget_vectors:
                cache.clear()
            manifest = write_build(build, cache, engine, sources, earlier=earlier, progress=progress, server=server)
            SearchIndex.open(build, read_manifest(build), engine, _store(build, server)).close()
            put_in_use(directory, build)
        except BaseException as error:
            has_room = is_writable(directory)
            # An interruption may come when the build is in use already.
            if not is_in_use(directory, build):
                shutil.rmtree(build, ignore_errors=True)
            if isinstance(error, Exception) and not has_room:
                raise IndexUnavailable(
                    f"The disk of {directory} is full or can't be written to, so the index wasn't built.",
                    "Make room, then run: gpu-assistant index",
                ) from error
            raise
        else:
            cache.drop_unused()
            if server is not None:
                # Who still reads the build that was in use until now finds its collections for one more build.
                server.keep_only({build.name, replaced})
        finally:
            cache.close()
    return manifest


def open_index(
    directory: Path, engine: EmbeddingEngine, *, corpus_hash: str | None = None, chroma_url: str | None = None
) -> SearchIndex:
    """The index in use. Raises IndexUnavailable, with what to run, where there is none that fits."""
    build = current_build(directory)
    manifest = read_manifest(build)
    check_manifest(manifest, engine=engine.identity, corpus_hash=corpus_hash, server=chroma_url)
    if chroma_url:
        server = ChromaServer(chroma_url, space_of(directory))
        return SearchIndex.open(build, manifest, engine, server.collections_for_search(build.name))
    try:
        return SearchIndex.open(build, manifest, engine, embedded_collections(build / CHROMA))
    except IndexUnavailable:
        if is_writable(build):
            raise
        # Chroma opens nothing that it can't write to; its vectors stand in files of ours too.
        _log.warning("The disk of %s is full or can't be written to, so all vectors are compared.", directory)
        return SearchIndex.open(build, manifest, engine, NoCollections())


def _store(build: Path, server: ChromaServer | None) -> VectorStore:
    return server.collections_for_search(build.name) if server else embedded_collections(build / CHROMA)


def current_manifest(directory: Path) -> Manifest:
    """The manifest of the index in use, without loading it. Raises IndexUnavailable."""
    return read_manifest(current_build(directory))


def corpus_hash_of(articles: Sequence[Article], statements: Statements | None = None) -> str:
    """Hash over what an index is built from, 16 hexadecimal digits; for callers that keep no hash of their own."""
    digest = hashlib.sha256()
    for article in articles:
        digest.update(article.model_dump_json().encode("utf-8"))
    for language, claims in sorted((statements or {}).items()):
        digest.update(f"\0{language}\0".encode())
        for claim_id, text in claims:
            digest.update(f"{claim_id}\0{text}\0".encode())
    return digest.hexdigest()[:16]
