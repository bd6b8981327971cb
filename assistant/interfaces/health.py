"""Whether the server lives, and whether it can answer."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from assistant.interfaces.api.context import Knowledge

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The server runs; `knowledge` is the hash of what it answers from."""

    model_config = ConfigDict(frozen=True)

    status: str
    knowledge: str


@router.get("/healthz")
def health(knowledge: Knowledge) -> Health:
    """Whether the server runs."""
    return Health(status="ok", knowledge=knowledge.assistant().corpus.hash)
