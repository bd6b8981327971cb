"""Passages: the pieces of articles that are embedded, searched and cited."""

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.article import Article
from assistant.language.detection import passage_language
from assistant.language.tongue import Language
from assistant.retrieval.blocks import Block, markdown_blocks

CHUNKER_VERSION = 1
TARGET_TOKENS = 110
"""A passage is closed once the next sentence would take it past this many tokens, as estimated."""
MAX_PART_CHARACTERS = 900
"""A sentence, row or line longer than this is cut, so that the engine's window of 512 tokens holds any passage."""

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
        return f"{heading}\n{self.text}"


def estimated_tokens(text: str) -> int:
    """About how many tokens multilingual-e5 sees: fitted on passages in the four languages, right within a fifth."""
    wide = len(_WIDE.findall(text))
    return 1 + round(wide * 0.85 + (len(text) - wide) * 0.27)


def split_articles(articles: Sequence[Article]) -> list[Passage]:
    """The passages of all articles, in order."""
    return [passage for article in articles for passage in split_article(article)]


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
    flowing: list[tuple[int, int]] = []
    for block in blocks:
        if block.kind != "table":
            flowing.extend(part for whole in block.parts for part in _bounded(body, *whole))
            continue
        yield from _packed(body, flowing)
        flowing = []
        yield from _table_pieces(body, block)
    yield from _packed(body, flowing)


def _packed(body: str, parts: list[tuple[int, int]], prefix: str = "") -> Iterator[tuple[int, int, str]]:
    """Fill passages with whole parts, none past the target; what is left over joins the last where it fits."""
    for start, end in _even_groups(body, parts, estimated_tokens(prefix) if prefix else 0):
        yield start, end, prefix + body[start:end]


def _even_groups(body: str, parts: list[tuple[int, int]], overhead: int) -> Iterator[tuple[int, int]]:
    sizes = [estimated_tokens(body[start:end]) for start, end in parts]
    room = max(TARGET_TOKENS - overhead, TARGET_TOKENS // 3)
    groups = max(1, -(-sum(sizes) // room))
    aim = min(room, sum(sizes) / groups * 1.15)
    group_start, filled = 0, 0
    for index, size in enumerate(sizes):
        if filled and filled + size > aim:
            yield parts[group_start][0], parts[index - 1][1]
            group_start, filled = index, 0
        filled += size
    if parts:
        yield parts[group_start][0], parts[-1][1]


def _table_pieces(body: str, table: Block) -> Iterator[tuple[int, int, str]]:
    if table.header is None:
        return
    header_start, header_end = table.header
    if estimated_tokens(body[table.start : table.end]) <= TARGET_TOKENS or not table.parts:
        yield table.start, table.end, body[table.start : table.end]
        return
    header = body[header_start:header_end] + "\n"
    yield from _packed(body, [part for row in table.parts for part in _bounded(body, *row)], header)


def _bounded(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The part itself, or, where it is too long, pieces of it cut at white space if there is any."""
    while end - start > MAX_PART_CHARACTERS:
        cut = body.rfind(" ", start + MAX_PART_CHARACTERS // 2, start + MAX_PART_CHARACTERS)
        cut = start + MAX_PART_CHARACTERS if cut < 0 else cut
        yield start, cut
        start = cut
        while start < end and body[start].isspace():
            start += 1
    if start < end:
        yield start, end
