"""Names of graphics cards, and the other word lists of data/identifiers.yaml."""

import re
from functools import lru_cache

from assistant.language.lexical_data import WordLists, load
from assistant.language.phrases import Phrases
from assistant.language.tokens import Token, Tokens

_CARD = re.compile(r"([a-z]+)-?[0-9]+[a-z]*")


class IdentifierLists(WordLists):
    """The file data/identifiers.yaml, which says what each list is."""

    named_by_number: frozenset[str]
    ordinary: frozenset[str]
    name_endings: frozenset[str]
    bare_cards: frozenset[str]
    card_prefixes: frozenset[str]
    card_families: frozenset[str]
    model_families: frozenset[str]
    not_cards: frozenset[str]
    adjectives: tuple[str, ...]
    compound_ends: dict[str, str]
    not_names: frozenset[str]
    function_words: frozenset[str]
    idioms: frozenset[str]
    joining: frozenset[str]
    displays: frozenset[str]
    memory_words: tuple[str, ...]
    token_words: tuple[str, ...]
    parameter_words: tuple[str, ...]
    ten_thousand_words: tuple[str, ...]
    counters: frozenset[str]
    card_counters: frozenset[str]
    kind_counters: frozenset[str]
    person_signs: frozenset[str]
    not_adjectives: frozenset[str]
    sold: frozenset[str]
    telephones: frozenset[str]
    million_words: tuple[str, ...]


@lru_cache(maxsize=1)
def identifier_lists() -> IdentifierLists:
    return load("identifiers", IdentifierLists)


def is_card(token: Token) -> bool:
    """True for a token that names a graphics card: H100, MI355X, RTX4090, or 4090 on its own."""
    lists = identifier_lists()
    if token.kind == "number":
        return token.text in lists.bare_cards
    match = _CARD.fullmatch(token.key) if token.kind == "name" else None
    return match is not None and match[1] in lists.card_prefixes and match[1] not in lists.not_cards


def names_a_card(tokens: Tokens, place: int) -> bool:
    """True where the name of a card stands at `place`, makers and families in front of it included: NVIDIA H100."""
    lists = identifier_lists()
    for step in range(4):
        token = tokens.at(place + step)
        if not token.near:
            return False
        if is_card(token):
            return True
        if step and token.kind == "number" and token.text.isdigit() and len(token.text) in (3, 4):
            return True
        if token.key not in lists.card_families and not (step and token.text == "-"):
            return False
    return False


@lru_cache(maxsize=1)
def adjectives() -> Phrases[bool]:
    phrases: Phrases[bool] = Phrases()
    phrases.add_all(identifier_lists().adjectives, True)
    return phrases
