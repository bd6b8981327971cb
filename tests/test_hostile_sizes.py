"""Articles of shapes that nobody writes by hand: bounded time, and every character in some passage."""

import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from assistant.errors import CorpusError
from assistant.knowledge.article import MAX_ARTICLE_BYTES, Article, read_article
from assistant.knowledge.corpus import load_corpus
from assistant.retrieval.passage import Passage, split_article
from assistant.settings import Settings


def passages(body: str) -> list[Passage]:
    return split_article(Article(id="x", title="X", language="en", kind="guide", body=body))


def seconds(body: str) -> float:
    """Processor time of the best of three: what other jobs and the collector of garbage add is not the text's."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        passages(body)
        taken.append(time.process_time() - start)
    return min(taken)


def table(columns: int) -> str:
    row = "|" + "|".join(f"c{n}" for n in range(columns)) + "|\n"
    return row + "|" + "---|" * columns + "\n" + row * 3


@pytest.mark.parametrize(
    ("small", "large"),
    [
        pytest.param("word. " * 10_000, "word. " * 40_000, id="a paragraph of words that end no sentence"),
        pytest.param("x" * 50_000, "x" * 200_000, id="a passage without a space"),
        pytest.param("显" * 50_000, "显" * 200_000, id="Chinese without a stop"),
        pytest.param(table(1_000), table(4_000), id="a table of many columns"),
        pytest.param("# H\n\nWord.\n\n" * 500, "# H\n\nWord.\n\n" * 2_000, id="headings without number"),
    ],
)
def test_four_times_the_text_takes_about_four_times_as_long(small: str, large: str) -> None:
    passages(small[:1_000])
    assert seconds(large) < 10 * max(seconds(small), 0.05)


def test_the_header_of_a_very_wide_table_is_not_repeated() -> None:
    wide = table(10_000)
    found = passages(wide)
    assert sum(len(passage.text) for passage in found) < 1.1 * len(wide)
    assert "c9999" in found[-1].text


def test_all_of_a_text_without_spaces_is_in_some_passage() -> None:
    body = "".join(chr(0x4E00 + n % 20_000) for n in range(30_000))
    found = passages(body)
    assert "".join(passage.text for passage in found) == body
    assert max(len(passage.text) for passage in found) < 1_200


def test_an_article_of_200_megabytes_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "articles" / "en" / "huge.md"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(10 * MAX_ARTICLE_BYTES)
    start = time.process_time()
    with pytest.raises(CorpusError, match=r"huge.md: larger than 20 MB. Split it"):
        read_article(path)
    assert time.process_time() - start < 1


def test_an_article_id_used_twice_names_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "articles" / "en"
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text('---\nid: same\ntitle: "T"\nlanguage: en\nkind: guide\n---\nText.\n')
    with pytest.raises(CorpusError, match=r"b.md: article id 'same' is used twice"):
        load_corpus(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("CACHE_SIZE", "-1"), ("CACHE_SIZE", "9" * 30), ("CHROMA_URL", "file:///etc"), ("CHROMA_URL", "http://a b"),
     ("CHROMA_URL", "http://user:secret@host:1"), ("PORT", "-5"), ("PORT", "99999999999"), ("LLM_TIMEOUT_S", "-1"),
     ("LLM_TIMEOUT_S", "inf"), ("LLM_TIMEOUT_S", "nan"), ("LLM_MAX_TOKENS", "0"), ("LLM_MAX_TOKENS", "1e99")],
)  # fmt: skip
def test_limits_that_make_no_sense_are_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ASSISTANT_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()
