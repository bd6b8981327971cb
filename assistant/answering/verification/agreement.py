"""Whether a sentence turns a carrier's statement into another one: by denial, comparison, order or attribution."""

from collections.abc import Sequence

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import Subjects
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.sides import COMPARING, sides_of
from assistant.answering.verification.words import same_word
from assistant.knowledge.corpus import Corpus

DRAWN = COMPARING | {"most", "least", "half", "slightly"}
# What extends, restricts or explains a statement: only a source that does so carries it.
BINDING = frozenset({"universal", "condition", "cause"})
# Of a statement like these, a "may" or "expected" must not be lost.
_UNSETTLED = frozenset({"forecast", "editorial", "vendor_claim"})
_TENTATIVE = frozenset({"hedge", "expected"})
# How many characters may stand between "according to" and the name: "according to the maker NVIDIA".
_BESIDE = 12
_WHO = frozenset({"company", "provider"})
# After these comes the name of who says it; other words follow it.
_BEFORE_NAME = frozenset(
    {"according to", "volgens", "ifølge", "据", "根据", "quoted by", "comes from", "by", "afkomstig van"}
)


class Agreement:
    """Compares the manner of a sentence with that of the statements it rests on."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def agrees(self, segment: Segment, reading: Reading, carrier: Carrier, subjects: Subjects) -> bool:
        """True where the sentence doesn't turn the carrier's statement into another one."""
        if _denials(segment) > 1 or ("negation" in segment.roles) != (
            "negation" in carrier.roles and _negates(carrier)
        ):
            return False
        if not (segment.roles & DRAWN) - _understood(carrier) <= carrier.roles:
            return False
        if not (segment.roles & BINDING) <= carrier.roles:
            return False
        if carrier.status in _UNSETTLED and carrier.roles & _TENTATIVE and not reading.whole.roles & _TENTATIVE:
            return False
        if not self.may_say(reading, carrier):
            return False
        if "present" in segment.roles and "present" not in carrier.roles:
            return False
        if "made_up" in reading.whole.roles and "made_up" not in carrier.roles and carrier.status != "hypothetical":
            return False
        if "expected" in segment.roles and "hedge" not in segment.roles and carrier.status != "forecast":
            return "expected" in carrier.roles
        sides = sides_of(reading, subjects) if segment.roles & COMPARING else None
        if sides is None:
            return self.keeps_order(segment, carrier)
        return sides.subject in carrier.about and sides.standard not in carrier.about

    def may_say(self, reading: Reading, carrier: Carrier) -> bool:
        """True unless the sentence puts the statement in another's mouth."""
        named = carrier.fact.attributed_to if carrier.fact else None
        own = {named} if named in self._corpus.entities else set()
        known = own | _speakers(carrier.reading)
        return all(
            speaker in known for speaker in _speakers(reading) if self._corpus.entities[speaker].kind == "company"
        )

    def keeps_order(self, segment: Segment, carrier: Carrier) -> bool:
        """True where names of one kind come in the source's order, so that none takes another's part."""
        for kind in {mention.kind for mention in segment.mentions}:
            speakers = _speakers(carrier.reading)
            said = [m.entity for m in segment.mentions if m.kind == kind and m.entity in carrier.entities - speakers]
            held = [m.entity for m in carrier.reading.whole.mentions if m.kind == kind]
            if len(set(said)) > 1 and set(said) <= set(held) and not _is_subsequence(said, held):
                return False
        return True


def _understood(carrier: Carrier) -> frozenset[str]:
    """How a multiple may be said in other words: 3.3 times as fast, 3.3 times faster."""
    fact = carrier.fact
    is_multiple = fact is not None and fact.unit == "x" and fact.qualifiers.compared_with is not None
    return frozenset({"more", "equal", "most"}) if is_multiple else frozenset()


def _negates(carrier: Carrier) -> bool:
    """A negation beside the figure ("that is not a real price") is not one of the figure."""
    numbered = [part for part in carrier.reading.segments if part.numbers]
    return not numbered or any("negation" in part.roles for part in numbered)


def turns_denial(segment: Segment, carrier: Carrier) -> bool:
    """True where a part takes up words that the source has in a denial, with more or fewer denials than there."""
    own = _denials(segment)
    for part in carrier.reading.segments:
        shared = any(same_word(word.text, other.text) for word in segment.content for other in part.content)
        if shared and _denials(part) and _denials(part) != own:
            return True
    return False


def _denials(segment: Segment) -> int:
    return sum("negation" in word.roles for word in segment.words)


def _speakers(reading: Reading) -> set[str]:
    """Who a sentence says that something is according to: the name behind the word, or else in front of it."""
    found: set[str] = set()
    who = [mention for mention in reading.whole.mentions if mention.kind in _WHO]
    for word in reading.whole.words:
        if "claimed" in word.roles:
            behind = next((m.entity for m in who if 0 <= m.start - word.end <= _BESIDE), None)
            before = next((m.entity for m in reversed(who) if 0 <= word.start - m.end <= _BESIDE), None)
            speaker = before if before is not None and word.text not in _BEFORE_NAME else behind or before
            found |= {speaker} if speaker is not None else set()
    return found


def _is_subsequence(said: Sequence[str], held: Sequence[str]) -> bool:
    rest = iter(held)
    return all(any(one == other for other in rest) for one in said)
