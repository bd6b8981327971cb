"""An article's Markdown as blocks that keep their place in the text: paragraphs, list items, tables, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.language.sentences import sentence_spans

BlockKind = Literal["heading", "prose", "item", "table", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the body, by character offsets. `parts` are what a passage keeps whole: sentences, rows, lines."""

    kind: BlockKind
    start: int
    end: int
    parts: tuple[tuple[int, int], ...] = ()
    heading: str = ""
    """The text of a heading, without its marks."""
    header: tuple[int, int] | None = None
    """Where a table's header row, with its ruler, stands."""


_HEADING_MARKS = re.compile(r"^\s*#{1,6}[ \t]+|[ \t]+#*\s*$")
_LEAVES = {"paragraph_open": "prose", "fence": "code", "code_block": "code", "html_block": "prose"}


def markdown_blocks(body: str) -> Iterator[Block]:
    """The blocks of Markdown text in their order."""
    from markdown_it import MarkdownIt

    starts = _line_starts(body)
    inside_item = 0
    item_lines: tuple[int, int] | None = None
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(body):
        if token.type == "list_item_open":
            inside_item += 1
            if inside_item == 1 and token.map:
                item_lines = (token.map[0], token.map[1])
        elif token.type == "list_item_close":
            inside_item -= 1
            if inside_item == 0 and item_lines is not None:
                yield from _text_block("item", body, starts, item_lines)
                item_lines = None
        elif inside_item or not token.map:
            continue
        elif token.type == "heading_open":
            start, end = _span(body, starts, token.map)
            yield Block("heading", start, end, heading=_HEADING_MARKS.sub("", body[start:end].split("\n")[0]).strip())
        elif token.type == "table_open":
            yield from _table(body, starts, token.map)
        elif token.type in _LEAVES:
            kind: BlockKind = "code" if _LEAVES[token.type] == "code" else "prose"
            yield from _text_block(kind, body, starts, (token.map[0], token.map[1]))


def _line_starts(body: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", body)), len(body)]


def _span(body: str, starts: list[int], lines: list[int] | tuple[int, int]) -> tuple[int, int]:
    start, end = starts[lines[0]], starts[min(lines[1], len(starts) - 1)]
    while end > start and body[end - 1].isspace():
        end -= 1
    return start, end


def _text_block(kind: BlockKind, body: str, starts: list[int], lines: tuple[int, int]) -> Iterator[Block]:
    start, end = _span(body, starts, lines)
    if start == end:
        return
    if kind == "code":
        parts = tuple(_line_spans(body, start, end))
    else:
        parts = tuple((start + a, start + b) for a, b in sentence_spans(body[start:end]))
    yield Block(kind, start, end, parts)


def _table(body: str, starts: list[int], lines: list[int]) -> Iterator[Block]:
    start, end = _span(body, starts, lines)
    rows = list(_line_spans(body, start, end))
    if len(rows) < 2:
        return
    yield Block("table", start, end, tuple(rows[2:]), header=(rows[0][0], rows[1][1]))


def _line_spans(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    position = start
    for line in body[start:end].split("\n"):
        if line.strip():
            yield position, position + len(line)
        position += len(line) + 1
