"""Any cards side by side, each value in words with its source: what the comparison page and other programs show."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.knowledge.citation import Citation
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact, name_of
from assistant.language.formatting import format_quantity
from assistant.language.tongue import Language
from assistant.tools.comparison import ComparisonRow, compare_cards, figures_in
from assistant.tools.cost.names import find_gpu
from assistant.tools.cost.span import Span

MOST_CARDS = 8


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class CardValue(_Frozen):
    """One value of a card: in words, as figures in `unit`, and where it stands."""

    shown: str
    figures: Span | None
    card: str
    """Id of the card or edition that the value belongs to."""
    card_name: str
    status: str
    scope: str | None
    as_of: str | None
    citation: Citation


class PropertyRow(_Frozen):
    """One property of all cards; a cell is empty where no source holds the value."""

    attribute: str
    label: str
    unit: str | None
    cells: tuple[tuple[CardValue, ...], ...]
    most: str | None
    """Id of the card that clearly has the highest value; None where figures are missing, equal or overlap."""


class CardTable(_Frozen):
    """Cards as columns, properties as rows."""

    cards: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[PropertyRow, ...]


def card_properties(corpus: Corpus) -> tuple[str, ...]:
    """Ids of the attributes that are figures of a card, in the order of corpus/attributes.yaml."""
    held = {value.attribute for row in corpus.gpus.gpus for value in row.values} | {"price_per_hour"}
    return tuple(id_ for id_, attribute in corpus.attributes.items() if attribute.kind == "quantity" and id_ in held)


def card_table(
    names: Sequence[str],
    attributes: Sequence[str],
    facts: Mapping[str, Sequence[Fact]],
    corpus: Corpus,
    language: Language,
) -> CardTable:
    """Compare cards by name, in the attributes asked for or in all that are figures.

    Raises InvalidInput where a name or an attribute isn't known, or the number of cards isn't between 1 and MOST_CARDS.
    """
    cards = tuple(dict.fromkeys(find_gpu(name, corpus).id for name in names))
    if not 1 <= len(cards) <= MOST_CARDS:
        raise InvalidInput(f"gpus: give from 1 to {MOST_CARDS} cards.")
    known = card_properties(corpus)
    for attribute in attributes:
        if attribute not in known:
            problem = f"attributes: {attribute[:60]!r} is not a figure of a card."
            raise InvalidInput(problem, f"Known: {', '.join(known)}.")
    table = compare_cards(cards, tuple(attributes) or known, facts, corpus)
    return CardTable(
        cards=cards,
        names=tuple(name_of(corpus.entities[card], language) for card in cards),
        rows=tuple(_row(row, corpus, language) for row in table.rows),
    )


def card_table_markdown(table: CardTable) -> str:
    """The table in Markdown, each cell with the edition and date of its values."""
    header = ["", *table.names]
    lines = [
        [row.label, *(_cell_text(cell, card) for card, cell in zip(table.cards, row.cells, strict=True))]
        for row in table.rows
    ]
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))


def _cell_text(cell: Sequence[CardValue], card: str) -> str:
    shown = [f"{value.shown}{f' ({value.card_name})' if value.card != card else ''}" for value in cell]
    return "; ".join(dict.fromkeys(shown)) or "–"


def _row(row: ComparisonRow, corpus: Corpus, language: Language) -> PropertyRow:
    extreme = row.extreme(least=False) if len(row.cards) > 1 else None
    return PropertyRow(
        attribute=row.attribute,
        label=corpus.attributes[row.attribute].label.in_language(language),
        unit=row.unit,
        cells=tuple(
            tuple(_value(fact, card, row.unit, corpus, language) for fact in cell)
            for card, cell in zip(row.cards, row.cells, strict=True)
        ),
        most=extreme.card if extreme is not None and not extreme.equal else None,
    )


def _value(fact: Fact, card: str, unit: str | None, corpus: Corpus, language: Language) -> CardValue:
    family = {card, *corpus.descendants(card), *corpus.ancestors(card)}
    owner = next((id_ for id_ in fact.about if id_ in family), card)
    figures = figures_in(fact, unit or "")
    return CardValue(
        shown=format_quantity(fact.value, fact.unit, language) if isinstance(fact.value, Decimal | Range) else "",
        figures=Span(low=min(figures), high=max(figures)) if figures else None,
        card=owner,
        card_name=name_of(corpus.entities[owner], language),
        status=fact.status,
        scope=fact.qualifiers.scope,
        as_of=str(fact.as_of) if fact.as_of else None,
        citation=fact.citation,
    )
