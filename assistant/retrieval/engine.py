"""What every embedding engine can do, and what all of them do with a text first."""

from collections.abc import Sequence
from typing import Protocol

from assistant.retrieval.vectors import FloatArray

MAX_QUERY_CHARACTERS = 1000
"""A longer question is embedded by its beginning, so that it can't hold up the others."""


class EmbeddingEngine(Protocol):
    """Turns texts into unit vectors. `identity` names the engine and all that its vectors depend on."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of questions, shape (texts, dimension)."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of passages, shape (texts, dimension)."""
        ...


def cleaned(text: str) -> str:
    """Without NUL, at which C engines stop reading, and without lone surrogates, which have no UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
