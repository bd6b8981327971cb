"""`GET /api/sources` and `/api/sources/{id}`: what the answers come from, with a cited passage highlighted."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request
from pydantic import StringConstraints
from starlette.responses import HTMLResponse, Response

from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.chat.document import visitor_language
from assistant.interfaces.chat.library_view import found_by_words
from assistant.interfaces.chat.source_page import source_page
from assistant.interfaces.problem import leads_to, problems
from assistant.knowledge.article import ArticleKind
from assistant.knowledge.source_list import PlacedPassage, SourceFilter, SourceSheet, list_sources, place_passage
from assistant.language.tongue import Language
from assistant.retrieval.search import MAX_RESULTS

router = APIRouter()

Words = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Place = Annotated[int, Query(ge=0, le=100_000_000)]
SourceId = Annotated[str, Path(alias="id", pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]


@router.get("/sources", responses={200: {"links": leads_to("source", id="/0/id")}, **problems()})
async def sources(
    knowledge: Knowledge,
    threads: Threads,
    language: Language | None = None,
    kind: ArticleKind | None = None,
    publisher: Annotated[Words | None, Query(description="In part.")] = None,
    since: Annotated[int | None, Query(ge=1900, le=2200, description="First year that counts.")] = None,
    words: Annotated[Words | None, Query(description="What the source holds or speaks of; best first.")] = None,
) -> list[SourceSheet]:
    """List the sources, by language and title; with `words` those alone that hold or mean them, best first."""
    wanted = SourceFilter(language=language, kind=kind, publisher=publisher, since=since)
    return await threads.run(lambda: _listed(knowledge, wanted, words))


def _listed(knowledge: Knowledge, wanted: SourceFilter, words: str | None) -> list[SourceSheet]:
    corpus = knowledge.assistant().corpus
    if words is None:
        return list(list_sources(corpus, wanted))
    near = knowledge.search(words, None, MAX_RESULTS)
    return [found.sheet for found in found_by_words(words, near, corpus, wanted)]


_AS_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The passage; with `Accept: text/html`, a page.", "content": {"text/html": {}}}
}


@router.get(
    "/sources/{id}", operation_id="source", response_model=PlacedPassage, responses={**_AS_PAGE, **problems(404)}
)
def source(
    request: Request,
    source_id: SourceId,
    knowledge: Knowledge,
    start: Place | None = None,
    end: Place | None = None,
) -> Response:
    """Show a source with the passage from `start` to `end`, as citations give them, set apart."""
    article = knowledge.assistant().corpus.articles.get(source_id)
    if article is None:
        raise HTTPException(404, "No source has this id.")
    passage = place_passage(article, start, end)
    if "text/html" in request.headers.get("accept", ""):
        language = visitor_language(request.headers.get("cookie", ""), request.headers.get("accept-language", ""))
        return HTMLResponse(source_page(passage, language))
    return Response(passage.model_dump_json(), media_type="application/json")
