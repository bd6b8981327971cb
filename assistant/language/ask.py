"""What a question asks, taken apart: the parts that want an answer of their own."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.language.mention import Mention, UnknownName
from assistant.language.quantities.quantity import Quantity
from assistant.language.tongue import Language

Wish = Literal[
    "amount",
    "why",
    "polar",
    "comparison",
    "alternative",
    "most",
    "least",
    "more",
    "less",
    "list",
    "cards",
    "inclusive",
    "fit",
    "holds",
    "throughput",
    "train",
    "rent",
    "buy",
    "tokens",
    "definition",
    "somebody",
]


class Ask(BaseModel):
    """One part of a question that wants an answer of its own."""

    model_config = ConfigDict(frozen=True)

    text: str
    mentions: tuple[Mention, ...] = ()
    unknown: tuple[UnknownName, ...] = ()
    names: tuple[str, ...] = ()
    """Further words written like names, which an answer has to speak of."""
    nouns: tuple[str, ...] = ()
    """Nouns by which it says what it wants to know, where no attribute is known by them."""
    wanted: tuple[tuple[str, ...], ...] = ()
    """Attribute ids asked for: a group for each cue word, as one cue can ask for several; the longest cue first."""
    wishes: frozenset[Wish] = frozenset()
    quantities: tuple[Quantity, ...] = ()
    in_domain: bool = True
    """False where neither a name nor a word of the subject stands in it."""
    before: str = ""
    """The part of the question before, where this part takes its names from there."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attribute ids asked for, without repeats."""
        return tuple(dict.fromkeys(id_ for group in self.wanted for id_ in group))

    def entities(self, *kinds: str) -> tuple[str, ...]:
        """Ids of the entities named, without repeats, in order; all kinds where none is given."""
        found = (mention.entity for mention in self.mentions if not kinds or mention.kind in kinds)
        return tuple(dict.fromkeys(found))


class Understanding(BaseModel):
    """A question taken apart."""

    model_config = ConfigDict(frozen=True)

    question: str
    language: Language
    asks: tuple[Ask, ...]
    is_follow_up: bool = False
    is_correction: bool = False
    """True where it puts an earlier question right, or has something else assumed."""
    is_fragment: bool = False
    """True for words that ask nothing by themselves: a name, a number."""
