"""What pages of a wiki fetch: `/embed`, `/widget.js`, and an answer as text for such a page."""

from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.responses import HTMLResponse, JSONResponse, Response

from assistant.answering.answer import Answer
from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.answering.memo.page import PageFormat, memo_page
from assistant.answering.memo.record import record_of
from assistant.interfaces.chat.document import visitor_language
from assistant.interfaces.problem import problems
from assistant.interfaces.wiki.document import Framing, Theme, embed_document, embed_policy, may_frame, widget_script
from assistant.language.tongue import Language

WIDGET_LIVES_S = 3600

pages = APIRouter(include_in_schema=False)
memos = APIRouter()


@pages.get("/embed")
def embed(
    request: Request,
    language: Language | Literal[""] = "",
    theme: Theme = "auto",
    context: Annotated[str, Query(max_length=300)] = "",
    origin: Annotated[str, Query(max_length=300, pattern=r"^(https?://[^\s/?#]+)?$")] = "",
) -> Response:
    """The page for a frame; a first question stands behind the address's # as q=."""
    headers = request.headers
    spoken = language or visitor_language(headers.get("cookie", ""), headers.get("accept-language", ""))
    framing = Framing(language=spoken, theme=theme, context=context, origin=origin)
    policy = embed_policy(request.app.state.settings.frame_ancestors)
    return HTMLResponse(
        embed_document(framing),
        headers={"content-security-policy": policy, "cache-control": "no-cache", "vary": "accept-language, cookie"},
    )


@pages.get("/embed/site")
def site(request: Request, origin: Annotated[str, Query(max_length=300)]) -> Response:
    """Whether pages of that origin may show the page for a frame; any page may ask, as any can try."""
    host = request.headers.get("host", "")
    allowed = may_frame(origin, host, request.app.state.settings.frame_ancestors)
    headers = {
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
        "cross-origin-resource-policy": "cross-origin",
    }
    return JSONResponse({"allowed": allowed}, headers=headers)


@pages.get("/widget.js")
def widget(request: Request) -> Response:
    """The script for pages of any site; which of them may then show the frame is what the page for a frame says."""
    script, tag = widget_script()
    headers = {
        "cache-control": f"public, max-age={WIDGET_LIVES_S}",
        "etag": tag,
        "cross-origin-resource-policy": "cross-origin",
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(script, media_type="text/javascript", headers=headers)


class MemoRequest(BaseModel):
    """An answer as `/api/ask` gave it, and the kind of page that it is for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Answer
    history: tuple[Annotated[str, StringConstraints(max_length=MAX_QUESTION_CHARACTERS)], ...] = Field(
        default=(), max_length=MAX_HISTORY, description="The questions that were asked before it."
    )
    format: PageFormat = "markdown"


class Memo(BaseModel):
    """Text to paste into a page."""

    model_config = ConfigDict(frozen=True)

    page: str


@memos.post("/memo", responses=problems(408, 413))
def memo(asked: MemoRequest) -> Memo:
    """A decision memo: an answer with its assumptions, sources and date, as Markdown or wiki markup."""
    return Memo(page=memo_page(asked.answer, record_of(asked.answer, asked.history, date.today()), asked.format))
