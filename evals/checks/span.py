"""An answer taken apart into its sentences, list items and table rows, each with the passages that it marks."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.markup import without_emphasis
from assistant.knowledge.citation import Citation
from assistant.language.sentences import sentence_spans

_MARKERS = re.compile(r"(?:\s*\[\d+\])+")
_MARKER = re.compile(r"\[(\d+)\]")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")


class Span(BaseModel):
    """A piece of an answer that stands on its own, without its markers."""

    model_config = ConfigDict(frozen=True)

    text: str
    marks: tuple[int, ...]
    cited: tuple[Citation, ...]
    row: bool = False
    """True for a row of a table, whose columns say elsewhere what they are."""
    quoted: bool = False
    """True for a line quoted from a source, in the source's language."""
    inherits: bool = False
    """True where the marks stand behind a later sentence of the paragraph."""
    heading: bool = False
    """True for the title of a list, whose items mark their own passages."""


def spans(answer: Answer) -> list[Span]:
    """Every piece of the text, in order."""
    return list(_spans(answer))


def _spans(answer: Answer) -> Iterator[Span]:
    by_marker = {citation.marker: citation for citation in answer.citations}
    for line in answer.text.splitlines():
        stripped = line.strip()
        if not stripped or re.fullmatch(r"\|[\s:|-]+\|", stripped):
            continue
        if stripped.startswith("|"):
            yield _span(stripped, by_marker, row=True)
        elif stripped.startswith(">"):
            yield _span(stripped.lstrip("> "), by_marker, quoted=True)
        elif stripped.startswith("**") and stripped.endswith("**"):
            yield _span(stripped, by_marker).model_copy(update={"heading": True})
        else:
            yield from _with_later_marks([_span(piece, by_marker) for piece in _sentences(_ITEM.sub("", stripped))])


def _with_later_marks(pieces: list[Span]) -> list[Span]:
    """Marks behind several sentences of a paragraph stand for all of them, back to the mark before."""
    later: Span | None = None
    found = []
    for piece in reversed(pieces):
        later = piece if piece.marks else later
        own = (
            piece
            if piece.marks or later is None
            else piece.model_copy(update={"marks": later.marks, "cited": later.cited, "inherits": True})
        )
        found.append(own)
    return found[::-1]


def _sentences(line: str) -> Iterator[str]:
    """Sentences with the markers behind them: "A. [1] B. [2]" is "A. [1]" and "B. [2]"."""
    ends = [end for _, end in sentence_spans(_MARKERS.sub(lambda match: " " * len(match.group()), line))]
    start = 0
    for place, end in enumerate(ends):
        match = _MARKERS.match(line, end)
        stop = match.end() if match else end
        if place == len(ends) - 1:
            stop = len(line)
        yield line[start:stop].strip()
        start = stop


def _span(text: str, by_marker: dict[int, Citation], *, row: bool = False, quoted: bool = False) -> Span:
    marks = tuple(dict.fromkeys(int(number) for number in _MARKER.findall(text)))
    return Span(
        text=without_emphasis(_MARKER.sub("", text)).strip(),
        marks=marks,
        cited=tuple(by_marker[mark] for mark in marks if mark in by_marker),
        row=row,
        quoted=quoted,
    )
