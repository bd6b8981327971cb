"""A new edition of an article: the old one is kept, quotes that moved are anchored again, the rest is listed."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError, InvalidInput
from assistant.knowledge.anchor import find_anchor
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.check import describe
from assistant.knowledge.claim import Claim, ClaimsFile
from assistant.knowledge.corpus import read_claims_files
from assistant.knowledge.freshness import text_hash
from assistant.knowledge.intake import article_text, read_source
from assistant.knowledge.rows import Rows

EDITIONS = "editions"
"""Folder of the knowledge base that keeps earlier editions; nothing in it is searched or cited."""


_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)


class Undecided(BaseModel):
    """A claim that the new edition no longer carries as it is written; a person must say what becomes of it."""

    model_config = ConfigDict(frozen=True)

    id: str
    old: str
    quote: str
    found: str = ""
    """What the new edition says in its place, where that was found."""
    new_quote: str = ""
    rows: tuple[str, ...] = ()
    """Specification rows that give the old value."""

    def __str__(self) -> str:
        if self.found:
            line = f"{self.id}: {self.old} → {self.found}, “{self.new_quote}”"
        elif self.new_quote:
            line = f"{self.id}: {self.old} stands in other words: “{self.new_quote}”"
        else:
            line = f"{self.id}: {self.old} is no longer there"
        return f"{line}; rows with the old value: {', '.join(self.rows)}" if self.rows else line


class Update(BaseModel):
    """What taking in an edition did, and what is left to a person."""

    model_config = ConfigDict(frozen=True)

    article: str
    kept_as: str
    unchanged: int
    anchored: tuple[str, ...]
    """Claims whose quote differs in spaces, quotation marks or dashes alone; their files have the new one."""
    undecided: tuple[Undecided, ...]


def update_source(id_: str, file: Path, corpus: Path) -> Update:
    """Replace an article's text by a new edition read from a file, in any form that `sources add` takes.

    Title, publisher, works and language stay as they are; a date in the file replaces the old one. Raises InvalidInput
    where there is no such article, the file isn't text, or it is the same text.
    """
    path = article_path(id_, corpus)
    old = read_article(path)
    source = read_source(file, {"id": old.id, "language": old.language, "kind": old.kind})
    new = old.model_copy(update={"body": source.body, "published": source.published or old.published})
    if text_hash(new) == text_hash(old):
        raise InvalidInput(f"{file} has the same text as {id_}; there is nothing to update.")
    files = {found.article: (place, found) for place, found in read_claims_files(corpus)}
    place, claims = files.get(id_, (None, ClaimsFile(article=id_)))
    update = _look_at(claims, new, Rows(corpus))
    kept = keep_edition(old, corpus)
    path.write_text(_with_body(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")
    if place is not None:
        requote(place, {claim.id: quote for claim, quote in update[0]})
    return Update(
        article=id_,
        kept_as=str(kept.relative_to(corpus)),
        unchanged=len(claims.claims) - len(update[0]) - len(update[1]),
        anchored=tuple(claim.id for claim, _ in update[0]),
        undecided=tuple(update[1]),
    )


def _with_body(text: str, old: Article, new: Article) -> str:
    """An article's file with another text under the front matter that people wrote; only a new date changes that."""
    head = _HEAD.match(text.replace("\r\n", "\n"))
    if head is None or new.published != old.published:
        return article_text(new)
    return f"{head.group()}\n{new.body}"


def article_path(id_: str, corpus: Path) -> Path:
    """The file of an article. Raises InvalidInput where there is none of that id."""
    for path in sorted(corpus.glob("articles/*/**/*.md")):
        if read_article(path).id == id_:
            return path
    raise InvalidInput(f"There is no article {id_!r} in {corpus}.", "`gpu-assistant sources list` names them.")


def _look_at(file: ClaimsFile, new: Article, rows: Rows) -> tuple[list[tuple[Claim, str]], list[Undecided]]:
    anchored: list[tuple[Claim, str]] = []
    undecided: list[Undecided] = []
    standing = {claim.quote for claim in file.claims if claim.quote in new.body}
    for claim in file.claims:
        if new.body.count(claim.quote) == 1:
            continue
        anchor = find_anchor(claim, new, standing)
        if anchor is not None and anchor.same_wording:
            anchored.append((claim, anchor.quote))
            continue
        undecided.append(
            Undecided(
                id=claim.id,
                old=claim.text or (describe(claim) if claim.value is not None else ", ".join(claim.names)),
                quote=claim.quote,
                found=anchor.says if anchor is not None else "",
                new_quote=anchor.quote if anchor is not None else "",
                rows=() if anchor is not None and anchor.holds_value else rows.giving(claim),
            )
        )
    return anchored, undecided


def keep_edition(article: Article, corpus: Path) -> Path:
    """Write an edition to editions/<id>/, named by its date and text, and never overwrite one."""
    name = f"{article.published or 'undated'}-{text_hash(article)[:8]}.md"
    path = corpus / EDITIONS / article.id / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(article_text(article), encoding="utf-8")
    return path


def requote(path: Path, quotes: Mapping[str, str]) -> None:
    """Give claims other quotes, leaving everything else in the file as people wrote it, comments too.

    Raises CorpusError where the file isn't made as a file of claims is.
    """
    if not quotes:
        return
    text = path.read_text(encoding="utf-8")
    places = []
    for claim in _nodes_of_claims(path, text):
        fields = {key.value: value for key, value in claim.value}
        quote = quotes.get(fields["id"].value) if "id" in fields else None
        if quote is not None and "quote" in fields:
            places.append((fields["quote"].start_mark.index, fields["quote"].end_mark.index, quote))
    for start, end, quote in sorted(places, reverse=True):
        # JSON's double-quoted strings are YAML's as well.
        text = text[:start] + json.dumps(quote, ensure_ascii=False) + text[end:]
    path.write_text(text, encoding="utf-8")


def _nodes_of_claims(path: Path, text: str) -> list[yaml.MappingNode]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value == "claims" and isinstance(value, yaml.SequenceNode):
                return [node for node in value.value if isinstance(node, yaml.MappingNode)]
    raise CorpusError(f"{path}: no list of claims.")
