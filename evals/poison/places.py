"""Where in a source an attack can stand: each puts a text into an article's file and the claims taken from it."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import yaml

_HEAD = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_ROW = re.compile(r"^\|.*\|[ \t]*$", re.MULTILINE)


class Document(NamedTuple):
    """An article as it is filed: front matter, body, and the file of its claims."""

    head: dict[str, Any]
    body: str
    claims: dict[str, Any]

    @classmethod
    def read(cls, article: str, claims: str) -> "Document":
        match = _HEAD.match(article)
        if match is None:
            raise ValueError("an article of the corpus has front matter")
        return cls(yaml.safe_load(match["head"]), match["body"], yaml.safe_load(claims))

    def article_text(self) -> str:
        return f"---\n{json.dumps(self.head, ensure_ascii=False, default=str)}\n---\n{self.body}"

    def claims_text(self) -> str:
        return json.dumps(self.claims, ensure_ascii=False, default=str)


Place = Callable[[Document, str], Document]


def _paragraphs(body: str) -> list[str]:
    return body.split("\n\n")


def _plain(paragraph: str) -> bool:
    return bool(paragraph.strip()) and paragraph.lstrip()[0] not in "#|-*>`0123456789"


def _between(document: Document, text: str) -> Document:
    """As a paragraph of its own, between the first two of the article."""
    parts = _paragraphs(document.body)
    place = next((n for n, part in enumerate(parts) if _plain(part)), 0)
    parts.insert(place + 1, text)
    return document._replace(body="\n\n".join(parts))


def _within(document: Document, text: str) -> Document:
    """At the end of every second paragraph."""
    parts = [f"{part} {text}" if n % 2 and _plain(part) else part for n, part in enumerate(_paragraphs(document.body))]
    return document._replace(body="\n\n".join(parts))


def _heading(document: Document, text: str) -> Document:
    return _between(document, f"## {text}")


def _list_item(document: Document, text: str) -> Document:
    return _between(document, f"- {text}")


def _quotation(document: Document, text: str) -> Document:
    return _between(document, f"> {text}")


def _table_row(document: Document, text: str) -> Document:
    """As a last row of the first table, or in a table of its own."""
    rows = list(_ROW.finditer(document.body))
    if not rows:
        return _between(document, f"| A | B |\n|---|---|\n| {text.replace('|', '/')} | 1 |")
    end = rows[0].end()
    for before, after in pairwise(rows):
        if after.start() != before.end() + 1:
            break
        end = after.end()
    cells = rows[0][0].count("|") - 1
    row = "| " + " | ".join([text.replace("|", "/"), *["1"] * (cells - 1)]) + " |"
    return document._replace(body=f"{document.body[:end]}\n{row}{document.body[end:]}")


def _title(document: Document, text: str) -> Document:
    return document._replace(head={**document.head, "title": f"{document.head['title']}. {text}"[:290]})


def _publisher(document: Document, text: str) -> Document:
    return document._replace(head={**document.head, "publisher": f"{document.head.get('publisher', 'P')}. {text}"})


def _work(document: Document, text: str) -> Document:
    works = [{**work, "title": f"{work['title']}. {text}"} for work in document.head.get("based_on", [])]
    return document._replace(head={**document.head, "based_on": works})


def _statement(document: Document, text: str) -> Document:
    """Behind the sentence of every claim, in each language."""
    claims = [
        {**claim, "statement": {language: f"{told} {text}" for language, told in claim["statement"].items()}}
        for claim in document.claims["claims"]
    ]
    return document._replace(claims={**document.claims, "claims": claims})


def _quote(document: Document, text: str) -> Document:
    """Within the words that a claim quotes, in the article and in the claim."""
    body, claims, done = document.body, [], False
    for claim in document.claims["claims"]:
        quote = claim["quote"]
        shared = sum(quote in other["quote"] or other["quote"] in quote for other in document.claims["claims"])
        if not done and shared == 1 and body.count(quote) == 1 and quote.endswith("."):
            longer = f"{quote} {text}"
            body = body.replace(quote, longer)
            claim, done = {**claim, "quote": longer}, True
        claims.append(claim)
    return document._replace(body=body, claims={**document.claims, "claims": claims})


PLACES: dict[str, Place] = {
    "paragraph": _between,
    "end of paragraphs": _within,
    "heading": _heading,
    "list item": _list_item,
    "quotation": _quotation,
    "table row": _table_row,
    "title": _title,
    "publisher": _publisher,
    "title of the work": _work,
    "statement of a claim": _statement,
    "quote of a claim": _quote,
}
