"""A server takes over a new index without a restart; what it keeps in memory never outlives what it was made from."""

import shutil
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from assistant.answering import current
from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.current import CurrentAssistant
from assistant.answering.evidence import Evidence, Question
from assistant.knowledge.corpus import hash_of_texts, load_corpus
from assistant.language.ask import Understanding
from assistant.retrieval.bundled_engine import BundledEngine
from assistant.retrieval.embedding import BUNDLED, load_engine, open_engine
from assistant.retrieval.index import build_index
from assistant.retrieval.question_vectors import RememberingEngine
from assistant.settings import ROOT, Settings

WAIT_S = 120
ASKED = Question(text="How many herrings live in the aquarium of the data centre?", language="en")


def write_article(corpus: Path, herrings: int) -> None:
    head = '---\nid: aquarium\ntitle: "The aquarium of the data centre"\nlanguage: en\nkind: guide\n---\n'
    body = f"The aquarium of the data centre holds {herrings} herrings, which are counted every Monday.\n"
    (corpus / "articles" / "en" / "aquarium.md").write_text(head + body, encoding="utf-8")


def publish(settings: Settings) -> None:
    corpus = load_corpus(settings.corpus)
    engine = load_engine(settings)
    build_index(list(corpus.articles.values()), engine, settings.index, corpus_hash=corpus.text_hash)


@pytest.fixture
def small(indexed: Path, tmp_path: Path) -> Settings:
    """Settings over a knowledge base of one article, with the real phrases and names, and its index."""
    shutil.copytree(indexed, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Settings(corpus=tmp_path / "corpus", index=tmp_path / "index")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexed")
    corpus = folder / "corpus"
    (corpus / "articles" / "en").mkdir(parents=True)
    for name in ("phrases", "entities", "specs", "attributes.yaml"):
        (corpus / name).symlink_to(ROOT / "corpus" / name)
    write_article(corpus, 7)
    publish(Settings(corpus=corpus, index=folder / "index"))
    return folder


@pytest.fixture
def running(small: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[CurrentAssistant]:
    monkeypatch.setattr(current, "LOOK_SECONDS", 0.05)
    opened = CurrentAssistant(Assistant.open(small), small.index, lambda: Assistant.open(small))
    yield opened
    opened.close()


def quoted(answer: Answer) -> str:
    return " ".join(citation.quote for citation in answer.citations)


def test_a_published_index_is_taken_over_and_no_answer_mixes_two(small: Settings, running: CurrentAssistant) -> None:
    told = {running.assistant().answer(ASKED).knowledge: "7 herrings"}
    for herrings in (8, 9):
        write_article(small.corpus, herrings)
        publish(small)
        expected = load_corpus(small.corpus).hash
        told[expected] = f"{herrings} herrings"
        end = time.monotonic() + WAIT_S
        answer = running.assistant().answer(ASKED)
        while answer.knowledge != expected and time.monotonic() < end:
            assert told[answer.knowledge] in quoted(answer)
            answer = running.assistant().answer(ASKED)
        assert answer.knowledge == expected and told[expected] in quoted(answer)


def test_an_index_that_cannot_be_opened_leaves_the_old_one_in_use(
    small: Settings, running: CurrentAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    pointer = small.index / "CURRENT"
    whole = pointer.read_text()
    pointer.write_text("no-such-build")
    end = time.monotonic() + WAIT_S
    while "can't be opened" not in caplog.text and time.monotonic() < end:
        time.sleep(0.02)
    assert "stays in use: The index in" in caplog.text and caplog.text.count("can't be opened") == 1
    assert "7 herrings" in quoted(running.assistant().answer(ASKED))
    pointer.write_text(whole)


def test_articles_that_changed_after_indexing_leave_the_old_answer(small: Settings, running: CurrentAssistant) -> None:
    write_article(small.corpus, 8)
    time.sleep(0.3)
    assert "7 herrings" in quoted(running.assistant().answer(ASKED))


class Counting:
    """Counts how often evidence is gathered."""

    def __init__(self, assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        gather = assistant.gather

        def counted(question: Question, understanding: Understanding) -> Evidence:
            self.times += 1
            return gather(question, understanding)

        monkeypatch.setattr(assistant, "gather", counted)


def test_the_same_question_is_answered_once(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assistant = Assistant.open(small)
    gathered = Counting(assistant, monkeypatch)
    first, second = assistant.answer(ASKED), assistant.answer(ASKED.model_copy(update={"id": "mine"}))
    assert gathered.times == 1 and second.id == "mine"
    unlike = {"id", "timings_ms"}
    assert first.model_dump(exclude=unlike) == second.model_dump(exclude=unlike)


@pytest.mark.parametrize(
    "other",
    [
        ASKED.model_copy(update={"language": "nl"}),
        ASKED.model_copy(update={"history": ["What does a B200 cost?"]}),
        ASKED.model_copy(update={"text": ASKED.text + " "}),
    ],
)
def test_another_language_history_or_text_is_another_question(
    small: Settings, monkeypatch: pytest.MonkeyPatch, other: Question
) -> None:
    assistant = Assistant.open(small)
    gathered = Counting(assistant, monkeypatch)
    assistant.answer(ASKED)
    assistant.answer(other)
    assert gathered.times == 2


def test_nothing_is_kept_with_a_cache_of_none(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assistant = Assistant.open(small.model_copy(update={"cache_size": 0}))
    gathered = Counting(assistant, monkeypatch)
    for _ in range(2):
        assistant.answer(ASKED)
    assert gathered.times == 2
    assert isinstance(load_engine(small.model_copy(update={"cache_size": 0})), BundledEngine)


def test_the_cache_is_bounded(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assistant = Assistant.open(small.model_copy(update={"cache_size": 2}))
    gathered = Counting(assistant, monkeypatch)
    others = [ASKED.model_copy(update={"text": f"{ASKED.text} {n}"}) for n in range(2)]
    for question in (ASKED, *others, ASKED):
        assistant.answer(question)
    assert gathered.times == 4


def test_the_next_day_is_answered_anew(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assistant = Assistant.open(small, today=date(2026, 11, 30))
    gathered = Counting(assistant, monkeypatch)
    assistant.answer(ASKED)
    assistant.today = date(2026, 12, 1)
    assistant.answer(ASKED)
    assert gathered.times == 2


def test_a_remembered_question_has_the_same_vector_and_nobody_can_change_it() -> None:
    engine = open_engine(BUNDLED)
    remembering = RememberingEngine(engine, 2)
    [vector] = remembering.embed_queries(["a card"])
    assert (vector == engine.embed_queries(["a card"])[0]).all()
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def test_a_knowledge_base_that_changes_while_it_is_read_is_read_again(
    small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assistant.knowledge import corpus as reading

    read, changes = reading.read_entities, iter((8, 9))

    def read_and_change(directory: Path) -> object:
        if (herrings := next(changes, None)) is not None:
            write_article(directory, herrings)
        return read(directory)

    monkeypatch.setattr(reading, "read_entities", read_and_change)
    corpus = load_corpus(small.corpus)
    assert "9 herrings" in corpus.articles["aquarium"].body
    assert corpus.text_hash == hash_of_texts(small.corpus)
