"""What the knowledge base speaks about: cards, models, software, providers, companies, topics."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EntityKind = Literal[
    "gpu", "system", "model", "software", "framework", "library", "provider", "company", "technology", "topic"
]


class Entity(BaseModel):
    """Something that can be asked about. `name` is how answers write it; `aliases` are other spellings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")
    kind: EntityKind
    name: str
    names: dict[str, str] = Field(default_factory=dict)
    """Name in one language where it differs: {zh: 英伟达}."""
    aliases: tuple[str, ...] = ()
    """Spellings in any language; case, spaces and hyphens don't matter."""
    parent: str | None = None
    """The less exact thing that this is a variant or version of: nvidia-h100 for nvidia-h100-sxm."""
    maker: str | None = None
    """Entity id of the company that makes it."""
    related: tuple[str, ...] = ()
    """Other entities whose claims also tell about this one."""


class EntitiesFile(BaseModel):
    """One file of corpus/entities/."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entities: tuple[Entity, ...]
