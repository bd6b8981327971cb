"""Figures of a card that a cost calculation needs: dense compute and power, with their sources."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.errors import InvalidInput
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.specification import SpecificationValue
from assistant.tools.cost.result import Input
from assistant.tools.cost.span import Span

_PASSED_OVER = frozenset({"superseded", "forecast"})


def card_figure(corpus: Corpus, gpu: str, attribute: str, name: str, unit: str) -> Input:
    """The figure of a whole GPU; of several variants, the span over them. Raises InvalidInput where none is held."""
    rows = {row.entity: row for row in corpus.gpus.gpus}
    chosen: list[SpecificationValue] = []
    for entity_id in corpus.descendants(gpu):
        if entity_id in rows:
            value = preferred([v for v in rows[entity_id].values if v.attribute == attribute])
            if value is not None:
                chosen.append(value)
    if not chosen:
        raise InvalidInput(
            f"{name}: no figure is held for the {corpus.entities[gpu].name}.", "Give it yourself.",
            code=f"no_{name}", card=corpus.entities[gpu].name,
        )  # fmt: skip
    titles = {source.id: source.title for source in corpus.gpus.sources}
    return Input(
        name=name,
        value=Span.over(_span(value) for value in chosen),
        unit=unit,
        origin="data",
        source=titles.get(chosen[0].sources[0], chosen[0].sources[0]),
        as_of=chosen[0].as_of,
    )


def preferred(values: Sequence[SpecificationValue]) -> SpecificationValue | None:
    """Of values that disagree: one for the whole GPU, exact rather than rounded, and the one most sources give."""
    whole = [v for v in values if v.scope == "gpu" and isinstance(v.value, Decimal | Range)]
    current = [v for v in whole if v.status not in _PASSED_OVER] or whole
    return max(current, key=lambda v: (v.variant is None, not v.approx, len(v.sources)), default=None)


def _span(value: SpecificationValue) -> Span:
    return Span.of(value.value) if isinstance(value.value, Decimal | Range) else Span.of(0)
