"""Whether the words and names of a part of a sentence are those of the evidence it rests on."""

from collections.abc import Sequence

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.verdict import Fault
from assistant.answering.verification.words import Vocabulary, Word


def covers(words: Sequence[Word], carriers: Sequence[Carrier]) -> bool:
    """True where the evidence has every word, the first of it if it can."""
    vocabulary = Vocabulary(())
    for carrier in carriers:
        if all(vocabulary.covers(word.text) for word in words):
            return True
        vocabulary = vocabulary | carrier.vocabulary
    return all(vocabulary.covers(word.text) for word in words)


def named_by(carriers: Sequence[Carrier]) -> frozenset[str]:
    """Everything that the evidence names."""
    return frozenset(entity for carrier in carriers for entity in carrier.entities)


def accounted(segment: Segment, chosen: list[Carrier], fault: Fault) -> list[Carrier] | Fault:
    """The chosen evidence, if it accounts for every name and word of the part; else what is wrong."""
    if not segment.entities <= named_by(chosen):
        return fault
    return chosen if covers(segment.content, chosen) else Fault.WORDS
