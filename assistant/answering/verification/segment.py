"""A part of a sentence that may rest on a source of its own, and which of its figures is said of which thing."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.figure import Figure
from assistant.answering.verification.words import Word
from assistant.language.mention import Mention

_PUNCTUATION = re.compile(r"[,;，；、()（）]| [–—-] |——|\n|[。.!?！？](?=\s|$)")
# Kinds whose name means one exact thing, which a figure can be said of.
EXACT = frozenset({"gpu", "system", "model", "provider"})


class Segment(BaseModel):
    """A part of a sentence that may rest on a source of its own."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    mentions: tuple[Mention, ...]
    figures: tuple[Figure, ...]
    words: tuple[Word, ...]

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(role for word in self.words for role in word.roles)

    @property
    def content(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if not word.roles)

    @property
    def taken(self) -> list[tuple[int, int]]:
        """The spans of names and figures."""
        return [(m.start, m.end) for m in self.mentions] + [(f.start, f.end) for f in self.figures]

    @property
    def numbers(self) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.date is None)

    @property
    def dates(self) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.date is not None)

    @property
    def entities(self) -> frozenset[str]:
        return frozenset(mention.entity for mention in self.mentions)

    def exact(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(m.entity for m in self.mentions if m.kind in EXACT))


def segments_of(
    text: str,
    mentions: Sequence[Mention],
    figures: Sequence[Figure],
    words: Sequence[Word],
    taken: Sequence[tuple[int, int]],
) -> list[Segment]:
    cuts = {match.start() for match in _PUNCTUATION.finditer(text)}
    cuts |= {word.start for word in words if "joint" in word.roles}
    cuts = {cut for cut in cuts if not any(start <= cut < end for start, end in taken)}
    edges = [0, *sorted(cut for cut in cuts if cut > 0), len(text)]
    parts = [
        Segment(
            start=start,
            end=end,
            mentions=tuple(m for m in mentions if start <= m.start < end),
            figures=tuple(f for f in figures if start <= f.start < end),
            words=tuple(w for w in words if start <= w.start < end),
        )
        for start, end in pairwise(edges)
    ]
    return _joined([part for part in parts if part.mentions or part.figures or part.words])


def _joined(parts: Sequence[Segment]) -> list[Segment]:
    """A list of names goes with what is said of them: "the B200 and the MI355X draw …"."""
    joined: list[Segment] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before is not None and _merges(before, part):
            joined[-1] = Segment(
                start=before.start,
                end=part.end,
                mentions=(*before.mentions, *part.mentions),
                figures=(*before.figures, *part.figures),
                words=(*before.words, *part.words),
            )
        else:
            joined.append(part)
    return joined


def _merges(before: Segment, part: Segment) -> bool:
    if "respectively" in part.roles or "respectively" in before.roles:
        return True
    if (
        before.figures
        or not before.mentions
        or before.content
        or before.roles - {"plain", "beside", "joint", "sum", "condition", "hedge"}
    ):
        return False
    return bool(part.mentions) and part.mentions[0].kind == before.mentions[-1].kind


def bound_entities(segment: Segment) -> list[tuple[Figure, tuple[str, ...]]]:
    """Each number of a segment with the entities that it is said of, as far as the segment names them.

    Names in front of several numbers are taken in pairs ("the H200 and B200 have 141 and 180 GB"); a number in front
    of its name binds to that; else a number is said of the names since the number before it.
    """
    numbers = segment.numbers
    exact = [m for m in segment.mentions if m.kind in EXACT]
    if len(numbers) <= 1:
        names = tuple(m.entity for m in segment.mentions)
        return [(number, names) for number in numbers]
    things = [m for m in exact if m.kind != "provider"] or exact
    if len(things) == len(numbers) and things[-1].start < numbers[0].start:
        return [(number, (thing.entity,)) for number, thing in zip(numbers, things, strict=True)]
    if exact and exact[0].start > numbers[0].start:
        bound = []
        for place, number in enumerate(numbers):
            limit = numbers[place + 1].start if place + 1 < len(numbers) else segment.end
            bound.append((number, tuple(m.entity for m in exact if number.end <= m.start < limit)))
        return bound
    bound, last = [], tuple(m.entity for m in exact if m.start < numbers[0].start)
    previous = segment.start
    for number in numbers:
        last = tuple(m.entity for m in exact if previous <= m.start < number.start) or last
        bound.append((number, last))
        previous = number.end
    return bound
