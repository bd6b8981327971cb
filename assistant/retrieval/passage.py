"""Passages: the pieces of articles that are embedded, searched and cited."""

import math
import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.article import Article
from assistant.language.detection import passage_language
from assistant.language.tongue import Language
from assistant.retrieval.blocks import Block, markdown_blocks

CHUNKER_VERSION = 1
Span = tuple[int, int]

TARGET_TOKENS = 110
"""A passage is closed once the next sentence would take it past this many tokens, as estimated."""
MAX_PART_TOKENS = 300
"""A sentence, row or line longer than this is cut, so that the engine's window of 512 tokens holds any passage."""

_RULER = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+[ \t]*\n?", re.MULTILINE)
_WIDE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


class Passage(BaseModel):
    """A piece of an article. `start` and `end` count characters of the article's body; `text` is that part of it.

    A passage from the inside of a table has the table's header row before it in `text`, so that every row
    can be read; `start` and `end` are then those of the rows alone.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    source_id: str
    title: str
    language: Language
    section: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str

    @property
    def embedded_text(self) -> str:
        """What is embedded: the text under its title and section, without which many sentences say little."""
        heading = self.title if self.section in ("", self.title) else f"{self.title} — {self.section}"
        return f"{heading}\n{_RULER.sub('', self.text)}"


def estimated_tokens(text: str) -> int:
    """About how many tokens multilingual-e5 sees: fitted on passages in the four languages, right within a fifth."""
    wide = len(_WIDE.findall(text))
    return 1 + round(wide * 0.85 + (len(text) - wide) * 0.27)


def split_article(article: Article) -> list[Passage]:
    """Cut an article at its headings, then so that sentences, list items and table rows stay whole."""
    passages: list[Passage] = []
    for section, blocks in _sections(article):
        for start, end, text in _pieces(article.body, blocks):
            passages.append(
                Passage(
                    id=f"{article.id}#{len(passages) + 1}",
                    source_id=article.id,
                    title=article.title,
                    language=passage_language(text, article.language),
                    section=section,
                    start=start,
                    end=end,
                    text=text,
                )
            )
    return passages


def _sections(article: Article) -> Iterator[tuple[str, list[Block]]]:
    section, blocks = article.title, list[Block]()
    for block in markdown_blocks(article.body):
        if block.kind == "heading":
            if blocks:
                yield section, blocks
            section, blocks = block.heading or article.title, []
        else:
            blocks.append(block)
    if blocks:
        yield section, blocks


def _pieces(body: str, blocks: list[Block]) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each passage of a section: prose and lists flow together, a table stands by itself."""
    flowing: list[Span] = []
    for block in blocks:
        if block.kind != "table":
            flowing.extend(part for whole in block.parts for part in _bounded(body, *whole))
            continue
        yield from _packed(body, flowing)
        flowing = []
        yield from _table_pieces(body, block)
    yield from _packed(body, flowing)


def _packed(body: str, parts: list[Span], prefix: str = "") -> Iterator[tuple[int, int, str]]:
    """Passages of whole parts in a row, about even in size, none past the target unless a part alone is."""
    if not parts:
        return
    sizes = [estimated_tokens(body[start:end]) for start, end in parts]
    room = max(TARGET_TOKENS - (estimated_tokens(prefix) if prefix else 0), TARGET_TOKENS // 3)
    passages = math.ceil(sum(sizes) / room)
    first, filled, left = 0, 0, sum(sizes)
    for index, size in enumerate(sizes):
        even = (filled + left) / max(passages, 1)
        if filled and (filled + size > room or filled + size / 2 > even):
            yield parts[first][0], parts[index - 1][1], prefix + body[parts[first][0] : parts[index - 1][1]]
            first, filled, passages = index, 0, passages - 1
        filled, left = filled + size, left - size
    yield parts[first][0], parts[-1][1], prefix + body[parts[first][0] : parts[-1][1]]


def _table_pieces(body: str, table: Block) -> Iterator[tuple[int, int, str]]:
    if table.header is None:
        return
    header_start, header_end = table.header
    if estimated_tokens(body[table.start : table.end]) <= TARGET_TOKENS or not table.parts:
        yield table.start, table.end, body[table.start : table.end]
        return
    header = body[header_start:header_end] + "\n"
    yield from _packed(body, [part for row in table.parts for part in _bounded(body, *row)], header)


def _bounded(body: str, start: int, end: int) -> Iterator[Span]:
    """The part itself, or, where it is too long, pieces of it cut at white space if there is any."""
    longest = (end - start) * MAX_PART_TOKENS // max(estimated_tokens(body[start:end]), MAX_PART_TOKENS)
    while end - start > longest:
        cut = body.rfind(" ", start + longest // 2, start + longest)
        cut = start + longest if cut < 0 else cut
        yield start, cut
        start = cut
        while start < end and body[start].isspace():
            start += 1
    if start < end:
        yield start, end
