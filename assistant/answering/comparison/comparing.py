"""Cards compared in a table, and the card that has most or least of something."""

from collections.abc import Sequence
from itertools import islice

from assistant.answering.answer import ToolRun
from assistant.answering.comparison.cell import cell_of
from assistant.answering.composing.disclosure import caveats, disputes
from assistant.answering.composing.narrator import Narrator
from assistant.answering.composing.polarity import of_comparison, opened
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.relevance import answers
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_quantity
from assistant.language.quantities.quantity import Quantity, read_quantities
from assistant.language.quantities.units import convert
from assistant.tools.comparison import (
    ComparisonRow,
    ComparisonTable,
    Difference,
    compare_cards,
    figures_in,
    rank_cards,
)

_RANKS_SHOWN = 5
_LEADS = 3
_USUAL_LEADS = 2
_PRICE = "price_per_hour"


def comparison(part: AskEvidence, voice: Narrator) -> Draft | None:
    """A table of two or more cards in properties that are figures; None where it isn't that."""
    kinds = {id_: voice.corpus.entities[id_].kind for id_ in part.entities}
    cards = [id_ for id_, kind in kinds.items() if kind in ("gpu", "system")]
    if len(cards) < 2 or "provider" in kinds.values():
        return None
    strong = [voice.corpus.attributes[id_] for id_ in part.ask.attributes if not voice.corpus.attributes[id_].weak]
    figures = [attribute for attribute in strong if attribute.kind == "quantity"]
    compares = bool(part.ask.wishes & {"comparison", "most", "least", "less"}) or (
        # "This one or that one?" asks which, whatever of.
        "alternative" in part.ask.wishes and not strong
    )
    if not compares and (not figures or len({kinds[card] for card in cards}) > 1):
        return None
    if any(attribute.kind == "boolean" for attribute in strong) and not compares and "amount" not in part.ask.wishes:
        # Whether each can do it is a statement on each, not a figure.
        return None
    table = compare_cards(cards, part.ask.attributes, voice.library.by_entity, voice.corpus)
    if not table.rows and not any(attribute.kind in ("names", "date") for attribute in strong):
        table = compare_cards(cards, (), voice.library.by_entity, voice.corpus)
    if not table.rows:
        return None
    header = (voice.sentence("column_property"), *(Sentence(text=voice.name(card)) for card in table.cards))
    rows = [header]
    used: list[Fact] = []
    for row in table.rows:
        cells = [Sentence(text=voice.label(row.attribute))]
        for card, cell in zip(table.cards, row.cells, strict=True):
            used += cell
            cells.append(cell_of(card, cell, voice))
        rows.append(tuple(cells))
    apart = [row.difference() for row in table.rows if row.attribute in part.ask.attributes]
    runs = [_subtraction(difference, voice) for difference in apart[:_LEADS] if difference is not None]
    together = _said_of_all(cards, part, voice)
    figures_told = [q for sentence in together for q in read_quantities(sentence.text, voice.language)]
    ranked = [told for row, told in _who_has_most(part, table, voice) if not _tells(figures_told, row)]
    lead = [*together, *ranked, *(told for told, _ in runs)]
    verdict = of_comparison(part, table, voice)
    if verdict is not None:
        lead = opened(
            [*(told for _, told in _who_has_most(part, table, voice)), *(told for told, _ in runs)], verdict, voice
        )
    told, disagreements = disputes(used, voice)
    labels, notes = caveats(used, voice)
    paragraphs = [lead, [*disagreements, *notes]]
    opening, closing = (
        [Block(kind="paragraph", sentences=tuple(sentences))] if sentences else [] for sentences in paragraphs
    )
    incomplete = any(not cell for row in table.rows for cell in row.cells)
    return Draft(
        status="partly_answered" if incomplete else "answered",
        blocks=(*opening, Block(kind="table", rows=tuple(rows)), *closing),
        disputes=tuple(told),
        caveats=tuple(labels),
        tool_runs=tuple(run for _, run in runs),
    )


def _is_made_up(entity_id: str, voice: Narrator) -> bool:
    """True for what stands in an example only: no card of the sources has most or least of it."""
    told = voice.library.by_entity.get(entity_id, ()) or [
        fact for id_ in voice.corpus.descendants(entity_id) for fact in voice.library.by_entity.get(id_, ())
    ]
    return bool(told) and all(fact.status == "hypothetical" for fact in told)


def superlative(part: AskEvidence, voice: Narrator) -> Draft | None:
    """The card with most or least of a property among all that the sources know; None where none is asked for."""
    wishes = part.ask.wishes & {"most", "least"}
    figures = [id_ for id_ in part.ask.attributes if voice.corpus.attributes[id_].kind == "quantity"]
    kinds = {id_: voice.corpus.entities[id_].kind for id_ in part.entities}
    if not wishes or not figures or set(kinds.values()) & {"gpu", "system", "model"}:
        return None
    if any(_is_made_up(id_, voice) for id_ in kinds):
        return None
    stated = any(quantity.kind == "memory" for quantity in part.ask.quantities)
    if "list" not in part.ask.wishes and (stated or part.ask.wishes & {"fit", "holds"}):
        # The least that something needs, not the card that has least.
        return None
    provider = next((id_ for id_, kind in kinds.items() if kind == "provider"), None)
    least = "least" in wishes
    table = rank_cards(figures[0], voice.library.by_entity, voice.corpus, least=least, provider=provider)
    if not table.rows:
        return None
    row = table.rows[0]
    best = row.cells[0]
    lead = voice.say(
        "superlative_least" if least else "superlative_most",
        name=voice.name(row.cards[0]),
        attribute=voice.label(row.attribute),
        value=voice.labelled(best[0]),
    )
    rows: list[tuple[Sentence, ...]] = [(Sentence(text="GPU"), Sentence(text=voice.label(row.attribute)))]
    rows += [
        (Sentence(text=voice.name(card)), cell_of(card, cell, voice))
        for card, cell in list(zip(row.cards, row.cells, strict=True))[:_RANKS_SHOWN]
    ]
    told, disagreements = disputes(best, voice)
    labels, notes = caveats(best, voice)
    opening = (Sentence(text=lead, support=tuple(fact.citation for fact in best)), *disagreements, *notes)
    return Draft(
        status="answered",
        blocks=(Block(kind="paragraph", sentences=opening), Block(kind="table", rows=tuple(rows))),
        disputes=tuple(told),
        caveats=tuple(labels),
    )


def _subtraction(difference: Difference, voice: Narrator) -> tuple[Sentence, ToolRun]:
    """How much the one has more than the other, with the figures it is computed from."""
    high, low, amount = (
        format_quantity(figure, difference.unit, voice.language)
        for figure in (difference.high, difference.low, difference.amount)
    )
    formula = f"{high} − {low} = {amount}"
    run = ToolRun(
        tool="difference",
        inputs={"high": float(difference.high), "low": float(difference.low), "unit": difference.unit},
        result={"difference": float(difference.amount), "unit": difference.unit},
        formula=formula,
    )
    claimed = [fact for fact in (difference.most, difference.least) if fact.status == "vendor_claim"]
    who = voice.join(list(dict.fromkeys(voice.claimant(fact) for fact in claimed)))
    phrase = "comparison_difference_claimed" if claimed else "comparison_difference"
    text = voice.say(phrase, difference=amount, high=high, low=low, **({"who": who} if claimed else {}))
    return Sentence(text=text, support=(difference.most.citation, difference.least.citation)), run


def _said_of_all(cards: Sequence[str], part: AskEvidence, voice: Narrator) -> list[Sentence]:
    """What the sources say of just these cards together, best first, at most two statements."""
    families = [set(voice.corpus.descendants(card)) for card in cards]
    together = [
        ranked.fact
        for ranked in part.facts
        if answers(ranked, part, voice.corpus)
        and all(family.intersection(ranked.fact.about) for family in families)
        and (ranked.attribute > 0 or not part.ask.attributes)
    ]
    first, others = together[:1], together[1:]
    fresh = [fact for fact in others if fact.id not in part.restated.get(first[0].id, ())]
    return [voice.statement(fact) for fact in (*first, *fresh[:1])]


def _tells(figures: Sequence[Quantity], row: ComparisonRow) -> bool:
    """True where the figures of every card in a row have been told already."""
    told = {convert(q.value, q.unit, row.unit or "") for q in figures if q.value is not None and q.unit}
    return all(any(told.intersection(figures_in(fact, row.unit or "")) for fact in cell) for cell in row.cells)


def _who_has_most(part: AskEvidence, table: ComparisonTable, voice: Narrator) -> list[tuple[ComparisonRow, Sentence]]:
    """One sentence for each property asked: which card has most (or least) of it, or that this can't be told.

    Where no property is asked for, the first two of the usual ones in which a card leads.
    """
    least = bool(part.ask.wishes & {"least", "less"})
    asked = [row for row in table.rows if row.attribute in part.ask.attributes]
    if asked:
        leads = ((row, _leader(row, voice, least=least) or _undecided(row, voice)) for row in asked[:_LEADS])
        return [(row, told) for row, told in leads if told is not None]
    technical = (row for row in table.rows if row.attribute != _PRICE)
    leading = ((row, told) for row in technical if (told := _leader(row, voice, least=least)) is not None)
    return list(islice(leading, _USUAL_LEADS))


def _leader(row: ComparisonRow, voice: Narrator, *, least: bool) -> Sentence | None:
    best = row.extreme(least=least)
    if best is None:
        return None
    cell = row.cells[row.cards.index(best.card)]
    # A family's lead is that of all its editions, so all their figures are told.
    shown = Sentence(text=voice.labelled(best.fact), support=(best.fact.citation,))
    if len(cell) > 1:
        shown = cell_of(best.card, cell, voice)
    fields = {"attribute": voice.label(row.attribute), "value": shown.text}
    if best.equal:
        text = voice.say("comparison_equal", **fields)
    else:
        text = voice.say("comparison_least" if least else "comparison_most", name=voice.name(best.card), **fields)
    return Sentence(text=text, support=shown.support)


def _undecided(row: ComparisonRow, voice: Narrator) -> Sentence | None:
    """That no order follows from figures that overlap; None where a card has no figure."""
    if not all(row.cells):
        return None
    cells = [cell_of(card, cell, voice) for card, cell in zip(row.cards, row.cells, strict=True)]
    figures = [f"{voice.name(card)} {cell.text}" for card, cell in zip(row.cards, cells, strict=True)]
    return voice.sentence(
        "comparison_open",
        attribute=voice.label(row.attribute),
        figures=("；" if voice.language == "zh" else "; ").join(figures),
    ).model_copy(update={"support": tuple(citation for cell in cells for citation in cell.support)})
