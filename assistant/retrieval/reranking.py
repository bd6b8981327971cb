"""Optional reranking of the best passages by a cross-encoder."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.errors import EngineUnavailable

MAX_RERANKED = 40


class Reranker:
    """A sentence-transformers CrossEncoder, by name or directory."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._model = _load(name, device)
        self._lock = threading.Lock()
        self.name = name

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The model's score of each text for the question; higher is better."""
        if not texts:
            return []
        with self._lock:
            predicted = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        return [float(score) for score in predicted]


@lru_cache(maxsize=2)
def open_reranker(name: str, device: str = "cpu") -> Reranker:
    """The cross-encoder that a setting names, loaded once. Raises EngineUnavailable."""
    return Reranker(name, device)


def _load(name: str, device: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise EngineUnavailable(
            "sentence-transformers isn't installed.", "Run: pip install sentence-transformers"
        ) from error
    directory = Path(name).expanduser()
    try:
        return CrossEncoder(str(directory) if directory.is_dir() else name, device=device, local_files_only=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise EngineUnavailable(
            f"The reranking model {name!r} isn't on this machine, or isn't a cross-encoder.",
            "Set ASSISTANT_RERANKER to a directory that holds one, or leave it out.",
        ) from error
