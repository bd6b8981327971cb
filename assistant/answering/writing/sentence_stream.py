"""A stream of tokens cut into sentences, list items, headings and tables, each as soon as it is complete."""

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.language.sentences import sentence_spans

PieceKind = Literal["sentence", "item", "heading", "table"]

_ITEM = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)、])\s+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+|^\*\*[^*\n]{1,120}\*\*:?\s*$")
_ROW = re.compile(r"^\s*\|.*")
_RULE = re.compile(r"^\s*(?:```.*|[-*_]{3,}|>+)\s*$")
_MARKERS = re.compile(r"(?:\s*(?:\[\^?[\d,;\s–-]{1,40}\]|【[^】\n]{1,40}】))+[.。]?")
_LONGEST = 1500
_LONGEST_TABLE = 40


class Piece(BaseModel):
    """One thing to verify. `opens` is true where a new paragraph begins with it."""

    model_config = ConfigDict(frozen=True)

    kind: PieceKind
    text: str
    opens: bool = False
    number: str = ""
    """The number of an item of a numbered list, with its sign; empty for a bullet."""
    rows: tuple[tuple[str, ...], ...] = ()


class SentenceStream:
    """Takes text as it comes and gives pieces as they are complete. Keeps at most one line and one table."""

    def __init__(self) -> None:
        self._buffer = ""
        self._rows: list[tuple[str, ...]] = []
        self._opens = True
        self._in_item = False
        self._line_begun = False

    def feed(self, text: str) -> Iterator[Piece]:
        """More of the draft. Sentences are given once what follows shows that they have ended."""
        self._buffer += text.replace("\r\n", "\n").replace("\r", "\n")
        while "\n" in self._buffer:
            line, self._buffer = self._buffer.split("\n", 1)
            yield from self._line(line)
        yield from self._begun_line()

    def finish(self, *, cut_off: bool = False) -> Iterator[Piece]:
        """The rest of the draft. Of a stream that was cut off, a sentence without its end is left out."""
        rest, self._buffer = self._buffer, ""
        if rest.strip() and not (cut_off and not _ended(rest)):
            yield from self._line(rest)
        yield from self._table()

    def _begun_line(self) -> Iterator[Piece]:
        """Complete sentences of a line that isn't."""
        line = self._buffer
        if len(line) > _LONGEST:
            self._buffer = ""
            yield from self._sentences(line[:_LONGEST])
            return
        if not self._line_begun and (len(line) < 8 or _ROW.match(line) or line.lstrip()[:1] in ("#", "`", ">")):
            return
        if not self._line_begun and line.lstrip().startswith("**") and line.count("**") < 2:
            return
        spans = list(sentence_spans(line))
        if len(spans) < 2:
            return
        end = spans[-2][1]
        markers = _MARKERS.match(line, end)
        rest = line[markers.end() if markers else end :]
        # A bracket may still become a marker of the sentence in front of it.
        if not rest.strip() or rest.lstrip()[0] in "[【" or len(rest.strip()) < 2:
            return
        done = line[: len(line) - len(rest)]
        self._buffer = rest
        yield from self._sentences(done)
        self._line_begun = True

    def _line(self, line: str) -> Iterator[Piece]:
        """A whole line, or the rest of one."""
        if not self._line_begun:
            if _ROW.match(line) and len(self._rows) < _LONGEST_TABLE:
                self._rows.append(tuple(cell.strip() for cell in line.strip().strip("|").split("|")))
                return
            yield from self._table()
            if not line.strip() or _RULE.match(line):
                self._opens = True
                self._in_item = False
                return
            if _HEADING.match(line):
                yield Piece(kind="heading", text=line.strip().strip("#* ").rstrip(":"), opens=True)
                self._opens = True
                return
        yield from self._sentences(line)
        self._line_begun = False
        self._in_item = False

    def _sentences(self, text: str) -> Iterator[Piece]:
        number = ""
        if not self._line_begun:
            self._in_item = False
            item = _ITEM.match(text)
            if item:
                self._in_item = True
                number = item[0].strip() if item[0].strip()[0].isdigit() else ""
                text = text[item.end() :]
            elif text.lstrip().startswith(">"):
                text = text.lstrip()[1:]
        first = not self._line_begun
        for sentence in _with_markers(text):
            kind: PieceKind = "item" if self._in_item and first else "sentence"
            yield Piece(kind=kind, text=sentence, opens=self._opens and kind == "sentence", number=number)
            self._opens = self._opens and kind == "item"
            first = False
        if not first:
            self._opens = False

    def _table(self) -> Iterator[Piece]:
        if self._rows:
            rows, self._rows = self._rows, []
            yield Piece(kind="table", text="", opens=True, rows=tuple(rows))
            self._opens = True


def _with_markers(text: str) -> list[str]:
    """Sentences with the markers that stand behind each."""
    sentences: list[str] = []
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        markers = _MARKERS.match(sentence)
        if markers and sentences:
            sentences[-1] += " " + markers[0].strip()
            sentence = sentence[markers.end() :].strip()
        if sentence:
            sentences.append(sentence)
    return sentences


def _ended(text: str) -> bool:
    return re.search(r"[.!?。！？…:：|](?:[\"'”’»)\]*_]|\s|\[\^?[\d,\s]+\])*\Z", text) is not None
