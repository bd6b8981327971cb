"""One form for everything that can be stated: claims, specification values, prices, releases, support."""

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.citation import Citation
from assistant.knowledge.claim import Qualifiers, Range, SeriesPlace, Status
from assistant.knowledge.entity import Entity
from assistant.knowledge.period import Period
from assistant.language.tongue import Language, Translated


class Fact(BaseModel):
    """Something the knowledge base states, with its sentence in four languages and the passage it rests on."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: Literal["claim", "specification", "price", "release", "support"]
    about: tuple[str, ...]
    attribute: str
    value: Decimal | Range | Period | bool | None = None
    unit: str | None = None
    text: str | None = None
    names: tuple[str, ...] = ()
    qualifiers: Qualifiers = Qualifiers()
    status: Status = "specified"
    superseded: bool = False
    """True for a value that its own source, or a later one, has corrected, or that isn't what the row tells of."""
    note: Translated | None = None
    """What has to be known of a specification's value: why it is set aside, say."""
    attributed_to: str | None = None
    as_of: Period | None = None
    statement: Translated
    citation: Citation
    also: tuple[Citation, ...] = ()
    """Further passages that say the same."""
    series: SeriesPlace | None = None
    speaks_of: frozenset[str] = frozenset()
    """Ids of the entities that the statement names, beside those that it is about."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        return (self.citation, *self.also)


def name_of(entity: Entity, language: Language) -> str:
    return entity.names.get(language, entity.name)
