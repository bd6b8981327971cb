"""Pages of a wiki as it hands them out: MediaWiki's XML, DokuWiki's folder of pages, HTML or Markdown in a folder."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError, XMLPullParser

from pydantic import BaseModel, ConfigDict

from assistant.errors import FileUnavailable, InvalidInput
from assistant.knowledge.article import MAX_ARTICLE_BYTES
from assistant.knowledge.wiki_text import dokuwiki_markdown, mediawiki_markdown

MAX_EXPORT_BYTES = 2_000_000_000
MOST_PAGES = 100_000
_BLOCK = 1 << 20
_PAGES = {".md", ".markdown", ".html", ".htm", ".txt"}
_DOCTYPE = re.compile(rb"<!DOCTYPE|<!ENTITY", re.IGNORECASE)
_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}")
_DOKU_HEADING = re.compile(r"^[ \t]*={2,6}[^=\n]{1,200}={2,6}[ \t]*$", re.MULTILINE)


class WikiPage(BaseModel):
    """A page: its name in the wiki, its text in Markdown, and the day of its last change where the wiki tells it."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    markdown: str
    changed: str | None = None


def pages_of_xml(path: Path) -> Iterator[WikiPage]:
    """The articles of a MediaWiki export, one at a time. Raises InvalidInput for other XML, FileUnavailable."""
    for title, space, redirect, text, stamp in _raw_pages(path):
        if space == "0" and not redirect and text.strip():
            day = stamp[:10] if _DAY.match(stamp) else None
            yield WikiPage(name=title, title=title, markdown=mediawiki_markdown(text), changed=day)


def _raw_pages(path: Path) -> Iterator[tuple[str, str, bool, str, str]]:
    parser: Any = XMLPullParser(events=("end",))
    try:
        if path.stat().st_size > MAX_EXPORT_BYTES:
            raise InvalidInput(f"{path} is larger than {MAX_EXPORT_BYTES // 10**9} GB.", "Export fewer pages.")
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                if _DOCTYPE.search(block):
                    raise InvalidInput(f"{path} declares entities, which no wiki export does.")
                parser.feed(block)
                for _, element in parser.read_events():
                    if _tag(element.tag) == "page":
                        found = {_tag(child.tag): child.text or "" for child in element.iter()}
                        redirect = any(_tag(child.tag) == "redirect" for child in element)
                        yield (
                            found.get("title", ""), found.get("ns", "0"), redirect, found.get("text", ""),
                            found.get("timestamp", ""),
                        )  # fmt: skip
                        element.clear()
        parser.close()
    except ParseError as error:
        raise InvalidInput(f"{path} is no XML: {error}.", "Export it with Special:Export.") from error
    except OSError as error:
        raise FileUnavailable(f"{path}: {error.strerror or error}.") from error


def _tag(name: str) -> str:
    return name.rpartition("}")[2]


def files_of(folder: Path) -> list[Path]:
    """The pages in a folder and below it, in order. Raises InvalidInput where there is none or there are too many."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _PAGES and path.is_file())
    if not found:
        raise InvalidInput(f"{folder} holds no page: no .txt, .md or .html file.")
    if len(found) > MOST_PAGES:
        raise InvalidInput(f"{folder} holds more than {MOST_PAGES} pages.", "Take in a part of it.")
    return found


def dokuwiki_page(path: Path, folder: Path) -> WikiPage | None:
    """A page of DokuWiki's data/pages; None for text that isn't in DokuWiki's markup, or is too large."""
    if path.suffix != ".txt" or path.stat().st_size > MAX_ARTICLE_BYTES:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    if _DOKU_HEADING.search(text) is None:
        return None
    markdown = dokuwiki_markdown(text)
    name = ":".join(path.relative_to(folder).with_suffix("").parts)
    heading = re.search(r"^#+ (.+)$", markdown, re.MULTILINE)
    return WikiPage(name=name, title=heading[1] if heading else name, markdown=markdown)
