"""Totals that a sentence adds up itself, computed again from the figures of the evidence."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import EvidenceSet, about_thing
from assistant.answering.verification.figure import Figure
from assistant.answering.verification.segment import EXACT, Segment
from assistant.answering.verification.span import in_unit
from assistant.knowledge.corpus import Corpus


def total(segment: Segment, figure: Figure, evidence: EvidenceSet, corpus: Corpus, *, added: bool) -> list[Carrier]:
    """The carriers whose figures add up to a total, or that a count of cards multiplies to it.

    `added` tells whether the sentence says that it adds up, which a part of it may leave to the one before.
    """
    things = tuple(dict.fromkeys(m.entity for m in segment.mentions if m.kind in EXACT and m.kind != "provider"))
    counts = [f.low for f in segment.numbers if f.unit in ("gpu", "") and f is not figure and f.low == f.high]
    if not added or not things or figure.low is None or figure.is_range or figure.bound is not None:
        return []
    held = [
        [c for c in about_thing(evidence.carriers, thing, corpus) if in_unit(c, figure.unit) is not None]
        for thing in things
    ]
    if not all(held):
        return []
    if len(things) == 1 and len(counts) == 1 and counts[0] is not None:
        chosen = [c for c in held[0] if in_unit(c, figure.unit) == _divided(figure.low, counts[0])]
        return chosen[:1] if len({in_unit(c, figure.unit) for c in held[0] if _same_attribute(c, chosen)}) == 1 else []
    if len(things) > 1 and not counts:
        for choice in product(*held):
            if len({c.attribute for c in choice}) == 1 and _sum_of(choice, figure.unit) == figure.low:
                return list(choice)
    return []


def _divided(total: Decimal, count: Decimal) -> Decimal | None:
    return total / count if count else None


def _same_attribute(carrier: Carrier, chosen: Sequence[Carrier]) -> bool:
    return bool(chosen) and carrier.attribute == chosen[0].attribute


def _sum_of(carriers: Sequence[Carrier], unit: str) -> Decimal:
    return sum((value for c in carriers if (value := in_unit(c, unit)) is not None), Decimal(0))
