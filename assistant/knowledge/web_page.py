"""HTML pages as Markdown: what is read, without what surrounds it, and what the page says of itself."""

import re
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.confluence_page import confluence_page

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_AROUND = (
    *("script", "style", "noscript", "template", "svg", "iframe", "object", "form", "button", "input", "select"),
    *("nav", "aside", "footer", "header", "figure", "dialog"),
)


# A sign that opens no tag is text. The parser would look to the end of the page for each one's other half.
_NO_TAG = re.compile(r"<(?![A-Za-z][\w:-]{0,40}[\s/>]|/[A-Za-z]|!--|!doctype|!\[CDATA\[|\?)", re.IGNORECASE)


class WebPage(BaseModel):
    """The text of a page as Markdown, with its own details where it gives them."""

    model_config = ConfigDict(frozen=True)

    title: str | None
    publisher: str | None
    published: str | None
    url: str | None
    markdown: str


def read_web_page(html: str) -> WebPage:
    """Read a page; of several candidates the text is taken from <article>, <main> or <body>, in this order."""
    from bs4 import BeautifulSoup
    from markdownify import markdownify

    page = BeautifulSoup(_NO_TAG.sub("&lt;", html), "html.parser")
    title = _meta(page, "og:title") or _text(page, "h1") or _text(page, "title")
    details = {
        "title": title,
        "publisher": _meta(page, "og:site_name"),
        "published": (_meta(page, "article:published_time") or "")[:10] or None,
        "url": _link(page),
    }
    content = page.find("article") or page.find("main") or page.find("body") or page
    exported = confluence_page(page)
    if exported is not None:
        content, details["title"] = exported.content, exported.title or title
        details["published"] = exported.published or details["published"]
    for raised in content.find_all("sup"):
        # A figure's power, or the number of a note, is no further digit of it.
        raised.insert(0, "^")
    for element in content.find_all(list(_AROUND)):
        # A heading may stand in <header>; what else stands there is about the page.
        if element.name == "header" and (heading := element.find("h1")) is not None:
            element.replace_with(heading)
        else:
            element.decompose()
    markdown = markdownify(str(content), heading_style="ATX", bullets="-", strip=["a", "img"], escape_misc=False)
    return WebPage(**details, markdown=re.sub(r"\n{3,}", "\n\n", markdown).strip() + "\n")


def _meta(page: "BeautifulSoup", name: str) -> str | None:
    element = page.find("meta", attrs={"property": name}) or page.find("meta", attrs={"name": name})
    content = element.get("content") if element is not None else None
    return " ".join(content.split()) or None if isinstance(content, str) else None


def _text(page: "BeautifulSoup", name: str) -> str | None:
    element = page.find(name)
    return " ".join(element.get_text(" ").split()) or None if element is not None else None


def _link(page: "BeautifulSoup") -> str | None:
    element = page.find("link", rel="canonical")
    address = element.get("href") if element is not None else None
    return address if isinstance(address, str) and re.match(r"https?://", address) else None
