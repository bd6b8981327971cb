"""An answer before it is verified: sentences, lists and tables, each with the passages it rests on."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer, AnswerStatus, Caveat, Conflict, ConflictValue, Missing, ToolRun
from assistant.answering.markup import plain_text
from assistant.knowledge.citation import Citation

# Chinese full stops bring their own space.
_FULL_WIDTH = ("。", "？", "！", "；", "：")


class Sentence(BaseModel):
    """One statement with its support; `support` is empty only for sentences that state no fact."""

    model_config = ConfigDict(frozen=True)

    text: str
    support: tuple[Citation, ...] = ()


class Block(BaseModel):
    """A paragraph, a list (its first sentence is the lead-in), a table or a quotation."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["paragraph", "steps", "list", "table", "quotation"]
    sentences: tuple[Sentence, ...] = ()
    rows: tuple[tuple[Sentence, ...], ...] = ()
    """Rows of a table, the first being its header."""


class DisputedValue(BaseModel):
    """One side of a disagreement, before its marker is known."""

    model_config = ConfigDict(frozen=True)

    value: str
    unit: str | None
    citation: Citation
    as_of: str | None


class Dispute(BaseModel):
    """A disagreement that the draft discloses."""

    model_config = ConfigDict(frozen=True)

    about: str
    attribute: str
    values: tuple[DisputedValue, ...]


class Draft(BaseModel):
    """What the answer says, block by block."""

    model_config = ConfigDict(frozen=True)

    status: AnswerStatus
    blocks: tuple[Block, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    tool_runs: tuple[ToolRun, ...] = ()
    missing: Missing | None = None

    @property
    def citations(self) -> frozenset[tuple[str, str]]:
        """Source and quote of every passage that its sentences rest on."""
        sentences = (sentence for block in self.blocks for row in (block.sentences, *block.rows) for sentence in row)
        return frozenset((cited.source_id, cited.quote) for sentence in sentences for cited in sentence.support)


class Markers:
    """Numbers citations in order of appearance; the same passage keeps its number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], Citation] = {}

    def number(self, citation: Citation) -> int:
        key = (citation.source_id, citation.quote)
        if key not in self._numbers:
            self._numbers[key] = citation.model_copy(update={"marker": len(self._numbers) + 1})
        return self._numbers[key].marker

    def marked(self, sentence: Sentence) -> str:
        """The sentence with its markers behind it, without markup of a source that a browser would act on."""
        numbers = dict.fromkeys(self.number(citation) for citation in sentence.support)
        marks = "".join(f"[{number}]" for number in numbers)
        text = plain_text(sentence.text)
        gap = "" if text.endswith(_FULL_WIDTH) else " "
        return f"{text}{gap}{marks}".strip() if marks else text

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._numbers.values())


def render_block(block: Block, markers: Markers) -> str:
    """One block as Markdown."""
    if block.kind == "table":
        cells = [[markers.marked(cell).replace("|", "\\|") for cell in row] for row in block.rows]
        header = "| " + " | ".join(cells[0]) + " |"
        rule = "|" + "---|" * len(cells[0])
        return "\n".join([header, rule, *("| " + " | ".join(row) + " |" for row in cells[1:])])
    marked = [markers.marked(sentence) for sentence in block.sentences]
    if block.kind == "quotation":
        return "\n".join([marked[0], "", *(f"> {line}" for text in marked[1:] for line in text.splitlines())])
    if block.kind in ("steps", "list"):
        bullets = [
            f"{number}. {text}" if block.kind == "steps" else f"- {text}" for number, text in enumerate(marked[1:], 1)
        ]
        return "\n".join([marked[0], "", *bullets])
    return run_on(marked)


def run_on(sentences: Sequence[str]) -> str:
    """Sentences as running text; a Chinese full stop brings its own space."""
    text = ""
    for sentence in sentences:
        text += ("" if not text or text.endswith(_FULL_WIDTH) else " ") + sentence
    return text


def finish(draft: Draft, frame: Answer) -> Answer:
    """Number the citations, render the text and fill the answer's frame."""
    markers = Markers()
    text = "\n\n".join(render_block(block, markers) for block in draft.blocks)
    return answer_of(draft, text, markers, frame, frame.model)


def answer_of(draft: Draft, text: str, markers: Markers, frame: Answer, model: str | None) -> Answer:
    """The frame filled with a text whose citations are numbered, and with the draft's data."""
    conflicts = tuple(
        Conflict(
            about=dispute.about,
            attribute=dispute.attribute,
            values=tuple(
                ConflictValue(value=side.value, unit=side.unit, marker=markers.number(side.citation), as_of=side.as_of)
                for side in dispute.values
            ),
        )
        for dispute in draft.disputes
    )
    return frame.model_copy(
        update={
            "status": draft.status,
            "text": text,
            "citations": tuple(citation.told_in(frame.language) for citation in markers.citations),
            "conflicts": conflicts,
            "caveats": draft.caveats,
            "tool_runs": draft.tool_runs,
            "missing": draft.missing,
            "model": model,
        }
    )
