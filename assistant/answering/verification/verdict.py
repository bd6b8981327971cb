"""What verification finds of a sentence: the evidence that carries it, or why none does."""

from enum import Enum

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.carrier import Carrier


class Fault(Enum):
    """Why a sentence is not carried."""

    UNKNOWN_NAME = "names something that the evidence doesn't"
    FIGURE = "a figure that the evidence doesn't have for this"
    DATE = "a date that the evidence doesn't have"
    COMPARISON = "a comparison that the figures don't bear out"
    WORDS = "words that the evidence doesn't account for"
    LABEL = "a label of the source left out"
    AMBIGUOUS = "another value of the same fits the words as well"


class Verdict(BaseModel):
    """What verification found: the carriers of a sentence, or its fault and the evidence nearest to it."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    carriers: tuple[Carrier, ...] = ()
    fault: Fault | None = None
    nearest: Carrier | None = None

    @property
    def carried(self) -> bool:
        return self.fault is None
