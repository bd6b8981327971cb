"""The index as a LangChain retriever."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from assistant.language.detection import detect_language
from assistant.retrieval.reranking import Reranker
from assistant.retrieval.search import SearchIndex


class PassageRetriever(BaseRetriever):
    """Finds passages in all languages for a question in any of them."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: SearchIndex
    top_k: int = 10
    reranker: Reranker | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **_: Any
    ) -> list[Document]:
        results = self.index.search(query, language=detect_language(query), top_k=self.top_k, reranker=self.reranker)
        return [
            Document(
                id=result.passage.id,
                page_content=result.passage.text,
                metadata={**result.passage.model_dump(exclude={"id", "text"}), "score": result.score},
            )
            for result in results
        ]
