"""Several ways to do the same work of which the question itself gives the prices and the hours."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.answering.calculation.sizing_question import COUNTED
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.formatting import format_number
from assistant.language.quantities.quantity import Quantity
from assistant.language.tongue import Language
from assistant.tools.cost.comparison import ComparisonRequest

_LABELLED = frozenset({"company", "provider", "gpu", "system", "framework"})
# A bare amount beside hours is a price of an hour only as far as that is likely.
_MOST_PER_HOUR = Decimal(200)


def _prices(ask: Ask) -> list[Quantity]:
    """What an hour costs in each way: prices per hour, or else small bare amounts of money."""
    rates = [q for q in ask.quantities if q.kind == "rate" and q.unit.endswith("/h") and q.value]
    if rates:
        return rates
    amounts = [q for q in ask.quantities if q.kind == "money" and "/" not in q.unit and q.value]
    return amounts if all((q.value or 0) <= _MOST_PER_HOUR for q in amounts) else []


def _hours(ask: Ask) -> list[Quantity]:
    return [q for q in ask.quantities if q.unit == "h" and q.value]


def _cards(ask: Ask) -> list[Quantity]:
    return [q for q in ask.quantities if q.unit in COUNTED and q.value]


def wants_priced_comparison(ask: Ask) -> bool:
    """True where two or more prices stand in the question, with the hours of each or of all."""
    prices, hours, cards = _prices(ask), _hours(ask), _cards(ask)
    alike = len({price.unit for price in prices}) == 1 and len(cards) in (0, 1, len(prices))
    return alike and len(prices) > 1 and len(hours) in (1, len(prices)) and not {"buy", "train"} & ask.wishes


def priced_comparison_request(ask: Ask, corpus: Corpus, language: Language) -> ComparisonRequest:
    """The ways as stated, each under the name that stands with it, or under its own figures."""
    prices, hours = _prices(ask), _hours(ask)
    each = hours if len(hours) == len(prices) else hours * len(prices)
    cards = _cards(ask)
    counts = [int(q.value or 1) for q in cards] if len(cards) == len(prices) else None
    usual = int(cards[0].value or 1) if cards else 1
    names = _names(ask, corpus, prices)
    options = [
        {
            "label": name or f"{_shown(price, language)} × {_shown(time, language)} h",
            "price": price.value,
            "currency": price.unit.removesuffix("/h"),
            "hours": time.value,
            "gpus": count,
        }
        for price, time, name, count in zip(prices, each, names, counts or [usual] * len(prices), strict=True)
    ]
    return ComparisonRequest.model_validate({"options": tuple(options)})


def _names(ask: Ask, corpus: Corpus, prices: Sequence[Quantity]) -> list[str]:
    """A name for each way, where as many are named as there are ways; empty ones where not."""
    named = [mention for mention in ask.mentions if mention.kind in _LABELLED]
    distinct = list(dict.fromkeys(mention.entity for mention in named))
    if len(distinct) != len(prices):
        return [""] * len(prices)
    return [corpus.entities[entity].name for entity in distinct]


def _shown(quantity: Quantity, language: Language) -> str:
    return format_number(quantity.value or Decimal(0), language)
