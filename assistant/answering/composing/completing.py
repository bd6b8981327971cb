"""A verified draft completed with what every answer must tell: the direct answer, disagreement, what is missing."""

from collections.abc import Sequence

from assistant.answering.answer import Answer
from assistant.answering.composing.composing import compose_part, joined
from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Block, Draft, Sentence, answer_of, render_block
from assistant.answering.evidence import Evidence
from assistant.answering.verified_text import VerifiedText
from assistant.knowledge.citation import Citation


def complete(written: VerifiedText, evidence: Evidence, frame: Answer, voice: Narrator, model: str | None) -> Answer:
    """The answer: verified text, then what the composed answer tells that the text leaves out."""
    parts = [compose_part(part, voice) for part in evidence.parts]
    blocks = [block for part in parts for block in left_out(part, written.support)]
    if written.withheld:
        note = Sentence(text=voice.say("withheld", count=str(written.withheld)))
        blocks.append(Block(kind="paragraph", sentences=(note,)))
    shown = [written.text, *dict.fromkeys(render_block(block, written.markers) for block in blocks)]
    return answer_of(joined(parts), "\n\n".join(text for text in shown if text), written.markers, frame, model)


def left_out(composed: Draft, told: set[tuple[str, str]]) -> list[Block]:
    """The blocks of a composed answer that a text resting on `told` still needs."""
    needed: list[Block] = []
    disputed = [{_key(side.citation) for side in dispute.values} for dispute in composed.disputes]
    for place, block in enumerate(composed.blocks):
        if block.kind != "paragraph":
            support = {_key(c) for s in (*block.sentences, *_cells(block)) for c in s.support}
            if not support <= told:
                needed.append(block)
            continue
        kept = [
            sentence
            for number, sentence in enumerate(block.sentences)
            if _is_needed(sentence, told, disputed, is_direct=place == 0 and number == 0)
        ]
        if kept:
            needed.append(block.model_copy(update={"sentences": tuple(kept)}))
    return needed


def _is_needed(
    sentence: Sentence, told: set[tuple[str, str]], disputed: Sequence[set[tuple[str, str]]], *, is_direct: bool
) -> bool:
    """True for disagreement, for notes, and for the direct answer where its passage isn't cited yet."""
    support = {_key(citation) for citation in sentence.support}
    if not support or any(sides <= support for sides in disputed):
        return True
    return is_direct and not support & told


def _cells(block: Block) -> list[Sentence]:
    return [cell for row in block.rows for cell in row]


def _key(citation: Citation) -> tuple[str, str]:
    return citation.source_id, citation.quote
