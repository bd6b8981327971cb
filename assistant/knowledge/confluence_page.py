"""A page of Confluence's HTML export: its text, title and day, without what the export puts around them."""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# "last modified on Dec 24, 2021", "last updated by Sam Ortiz on Jul 14, 2026": the export always writes English dates.
_DAY = re.compile(r"\bon ([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})")
_AROUND = (".toc-macro", ".expand-control", ".page-metadata", ".conf-macro.output-inline[data-macro-name=toc]")


class ConfluencePage(NamedTuple):
    """What the export says of a page, and the element that holds its text."""

    content: "Tag"
    title: str | None
    published: str | None


def confluence_page(page: "BeautifulSoup") -> ConfluencePage | None:
    """The parts of an exported page; None for a page of another origin."""
    content = page.find(id="main-content", class_="wiki-content")
    if content is None:
        return None
    for selector in _AROUND:
        for element in content.select(selector):
            element.decompose()
    heading = page.find(id="title-text")
    title = _words(heading) if heading is not None else ""
    space = page.select_one("#breadcrumbs li.first")
    if space is not None:
        title = title.removeprefix(f"{_words(space)} : ")
    return ConfluencePage(content, title or None, _day(page))


def lists_pages_only(html: str) -> bool:
    """True for the export's own index.html, which is no page of the wiki."""
    return 'class="pageSection' in html and "wiki-content" not in html and "Confluence" in html


def _day(page: "BeautifulSoup") -> str | None:
    """The day of the last change."""
    metadata = page.find(class_="page-metadata")
    days = _DAY.findall(_words(metadata)) if metadata is not None else []
    if not days:
        return None
    month, day, year = days[-1]
    number = _MONTHS.index(month.lower()) + 1 if month.lower() in _MONTHS else 0
    return f"{year}-{number:02}-{int(day):02}" if number else None


def _words(element: "Tag") -> str:
    return " ".join(element.get_text(" ").split())
