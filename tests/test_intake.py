"""Taking in articles as they are: text with tables, Markdown, HTML, and what can't be taken in."""

from pathlib import Path

import pytest

from assistant.errors import AssistantError, CorpusError, InvalidInput
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.corpus import read_articles
from assistant.knowledge.intake import add_source
from assistant.knowledge.plain_text import plain_text_to_markdown
from assistant.retrieval.passage import split_article

ORIGINALS = Path(__file__).resolve().parents[2] / "shared" / "sources"

TABBED = """Twee kaarten vergeleken

maandag 7 september 2026

De onderstaande tabel zet twee verzonnen kaarten naast elkaar voor wie moet kiezen.

Geheugen en prijs

Onderdeel\tKaart A\tKaart B
Geheugen\t48 GB\t96 GB
Prijs per uur\t1,20 euro\t2,10 euro

Let bij het kiezen op deze punten:

hoeveel geheugen het model vraagt;
hoe lang de kaart nodig is.
"""

PIPED = """Denne artikel sammenligner to opdigtede kort med hinanden, så man kan se, hvad der er billigst, alt i alt.
Priser og hukommelse
| Kort | Hukommelse | Pris i timen |
|---|---|---|
| Kort A | 48 GB | 9 kr. |
| Kort B | 96 GB | 16 kr. |
Sådan kører man en prøve
# Kør det samme på begge kort
import torch
device = torch.device("cuda")
Bagefter kan man sammenligne tiderne og regne ud, hvad en kørsel koster på hvert af de to kort.
"""

HTML = """<!doctype html><html lang="en"><head><title>Site | Cooling racks</title>
<meta property="og:title" content="Cooling racks"><meta property="og:site_name" content="Rack Weekly">
<meta property="article:published_time" content="2026-09-09T08:00:00Z">
<link rel="canonical" href="https://example.org/cooling"></head>
<body><nav><a href="/">Home</a></nav><main><h1>Cooling racks</h1>
<p>Water carries heat away from the <a href="javascript:alert(1)">rack</a> better than air does.</p>
<script>alert("no")</script><h2>Figures</h2>
<table><tr><th>Kind</th><th>Power</th></tr><tr><td>Air</td><td>40 kW</td></tr>
<tr><td>Water</td><td>130 kW</td></tr></table>
</main><footer>All rights reserved</footer></body></html>"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    directory = tmp_path / "corpus"
    directory.mkdir()
    return directory


def added(tmp_path: Path, corpus: Path, name: str, content: str | bytes) -> Article:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return add_source(path, corpus)


def test_text_with_a_tabbed_table_becomes_an_article_with_headings_table_and_list(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "Twee Kaarten.txt", TABBED)
    assert (article.id, article.language, article.title) == ("twee-kaarten", "nl", "Twee kaarten vergeleken")
    assert str(article.published) == "2026-09-07"
    assert "## Geheugen en prijs\n" in article.body
    assert "| Geheugen | 48 GB | 96 GB |" in article.body
    assert "- hoe lang de kaart nodig is." in article.body


def test_text_with_a_piped_table_and_code_keeps_both_whole(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "kort.txt", PIPED)
    assert article.language == "da"
    assert article.title.startswith("Denne artikel sammenligner") and article.title.endswith("…")
    assert "## Priser og hukommelse\n" in article.body
    assert "| Kort B | 96 GB | 16 kr. |" in article.body
    assert '```\n# Kør det samme på begge kort\nimport torch\ndevice = torch.device("cuda")\n```' in article.body


def test_a_web_page_is_read_without_what_surrounds_its_text(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "page.html", HTML)
    assert (article.title, article.publisher, article.url) == (
        "Cooling racks",
        "Rack Weekly",
        "https://example.org/cooling",
    )
    assert str(article.published) == "2026-09-09"
    assert "| Water | 130 kW |" in article.body
    assert not any(word in article.body for word in ("alert", "Home", "All rights", "javascript"))


def test_markdown_keeps_its_text_and_gives_its_title(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "koeling.md", "# Koeling\n\nHet rek wordt gekoeld met water.\n")
    assert article.title == "Koeling"
    assert article.body == "Het rek wordt gekoeld met water.\n"


def test_markdown_with_front_matter_keeps_what_it_says_of_itself(tmp_path: Path, corpus: Path) -> None:
    text = "---\nid: own-id\ntitle: Own title\nlanguage: en\nkind: news\npublished: 2026-09\n---\nThe body.\n"
    article = added(tmp_path, corpus, "a.md", text)
    assert (article.id, article.title, article.kind, str(article.published)) == (
        "own-id",
        "Own title",
        "news",
        "2026-09",
    )


def test_what_is_given_comes_before_what_the_file_says(tmp_path: Path, corpus: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    article = add_source(path, corpus, title="Given", language="da", published="2026-01", kind="vendor")
    assert (article.title, article.language, str(article.published), article.kind) == (
        "Given",
        "da",
        "2026-01",
        "vendor",
    )
    assert (corpus / "articles" / "da" / "page.md").is_file()


def test_the_written_file_reads_back_as_the_article(tmp_path: Path, corpus: Path) -> None:
    for name, content in (("a.txt", TABBED), ("b.txt", PIPED), ("c.html", HTML)):
        article = added(tmp_path, corpus, name, content)
        assert read_article(corpus / "articles" / article.language / f"{article.id}.md") == article
    assert len(read_articles(corpus)) == 3


@pytest.mark.skipif(not ORIGINALS.is_dir(), reason="the originals are not beside this repository")
def test_the_originals_are_taken_as_they_are(corpus: Path) -> None:
    articles = [add_source(path, corpus) for path in sorted(ORIGINALS.glob("*.txt"))]
    assert [article.language for article in articles] == ["nl", "da", "zh"]
    dutch, danish, chinese = articles
    assert str(dutch.published) == "2026-08-28"
    assert "| Datacenterlijn | H100/H200, Blackwell, Rubin |" in dutch.body
    assert "| Nvidia H100 PCIe | RunPod | 1,99 $ | Community Cloud |" in danish.body
    assert {passage.language for passage in split_article(chinese)} == {"zh", "en"}
    for article in articles:
        assert article.body.count("\n## ") > 20, article.title


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.md", b" \n\t\n", "is empty"),
        ("photo.txt", b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        ("paper.txt", b"%PDF-1.7 text", "binary"),
        ("latin.txt", "Prøve på dansk".encode("latin-1"), "not UTF-8 at byte 2"),
        ("wide.txt", "text".encode("utf-16"), "binary"),
        ("bad.md", b"---\ntitle: [unclosed\n---\ntext\n", "front matter is not YAML"),
        ("list.md", b"---\n- a\n---\ntext\n", "field: value"),
        ("kind.md", b"---\ntitle: T\nlanguage: en\nkind: poem\n---\ntext\n", "kind"),
        ("language.md", b"---\ntitle: T\nlanguage: fr\n---\ntext\n", "language"),
        ("id.md", b"---\nid: ../../etc/passwd\n---\ntext of an article\n", "id"),
    ],
)
def test_what_cannot_be_taken_in_gets_one_clear_line(
    tmp_path: Path, corpus: Path, name: str, content: bytes, complaint: str
) -> None:
    with pytest.raises(AssistantError) as caught:
        added(tmp_path, corpus, name, content)
    line = str(caught.value)
    assert complaint in line and name in line and "\n" not in line
    assert not list(corpus.rglob("*.md"))


def test_a_file_of_fifty_megabytes_is_refused_before_it_is_read(tmp_path: Path, corpus: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(InvalidInput, match=r"50 MB.*Split it"):
        add_source(path, corpus)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path, corpus: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        add_source(tmp_path / "missing.txt", corpus)
    with pytest.raises(InvalidInput, match="is a folder"):
        add_source(tmp_path, corpus)
    with pytest.raises(CorpusError, match="no such folder"):
        add_source(tmp_path / "a.txt", tmp_path / "nowhere")


def test_nothing_is_overwritten(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "kort.txt", PIPED)
    before = (corpus / "articles" / "da" / "kort.md").read_text(encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"already, as '{article.id}'"):
        added(tmp_path, corpus, "another-name.txt", PIPED)
    with pytest.raises(InvalidInput, match="already"):
        added(tmp_path, corpus, "kort.txt", PIPED + "\nEn linje mere, som gør teksten en anden.\n")
    assert (corpus / "articles" / "da" / "kort.md").read_text(encoding="utf-8") == before


def test_markup_at_the_start_of_a_line_of_plain_text_stays_text() -> None:
    assert plain_text_to_markdown("# geen kop, maar een zin met een hekje ervoor.\n").startswith("\\# geen kop")


def test_a_file_named_in_chinese_gets_an_id(tmp_path: Path, corpus: Path) -> None:
    article = added(tmp_path, corpus, "显存.md", "# 显存\n\n这块卡有 192 GB 显存，适合大模型推理。\n")
    assert article.id.startswith("article-") and article.language == "zh"
