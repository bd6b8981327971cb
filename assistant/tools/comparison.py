"""Cards side by side: for each property the facts known of each card, and which card has most of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.quantities.units import convert

# What a comparison shows where no property is named.
_USUAL = ("memory_capacity", "memory_bandwidth", "power", "dense_flops_16bit", "price_per_hour")

_MOST_IN_CELL = 6


class Extreme(BaseModel):
    """The card with the highest or lowest value, or `equal` where all have the same."""

    model_config = ConfigDict(frozen=True)

    card: str
    fact: Fact
    equal: bool


class Difference(BaseModel):
    """What the card that has most of a property has more than the other, in `unit`."""

    model_config = ConfigDict(frozen=True)

    most: Fact
    least: Fact
    high: Decimal
    low: Decimal
    unit: str

    @property
    def amount(self) -> Decimal:
        return self.high - self.low


class ComparisonRow(BaseModel):
    """One property; a cell holds every distinct value known of that card, the best sourced first."""

    model_config = ConfigDict(frozen=True)

    attribute: str
    unit: str | None
    cards: tuple[str, ...]
    cells: tuple[tuple[Fact, ...], ...]

    def extreme(self, *, least: bool) -> Extreme | None:
        """Which card has most (least) of this property; None where one has no figure or their figures overlap."""
        spans: list[tuple[Decimal, Decimal, str, Fact]] = []
        for card, cell in zip(self.cards, self.cells, strict=True):
            figures = [figure for fact in cell for figure in figures_in(fact, self.unit or "")]
            if not figures:
                return None
            spans.append((min(figures), max(figures), card, cell[0]))
        if len({(low, high) for low, high, _, _ in spans}) == 1 and spans[0][0] == spans[0][1]:
            return Extreme(card=spans[0][2], fact=spans[0][3], equal=True)
        ordered = sorted(spans, key=lambda span: span[0], reverse=not least)
        best, second = ordered[0], ordered[1]
        clear = best[1] < second[0] if least else best[0] > max(high for _, high, card, _ in spans if card != best[2])
        return Extreme(card=best[2], fact=best[3], equal=False) if clear else None

    def difference(self) -> Difference | None:
        """How far two cards are apart; None where either has no single firm figure, or the two count other things."""
        if len(self.cells) != 2 or self.unit is None or any(len(cell) != 1 for cell in self.cells):
            return None
        (one,), (other,) = self.cells
        if not (_is_firm(one) and _is_firm(other) and _measured(one) == _measured(other)):
            return None
        figures = [(figure, cell[0]) for cell in self.cells for figure in figures_in(cell[0], self.unit)]
        if len(figures) != 2 or figures[0][0] == figures[1][0]:
            return None
        (low, least), (high, most) = sorted(figures, key=lambda figure: figure[0])
        return Difference(most=most, least=least, high=high, low=low, unit=self.unit)


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
        if all(
            (fact.value, fact.unit, fact.about[:1]) != (other.value, other.unit, other.about[:1]) for other in distinct
        ):
            distinct.append(fact)
    return tuple(distinct[:_MOST_IN_CELL])


def rank_cards(
    attribute: str, facts: Mapping[str, Sequence[Fact]], corpus: Corpus, *, least: bool, provider: str | None = None
) -> ComparisonTable:
    """Every card with a figure for the property, the one with most (least) of it first."""
    rows: list[tuple[Decimal, str, tuple[Fact, ...]]] = []
    unit = corpus.attributes[attribute].unit or ""
    for entity in corpus.entities.values():
        if entity.kind != "gpu":
            continue
        own = [
            fact
            for fact in facts.get(entity.id, ())
            if fact.attribute == attribute
            and not fact.superseded
            and fact.qualifiers.scope is None
            and fact.status not in ("hypothetical", "forecast")
            and provider in (None, fact.qualifiers.provider)
        ]
        figures = [(figure, fact) for fact in own for figure in figures_in(fact, unit)]
        if figures:
            value = (min if least else max)(figure for figure, _ in figures)
            rows.append((value, entity.id, _distinct([fact for figure, fact in figures if figure == value])))
    rows.sort(key=lambda row: (row[0] if least else -row[0], row[1]))
    cards = tuple(card for _, card, _ in rows)
    row = ComparisonRow(attribute=attribute, unit=unit, cards=cards, cells=tuple(cell for _, _, cell in rows))
    return ComparisonTable(cards=cards, rows=(row,) if rows else ())


def _is_firm(fact: Fact) -> bool:
    """False for figures that a difference would make look more exact than they are."""
    return fact.status not in ("hypothetical", "forecast") and not fact.qualifiers.approx and not fact.qualifiers.bound


def _measured(fact: Fact) -> tuple[str | None, ...]:
    """What a figure counts, beside its attribute."""
    held = fact.qualifiers
    return (held.scope, held.sparsity, held.precision, held.provider)


def figures_in(fact: Fact, unit: str) -> list[Decimal]:
    """The ends of a fact's figure in `unit`; empty where it has none."""
    if not isinstance(fact.value, Decimal | Range):
        return []
    ends = (fact.value.low, fact.value.high) if isinstance(fact.value, Range) else (fact.value,)
    converted = [convert(end, fact.unit or "", unit) for end in ends]
    return [figure for figure in converted if figure is not None]
