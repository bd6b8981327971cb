"""The figure of a piece of evidence in another unit: a lowest and a highest end, or one value."""

from decimal import Decimal

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import figures_of
from assistant.language.quantities.units import convert


def range_in(carrier: Carrier, unit: str) -> tuple[Decimal, Decimal] | None:
    span = figures_of(carrier.fact) if carrier.fact else None
    if span is None or carrier.fact is None:
        return None
    low, high = (convert(end, carrier.fact.unit or "", unit) for end in span)
    return (low, high) if low is not None and high is not None else None


def in_unit(carrier: Carrier, unit: str) -> Decimal | None:
    span = range_in(carrier, unit)
    return span[0] if span and span[0] == span[1] else None
