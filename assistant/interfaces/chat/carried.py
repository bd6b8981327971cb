"""What the browser hands over: a conversation that it kept, or the question of a shared link."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.answering.assistant import MAX_HISTORY
from assistant.interfaces.chat.conversation import MOST_EXCHANGES, Conversation, Exchange
from assistant.interfaces.chat.kept import Asked, KeptExchange


class Carried(BaseModel):
    """Answered exchanges, or questions that were asked before the one to ask now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    exchanges: tuple[KeptExchange, ...] = Field(default=(), max_length=MOST_EXCHANGES)
    earlier: tuple[Asked, ...] = Field(default=(), max_length=MAX_HISTORY)
    question: Asked = ""

    @property
    def conversation(self) -> Conversation:
        shown = (
            Exchange(
                number=number,
                question=one.question,
                answer=one.answer,
                text=one.answer.text,
                changes=one.changes,
                step=None,
            )
            for number, one in enumerate(self.exchanges, 1)
        )
        return Conversation(exchanges=tuple(shown), earlier=self.earlier)


def read_carried(text: str) -> Carried | None:
    """What the browser hands over; None where it isn't what this page once gave it."""
    try:
        return Carried.model_validate_json(text)
    except ValidationError:
        return None
