"""Cards compared in a table, and the card that has most or least of something."""

from collections.abc import Sequence

from assistant.answering.answer import ToolRun
from assistant.answering.disclosure import caveats, disputes
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence
from assistant.answering.narrator import Narrator
from assistant.answering.polarity import of_comparison, opened
from assistant.answering.selection import answers
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_quantity
from assistant.tools.comparison import ComparisonTable, Difference, compare_cards, rank_cards

_RANKS_SHOWN = 5
_LEADS = 3


def comparison(part: AskEvidence, voice: Narrator) -> Draft | None:
    """A table of two or more cards in properties that are figures; None where it isn't that."""
    kinds = {id_: voice.corpus.entities[id_].kind for id_ in part.entities}
    cards = [id_ for id_, kind in kinds.items() if kind in ("gpu", "system")]
    if len(cards) < 2 or "provider" in kinds.values():
        return None
    strong = [voice.corpus.attributes[id_] for id_ in part.ask.attributes if not voice.corpus.attributes[id_].weak]
    figures = [attribute for attribute in strong if attribute.kind == "quantity"]
    compares = bool(part.ask.wishes & {"comparison", "most", "least", "less"})
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
            cells.append(_cell(card, cell, voice))
        rows.append(tuple(cells))
    apart = [row.difference() for row in table.rows if row.attribute in part.ask.attributes]
    runs = [_subtraction(difference, voice) for difference in apart[:_LEADS] if difference is not None]
    lead = [*_said_of_all(cards, part, voice), *_who_has_most(part, table, voice), *(told for told, _ in runs)]
    verdict = of_comparison(part, table, voice)
    if verdict is not None:
        lead = opened([*_who_has_most(part, table, voice), *(told for told, _ in runs)], verdict, voice)
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


def superlative(part: AskEvidence, voice: Narrator) -> Draft | None:
    """The card with most or least of a property among all that the sources know; None where none is asked for."""
    wishes = part.ask.wishes & {"most", "least"}
    figures = [id_ for id_ in part.ask.attributes if voice.corpus.attributes[id_].kind == "quantity"]
    kinds = {id_: voice.corpus.entities[id_].kind for id_ in part.entities}
    if not wishes or not figures or set(kinds.values()) & {"gpu", "system", "model"}:
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
        value=voice.value(best[0]),
    )
    rows: list[tuple[Sentence, ...]] = [(Sentence(text="GPU"), Sentence(text=voice.label(row.attribute)))]
    rows += [
        (Sentence(text=voice.name(card)), _cell(card, cell, voice))
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
    text = voice.say("comparison_difference", difference=amount, high=high, low=low)
    return Sentence(text=text, support=(difference.most.citation, difference.least.citation)), run


def _cell(card: str, cell: Sequence[Fact], voice: Narrator) -> Sentence:
    """The values of a card, each with the edition it belongs to where the card has several."""
    if not cell:
        return voice.sentence("not_known")
    editions: dict[str, list[str]] = {}
    for fact in cell:
        shown = voice.value(fact)
        if fact.qualifiers.scope is not None and fact.kind == "specification":
            shown += f" ({voice.say(f'scope_{fact.qualifiers.scope}')})"
        editions.setdefault(_edition(card, fact, voice), []).append(shown)
    shown_cell = [
        f"{voice.join(list(dict.fromkeys(values)))}{f' ({edition})' if edition else ''}"
        for edition, values in editions.items()
    ]
    return Sentence(text="; ".join(shown_cell), support=tuple(fact.citation for fact in cell))


def _edition(card: str, fact: Fact, voice: Narrator) -> str:
    """What tells a fact's card apart from the less exact name asked for: PCIe, SXM …"""
    family = set(voice.corpus.descendants(card)) - {card}
    variant = next((id_ for id_ in fact.about if id_ in family), None)
    if variant is None:
        return ""
    known = set(voice.name(card).split())
    return " ".join(word for word in voice.name(variant).split() if word not in known)


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
    return [voice.statement(fact) for fact in together[:2]]


def _who_has_most(part: AskEvidence, table: ComparisonTable, voice: Narrator) -> list[Sentence]:
    """One sentence for each property asked: which card has most (or least) of it."""
    least = bool(part.ask.wishes & {"least", "less"})
    asked = [row for row in table.rows if row.attribute in part.ask.attributes] or list(table.rows[:2])
    sentences: list[Sentence] = []
    for row in asked[:_LEADS]:
        best = row.extreme(least=least)
        if best is None:
            continue
        fields = {"attribute": voice.label(row.attribute), "value": voice.value(best.fact)}
        if best.equal:
            text = voice.say("comparison_equal", **fields)
        else:
            phrase = "comparison_least" if least else "comparison_most"
            text = voice.say(phrase, name=voice.name(best.card), **fields)
        sentences.append(Sentence(text=text, support=(best.fact.citation,)))
    return sentences
