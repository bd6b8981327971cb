"""What the tools give that the HTTP API has no answer for."""

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.article import Article
from assistant.retrieval.hit import Hit
from assistant.retrieval.search import SearchResult
from assistant.tools.card_table import CardTable


class FoundPassage(Hit):
    """A passage with what is known of its article."""

    title: str
    publisher: str | None
    published: str | None
    url: str | None

    @classmethod
    def within(cls, result: SearchResult, article: Article) -> "FoundPassage":
        return cls(
            **Hit.of(result).model_dump(),
            title=article.title,
            publisher=article.publisher,
            published=str(article.published) if article.published else None,
            url=article.url,
        )


class SearchOutput(BaseModel):
    """Passages, best first."""

    model_config = ConfigDict(frozen=True)

    results: tuple[FoundPassage, ...]


class CompareOutput(BaseModel):
    """Cards side by side, as a Markdown table and value by value with its source."""

    model_config = ConfigDict(frozen=True)

    text: str
    table: CardTable
