"""Whether the server lives, and whether it can answer."""

from typing import Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict

from assistant.interfaces.api.context import Knowledge
from assistant.interfaces.problem import problems

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The server runs; `knowledge` is the hash of what it answers from."""

    model_config = ConfigDict(frozen=True)

    status: Literal["ok"] = "ok"
    knowledge: str


@router.get("/healthz", responses=problems(), openapi_extra={"security": []})
def health(knowledge: Knowledge) -> Health:
    """Whether the server runs."""
    return Health(knowledge=knowledge.assistant().corpus.hash)


@router.get("/readyz", responses=problems(), openapi_extra={"security": []})
def readiness(request: Request, knowledge: Knowledge) -> Health:
    """Whether the server takes questions: the knowledge base is open, and the server isn't about to stop."""
    if request.app.state.stopping.is_set():
        raise HTTPException(503, "The server is stopping.")
    return Health(knowledge=knowledge.assistant().corpus.hash)
