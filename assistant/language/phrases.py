"""Words and phrases looked up in tokens: the longest one that starts at a place."""

from collections.abc import Iterable
from typing import Generic, TypeVar

from assistant.language.characters import fold
from assistant.language.tokens import Token, Tokens, tokenize

T = TypeVar("T")
_VALUE = "\1"
_EXACT = "\0"


class Phrases(Generic[T]):
    """A set of phrases, each with a value; matching takes time in the phrase's length, not in the number of phrases."""

    def __init__(self) -> None:
        self._root: dict[str, object] = {}

    def add(self, phrase: str, value: T, *, exact: bool = False, replace: bool = False) -> None:
        """Add a phrase; `exact` ones must have the same capitals. A final dot (ca.) may be left out in the text."""
        pieces = tokenize(fold(phrase))
        keys = [_EXACT + piece.text if exact else piece.key for piece in pieces]
        self._put(keys, value, replace)
        if len(keys) > 1 and pieces[-1].text == ".":
            self._put(keys[:-1], value, replace)

    def add_all(self, phrases: Iterable[str], value: T, *, exact: bool = False, replace: bool = False) -> None:
        for phrase in phrases:
            self.add(phrase, value, exact=exact, replace=replace)

    @property
    def first_keys(self) -> set[str]:
        """The lower-case tokens that a phrase can start with."""
        return {key.removeprefix(_EXACT).lower() for key in self._root}

    def longest(self, tokens: Tokens, place: int) -> tuple[int, T] | None:
        """The place behind the longest phrase that starts at `place`, and its value."""
        token = tokens.at(place)
        if token.key not in self._root and _EXACT + token.text not in self._root:
            return None
        return self._follow(self._root, tokens, place, token)

    def _follow(self, node: dict[str, object], tokens: Tokens, place: int, token: Token) -> tuple[int, T] | None:
        best: tuple[int, T] | None = None
        for key in (_EXACT + token.text, token.key):
            child = node.get(key)
            if not isinstance(child, dict):
                continue
            found: tuple[int, T] | None = (place + 1, child[_VALUE]) if _VALUE in child else None
            following = tokens.at(place + 1)
            if following.near:
                found = self._follow(child, tokens, place + 1, following) or found
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        return best

    def _put(self, keys: list[str], value: T, replace: bool) -> None:
        node: dict[str, object] = self._root
        for key in keys:
            node = node.setdefault(key, {})  # type: ignore[assignment]
        if replace or _VALUE not in node:
            node[_VALUE] = value
