"""Rates per language and per kind, as a table."""

from collections import Counter

from assistant.language.tongue import LANGUAGES


class Tally:
    """Counts how often something happened, per kind and language."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._all: Counter[tuple[str, str]] = Counter()
        self._hits: Counter[tuple[str, str]] = Counter()
        self.examples: list[str] = []

    def add(self, kind: str, language: str, hit: bool, example: str) -> None:
        self._all[kind, language] += 1
        if hit:
            self._hits[kind, language] += 1
            self.examples.append(f"{language}, {kind}: {example}")

    @property
    def total(self) -> int:
        return self._all.total()

    @property
    def hits(self) -> int:
        return self._hits.total()

    @property
    def share(self) -> float:
        return self.hits / self.total if self.total else 0.0

    def lines(self, examples: int) -> list[str]:
        """The table, hits of all in each cell, and some examples of hits."""
        kinds = list(dict.fromkeys(kind for kind, _ in self._all))
        width = max((len(kind) for kind in kinds), default=4)
        lines = [f"{self.title}: {self.hits} of {self.total} ({self.share:.1%})"]
        lines.append(" " * (width + 2) + "".join(f"{language:>12}" for language in LANGUAGES))
        for kind in [*kinds, "all"]:
            cells = "".join(f"{self._cell(kind, language):>12}" for language in LANGUAGES)
            lines.append(f"  {kind:<{width}}{cells}")
        return [*lines, *(f"    {example}" for example in self.examples[:examples]), ""]

    def _cell(self, kind: str, language: str) -> str:
        chosen = [key for key in self._all if key[1] == language and kind in (key[0], "all")]
        total = sum(self._all[key] for key in chosen)
        return f"{sum(self._hits[key] for key in chosen)}/{total}" if total else "–"
