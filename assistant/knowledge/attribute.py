"""The controlled list of what can be said of an entity, with its name and its question words per language."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.language.tongue import Language, Translated


class Attribute(BaseModel):
    """A property that claims and specification rows share."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["quantity", "date", "text", "boolean", "names"]
    unit: str | None = None
    """Unit in which values of this attribute are compared: GB, TB/s, W, USD/h, % …"""
    single_valued: bool
    """True where two different values for one entity contradict each other."""
    freshness_days: int | None = None
    """How long a value counts as fresh; None for what doesn't change."""
    weak: bool = False
    """True where its question words are so common that they count only where nothing else is asked for."""
    instead_of: tuple[str, ...] = ()
    """Attributes that aren't asked for where this one is: the price per hour, where the purchase price is."""
    both_of: tuple[str, ...] = ()
    """Attributes that mean this one where they are asked for together, the first of them no longer by itself."""
    label: Translated
    asked_as: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    """Words or phrases in a question that ask for it, lower case, per language."""


class AttributesFile(BaseModel):
    """corpus/attributes.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attributes: tuple[Attribute, ...]
