"""The labels that a source's statement carries: a vendor's own claim, a forecast, a made-up example."""

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.segment import Segment

_ROLES = {
    "vendor_claim": frozenset({"claimed"}),
    "forecast": frozenset({"expected", "claimed"}),
    "hypothetical": frozenset({"made_up"}),
}


def label_missing(said: Segment, carrier: Carrier) -> bool:
    """True where the words don't tell what the carrier is: whose claim, a forecast, a made-up example."""
    roles = _ROLES["vendor_claim"] if _says_who(carrier) else _ROLES.get(carrier.status or "")
    return roles is not None and said.roles.isdisjoint(roles)


def label_lost(said: Segment, carrier: Carrier) -> bool:
    """The same for words that are nearly the carrier's own: only a label that its statement has can be lost."""
    if carrier.fact is not None and carrier.fact.kind == "specification":
        return label_missing(said, carrier)
    return label_missing(said, carrier) and not label_missing(carrier.reading.whole, carrier)


def _says_who(carrier: Carrier) -> bool:
    """True for a specification whose statement names who gives it: "according to AMD"."""
    whole, fact = carrier.reading.whole, carrier.fact
    return (
        fact is not None
        and fact.status == "specified"
        and carrier.value is not None
        and "claimed" in whole.roles
        and fact.attributed_to in whole.entities
    )
