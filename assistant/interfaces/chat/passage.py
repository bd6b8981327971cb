"""The part of an article around a quoted passage, split where the quotation begins and ends."""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

MOST_CHARACTERS = 900
"""Of the text around a quotation, on each side."""
ROWS_AROUND = 2

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_RULE = re.compile(r"^\|?[\s:|-]+\|?$")
_EMPHASIS = re.compile(r"(\*\*|__|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w))")
_LINE_START = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>)[ \t]+")
_BULLET = re.compile(r"(?m)^[ \t]*[-*+][ \t]+")


class Run(BaseModel):
    """Text that is quoted, or that stands around a quotation."""

    model_config = ConfigDict(frozen=True)

    text: str
    quoted: bool = False


class Prose(BaseModel):
    """A paragraph or list; line ends are kept."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["prose"] = "prose"
    runs: tuple[Run, ...]


class Row(BaseModel):
    """Cells of a table's row; `gap` is True where rows before it are left out."""

    model_config = ConfigDict(frozen=True)

    cells: tuple[Run, ...]
    gap: bool = False


class Table(BaseModel):
    """The header and the rows around the quoted one."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["table"] = "table"
    header: tuple[Run, ...]
    rows: tuple[Row, ...]


Context = Prose | Table


def context_of(body: str, quote: str, start: int | None, end: int | None) -> Context:
    """The paragraph, list or table that holds the quotation; the bare quotation where the article doesn't hold it."""
    place = _place(body, quote, start, end)
    if place is None:
        return Prose(runs=(Run(text=_plain(quote), quoted=True),))
    first, last = place
    top = max((match.end() for match in _BLANK_LINE.finditer(body, 0, first)), default=0)
    below = _BLANK_LINE.search(body, last)
    bottom = below.start() if below else len(body.rstrip())
    block = body[top:bottom]
    table = _table(block, first - top, last - top) if block.lstrip().startswith("|") else None
    return table or _prose(block, first - top, last - top)


def _place(body: str, quote: str, start: int | None, end: int | None) -> tuple[int, int] | None:
    if start is not None and end is not None and body[start:end] == quote:
        return start, end
    found = body.find(quote) if quote else -1
    return (found, found + len(quote)) if found >= 0 else None


def _prose(block: str, first: int, last: int) -> Prose:
    before, quoted, after = block[:first], block[first:last], block[last:]
    if len(before) > MOST_CHARACTERS:
        before = "… " + before[-MOST_CHARACTERS:].partition(" ")[2]
    if len(after) > MOST_CHARACTERS:
        after = after[:MOST_CHARACTERS].rpartition(" ")[0] + " …"
    runs = (Run(text=_plain(before)), Run(text=_plain(quoted), quoted=True), Run(text=_plain(after)))
    return Prose(runs=tuple(run for run in runs if run.text))


def _plain(text: str) -> str:
    """Text without the signs of Markdown."""
    return _EMPHASIS.sub("", _BULLET.sub("• ", _LINE_START.sub("", text)))


def _table(block: str, first: int, last: int) -> Table | None:
    """The table, or None where the block has no row."""
    rows: list[tuple[bool, tuple[Run, ...]]] = []
    place = 0
    for line in block.splitlines(keepends=True):
        begin, place = place, place + len(line)
        if not _RULE.match(line.strip()):
            cells = _cells(line, first - begin, last - begin)
            rows.append((any(cell.quoted for cell in cells), cells))
    if not rows:
        return None
    header, *others = rows
    hits = [number for number, (hit, _) in enumerate(others) if hit]
    near = {number for hit in hits for number in range(hit - ROWS_AROUND, hit + ROWS_AROUND + 1)}
    shown: list[Row] = []
    previous = -1
    for number, (_, cells) in enumerate(others):
        if number in near or not hits:
            shown.append(Row(cells=cells, gap=number > previous + 1))
            previous = number
    return Table(header=header[1], rows=tuple(shown))


def _cells(line: str, first: int, last: int) -> tuple[Run, ...]:
    """Cells of a row; those that the span from `first` to `last` touches are quoted."""
    cells: list[Run] = []
    for match in re.finditer(r"(?:\\\||[^|\n])+", line):
        text = match[0]
        if not text.strip() and match.end() >= len(line.rstrip()):
            continue
        touched = first < match.end() and last > match.start()
        cells.append(Run(text=_plain(text.strip()).replace("\\|", "|"), quoted=touched))
    return tuple(cells)
