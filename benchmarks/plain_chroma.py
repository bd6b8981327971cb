"""The obvious alternative: LangChain's Chroma over the same passages, the same engine, raw cosine.

    python benchmarks/plain_chroma.py FOLDER QUESTION

prints the passages that it finds, as a script for one question would; latency.py measures it from outside.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings

from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.engine import EmbeddingEngine

if TYPE_CHECKING:
    from assistant.retrieval.passage import Passage

FOUND = 10


class EngineEmbeddings(Embeddings):
    """An embedding engine as LangChain wants it."""

    def __init__(self, engine: EmbeddingEngine) -> None:
        self._engine = engine

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._engine.embed_passages(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._engine.embed_queries([text])[0].tolist()
        return vector


def open_store(directory: Path, engine: EmbeddingEngine) -> Chroma:
    """The store in a folder, empty if it is new."""
    return Chroma(
        "passages",
        EngineEmbeddings(engine),
        persist_directory=str(directory),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )


def fill(store: Chroma, passages: "Sequence[Passage]") -> None:
    """Embed and store passages, each with what a citation needs."""
    store.add_texts(
        [passage.embedded_text for passage in passages],
        metadatas=[{"source_id": passage.source_id, "section": passage.section} for passage in passages],
        ids=[passage.id for passage in passages],
    )


def main() -> None:
    directory, question = Path(sys.argv[1]), sys.argv[2]
    for document in open_store(directory, open_engine(BUNDLED)).similarity_search(question, k=FOUND):
        print(document.metadata["source_id"], document.page_content.splitlines()[0])


if __name__ == "__main__":
    main()
