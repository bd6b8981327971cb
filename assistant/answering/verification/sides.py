"""Who is compared with whom in a sentence, and which of the two is said to have more."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from assistant.answering.verification.evidence_set import Subjects
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.segment import EXACT, Segment
from assistant.answering.verification.words import Word
from assistant.language.mention import Mention

Direction = Literal["more", "less", "equal", "apart"]
COMPARING = frozenset({"more", "less", "cheaper", "dearer", "thriftier", "equal", "difference"})


class Sides(NamedTuple):
    """Who is compared with whom: the subject has more or less than the standard."""

    subject: str
    standard: str


def sides_of(reading: Reading, subjects: Subjects) -> Sides | None:
    """The two sides of a comparison; None where the sentence doesn't name just two things of one kind."""
    whole = reading.whole
    things = _things(reading)
    names = list(dict.fromkeys(m.entity for m in things))
    if len(names) == 1:
        known = subjects.by_kind.get(things[0].kind, ())
        if len(known) != 1 or known[0] == names[0]:
            return None
        if _standard(whole.words, things, reading):
            return Sides(known[0], names[0])
        # "The A has 24 GB. The B has 8 GB more."
        named_first = whole.roles & {"more", "less"} and not whole.roles & {"than", "against"}
        return Sides(names[0], known[0]) if named_first else None
    if len(names) != 2:
        return None
    standard = _standard(whole.words, things, reading)
    if standard is None:
        return Sides(names[0], names[1]) if whole.roles & {"equal", "difference"} else None
    return Sides(next(name for name in names if name != standard), standard)


def _things(reading: Reading) -> list[Mention]:
    """What a sentence compares: cards, of which two providers may have one, else providers, else software."""
    mentions = reading.whole.mentions
    cards = [m for m in mentions if m.kind in EXACT and m.kind != "provider"]
    providers = [m for m in mentions if m.kind == "provider"]
    if len({m.entity for m in cards}) == 1 and len({m.entity for m in providers}) == 2:
        return providers
    return cards or providers or [m for m in mentions if m.kind in ("software", "framework", "library")]


def _standard(words: Sequence[Word], things: Sequence[Mention], reading: Reading) -> str | None:
    """What the other is measured against: the name behind "than" or next to "compared with"."""
    for role in ("than", "against"):
        for word in words:
            if role not in word.roles:
                continue
            behind = [m for m in things if m.start >= word.end]
            before = [m for m in things if m.end <= word.start]
            if reading.language == "zh" and role == "against" and before:
                return before[-1].entity
            if behind:
                return behind[0].entity
    exceeding = [w for w in words if w.roles & {"more", "less"}]
    if exceeding and things and len({m.entity for m in things}) == 2:
        word = exceeding[0]
        before = [m for m in things if m.end <= word.start]
        behind = [m for m in things if m.start >= word.end]
        verb = "outdoing" in word.roles
        if before and not behind:
            return _named_before(word, things, reading)
        return behind[0].entity if verb and before and behind else None
    times = next((f for f in reading.whole.numbers if f.unit == "x"), None)
    if times is None or exceeding:
        return None
    before = [m for m in things if m.end <= times.start]
    behind = [m for m in things if m.start >= times.end]
    if reading.language == "zh":
        # "A 的显存是 B 的 2.4 倍" names B next to the number.
        return before[-1].entity if before else None
    # "A has twice the memory of B".
    return behind[0].entity if before and behind else None


def _named_before(word: Word, things: Sequence[Mention], reading: Reading) -> str | None:
    """The thing that an earlier part speaks of: "the A has 24 GB, the B has 8 GB more"."""
    part = next(segment for segment in reading.segments if segment.start <= word.start < segment.end)
    own = {m.entity for m in things if part.start <= m.start < part.end}
    earlier = {m.entity for m in things if m.start < part.start}
    return earlier.pop() if len(own) == len(earlier) == 1 and own != earlier else None


def direction_of(segment: Segment) -> Direction | None:
    """Whether the subject is said to have more, less, the same or something else; None where that can't be told."""
    if "negation" in segment.roles or segment.roles & {"most", "least"}:
        return None
    said: set[Direction] = set()
    if "equal" in segment.roles:
        said.add("equal")
    if segment.roles & {"more", "dearer"}:
        said.add("more")
    if segment.roles & {"less", "cheaper", "thriftier", "half"}:
        said.add("less")
    if not said and any(f.unit == "x" and f.low is not None and f.low > 1 for f in segment.numbers):
        said.add("more")
    if not said and any(f.unit == "x" and f.low is not None and f.low < 1 for f in segment.numbers):
        said.add("less")
    if not said and "difference" in segment.roles:
        return "apart"
    return next(iter(said)) if len(said) == 1 else None
