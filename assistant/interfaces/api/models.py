"""`GET /api/models`: the open-weight models that can be sized."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.problem import problems
from assistant.tools.cost.request import Name
from assistant.tools.memory.model_description import model_data
from assistant.tools.memory.subject import find_model

router = APIRouter()


class ModelSheet(BaseModel):
    """A model's counts, limits and layers."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    parameters: int
    active_parameters: int
    published_parameters: int | None
    max_context: int
    kv_bytes_per_token: int
    """In 16 bits, every layer in full."""
    stored_as: str | None
    architecture: dict[str, Any]
    sources: tuple[str, ...]


@router.get("/models", responses=problems())
async def models(
    knowledge: Knowledge,
    threads: Threads,
    name: Annotated[Name | None, Query(description="Only this model, by name, id or alias.")] = None,
) -> list[ModelSheet]:
    """List the open-weight models whose memory can be computed."""
    return await threads.run(lambda: _sheets(knowledge, name))


def _sheets(knowledge: Knowledge, name: str | None) -> list[ModelSheet]:
    catalogue = knowledge.catalogue()
    found = catalogue.models if name is None else (find_model(name, catalogue.models, catalogue.entities),)
    return [ModelSheet(**model_data(model)) for model in found]
