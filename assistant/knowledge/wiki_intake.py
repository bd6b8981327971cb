"""A whole wiki taken in again and again: what is new or changed is written, what has gone is removed."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.errors import AssistantError, CorpusUnavailable, FileUnavailable, InvalidInput
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.confluence_page import lists_pages_only
from assistant.knowledge.intake import MAX_TITLE_CHARACTERS, article_text, main_language, read_source
from assistant.knowledge.period import Period
from assistant.knowledge.schema import first_problem
from assistant.knowledge.wiki_export import WikiPage, dokuwiki_page, files_of, pages_of_xml
from assistant.language.tongue import Language

_NAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,29}$")
_SLUG_CHARACTERS = 48


class Taken(BaseModel):
    """What became of a page."""

    model_config = ConfigDict(frozen=True)

    id: str
    state: Literal["added", "changed", "unchanged", "removed", "left out"]
    why: str = ""


def take_in_wiki(source: Path, corpus: Path, wiki: str, language: Language | None = None) -> Iterator[Taken]:
    """Make the articles of `wiki` those of its export: a MediaWiki XML file, or a folder of pages.

    Articles of other origin are never touched. A page that can't be read is left out, and said so. Raises InvalidInput
    for a name or an export that can't be used, FileUnavailable, CorpusUnavailable.
    """
    if not _NAME.match(wiki):
        raise InvalidInput(f"{wiki!r} can't name a wiki.", "Use up to 30 small letters, digits and hyphens.")
    if not corpus.is_dir():
        raise CorpusUnavailable(f"{corpus}: no such folder.", "Name the knowledge base with --corpus.")
    if not source.exists():
        raise FileUnavailable(f"{source}: no such file or folder.")
    present = _present(corpus, wiki)
    seen: set[str] = set()
    for article in _articles(source, wiki, language):
        if isinstance(article, Taken):
            seen.add(article.id)
            yield article
            continue
        if article.id in seen:
            continue
        seen.add(article.id)
        yield _written(article, present.get(article.id), corpus)
    if not seen:
        raise InvalidInput(f"{source} holds no page.", "Nothing was changed.")
    for gone in sorted(present.keys() - seen):
        present[gone].unlink()
        yield Taken(id=gone, state="removed")


def _present(corpus: Path, wiki: str) -> dict[str, Path]:
    """The files of the wiki's articles that the knowledge base holds, by id."""
    found = (corpus / "articles").glob(f"*/{_prefix(wiki)}*.md")
    return {path.stem: path for path in found}


def _prefix(wiki: str) -> str:
    return f"wiki-{wiki}."


def _written(article: Article, before: Path | None, corpus: Path) -> Taken:
    text = article_text(article)
    target = corpus / "articles" / article.language / f"{article.id}.md"
    if before == target and article_text(read_article(before)) == text:
        return Taken(id=article.id, state="unchanged")
    if before is not None and before != target:
        before.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return Taken(id=article.id, state="added" if before is None else "changed")


def _articles(source: Path, wiki: str, language: Language | None) -> Iterator[Article | Taken]:
    if source.is_file():
        for page in pages_of_xml(source):
            yield _of_page(page, wiki, language)
        return
    for path in files_of(source):
        page_or_none = dokuwiki_page(path, source)
        if page_or_none is not None:
            yield _of_page(page_or_none, wiki, language)
        else:
            yield _of_file(path, source, wiki, language)


def _of_page(page: WikiPage, wiki: str, language: Language | None) -> Article | Taken:
    id_ = _id_of(page.name, wiki)
    if not any(character.isalnum() for character in page.markdown):
        return Taken(id=id_, state="left out", why="it holds no words")
    try:
        return Article(
            id=id_,
            title=page.title[:MAX_TITLE_CHARACTERS],
            language=language or main_language(page.markdown),
            publisher=wiki,
            published=Period(page.changed) if page.changed else None,
            kind="guide",
            body=page.markdown,
        )
    except ValidationError as error:
        return Taken(id=id_, state="left out", why=first_problem(error))


def _of_file(path: Path, folder: Path, wiki: str, language: Language | None) -> Article | Taken:
    """A page of Markdown, HTML (Confluence exports this) or plain text."""
    id_ = _id_of("/".join(path.relative_to(folder).with_suffix("").parts), wiki)
    given = {"id": id_, "publisher": wiki, **({"language": language} if language else {})}
    try:
        if path.name == "index.html" and lists_pages_only(path.read_text(encoding="utf-8", errors="replace")):
            return Taken(id=id_, state="left out", why="it only lists the pages of the export")
        return read_source(path, given)
    except AssistantError as error:
        return Taken(id=id_, state="left out", why=error.problem)


def _id_of(name: str, wiki: str) -> str:
    """The page's name in small letters, with a short hash of it, so that no two pages have the same."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_SLUG_CHARACTERS].rstrip("-") or "page"
    return f"{_prefix(wiki)}{slug}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
