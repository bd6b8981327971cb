"""Any sentence-transformers model or directory as embedding engine."""

import hashlib
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assistant.errors import EngineUnavailable
from assistant.retrieval.engine import MAX_QUERY_CHARACTERS, cleaned
from assistant.retrieval.vectors import FloatArray, unit_vectors

HUB_SECONDS = 5

_E5_NAME = re.compile(r"(?:^|[-_/.])e5[-_]", re.IGNORECASE)


class SentenceTransformerEngine:
    """A sentence-transformers model, by name or directory, with the prompts that it was trained with."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._model = _load(name, device)
        self._query, self._passage = _prompts(self._model, name)
        self._lock = threading.Lock()
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        prompts = f"{self._query!r}/{self._passage!r}"
        self.identity = f"sentence-transformers {name} {_revision(self._model, name)} prompts {prompts}"

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return self._embed([text[:MAX_QUERY_CHARACTERS] for text in texts], self._query)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return self._embed(texts, self._passage)

    def _embed(self, texts: Sequence[str], prompt: str) -> FloatArray:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors = self._model.encode(
                [cleaned(text) for text in texts], prompt=prompt, convert_to_numpy=True, show_progress_bar=False
            )
        return unit_vectors(vectors)


def _load(name: str, device: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise EngineUnavailable(
            "sentence-transformers isn't installed.", "Run: pip install sentence-transformers"
        ) from error
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    is_directory = Path(name).expanduser().is_dir()
    source = str(Path(name).expanduser()) if is_directory else name
    try:
        # What is on this machine is used as it is; the hub is asked only for what is missing.
        return SentenceTransformer(source, device=device, local_files_only=True)
    except (OSError, ValueError, RuntimeError) as local_error:
        if is_directory:
            raise EngineUnavailable(
                f"{name} holds no sentence-transformers model that loads: {_first_line(local_error)}",
                "Set ASSISTANT_EMBEDDING_MODEL to a model's directory, a model's name, or 'bundled'.",
            ) from local_error
    if not _on_hub(name):
        raise EngineUnavailable(
            f"The embedding model {name!r} is neither on this machine nor can it be fetched.",
            "Set ASSISTANT_EMBEDDING_MODEL to a directory that holds it, or to 'bundled'.",
        )
    try:
        return SentenceTransformer(source, device=device)
    except (OSError, ValueError, RuntimeError) as error:
        raise EngineUnavailable(
            f"The embedding model {name!r} doesn't load: {_first_line(error)}",
            "Set ASSISTANT_EMBEDDING_MODEL to another model, a directory, or 'bundled'.",
        ) from error


def _on_hub(name: str) -> bool:
    """Ask the hub once, for five seconds at most; the loader itself would try for over a minute."""
    from httpx2 import HTTPError
    from huggingface_hub import HfApi

    try:
        HfApi().model_info(name, timeout=HUB_SECONDS)
    except (HTTPError, OSError, ValueError):
        return False
    return True


def _prompts(model: Any, name: str) -> tuple[str, str]:
    """The prefixes of questions and passages: the model's own, or those that E5 was trained with."""
    own = {key: value for key, value in dict(model.prompts or {}).items() if value}
    query = own.get("query", "")
    passage = own.get("document") or own.get("passage") or ""
    if not query and not passage and _E5_NAME.search(Path(name).name):
        return "query: ", "passage: "
    return query, passage


def _revision(model: Any, name: str) -> str:
    """The hub's commit, or a hash over the names, sizes and settings of a directory's files."""
    directory = Path(name).expanduser()
    if not directory.is_dir():
        config = getattr(getattr(model[0], "auto_model", None), "config", None)
        return str(getattr(config, "_commit_hash", None) or "unknown")
    digest = hashlib.sha256()
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(directory)} {path.stat().st_size}".encode())
        if path.suffix == ".json" and path.stat().st_size < 1_000_000:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
