"""Everything held of a card, value by value with its sources, as data."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.corpus import Corpus
from assistant.knowledge.specification import GpuRow, SpecificationValue


class CardValue(BaseModel):
    """One value of a card. Sources that disagree are values beside each other."""

    model_config = ConfigDict(frozen=True)

    attribute: str
    value: int | float | bool | str | dict[str, Any]
    """A range is an object with `low` and `high`."""
    unit: str | None
    scope: str
    sparsity: str | None
    precision: str | None
    variant: str | None
    as_of: str | None
    status: str
    approx: bool
    bound: str | None
    note: str | None
    sources: tuple[str, ...]


class CardSheet(BaseModel):
    """A card with its values."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    maker: str | None
    variant_of: str | None
    aliases: tuple[str, ...]
    values: tuple[CardValue, ...]


def card_sheet(row: GpuRow, corpus: Corpus) -> CardSheet:
    """A row of the specifications with names instead of ids."""
    entity = corpus.entities[row.entity]
    titles = source_names(corpus)
    return CardSheet(
        id=entity.id,
        name=entity.name,
        maker=entity.maker,
        variant_of=entity.parent,
        aliases=entity.aliases,
        values=tuple(_value(value, titles) for value in row.values),
    )


def source_names(corpus: Corpus) -> dict[str, str]:
    """Publisher and title of each source of the specifications, by id."""
    return {
        source.id: f"{source.publisher}: {source.title}" if source.publisher else source.title
        for source in corpus.gpus.sources
    }


def _value(value: SpecificationValue, titles: dict[str, str]) -> CardValue:
    fields = value.model_dump(mode="json", exclude={"sources", "note"})
    if isinstance(value.value, Decimal):
        fields["value"] = float(value.value) if value.value % 1 else int(value.value)
    return CardValue(
        **fields,
        note=value.note.en if value.note else None,
        sources=tuple(titles.get(source, source) for source in value.sources),
    )
