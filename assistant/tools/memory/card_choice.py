"""Which other cards, and how many of a card, are worth naming."""

from collections.abc import Iterable

from assistant.tools.memory.card import Card
from assistant.tools.memory.parallelism import NODE

# Cards on a host's bus alone share one workstation or server; a box with its own memory pairs with one more at most.
_ON_A_BUS = 4
_BOXES = 2


def can_stand_together(card: Card, count: int) -> bool:
    """True for a number of the card that is built: linked ones fill servers of eight, others a host, boxes a pair."""
    if card.kind == "unified":
        return count <= (_BOXES if card.is_linked else 1)
    if card.is_linked:
        return count <= NODE or count % NODE == 0
    return count <= _ON_A_BUS


def larger_cards(card: Card, count: int, cards: Iterable[Card]) -> list[Card]:
    """Cards with more memory that stand together in that number: of the same maker and kind first, then by memory."""
    maker = card.id.partition("-")[0]
    larger = [one for one in cards if one.usable_bytes > card.usable_bytes and can_stand_together(one, count)]

    def distance(one: Card) -> tuple[bool, int, int, str]:
        kind = 0 if one.kind == card.kind else 2 if one.kind == "unified" else 1
        return one.id.partition("-")[0] != maker, kind, one.usable_bytes, one.name

    return sorted(larger, key=distance)
