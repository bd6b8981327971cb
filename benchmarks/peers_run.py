"""One step of one peer, in a process of its own; run by peers.py.

    python benchmarks/peers_run.py PEER index|cold|search FOLDER

Each peer is written as its documentation's first pages have it: passages in, ten nearest out, cosine, e5's prefixes.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", ANONYMIZED_TELEMETRY="False")
sys.path.insert(0, str(Path(__file__).parents[1]))

from peak_memory import peak_megabytes

FOUND = 10
Search = Callable[[str, str], Sequence[str]]


def gpu_assistant(folder: Path, passages: list[dict[str, Any]] | None) -> Search:
    from assistant.knowledge.article import Article
    from assistant.retrieval.embedding import open_engine
    from assistant.retrieval.index import build_index, open_index

    engine = open_engine()
    if passages is not None:
        articles = {one["source"]: Article.model_validate(one["article"]) for one in passages}
        build_index(list(articles.values()), engine, folder / "gpu-assistant")
    index = open_index(folder / "gpu-assistant", engine)

    def search(text: str, language: str) -> list[str]:
        return [found.passage.id for found in index.search(text, language=language, top_k=FOUND)]  # type: ignore[arg-type]

    return search


def langchain(folder: Path, passages: list[dict[str, Any]] | None) -> Search:
    from langchain_chroma import Chroma
    from langchain_core.documents import Document
    from langchain_huggingface import HuggingFaceEmbeddings

    model = HuggingFaceEmbeddings(
        model_name=str(folder / "model"), model_kwargs={"device": "cpu"},
        encode_kwargs={"prompt": "passage: "}, query_encode_kwargs={"prompt": "query: "},
    )  # fmt: skip
    store = Chroma("peers", model, persist_directory=str(folder / "langchain"),
                   collection_configuration={"hnsw": {"space": "cosine"}})  # fmt: skip
    if passages is not None:
        documents = [Document(page_content=one["text"], metadata={"id": one["id"]}) for one in passages]
        store.add_documents(documents, ids=[one["id"] for one in passages])
    return lambda text, _: [found.metadata["id"] for found in store.similarity_search(text, k=FOUND)]


def llamaindex(folder: Path, passages: list[dict[str, Any]] | None) -> Search:
    import chromadb
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.schema import TextNode
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.vector_stores.chroma import ChromaVectorStore

    model = HuggingFaceEmbedding(model_name=str(folder / "model"), query_instruction="query: ",
                                 text_instruction="passage: ", device="cpu")  # fmt: skip
    collection = chromadb.PersistentClient(str(folder / "llamaindex")).get_or_create_collection("peers")
    store = ChromaVectorStore(chroma_collection=collection)
    if passages is not None:
        nodes = [TextNode(text=one["text"], id_=one["id"]) for one in passages]
        index = VectorStoreIndex(
            nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=model
        )
    else:
        index = VectorStoreIndex.from_vector_store(store, embed_model=model)
    retriever = index.as_retriever(similarity_top_k=FOUND)
    return lambda text, _: [found.node.node_id for found in retriever.retrieve(text)]


def haystack(folder: Path, passages: list[dict[str, Any]] | None) -> Search:
    from haystack import Document
    from haystack.utils import ComponentDevice
    from haystack_integrations.components.embedders.sentence_transformers import (
        SentenceTransformersDocumentEmbedder,
        SentenceTransformersTextEmbedder,
    )
    from haystack_integrations.components.retrievers.chroma import ChromaEmbeddingRetriever
    from haystack_integrations.document_stores.chroma import ChromaDocumentStore

    store = ChromaDocumentStore("peers", persist_path=str(folder / "haystack"), distance_function="cosine")
    model, device = str(folder / "model"), ComponentDevice.from_str("cpu")
    if passages is not None:
        embedder = SentenceTransformersDocumentEmbedder(
            model=model, device=device, prefix="passage: ", progress_bar=False
        )
        embedder.warm_up()
        documents = [Document(id=one["id"], content=one["text"]) for one in passages]
        store.write_documents(embedder.run(documents)["documents"])
    asked = SentenceTransformersTextEmbedder(model=model, device=device, prefix="query: ", progress_bar=False)
    asked.warm_up()
    retriever = ChromaEmbeddingRetriever(store, top_k=FOUND)
    return lambda text, _: [
        found.id for found in retriever.run(query_embedding=asked.run(text)["embedding"])["documents"]
    ]


PEERS: dict[str, Callable[[Path, list[dict[str, Any]] | None], Search]] = {
    "gpu-assistant": gpu_assistant,
    "langchain": langchain,
    "llamaindex": llamaindex,
    "haystack": haystack,
}


def main() -> None:
    peer, step, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    begun = _clocks()
    if step == "index":
        PEERS[peer](folder, json.loads((folder / "passages.json").read_text(encoding="utf-8")))
        stored = sum(path.stat().st_size for path in (folder / peer).rglob("*") if path.is_file())
        print(json.dumps(_since(begun, "index") | {"disk_mb": stored / 1e6}))
        return
    search = PEERS[peer](folder, None)
    search(questions[0]["text"], questions[0]["language"])
    if step == "cold":
        print(json.dumps(_since(begun, "cold")))
        return
    times, hits = [], {"same": [], "across": []}  # type: ignore[var-annotated]
    begun = _clocks()
    for question in questions:
        start = time.perf_counter()
        found = search(question["text"], question["language"])
        times.append((time.perf_counter() - start) * 1000)
        kind = "same" if question["language"] == question["held"] else "across"
        hits[kind].append(question["passage"] in found)
    times.sort()
    told = {"p50_ms": times[len(times) // 2], "p95_ms": times[int(len(times) * 0.95)]}
    told["search_processor_ms"] = _since(begun, "all")["all_processor_s"] / len(questions) * 1000
    told |= {kind: sum(of) / len(of) for kind, of in hits.items()}
    told["memory_mb"] = peak_megabytes()
    print(json.dumps(told))


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(begun: tuple[float, float], what: str) -> dict[str, float]:
    """Seconds by the clock and of the processor; the start of Python itself is in neither."""
    return {
        f"{what}_s": time.perf_counter() - begun[0],
        f"{what}_processor_s": time.process_time() - begun[1],
    }


if __name__ == "__main__":
    main()
