"""The exact passage that a statement rests on."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.language.tongue import Language


class BasedOn(BaseModel):
    """A publication whose facts the cited passage carries."""

    model_config = ConfigDict(frozen=True)

    title: str
    publisher: str | None = None
    published: str | None = None


class Citation(BaseModel):
    """The exact passage a statement rests on. `start` and `end` count characters in the article's text."""

    model_config = ConfigDict(frozen=True)

    marker: int
    source_id: str
    title: str
    publisher: str | None = None
    language: Language
    published: str | None = None
    url: str | None = None
    section: str
    quote: str
    start: int | None = None
    end: int | None = None
    kind: Literal["article", "specification", "tool"]
    based_on: tuple[BasedOn, ...] = ()
