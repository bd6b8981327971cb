"""An answered question as the browser keeps it: written under its answer, and brought back later."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from assistant.answering.answer import Answer

LONGEST_QUESTION = 50_000
MOST_CHANGES = 100
_NEEDLESS = {"tool_runs", "timings_ms", "conflicts"}
"""What the page shows nothing of."""

Asked = Annotated[str, StringConstraints(max_length=LONGEST_QUESTION)]


class KeptExchange(BaseModel):
    """A question with its answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int = Field(ge=1, le=1_000_000)
    question: Asked
    answer: Answer
    changes: tuple[Asked, ...] = Field(default=(), max_length=MOST_CHANGES)


def kept_form(number: int, question: str, answer: Answer, changes: tuple[str, ...]) -> str:
    """An exchange as JSON."""
    kept = KeptExchange(
        number=number, question=question[:LONGEST_QUESTION], answer=answer, changes=changes[:MOST_CHANGES]
    )
    return kept.model_dump_json(exclude={"answer": _NEEDLESS})
