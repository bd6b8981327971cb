"""What a listener hears while an answer is made: the step under way, verified text, then the whole answer."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer

StepName = Literal["understanding", "gathering", "composing", "writing"]


class StepBegun(BaseModel):
    """A step of the work has begun."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["step"] = "step"
    step: StepName


class TextVerified(BaseModel):
    """More of the answer is verified; `text` is all of it so far, as Markdown with markers."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["text"] = "text"
    text: str


class AnswerReady(BaseModel):
    """The work is done."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["answer"] = "answer"
    answer: Answer


Event = StepBegun | TextVerified | AnswerReady
