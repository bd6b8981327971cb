"""Taking in articles as their publishers wrote them: plain text, Markdown or HTML, in any of the four languages."""

import hashlib
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from assistant.errors import CorpusError, CorpusUnavailable, FileUnavailable, InvalidInput
from assistant.knowledge.article import (
    MAX_ARTICLE_BYTES,
    Article,
    ArticleKind,
    FrontMatter,
    read_article,
    read_front_matter,
)
from assistant.knowledge.corpus import read_articles
from assistant.knowledge.period import Period
from assistant.knowledge.plain_text import looks_like_heading, plain_text_to_markdown
from assistant.knowledge.schema import first_problem
from assistant.knowledge.unseen import as_seen
from assistant.knowledge.web_page import read_web_page
from assistant.language.detection import detect_language, passage_language
from assistant.language.quantities.quantity import read_quantities
from assistant.language.tongue import Language

MAX_TITLE_CHARACTERS = 200
MAX_OPENING_CHARACTERS = 64
"""Of a text without a title, as much of the first sentence as serves for one; passages carry it with them."""
_DATE_LINES = 4
"""How many lines from the top are looked through for the date of publication."""
_MAX_DATE_LINE_CHARACTERS = 60

_MORE_PER_HAN = 2
"""A translated paragraph has three times as many letters as Chinese characters (XQuAD: 785 and 252)."""

_ABOUT_AS_COMMON = 1.5
_MAX_PARAGRAPHS = 1000

_ALSO_CALLED = {"date": "published", "lang": "language"}
"""Names that site generators give to an article's fields."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<head>.*?)\n---[ \t]*\n(?P<body>.*)\Z", re.DOTALL)
_HTML = re.compile(r"\A\s*(?:<!doctype html|<html|<head|<body|<article)", re.IGNORECASE)
_FIRST_HEADING = re.compile(r"\A\s*#[ \t]+(?P<title>.+?)[ \t]*#*[ \t]*(?:\n|\Z)")
_HAN = re.compile(r"[\u3400-\u9fff]")


def add_source(
    path: Path,
    corpus_dir: Path,
    *,
    title: str | None = None,
    language: Language | None = None,
    publisher: str | None = None,
    published: str | None = None,
    url: str | None = None,
    kind: ArticleKind | None = None,
) -> Article:
    """Add a file to the knowledge base as an article; what isn't given is read from the file.

    Nothing that exists is overwritten. Raises InvalidInput for a file that isn't text or is there already, CorpusError
    for front matter that breaks the schema or a folder that is no knowledge base.
    """
    if not corpus_dir.is_dir():
        raise CorpusUnavailable(
            f"{corpus_dir}: no such folder.", "Name the knowledge base with --corpus or ASSISTANT_CORPUS."
        )
    given = {
        "title": title,
        "language": language,
        "publisher": publisher,
        "published": published,
        "url": url,
        "kind": kind,
    }
    article = read_source(path, {name: value for name, value in given.items() if value is not None})
    _refuse_what_is_there(path, article, corpus_dir)
    target = corpus_dir / "articles" / article.language / f"{article.id}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(article_text(article))
    except FileExistsError as error:
        raise InvalidInput(f"{target} exists already.", "Rename the file to add.") from error
    return read_article(target)


def read_source(path: Path, given: dict[str, Any] | None = None) -> Article:
    """The article that a file makes; fields in `given` come before what the file says of itself."""
    text = _read_text(path)
    try:
        found, body = _read_by_format(path, text)
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deeply to be read.", "Save its text alone.") from error
    if not any(character.isalnum() for character in body):
        raise InvalidInput(f"{path} is empty: it holds no words.")
    fields = {**found, **(given or {})}
    fields.setdefault("id", _id_of(path, text))
    fields.setdefault("title", _title_of(body))
    fields.setdefault("language", main_language(body))
    fields.setdefault("kind", "guide")
    if "published" not in fields and (dated := _date_of(body, fields["language"])) is not None:
        line, fields["published"] = dated
        body = body.replace(f"## {line}\n", f"{line}\n", 1)
    try:
        return Article(**fields, body=body)
    except (ValidationError, TypeError) as error:
        raise CorpusError(f"{path}: {first_problem(error)}") from error


def article_text(article: Article) -> str:
    """The article as a file: front matter, then body."""
    head = article.model_dump(mode="json", include=set(FrontMatter.model_fields), exclude_none=True)
    if not head["based_on"]:
        del head["based_on"]
    return f"---\n{yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=1000)}---\n{article.body}"


def _read_text(path: Path) -> str:
    """The text of a file. Raises InvalidInput where it isn't UTF-8 text of a size that an article can have."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder.", "Name the files in it.")
        if not path.is_file():
            raise InvalidInput(f"{path} is a device or a pipe, not a file.", "Save what it gives as a file.")
        if size > MAX_ARTICLE_BYTES:
            raise InvalidInput(
                f"{path} is {size / 1_000_000:.0f} MB; an article has at most {MAX_ARTICLE_BYTES // 1_000_000} MB.",
                "Split it by topic.",
            )
        data = path.read_bytes()
    except OSError as error:
        raise FileUnavailable(f"{path}: {error.strerror or error}.") from error
    if b"\0" in data or data.startswith(b"%PDF"):
        raise InvalidInput(f"{path} is a binary file, not text.", "Save it as plain text, Markdown or HTML.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 at byte {error.start}.", "Save the file as UTF-8.") from error
    text = as_seen(text.replace("\r\n", "\n").replace("\r", "\n"))
    if not text.strip():
        raise InvalidInput(f"{path} is empty.")
    return text


def _read_by_format(path: Path, text: str) -> tuple[dict[str, Any], str]:
    """What the file says of itself, and its body as Markdown."""
    front = _FRONT_MATTER.match(text)
    if front is not None and path.suffix.lower() not in (".html", ".htm"):
        fields = _front_matter(path, front["head"])
        return fields, _without_title(fields, front["body"])
    if path.suffix.lower() in (".html", ".htm", ".xhtml") or _HTML.match(text):
        page = read_web_page(text)
        fields = {name: value for name, value in page.model_dump(exclude={"markdown"}).items() if value}
        if "published" in fields and not _is_period(fields["published"]):
            del fields["published"]
        return fields, _without_title(fields, page.markdown)
    if path.suffix.lower() in (".md", ".markdown"):
        fields = {}
        return fields, _without_title(fields, text)
    return _plain(text)


def _front_matter(path: Path, head: str) -> dict[str, Any]:
    """The fields that an article has; what a site's front matter holds besides (tags, layout, author) is left out."""
    fields = {
        _ALSO_CALLED.get(name.lower(), name.lower()): value
        for name, value in read_front_matter(head, str(path)).items()
        if value is not None
    }
    return {name: value for name, value in fields.items() if name in FrontMatter.model_fields}


def _without_title(fields: dict[str, Any], body: str) -> str:
    """The body without the heading that is its title; `fields` gets the title unless it has one."""
    heading = _FIRST_HEADING.match(body)
    if heading is not None and fields.setdefault("title", heading["title"][:MAX_TITLE_CHARACTERS]) == heading["title"]:
        body = body[heading.end() :]
    return body.strip() + "\n"


def _plain(text: str) -> tuple[dict[str, Any], str]:
    first, _, rest = text.strip().partition("\n")
    if rest.strip() and "\t" not in first and looks_like_heading(first.strip()):
        return {"title": first.strip()}, plain_text_to_markdown(rest)
    return {}, plain_text_to_markdown(text)


def _title_of(body: str) -> str:
    """The first heading, or else how the first paragraph begins."""
    heading = re.search(r"^#{1,2}[ \t]+(.+?)[ \t]*#*$", body, re.MULTILINE)
    opening = next((line for line in body.splitlines() if any(map(str.isalnum, line))), "").strip()
    if heading is not None and body.strip().startswith("#"):
        return heading.group(1)[:MAX_TITLE_CHARACTERS]
    opening = re.sub(r"^[#>*\-\s|]+|[*_`|]", "", opening).strip()
    limit = MAX_OPENING_CHARACTERS // 2 if _HAN.search(opening) else MAX_OPENING_CHARACTERS
    if len(opening) <= limit:
        return opening or "Untitled"
    cut = opening.rfind(" ", limit // 2, limit)
    return f"{opening[: cut if cut > 0 else limit].rstrip(' ,;:，、')}…"


def main_language(body: str) -> Language:
    """The language that most of the text is in; that of the opening where two are about as common."""
    overall = detect_language(body)
    paragraphs = re.split(r"\n\s*\n", body)[:_MAX_PARAGRAPHS]
    amounts: Counter[Language] = Counter()
    for paragraph in paragraphs:
        amounts[passage_language(paragraph, overall)] += len(paragraph) + _MORE_PER_HAN * len(_HAN.findall(paragraph))
    most = max(amounts.values())
    common = [language for language, amount in amounts.items() if amount > most / _ABOUT_AS_COMMON]
    opening = passage_language(max(paragraphs[:3], key=len), overall)
    return opening if opening in common else amounts.most_common(1)[0][0]


def _date_of(body: str, language: Language) -> tuple[str, str] | None:
    """A short line near the top with one day in it, which is how pages give their date, and that day."""
    lines = [line.strip("#*_> ") for line in body.splitlines() if line.strip()][:_DATE_LINES]
    for line in lines:
        if len(line) <= _MAX_DATE_LINE_CHARACTERS:
            days = {one.period for one in read_quantities(line, language) if one.period and len(one.period) == 10}
            if len(days) == 1 and _is_period(day := days.pop()):
                return line, day
    return None


def _is_period(text: str) -> bool:
    try:
        Period(text)
    except ValueError:
        return False
    return True


def _id_of(path: Path, text: str) -> str:
    """The file's name in lower case without accents; for one without Latin letters or digits, a hash of the text."""
    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")[:80]
    return name if len(name) >= 3 else f"article-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _refuse_what_is_there(path: Path, article: Article, corpus_dir: Path) -> None:
    for present in read_articles(corpus_dir).values():
        if present.body == article.body:
            raise InvalidInput(f"{path} is in the knowledge base already, as {present.id!r}.")
        if present.id == article.id:
            raise InvalidInput(f"The knowledge base has an article {article.id!r} already.", "Rename the file to add.")
