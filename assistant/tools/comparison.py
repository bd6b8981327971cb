"""Cards side by side: for each property the facts known of each card, and which card has most of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.units import convert

# What a comparison shows where no property is named.
_USUAL = ("memory_capacity", "memory_bandwidth", "power", "dense_flops_16bit", "price_per_hour")


class Extreme(BaseModel):
    """The card with the highest or lowest value, or `equal` where all have the same."""

    model_config = ConfigDict(frozen=True)

    card: str
    fact: Fact
    equal: bool


class ComparisonRow(BaseModel):
    """One property; a cell holds every distinct value known of that card, the best sourced first."""

    model_config = ConfigDict(frozen=True)

    attribute: str
    unit: str | None
    cards: tuple[str, ...]
    cells: tuple[tuple[Fact, ...], ...]

    def extreme(self, *, least: bool) -> Extreme | None:
        """Which card has most (least) of this property; None unless every card has a figure."""
        values: list[tuple[Decimal, str, Fact]] = []
        for card, cell in zip(self.cards, self.cells, strict=True):
            figure = next((fact for fact in cell if isinstance(fact.value, Decimal | Range)), None)
            if figure is None or isinstance(figure.value, bool):
                return None
            value = figure.value.low if isinstance(figure.value, Range) else figure.value
            comparable = convert(value, figure.unit or "", self.unit or "") if isinstance(value, Decimal) else None
            if comparable is None:
                return None
            values.append((comparable, card, figure))
        best = (min if least else max)(values, key=lambda item: item[0])
        return Extreme(card=best[1], fact=best[2], equal=len({value for value, _, _ in values}) == 1)


class ComparisonTable(BaseModel):
    """Cards as columns, properties as rows."""

    model_config = ConfigDict(frozen=True)

    cards: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]


def compare_cards(
    cards: Sequence[str], attributes: Sequence[str], facts: Mapping[str, Sequence[Fact]], corpus: Corpus
) -> ComparisonTable:
    """Compare cards in the figures asked for, or in the usual ones where none is asked for.

    Values of a card's variants stand in where nothing is known of the card itself. A property that no card has is left
    out.
    """
    asked = [id_ for id_ in attributes if corpus.attributes[id_].kind == "quantity"]
    rows: list[ComparisonRow] = []
    for attribute in asked or _USUAL:
        if attribute not in corpus.attributes:
            continue
        cells = tuple(_cell(card, attribute, facts, corpus) for card in cards)
        if any(cells) and (asked or all(cells)):
            rows.append(
                ComparisonRow(
                    attribute=attribute, unit=corpus.attributes[attribute].unit, cards=tuple(cards), cells=cells
                )
            )
    return ComparisonTable(cards=tuple(cards), rows=tuple(rows))


def _cell(card: str, attribute: str, facts: Mapping[str, Sequence[Fact]], corpus: Corpus) -> tuple[Fact, ...]:
    for ids in ((card,), tuple(corpus.descendants(card))[1:], tuple(corpus.ancestors(card))):
        found = [
            fact
            for id_ in ids
            for fact in facts.get(id_, ())
            if fact.attribute == attribute and isinstance(fact.value, Decimal | Range) and not fact.superseded
        ]
        if found:
            return _distinct(found)
    return ()


def _distinct(found: Sequence[Fact]) -> tuple[Fact, ...]:
    distinct: list[Fact] = []
    for fact in found:
        if all((fact.value, fact.unit) != (other.value, other.unit) for other in distinct):
            distinct.append(fact)
    return tuple(distinct[:4])
