"""What is true of wikis taken in as sources: their markup as Markdown, and a second time only what changed."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import AssistantError, FileUnavailable, InvalidInput
from assistant.interfaces.command_line import gpu_assistant
from assistant.knowledge.article import read_article
from assistant.knowledge.wiki_intake import take_in_wiki
from assistant.knowledge.wiki_text import dokuwiki_markdown, mediawiki_markdown

MEDIAWIKI_PAGE = """{{Infobox|name={{nested|x}}}}
'''MI355X''' is a ''card''<ref>A note</ref> of [[AMD|the maker]] with [https://example.org more].<!-- secret -->

== Figures ==
* one
** two
# three

{| class="wikitable"
! Card !! Memory
|-
| MI355X || style="x" | 288 GB
|}
[[Category:Cards]]
"""
DOKUWIKI_PAGE = """====== MI355X ======
The **card** has //much// memory((a note)), see [[amd:start|the maker]] and https://example.org/a//b. ''code''

===== Figures =====
  * one
    * two
  - three

^ Card ^ Memory ^
| MI355X | 288 GB |
~~NOCACHE~~
"""


def export(*pages: tuple[str, str], stamp: str = "2026-05-04T10:00:00Z") -> str:
    bodies = "".join(
        f"<page><title>{title}</title><ns>0</ns><revision><timestamp>{stamp}</timestamp>"
        f'<text xml:space="preserve">{text}</text></revision></page>'
        for title, text in pages
    )
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{bodies}</mediawiki>'


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "articles" / "en").mkdir(parents=True)
    return folder


def states(source: Path, corpus: Path) -> list[str]:
    return sorted(taken.state for taken in take_in_wiki(source, corpus, "team"))


def test_a_page_of_mediawiki_keeps_words_lists_and_tables() -> None:
    assert mediawiki_markdown(MEDIAWIKI_PAGE) == (
        "**MI355X** is a *card* of the maker with more.\n\n## Figures\n\n- one\n  - two\n- three\n\n"
        "| Card | Memory |\n|---|---|\n| MI355X | 288 GB |\n"
    )


def test_a_page_of_dokuwiki_keeps_words_lists_and_tables() -> None:
    assert dokuwiki_markdown(DOKUWIKI_PAGE) == (
        "# MI355X\n\nThe **card** has *much* memory, see the maker and https://example.org/a//b. code\n\n"
        "## Figures\n\n- one\n  - two\n- three\n\n| Card | Memory |\n|---|---|\n| MI355X | 288 GB |\n"
    )


@given(st.text(alphabet="[]{}|=*'!-^/~<>ref \n()x", max_size=400))
def test_no_markup_is_too_odd(text: str) -> None:
    assert mediawiki_markdown(text).endswith("\n") and dokuwiki_markdown(text).endswith("\n")


def test_an_export_taken_in_again_changes_only_what_changed(corpus: Path, tmp_path: Path) -> None:
    source = tmp_path / "wiki.xml"
    source.write_text(export(("MI355X", "It has 288 GB of memory."), ("H200", "It has 141 GB of memory.")))
    assert states(source, corpus) == ["added", "added"]
    assert states(source, corpus) == ["unchanged", "unchanged"]
    source.write_text(export(("MI355X", "It has 288 GB of HBM3E memory."), ("B200", "It has 180 GB of memory.")))
    assert states(source, corpus) == ["added", "changed", "removed"]
    articles = [read_article(path) for path in corpus.rglob("*.md")]
    assert {article.title for article in articles} == {"MI355X", "B200"}
    assert {str(article.published) for article in articles} == {"2026-05-04"}
    assert {article.publisher for article in articles} == {"team"}


def test_articles_of_other_origin_are_left_alone(corpus: Path, tmp_path: Path) -> None:
    other = corpus / "articles" / "en" / "wiki-teams.mine.md"
    other.write_text("kept", encoding="utf-8")
    source = tmp_path / "wiki.xml"
    source.write_text(export(("MI355X", "It has 288 GB of memory.")))
    states(source, corpus)
    assert other.read_text(encoding="utf-8") == "kept"


def test_folders_of_dokuwiki_markdown_and_confluence_html(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "gpu").mkdir(parents=True)
    (folder / "gpu" / "mi355x.txt").write_text(DOKUWIKI_PAGE, encoding="utf-8")
    (folder / "notes.md").write_text("# Notes\n\nThe H200 has 141 GB.\n", encoding="utf-8")
    (folder / "page_1.html").write_text(
        "<html><head><title>Space : Costs</title></head><body><div id='main'><h1>Costs</h1><p>A B200 costs 5.</p>"
        "<table><tr><th>Card</th></tr><tr><td>B200</td></tr></table></div></body></html>",
        encoding="utf-8",
    )
    (folder / "empty.md").write_text("  \n", encoding="utf-8")
    assert states(folder, corpus) == ["added", "added", "added", "left out"]
    assert {read_article(path).title for path in corpus.rglob("*.md")} == {"MI355X", "Notes", "Costs"}
    assert states(folder, corpus) == ["left out", "unchanged", "unchanged", "unchanged"]


@pytest.mark.parametrize(
    "text",
    ["", "<a>", "no xml", '<!DOCTYPE x [<!ENTITY a "aaaa">]><mediawiki>&a;</mediawiki>', export()],
)
def test_what_is_no_export_is_refused_and_removes_nothing(corpus: Path, tmp_path: Path, text: str) -> None:
    source = tmp_path / "wiki.xml"
    source.write_text(export(("MI355X", "It has 288 GB of memory.")))
    states(source, corpus)
    source.write_text(text)
    with pytest.raises(InvalidInput):
        states(source, corpus)
    assert len(list(corpus.rglob("*.md"))) == 1


def test_a_wiki_has_a_plain_name_and_its_export_exists(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="can't name a wiki"):
        list(take_in_wiki(tmp_path, corpus, "../x"))
    with pytest.raises(FileUnavailable):
        list(take_in_wiki(tmp_path / "none", corpus, "team"))
    (tmp_path / "void").mkdir()
    with pytest.raises(AssistantError, match="holds no page"):
        list(take_in_wiki(tmp_path / "void", corpus, "team"))


def test_the_command_tells_what_became_of_each_page(corpus: Path, tmp_path: Path) -> None:
    source = tmp_path / "wiki.xml"
    source.write_text(export(("显存", "MI355X 的显存是 288 GB。")), encoding="utf-8")
    run = CliRunner().invoke(gpu_assistant, ["--corpus", str(corpus), "sources", "add", str(source), "--wiki", "team"])
    assert run.exit_code == 0 and "added wiki-team." in run.output and "1 added" in run.output
    assert next((corpus / "articles" / "zh").glob("*.md"))
