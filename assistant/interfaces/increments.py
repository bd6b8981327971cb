"""What is new in a text that grows, sentence by sentence, as interfaces that stream send it."""

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from assistant.language.sentences import sentence_spans

# The markers of a sentence stand behind its full stop.
_MARKERS = re.compile(r"(?:[ \t]*\[\d{1,3}\])+")
_LINE = re.compile(r"\s*[^\n]*")


class Increment(BaseModel):
    """A piece of an answer's text; `offset` is where it begins, and all that stood from there on is replaced by it."""

    model_config = ConfigDict(frozen=True)

    offset: int = Field(ge=0)
    text: str


class Increments:
    """Tells a growing text apart into what is new."""

    def __init__(self) -> None:
        self._told = ""

    def of(self, text: str) -> Iterator[Increment]:
        """What `text` has more than the text before, a sentence or a row of a table at a time."""
        shared = len(self._told)
        if not text.startswith(self._told):
            shared = next(
                (n for n, (a, b) in enumerate(zip(self._told, text, strict=False)) if a != b),
                min(len(self._told), len(text)),
            )
        # A text that only became shorter is told by an empty piece.
        pieces = list(_pieces(text[shared:])) or ([""] if shared < len(self._told) else [])
        self._told = text
        for piece in pieces:
            yield Increment(offset=shared, text=piece)
            shared += len(piece)

    def appended(self, text: str) -> Iterator[str]:
        """The same for a listener who can't take back what was told: a text that became another is told anew."""
        told = len(self._told)
        increments = list(self.of(text))
        if increments and increments[0].offset < told:
            yield f"\n\n{text}"
            return
        yield from (increment.text for increment in increments)


def _pieces(text: str) -> Iterator[str]:
    """The text in sentences and rows of tables; put together they are the text again."""
    for match in _LINE.finditer(text):
        line = match[0]
        if line.lstrip().startswith("|"):
            yield line
            continue
        start = 0
        for _, end in sentence_spans(line):
            markers = _MARKERS.match(line, max(end, start))
            end = markers.end() if markers else end
            if end > start:
                yield line[start:end]
                start = end
        if start < len(line):
            yield line[start:]
