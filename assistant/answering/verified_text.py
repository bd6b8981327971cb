"""A draft as it is verified: what the evidence carries is kept, the rest replaced by what the evidence says."""

from collections.abc import Iterable, Sequence

from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Markers, Sentence
from assistant.answering.markup import plain_text, without_emphasis, without_markers
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import EvidenceSet, Subjects
from assistant.answering.verification.labels import label_missing
from assistant.answering.verification.reading import Reading, SentenceReader
from assistant.answering.verification.verifier import Verifier
from assistant.answering.writing.sentence_stream import Piece
from assistant.knowledge.citation import Citation
from assistant.language.detection import passage_language

_MOST_MARKERS = 3
_MOST_SENTENCES = 60
_TELLING_LENGTH = 24
# A draft that says the same so often is caught in a loop.
_MOST_REPEATS = 3
_LABELS = ("vendor_claim", "forecast", "hypothetical")


class VerifiedText:
    """Builds the text of an answer from verified pieces; what it has shown never changes."""

    def __init__(
        self, verifier: Verifier, reader: SentenceReader, evidence: EvidenceSet, subjects: Subjects, voice: Narrator
    ) -> None:
        self._verifier = verifier
        self._reader = reader
        self._evidence = evidence
        self._subjects = subjects
        self._voice = voice
        self._blocks: list[str] = []
        self._frame: str | None = None
        self._said: dict[str, int] = {}
        self._repeats = 0
        self.markers = Markers()
        self.support: set[tuple[str, str]] = set()
        self.withheld = 0
        self.verified = 0

    @property
    def text(self) -> str:
        """All that is verified so far, as Markdown with markers."""
        return "\n\n".join(self._blocks)

    @property
    def is_looping(self) -> bool:
        return self._repeats >= _MOST_REPEATS or self.verified + self.withheld >= _MOST_SENTENCES

    def extend(self, carriers: Iterable[Carrier]) -> None:
        """Add evidence that a tool brought while the draft was written."""
        self._evidence = self._evidence.model_copy(update={"carriers": (*self._evidence.carriers, *carriers)})

    def add(self, piece: Piece) -> bool:
        """Verify a piece; true where there's more text to show."""
        before = len(self._blocks), len(self._blocks[-1]) if self._blocks else 0
        if piece.kind == "table":
            self._table(piece)
        elif piece.kind == "heading":
            self._hold(clean(piece.text), heading=True)
        else:
            self._sentence(piece)
        return (len(self._blocks), len(self._blocks[-1]) if self._blocks else 0) != before

    # --- sentences ---------------------------------------------------------------------------------------------------

    def _sentence(self, piece: Piece) -> None:
        shown = clean(piece.text)
        read = without_emphasis(shown).strip()
        if not any(character.isalnum() for character in read):
            return
        if self._said.get(read):
            self._said[read] += 1
            self._repeats += 1
            return
        self._said[read] = 1
        if read.endswith((":", "：")):
            self._hold(shown, heading=False)
            return
        reading = self._reader.read(read, self._evidence.language)
        verdict = self._verifier.check(reading, self._evidence, self._subjects)
        if verdict.carried and self._is_in_language(read):
            self._subjects = self._subjects.after(reading.whole)
            self._show(piece, shown, verdict.carriers)
            return
        if reading.whole.mentions or reading.whole.figures or verdict.nearest is not None:
            self.withheld += 1
            # What "it" means after a sentence that isn't shown can't be seen by the reader.
            self._subjects = Subjects()
        if verdict.nearest is not None:
            self._replace(piece, verdict.nearest)

    def _is_in_language(self, text: str) -> bool:
        """False for a sentence that is clearly in another language than the answer."""
        return len(text) < _TELLING_LENGTH or passage_language(text, self._evidence.language) == self._evidence.language

    def _show(self, piece: Piece, text: str, carriers: Sequence[Carrier]) -> None:
        citations = list(dict.fromkeys(c for carrier in carriers for c in carrier.citations[:1]))
        marked = self._marked(self._dated(text, carriers), citations[: max(_MOST_MARKERS, len(carriers))])
        for carrier in carriers:
            self._said.setdefault(carrier.statement, 1)
        self._append(piece, marked)
        self.verified += 1

    def _dated(self, text: str, carriers: Sequence[Carrier]) -> str:
        """The sentence with the date of what goes out of date, such as a price, where it gives none."""
        attributes = self._voice.corpus.attributes
        facts = [carrier.fact for carrier in carriers if carrier.fact is not None]
        dates = [fact.as_of for fact in facts if fact.as_of and attributes[fact.attribute].freshness_days is not None]
        reading = self._reader.read(without_emphasis(text), self._evidence.language)
        if not dates or reading.whole.dates:
            return text
        shown = self._voice.join(list(dict.fromkeys(self._voice.date(date) for date in dates)))
        noted = f"（{shown}）" if self._evidence.language == "zh" else f" ({shown})"
        end = len(text) - (text[-1] in ".。!?！？")
        return f"{text[:end]}{noted}{text[end:]}"

    def _replace(self, piece: Piece, carrier: Carrier) -> None:
        """What the evidence says, in the place of a sentence that it doesn't carry; not twice."""
        fact = carrier.fact
        if fact is None or self._said.get(carrier.statement):
            return
        self._said[carrier.statement] = 1
        text = carrier.statement
        if fact.status in _LABELS and label_missing(carrier.reading.whole, carrier):
            who = self._voice.name(fact.attributed_to) if fact.attributed_to in self._voice.corpus.entities else None
            fields = {"who": who or self._voice.say("vendor")} if fact.status == "vendor_claim" else {}
            text = f"{text} {self._voice.say(fact.status, **fields)}"
        self._append(piece, self._marked(text, carrier.citations))

    def _marked(self, text: str, citations: Sequence[Citation]) -> str:
        self.support.update((c.source_id, c.quote) for c in citations)
        return self.markers.marked(Sentence(text=text, support=tuple(citations)))

    def _append(self, piece: Piece, marked: str) -> None:
        self._release()
        if piece.kind == "item":
            self._add_item(f"{piece.number or '-'} {marked}")
        elif self._blocks and not piece.opens and not _is_table(self._blocks[-1]):
            joint = "" if self._evidence.language == "zh" and not self._blocks[-1].endswith("]") else " "
            self._blocks[-1] += joint + marked
        else:
            self._blocks.append(marked)

    def _add_item(self, item: str) -> None:
        last = self._blocks[-1].rsplit("\n", 1)[-1] if self._blocks else ""
        if last.startswith(("- ", *(f"{n}" for n in range(1, 10)))) and not _is_table(self._blocks[-1]):
            self._blocks[-1] += f"\n{item}"
        else:
            self._blocks.append(item)

    # --- headings, lead-ins and tables -------------------------------------------------------------------------------

    def _hold(self, text: str, *, heading: bool) -> None:
        """A heading or lead-in waits for something verified below it, and may assert nothing itself."""
        reading = self._reader.read(without_emphasis(text), self._evidence.language)
        self._frame = (f"**{without_emphasis(text)}**" if heading else text) if self._asserts_nothing(reading) else None
        self._subjects = self._subjects.after(reading.whole)

    def _asserts_nothing(self, reading: Reading) -> bool:
        whole = reading.whole
        if reading.unknown or whole.figures or whole.roles - {"plain", "joint", "against"}:
            return False
        named = frozenset(e for carrier in self._evidence.carriers for e in carrier.entities)
        known = all(any(c.vocabulary.covers(w.text) for c in self._evidence.carriers) for w in whole.content)
        return known and whole.entities <= named

    def _release(self) -> None:
        if self._frame is not None:
            self._blocks.append(self._frame)
            self._frame = None

    def _table(self, piece: Piece) -> None:
        """The rows of a table whose every cell is carried, read as "row, column: value"."""
        rows = [
            tuple(clean(cell) for cell in row) for row in piece.rows if not all(set(cell) <= set("-: ") for cell in row)
        ]
        if len(rows) < 2:
            return
        header, kept = rows[0], []
        for row in rows[1:]:
            cells = self._row(header, row)
            if cells is None:
                self.withheld += 1
            else:
                kept.append(cells)
                self.verified += 1
        if kept and all(
            self._asserts_nothing(self._reader.read(without_emphasis(c), self._evidence.language)) for c in header
        ):
            self._release()
            lines = [" | ".join(cells) for cells in (header, ["---"] * len(header), *kept)]
            self._blocks.append("\n".join(f"| {line} |" for line in lines))
        elif kept:
            self.verified -= len(kept)
            self.withheld += len(kept)

    def _row(self, header: Sequence[str], row: Sequence[str]) -> list[str] | None:
        if len(row) != len(header) or not row[0]:
            return None
        label = without_emphasis(row[0])
        if not self._asserts_nothing(self._reader.read(label, self._evidence.language)):
            return None
        cells = [row[0]]
        for column, cell in zip(header[1:], row[1:], strict=True):
            if not any(character.isalnum() for character in cell):
                cells.append("–")
                continue
            text = f"{label} {without_emphasis(column)}: {without_emphasis(cell)}"
            verdict = self._verifier.verify(text, self._evidence, Subjects())
            if not verdict.carried:
                return None
            citations = [c for carrier in verdict.carriers for c in carrier.citations[:1]]
            cells.append(self._marked(cell, citations).replace("|", "\\|"))
        return cells


def clean(text: str) -> str:
    """A piece of a draft as it may be shown: no markup that acts, no markers of its own."""
    flat = " ".join(without_markers(plain_text(text)).split())
    return flat.replace(" .", ".").replace(" 。", "。").replace(" ,", ",").strip()


def _is_table(block: str) -> bool:
    return block.startswith("| ")
