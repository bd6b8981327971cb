"""Which card or provider a name means; an unknown name is refused with the nearest ones, never replaced."""

from collections.abc import Mapping

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.entity import Entity
from assistant.knowledge.specification import GpuRow
from assistant.language.mention import folded, spellings
from assistant.tools.memory.nearest import nearest_names


def _named(name: str, field: str, what: str, entities: Mapping[str, Entity]) -> Entity:
    wanted = folded(name)
    found = {entity_id for spelling, entity_id in spellings(entities.values()) if spelling == wanted}
    found |= {entity_id for entity_id in entities if folded(entity_id) == wanted}
    if len(found) == 1:
        return entities[found.pop()]
    if found:
        meant = ", ".join(sorted(entities[entity_id].name for entity_id in found))
        raise InvalidInput(
            f"{field}: {name[:60]!r} may be any of {meant}.", "Name the one you mean.",
            code="ambiguous", name=name[:60], meant=meant,
        )  # fmt: skip
    near = ", ".join(nearest_names(name, [entity.name for entity in entities.values()]))
    raise InvalidInput(
        f"{field}: {name[:60]!r} is not a known {what}.", f"Nearest: {near}." if near else "",
        code=f"unknown_{what}", name=name[:60], near=near or "–",
    )  # fmt: skip


def find_gpu(name: str, corpus: Corpus) -> Entity:
    """The card of that name, or the family that a less exact name means. Raises InvalidInput with the nearest names."""
    return _named(name, "gpu", "card", cards_and_families(corpus))


def find_provider(name: str, corpus: Corpus) -> Entity:
    """The provider of that name. Raises InvalidInput with the nearest names."""
    providers = {id_: entity for id_, entity in corpus.entities.items() if entity.kind == "provider"}
    return _named(name, "provider", "provider", providers)


def cards_and_families(corpus: Corpus) -> dict[str, Entity]:
    """Every card, system, and product series that has cards."""
    families = {parent for parent, children in corpus.children_of.items() if _has_card(children, corpus)}
    return {
        id_: entity for id_, entity in corpus.entities.items() if entity.kind in ("gpu", "system") or id_ in families
    }


def _has_card(children: tuple[str, ...], corpus: Corpus) -> bool:
    return any(corpus.entities[child].kind == "gpu" for child in children)


def cards_named(name: str | None, corpus: Corpus) -> list[GpuRow]:
    """Specifications of the card of that name and of its variants; of every card for None. Raises InvalidInput."""
    rows = list(corpus.gpus.gpus)
    if name is None:
        return rows
    meant = set(corpus.descendants(find_gpu(name, corpus).id))
    return [row for row in rows if row.entity in meant]
