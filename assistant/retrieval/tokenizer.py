"""The bundled model's tokenizer: SentencePiece's unigram model, by which a text is cut into its likeliest pieces.

Kudo 2018, "Subword Regularization"; the search is Viterbi's. Written here because it is ready in a tenth of a second;
the tokenizers library takes most of one to read the same 250,000 pieces, and indexing one changed article has no more
to spare.
"""

import re
from functools import lru_cache

from assistant.retrieval.packed_model import Vocabulary

SPACE = "\u2581"
"""Stands for the space before a word; in a piece only at its beginning, so that words can be cut one at a time."""
CACHED_WORDS = 50_000
MAX_CACHED_LENGTH = 40
UNKNOWN_PENALTY = 10.0
"""How far an unknown character's score lies below that of the rarest piece, as in SentencePiece."""

_SPACES = re.compile("  +")
_WORDS = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+")
Tokens = tuple[int, ...]


class Tokenizer:
    """Cuts texts into numbered pieces, without the marks of beginning and end."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary.pieces))
        self._unknown_score = min(vocabulary.scores) - UNKNOWN_PENALTY
        self._remembered = lru_cache(CACHED_WORDS)(self._cut)

    def tokens(self, text: str) -> list[int]:
        """The numbers of the likeliest pieces of a text."""
        return [
            token
            for word in _WORDS.findall(self._normalised(text))
            for token in (self._remembered(word) if len(word) <= MAX_CACHED_LENGTH else self._cut(word))
        ]

    def _normalised(self, text: str) -> str:
        plain = _SPACES.sub(" ", text.translate(self._vocabulary.normalised))
        return (plain if plain.startswith(" ") else f" {plain}").replace(" ", SPACE)

    def _cut(self, word: str) -> Tokens:
        pieces, scores, unknown = self._vocabulary.pieces, self._vocabulary.scores, self._vocabulary.unknown
        best = [0.0] + [float("-inf")] * len(word)
        last = [(0, unknown)] * (len(word) + 1)
        for start in range(len(word)):
            so_far = best[start]
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                piece = pieces.get(word[start:end])
                if piece is not None and so_far + scores[piece] > best[end]:
                    best[end], last[end] = so_far + scores[piece], (start, piece)
            if so_far + self._unknown_score > best[start + 1]:
                best[start + 1], last[start + 1] = so_far + self._unknown_score, (start, unknown)
        found, end = [], len(word)
        while end:
            end, piece = last[end]
            found.append(piece)
        return tuple(reversed(found))
