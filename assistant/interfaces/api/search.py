"""`POST /api/search`: the passages that fit a question, in every language."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from assistant.feedback.record import QuestionText
from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.problem import leads_to, problems
from assistant.language.tongue import Language
from assistant.retrieval.hit import Hit
from assistant.retrieval.search import MAX_RESULTS
from assistant.whole_number import NO_SWITCH

router = APIRouter()


class SearchRequest(BaseModel):
    """A question. It stands in the body, so that no log of addresses keeps it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: QuestionText
    language: Language | None = Field(default=None, description="Of the question; detected if left out.")
    top_k: Annotated[int, Field(ge=1, le=MAX_RESULTS), NO_SWITCH] = Field(
        default=10, description="Most passages to give."
    )


class SearchAnswer(BaseModel):
    """The passages found, best first."""

    model_config = ConfigDict(frozen=True)

    results: tuple[Hit, ...]


@router.post("/search", responses={200: {"links": leads_to("source", id="/results/0/source_id")}, **problems(408, 413)})
async def search(asked: SearchRequest, knowledge: Knowledge, threads: Threads) -> SearchAnswer:
    """Find the passages that fit a question best, whatever language they are in."""
    found = await threads.run(lambda: knowledge.search(asked.question, asked.language, asked.top_k))
    return SearchAnswer(results=tuple(Hit.of(result) for result in found))
