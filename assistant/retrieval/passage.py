"""Passages: the pieces of articles that are embedded, searched and cited."""

import math
import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.addressed import is_addressed_to_machine
from assistant.knowledge.article import Article
from assistant.language.detection import passage_language
from assistant.language.tongue import Language
from assistant.retrieval.blocks import Block, markdown_blocks

CHUNKER_VERSION = 2
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
    """Headings with the blocks below each; one that speaks to a machine is no heading."""
    section, blocks = article.title, list[Block]()
    for block in markdown_blocks(article.body):
        if block.kind == "heading" and not is_addressed_to_machine(block.heading):
            if blocks:
                yield section, blocks
            section, blocks = block.heading or article.title, []
        else:
            blocks.append(block)
    if blocks:
        yield section, blocks


def _pieces(body: str, blocks: list[Block]) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each passage of a section: prose and lists flow together, a table stands by itself.

    What speaks to a machine is in no passage; the others are as they would be without it.
    """
    flowing: list[Span] = []
    left_out: list[Span] = []
    for block in blocks:
        if block.kind == "heading":
            left_out.append((block.start, block.end))
        elif block.kind != "table":
            for whole in block.parts:
                if is_addressed_to_machine(body[slice(*whole)]):
                    left_out.append(whole)
                else:
                    flowing.extend(_bounded(body, *whole))
        else:
            yield from _packed(body, flowing, left_out)
            flowing = []
            yield from _table_pieces(body, block)
    yield from _packed(body, flowing, left_out)


def _packed(
    body: str, parts: list[Span], left_out: Sequence[Span] = (), prefix: str = ""
) -> Iterator[tuple[int, int, str]]:
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
            yield _piece(body, parts[first][0], parts[index - 1][1], left_out, prefix)
            first, filled, passages = index, 0, passages - 1
        filled, left = filled + size, left - size
    yield _piece(body, parts[first][0], parts[-1][1], left_out, prefix)


def _piece(body: str, start: int, end: int, left_out: Sequence[Span], prefix: str) -> tuple[int, int, str]:
    """A passage with its text, without the spans that are left out of it."""
    text, place = prefix, start
    for out_start, out_end in left_out:
        if place <= out_start and out_end <= end:
            text += body[place:out_start].rstrip()
            place = out_end
    return start, end, text + body[place:end]


def _table_pieces(body: str, table: Block) -> Iterator[tuple[int, int, str]]:
    if table.header is None or is_addressed_to_machine(body[slice(*table.header)]):
        return
    header_start, header_end = table.header
    left_out = [row for row in table.parts if is_addressed_to_machine(body[slice(*row)])]
    start, end, text = _piece(body, table.start, table.end, left_out, "")
    if estimated_tokens(text) <= TARGET_TOKENS or not table.parts:
        yield start, end, text
        return
    header = body[header_start:header_end] + "\n"
    if estimated_tokens(header) > MAX_PART_TOKENS:
        header = ""  # of more columns than an engine reads, it would only be repeated before every row
    rows = [row for row in table.parts if row not in left_out]
    yield from _packed(body, [part for row in rows for part in _bounded(body, *row)], left_out, header)


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
