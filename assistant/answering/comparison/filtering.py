"""Cards with more, less or just as much of a property as the question says: "which cards have over 200 GB?"."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_quantity
from assistant.language.quantities.quantity import Quantity
from assistant.language.quantities.units import convert
from assistant.tools.comparison import figures_in, rank_cards

_MOST_SHOWN = 12
# What a figure is taken to be of, where the question names no property.
_PROPERTY_OF_KIND = {
    "memory": "memory_capacity",
    "power": "power",
    "bandwidth": "memory_bandwidth",
    "rate": "price_per_hour",
}
_NAMED = frozenset({"gpu", "system", "model", "software", "framework", "library"})


def filtered(part: AskEvidence, voice: Narrator) -> Draft | None:
    """The cards on the asked side of a figure; None where the question asks for no such thing."""
    kinds = {voice.corpus.entities[id_].kind for id_ in part.entities}
    limit = next((quantity for quantity in part.ask.quantities if quantity.kind in _PROPERTY_OF_KIND), None)
    if limit is None or limit.value is None or kinds & _NAMED or not {"list", "cards"} <= part.ask.wishes:
        return None
    attribute = _property(part, limit, voice)
    unit = voice.corpus.attributes[attribute].unit or ""
    bound = convert(limit.value, limit.unit, unit)
    if bound is None:
        return None
    provider = next((id_ for id_ in part.entities if voice.corpus.entities[id_].kind == "provider"), None)
    least = limit.bound == "at_most"
    table = rank_cards(attribute, voice.library.by_entity, voice.corpus, least=least, provider=provider)
    fits = _comparison(part, limit)
    held = [
        (card, cell)
        for row in table.rows
        for card, cell in zip(row.cards, row.cells, strict=True)
        if any(fits(figure, bound) for fact in cell for figure in figures_in(fact, unit))
    ]
    fields = {"attribute": voice.label(attribute), "value": format_quantity(bound, unit, voice.language)}
    if not held:
        text = voice.say("filtered_none", **fields)
        return Draft(status="not_in_sources", blocks=(Block(kind="paragraph", sentences=(Sentence(text=text),)),))
    return Draft(status="answered", blocks=tuple(_told(held, fields, limit, attribute, voice)))


def _property(part: AskEvidence, limit: Quantity, voice: Narrator) -> str:
    """The property asked that is counted in the figure's unit, or the usual one of such figures."""
    for id_ in part.ask.attributes:
        attribute = voice.corpus.attributes[id_]
        if attribute.kind == "quantity" and attribute.unit and convert(Decimal(1), limit.unit, attribute.unit):
            return id_
    return _PROPERTY_OF_KIND[limit.kind]


def _comparison(part: AskEvidence, limit: Quantity) -> Callable[[Decimal, Decimal], bool]:
    inclusive = "inclusive" in part.ask.wishes
    if limit.bound == "at_least":
        return Decimal.__ge__ if inclusive else Decimal.__gt__
    if limit.bound == "at_most":
        return Decimal.__le__ if inclusive else Decimal.__lt__
    return Decimal.__eq__


def _told(
    held: Sequence[tuple[str, tuple[Fact, ...]]],
    fields: dict[str, str],
    limit: Quantity,
    attribute: str,
    voice: Narrator,
) -> list[Block]:
    """One sentence that names the cards, then a table of their figures."""
    shown = held[:_MOST_SHOWN]
    side = limit.bound or "exactly"
    names = voice.names([card for card, _ in shown])
    phrase = f"filtered_{side}" if len(held) <= _MOST_SHOWN else f"filtered_{side}_many"
    more = {} if len(held) <= _MOST_SHOWN else {"count": str(len(held))}
    support = tuple(cell[0].citation for _, cell in shown)
    lead = Sentence(text=voice.say(phrase, names=names, **fields, **more), support=support)
    rows = [(Sentence(text="GPU"), Sentence(text=voice.label(attribute)))]
    rows += [
        (
            Sentence(text=voice.name(card)),
            Sentence(text=voice.join([voice.labelled(fact) for fact in cell]), support=(cell[0].citation,)),
        )
        for card, cell in shown
    ]
    return [Block(kind="paragraph", sentences=(lead,)), Block(kind="table", rows=tuple(rows))]
