"""Which embedding engine a setting names; each is loaded once."""

from functools import lru_cache

from assistant.retrieval.bundled_engine import BundledEngine
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.question_vectors import RememberingEngine
from assistant.retrieval.sentence_transformer_engine import SentenceTransformerEngine
from assistant.settings import Settings

BUNDLED = "bundled"


@lru_cache(maxsize=4)
def open_engine(model: str = BUNDLED, device: str = "cpu") -> EmbeddingEngine:
    """The engine that a setting names, loaded once. Raises EngineUnavailable with what to set instead."""
    return BundledEngine() if model == BUNDLED else SentenceTransformerEngine(model, device)


def load_engine(settings: Settings) -> EmbeddingEngine:
    """The engine that the settings name, with its memory for questions."""
    return _remembering(settings.embedding_model, settings.embedding_device, settings.cache_size)


@lru_cache(maxsize=4)
def _remembering(model: str, device: str, size: int) -> EmbeddingEngine:
    engine = open_engine(model, device)
    return RememberingEngine(engine, size) if size else engine
