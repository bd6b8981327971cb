"""A passage that was found, as it is given out."""

from pydantic import BaseModel, ConfigDict

from assistant.language.tongue import Language
from assistant.retrieval.search import SearchResult


class Hit(BaseModel):
    """A passage with its place in the article. Scores are comparable within one question only."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    language: Language
    section: str
    text: str
    score: float

    @classmethod
    def of(cls, result: SearchResult) -> "Hit":
        passage = result.passage
        return cls(
            source_id=passage.source_id,
            language=passage.language,
            section=passage.section,
            text=passage.text,
            score=round(result.score, 4),
        )
