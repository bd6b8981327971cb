"""A source article: Markdown with YAML front matter, and the works whose facts it carries."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import CorpusError
from assistant.knowledge.addressed import ToPeople, is_addressed_to_machine
from assistant.knowledge.period import Period
from assistant.knowledge.schema import LOADER, first_problem
from assistant.knowledge.unseen import as_seen
from assistant.knowledge.web_address import WebAddress
from assistant.language.tongue import Language

MAX_ARTICLE_BYTES = 20_000_000
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<head>.*?)\n---[ \t]*\n(?P<body>.*)\Z", re.DOTALL)

ArticleKind = Literal["guide", "news", "comparison", "vendor", "dataset"]


class Work(BaseModel):
    """A publication whose facts an article carries; `key` is how the article's claims name it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    title: ToPeople
    publisher: ToPeople | None = None
    published: Period | None = None
    language: Language | None = None
    url: WebAddress | None = None


class FrontMatter(BaseModel):
    """What an article says of itself before its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")
    title: Annotated[ToPeople, Field(min_length=1, max_length=300)]
    language: Language
    publisher: ToPeople | None = None
    published: Period | None = None
    retrieved: Period | None = None
    url: WebAddress | None = None
    kind: ArticleKind
    based_on: tuple[Work, ...] = ()


class Article(FrontMatter):
    """An article as the rest of the program sees it: `body` is Markdown; citations count characters in it."""

    body: str

    def work(self, key: str) -> Work | None:
        return next((work for work in self.based_on if work.key == key), None)

    def section_at(self, offset: int) -> str:
        """The heading that `offset` stands under, or the title before the first heading."""
        heading = self.title
        for match in re.finditer(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", self.body, re.MULTILINE):
            if match.start() > offset:
                break
            if not is_addressed_to_machine(match.group(1)):
                heading = match.group(1)
        return heading


def parse_article(text: str, origin: str) -> Article:
    """Read one article; `origin` names the file in error messages.

    Raises CorpusError with the file and the field at fault.
    """
    match = _FRONT_MATTER.match(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if match is None:
        raise CorpusError(f"{origin}: no YAML front matter.", "Start the file with '---', the fields, and '---'.")
    head = read_front_matter(match["head"], origin)
    try:
        return Article(**head, body=as_seen(match["body"]).strip() + "\n")
    except (ValidationError, TypeError) as error:
        raise CorpusError(f"{origin}: {first_problem(error)}") from error


def read_front_matter(head: str, origin: str) -> dict[str, Any]:
    """The fields of front matter; `origin` names the file. Raises CorpusError where it is no YAML mapping."""
    try:
        fields = yaml.load(head, Loader=LOADER)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        raise CorpusError(f"{origin}: the front matter is not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise CorpusError(f"{origin}: the front matter is nested too deeply.") from error
    if not isinstance(fields, dict):
        raise CorpusError(f"{origin}: the front matter must be 'field: value' lines.")
    return {str(name): value for name, value in fields.items()}


def read_article(path: Path) -> Article:
    """Read an article's file. Raises CorpusError where it is too large, not UTF-8 or breaks the schema."""
    if path.stat().st_size > MAX_ARTICLE_BYTES:
        raise CorpusError(f"{path}: larger than {MAX_ARTICLE_BYTES // 1_000_000} MB.", "Split it by topic.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start}.", "Save the file as UTF-8.") from error
    if "\0" in text:
        raise CorpusError(f"{path}: contains NUL bytes, so it is not text.")
    return parse_article(text, str(path))
