"""The vectors on a Chroma server: the same answers as from the folder, whatever happens to the server."""

import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chromadb
import pytest
from chroma_server import RunningChroma

from assistant.errors import IndexUnavailable
from assistant.knowledge.article import Article
from assistant.language.tongue import Language
from assistant.retrieval import chroma_server
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.index import build_index, current_manifest, open_index
from assistant.retrieval.location import VECTORS, current_build
from assistant.retrieval.search import SearchIndex

QUESTIONS: list[tuple[Language, str]] = [
    ("nl", "Hoe wordt het rek gekoeld?"),
    ("da", "Hvor længe dækker garantien?"),
    ("zh", "显存有多大？"),
    ("en", "How many watts does the card draw?"),
]
STATEMENTS: dict[Language, list[tuple[str, str]]] = {
    "en": [("power", "The card draws 750 W."), ("warranty", "The maker gives three years of warranty.")]
}


def articles(herrings: int = 7) -> list[Article]:
    texts: dict[Language, str] = {
        "en": f"The rack is cooled with water.\n\nThe aquarium holds {herrings} herrings.",
        "nl": "Het rek wordt gekoeld met water.\n\nDe fabrikant geeft drie jaar garantie.",
        "da": "Kortet bruger 750 watt.\n\nServeren leveres inden for seks uger.",
        "zh": "这块加速卡配备 192 GB 的 HBM3 显存。\n\n厂商提供三年保修。",
    }
    return [
        Article(
            id=f"{language}-{n}", title=f"Article {n}", language=language, kind="guide", body=text + f"\n\nNo. {n}.\n"
        )
        for language, text in texts.items()
        for n in range(5)
    ]


@pytest.fixture(scope="module")
def engine() -> EmbeddingEngine:
    return open_engine(BUNDLED)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, warm: Path) -> Path:
    """A folder for an index, with the vectors of all these texts, so that a build takes no time."""
    directory = tmp_path_factory.mktemp("index")
    shutil.copy(warm / VECTORS, directory)
    return directory


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory, engine: EmbeddingEngine) -> Path:
    directory = tmp_path_factory.mktemp("warm")
    build_index(articles(), engine, directory, statements=STATEMENTS)
    return directory


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChroma]:
    server = RunningChroma(tmp_path_factory.mktemp("chroma"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def running(chroma: RunningChroma, monkeypatch: pytest.MonkeyPatch) -> RunningChroma:
    """The server, started again if a test killed it, and asked again at once after it was silent."""
    monkeypatch.setattr(chroma_server, "LEFT_ALONE_SECONDS", 0.2)
    if chroma.process is None:
        chroma.start()
    return chroma


def build(directory: Path, engine: EmbeddingEngine, url: str | None, herrings: int = 7) -> None:
    if not directory.exists():
        directory.mkdir()
        shutil.copy(directory.parent / VECTORS, directory)
    build_index(articles(herrings), engine, directory, statements=STATEMENTS, corpus_hash=str(herrings), chroma_url=url)


def found(index: SearchIndex) -> list[str]:
    """All that searches return, to the last digit."""
    passages = [
        result.model_dump_json() for language, text in QUESTIONS for result in index.search(text, language=language)
    ]
    vector = index.embed_question("How long is the warranty?")
    return [*passages, *(repr(pair) for pair in index.nearest_statements(vector, "en", 2))]


def names(url: str) -> set[str]:
    port = int(url.rpartition(":")[2])
    return {collection.name for collection in chromadb.HttpClient("127.0.0.1", port).list_collections(limit=1000)}


def test_a_server_gives_the_same_results_byte_for_byte(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path / "folder", engine, None)
    build(tmp_path / "served", engine, running.url)
    served = open_index(tmp_path / "served", engine, chroma_url=running.url)
    assert found(served) == found(open_index(tmp_path / "folder", engine))
    assert not (current_build(tmp_path / "served") / "chroma").exists()
    assert current_manifest(tmp_path / "served").server == running.url


def test_an_update_on_a_server_answers_as_a_build_from_nothing(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path, engine, running.url)
    build(tmp_path, engine, running.url, herrings=9)
    index = open_index(tmp_path, engine, chroma_url=running.url)
    texts = [result.passage.text for result in index.search("How many herrings?", language="en", top_k=50)]
    assert any("9 herrings" in text for text in texts) and not any("7 herrings" in text for text in texts)


def test_who_reads_the_build_before_goes_on_until_the_next_but_one(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma, caplog: pytest.LogCaptureFixture
) -> None:
    build(tmp_path, engine, running.url)
    before = open_index(tmp_path, engine, chroma_url=running.url)
    expected = found(before)
    build(tmp_path, engine, running.url, herrings=9)
    assert found(before) == expected and not caplog.records, "the server itself still answers"
    other = names(running.url)
    build(tmp_path, engine, running.url, herrings=11)
    assert found(before) == expected, "and now the vectors on disk do"
    assert len(names(running.url)) == len(other), "collections don't pile up"


def test_another_folder_on_the_same_server_is_left_alone(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path / "one", engine, running.url)
    for herrings in (1, 2, 3):
        build(tmp_path / "other", engine, running.url, herrings)
    build(tmp_path / "folder", engine, None)
    one = open_index(tmp_path / "one", engine, chroma_url=running.url)
    assert found(one) == found(open_index(tmp_path / "folder", engine))


@pytest.mark.parametrize("fault", ["killed", "slow", "restarted"])
def test_questions_are_answered_alike_while_the_server_is_not_there(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma, fault: str, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(chroma_server, "SEARCH_SECONDS", 1.0)
    build(tmp_path, engine, running.url)
    index = open_index(tmp_path, engine, chroma_url=running.url)
    expected = found(index)
    assert running.process is not None
    if fault == "slow":
        running.process.send_signal(signal.SIGSTOP)
    else:
        running.kill()
    try:
        meanwhile = found(index)
    finally:
        if fault == "slow":
            running.process.send_signal(signal.SIGCONT)
    assert meanwhile == expected
    assert "doesn't answer" in caplog.text
    if fault == "killed":
        alone = open_index(tmp_path, engine, chroma_url=running.url)
        assert found(alone) == expected, "opened without the server"
        return
    if fault == "restarted":
        running.start()
    time.sleep(0.3)
    caplog.clear()
    assert found(index) == expected
    assert not caplog.records, "the server is asked again"


def test_a_server_that_is_killed_while_a_question_waits_for_it_changes_nothing(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path, engine, running.url)
    index = open_index(tmp_path, engine, chroma_url=running.url)
    expected = found(index)
    assert running.process is not None
    # Stopped, it takes questions and answers none, so that they are under way when it is killed.
    running.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as asking:
        waiting = asking.submit(found, index)
        while not waiting.done() and not _is_asked(running):
            time.sleep(0.01)
        running.kill()
        assert waiting.result(timeout=60) == expected


def _is_asked(server: RunningChroma) -> bool:
    """True as soon as bytes that nobody has read wait at the server's port."""
    port = f"{int(server.url.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return any(row[1].endswith(f":{port}") and row[4].split(":")[1] != "00000000" for row in rows)


def test_building_without_the_server_says_so_and_leaves_what_is_in_use(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path, engine, running.url)
    before = current_build(tmp_path)
    running.kill()
    with pytest.raises(IndexUnavailable, match=r"Chroma server at http://127.* doesn't answer.*ASSISTANT_CHROMA_URL"):
        build(tmp_path, engine, running.url, herrings=9)
    assert current_build(tmp_path) == before
    assert [path.name for path in (tmp_path / "builds").iterdir()] == [before.name]


def test_a_server_that_has_lost_its_vectors_is_named(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path, engine, running.url)
    opened = open_index(tmp_path, engine, chroma_url=running.url)
    expected = found(opened)
    client = chromadb.HttpClient("127.0.0.1", int(running.url.rpartition(":")[2]))
    for name in names(running.url):
        client.delete_collection(name)
    with pytest.raises(IndexUnavailable, match=r"http://127.*is damaged: no passages-.*--rebuild"):
        open_index(tmp_path, engine, chroma_url=running.url)
    assert found(opened) == expected, "who has it open searches the vectors on disk"


def test_the_place_of_the_vectors_must_be_the_one_that_is_set(
    tmp_path: Path, engine: EmbeddingEngine, running: RunningChroma
) -> None:
    build(tmp_path, engine, None)
    with pytest.raises(IndexUnavailable, match=r"vectors in its own folder.*Run: gpu-assistant index"):
        open_index(tmp_path, engine, chroma_url=running.url)
    build(tmp_path, engine, running.url)
    with pytest.raises(IndexUnavailable, match=r"vectors in http://127.*Run: gpu-assistant index"):
        open_index(tmp_path, engine)
