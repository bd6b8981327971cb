"""The answer object: what the command line, the API and the chat all return."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, StrictInt

from assistant.knowledge.citation import Citation
from assistant.language.tongue import Language

AnswerStatus = Literal["answered", "partly_answered", "not_in_sources", "out_of_scope", "needs_input"]
CaveatCode = Literal["vendor_claim", "forecast", "hypothetical", "stale", "not_published", "assumption"]


class ToolRun(BaseModel):
    """A calculation: what went in, what came out, and the formula with its numbers filled in."""

    model_config = ConfigDict(frozen=True)

    tool: str
    inputs: dict[str, Any]
    result: dict[str, Any]
    formula: str

    @property
    def changes(self) -> tuple[str, ...]:
        """What would change the result, in the language of the answer, where the answer's text doesn't tell it."""
        return tuple(change["text"] for change in self.result.get("would_change", ()) if change.get("text"))


class ConflictValue(BaseModel):
    """One side of a disagreement."""

    model_config = ConfigDict(frozen=True)

    value: str
    unit: str | None = None
    marker: StrictInt
    as_of: str | None = None


class Conflict(BaseModel):
    """Sources that give different values for the same thing."""

    model_config = ConfigDict(frozen=True)

    about: str
    attribute: str
    values: tuple[ConflictValue, ...]


class Caveat(BaseModel):
    """A label that belongs to a statement of the answer."""

    model_config = ConfigDict(frozen=True)

    code: CaveatCode
    text: str


class Nearest(BaseModel):
    """The nearest thing that the sources do hold."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    title: str
    about: str


class Missing(BaseModel):
    """What is needed, or not held, and the nearest source."""

    model_config = ConfigDict(frozen=True)

    what: tuple[str, ...]
    nearest: tuple[Nearest, ...] = ()


class Answer(BaseModel):
    """A verified answer, ready to show."""

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    language: Language
    status: AnswerStatus
    text: str
    citations: tuple[Citation, ...] = ()
    tool_runs: tuple[ToolRun, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    missing: Missing | None = None
    model: str | None = None
    knowledge: str
    timings_ms: dict[str, Annotated[float, Strict()]] = Field(default_factory=dict)
