"""`GET /api/gpus`: cards with all that is held of them."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.interfaces.api.context import Knowledge, Threads
from assistant.interfaces.problem import problems
from assistant.knowledge.card_sheet import CardSheet, card_sheet
from assistant.tools.cost.names import cards_named
from assistant.tools.cost.request import Name

router = APIRouter()


@router.get("/gpus", responses=problems())
async def gpus(
    knowledge: Knowledge,
    threads: Threads,
    name: Annotated[Name | None, Query(description="Only this card and its variants, by any usual name.")] = None,
) -> list[CardSheet]:
    """List the known cards, every value with its sources."""
    corpus = knowledge.assistant().corpus
    return await threads.run(lambda: [card_sheet(row, corpus) for row in cards_named(name, corpus)])
