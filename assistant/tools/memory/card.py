"""One GPU as far as memory and speed go, taken from its specification row."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.knowledge.claim import Range
from assistant.knowledge.entity import Entity
from assistant.knowledge.specification import GpuRow, GpusFile, SpecificationValue
from assistant.language.mention import folded, spellings
from assistant.tools.memory.nearest import nearest_names

MIB = 2**20
_PASSED_OVER = frozenset({"superseded", "forecast"})


CardKind = Literal["accelerator", "graphics", "unified"]
"""By its memory: stacked on the package, chips on a board, or shared with the host."""


class Card(BaseModel):
    """Memory in bytes, bandwidth in bytes a second, dense compute in FLOP/s."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    name: str
    nominal_gb: float = Field(gt=0)
    usable_bytes: int = Field(gt=0)
    usable_measured: bool
    """False where no driver figure is known, and the nominal size is read as decimal gigabytes."""
    bandwidth: float | None = None
    flops_16bit: float | None = None
    flops_8bit: float | None = None
    precisions: Mapping[str, bool] = Field(default_factory=dict)
    """What its matrix units compute in, by name, as far as sources say."""
    sources: tuple[str, ...] = ()
    kind: CardKind = "graphics"
    is_linked: bool = False
    """True where cards are joined by more than the host's bus."""
    variant_of: str | None = None
    """The less exact name that was asked for, where this card stands in for it."""


def _number(value: object) -> float | None:
    if isinstance(value, Range):
        return float(value.low)
    return float(value) if isinstance(value, Decimal) else None


def _preferred(values: list[SpecificationValue]) -> SpecificationValue | None:
    """The value of a whole GPU; measured and exact ones first, then the one that most sources give."""
    usable = [v for v in values if v.scope == "gpu" and v.status not in _PASSED_OVER and _number(v.value) is not None]
    usable = usable or [v for v in values if v.scope == "gpu" and _number(v.value) is not None]
    return max(usable, key=lambda v: (not v.approx, v.status == "measured", len(v.sources)), default=None)


def card_from_row(row: GpuRow, name: str) -> Card | None:
    """The card of a specification row; None where its memory isn't known. Disagreeing memory figures: the least."""
    by_attribute: dict[str, list[SpecificationValue]] = {}
    for value in row.values:
        by_attribute.setdefault(value.attribute, []).append(value)
    nominal = _preferred(by_attribute.get("memory_capacity", []))
    if nominal is None:
        return None
    gigabytes = _number(nominal.value) or 0.0
    sources = list(nominal.sources)
    reported = [v for v in by_attribute.get("usable_memory", []) if v.scope == "gpu"]
    measured = min((_number(v.value) or 0.0 for v in reported), default=None)
    if measured:
        sources += [source for v in reported for source in v.sources]
    scale = {"memory_bandwidth": 1e12, "dense_flops_16bit": 1e12, "dense_flops_fp8": 1e12}
    figures: dict[str, float] = {}
    for attribute, factor in scale.items():
        chosen = _preferred(by_attribute.get(attribute, []))
        number = _number(chosen.value) if chosen else None
        if chosen is not None and number is not None:
            figures[attribute] = number * factor
            sources += chosen.sources
    precisions = {
        v.precision: v.value
        for v in by_attribute.get("precision_support", [])
        if v.precision is not None and isinstance(v.value, bool)
    }
    return Card(
        id=row.entity,
        name=name,
        nominal_gb=gigabytes,
        usable_bytes=int(measured * MIB) if measured else int(gigabytes * 1e9),
        usable_measured=bool(measured),
        bandwidth=figures.get("memory_bandwidth"),
        flops_16bit=figures.get("dense_flops_16bit"),
        flops_8bit=figures.get("dense_flops_fp8"),
        precisions=precisions,
        sources=tuple(dict.fromkeys(sources)),
        kind=_kind(_texts(by_attribute, "memory_type")),
        is_linked=_is_linked(by_attribute),
    )


def _texts(values: Mapping[str, list[SpecificationValue]], attribute: str) -> list[str]:
    return [str(value.value).lower() for value in values.get(attribute, [])]


def _kind(memory_types: list[str]) -> CardKind:
    if any(name.startswith("hbm") for name in memory_types):
        return "accelerator"
    return "unified" if any(name.startswith("lpddr") for name in memory_types) else "graphics"


def _is_linked(values: Mapping[str, list[SpecificationValue]]) -> bool:
    """True where a link is held of it, or a form that is mounted on a board with links."""
    forms = _texts(values, "form_factor")
    mounted = any(form.startswith(("sxm", "oam")) for form in forms)
    joined = any("pcie" not in part for link in _texts(values, "interconnect") for part in link.split("; "))
    return mounted or joined or bool(values.get("link_bandwidth"))


def cards_by_id(file: GpusFile, entities: Mapping[str, Entity]) -> dict[str, Card]:
    """Every card whose memory is known, its sources by title."""
    titles = {source.id: source.title for source in file.sources}
    cards: dict[str, Card] = {}
    for row in file.gpus:
        entity = entities.get(row.entity)
        card = card_from_row(row, entity.name if entity else row.entity)
        if card is not None:
            sources = tuple(titles.get(source, source) for source in card.sources)
            cards[card.id] = card.model_copy(update={"sources": sources})
    return cards


def find_card(name: str, cards: Mapping[str, Card], entities: Mapping[str, Entity]) -> Card:
    """The card of that name. A name that several variants share means the least of them, and the card says so.

    Raises InvalidInput with the nearest names for a card that isn't known.
    """
    wanted = folded(name)
    ids = {entity_id for spelling, entity_id in spellings(entities.values()) if spelling == wanted}
    ids |= {card.id for card in cards.values() if wanted in (folded(card.id), folded(card.name))}
    for maker in ("nvidia", "amd", "intel"):
        ids |= {card.id for card in cards.values() if folded(card.name) == maker + wanted}
    named = sorted(ids & cards.keys())
    if named:
        return cards[named[0]]
    variants = [card for card in cards.values() if _descends(card.id, ids, entities)]
    if variants:
        least = min(variants, key=lambda c: (c.nominal_gb, not c.usable_measured, c.bandwidth or 0.0, c.id))
        return least.model_copy(update={"variant_of": name})
    near = ", ".join(nearest_names(name, [card.name for card in cards.values()]))
    raise InvalidInput(
        f"gpu: {name!r} is not a known card.", f"Nearest: {near}." if near else "",
        code="unknown_card", name=name[:80], near=near or "–",
    )  # fmt: skip


def _descends(entity_id: str, ancestors: set[str], entities: Mapping[str, Entity]) -> bool:
    seen: set[str] = set()
    entity = entities.get(entity_id)
    while entity is not None and entity.parent and entity.parent not in seen:
        if entity.parent in ancestors:
            return True
        seen.add(entity.parent)
        entity = entities.get(entity.parent)
    return False
