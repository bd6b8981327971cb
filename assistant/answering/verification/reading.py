"""A sentence taken apart: the things it names, its figures, its words, and which figure is said of which thing."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.figure import Figure, figure_of
from assistant.answering.verification.lexicon import lexicon, phrases_pattern
from assistant.answering.verification.words import Word, lower, read_words
from assistant.language.bounds import bound_lists
from assistant.language.mention import Mention, NameReader, UnknownName
from assistant.language.quantity import read_quantities
from assistant.language.tongue import Language

_PUNCTUATION = re.compile(r"[,;，；、()（）]| [–—-] |——|\n|[。.!?！？](?=\s|$)")
_BEFORE = 40
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


class Reading(BaseModel):
    """A sentence and its segments."""

    model_config = ConfigDict(frozen=True)

    text: str
    language: Language
    segments: tuple[Segment, ...]
    unknown: tuple[UnknownName, ...] = ()

    @cached_property
    def whole(self) -> Segment:
        """The sentence as one segment."""
        parts = self.segments
        return Segment(
            start=0,
            end=len(self.text),
            mentions=tuple(m for part in parts for m in part.mentions),
            figures=tuple(f for part in parts for f in part.figures),
            words=tuple(w for part in parts for w in part.words),
        )


class SentenceReader:
    """Reads sentences with the knowledge base's names. Safe to share between threads."""

    def __init__(self, names: NameReader) -> None:
        self._names = names

    def read(self, text: str, language: Language) -> Reading:
        """Take a sentence apart; time is linear in its length."""
        mentions = self._names.read(text)
        unknown = self._names.unknown(text, mentions)
        mentions, unknown = self._without_maker(mentions, unknown)
        figures = [figure_of(quantity, language) for quantity in read_quantities(text, language)]
        # "Of the three" says among which ones, not how much.
        groups = [match.span() for match in phrases_pattern(lexicon().compared_ones[language]).finditer(lower(text))]
        figures = [f for f in figures if f.unit or not any(a <= f.start and f.end <= b for a, b in groups)]
        mentions = [self._without_size(mention, text, figures) for mention in mentions]
        # Of a name and a figure in one place, the longer is meant: CUDA 13.4 against 13.4.
        figures = [f for f in figures if not any(m.start <= f.start and f.end <= m.end for m in mentions)]
        # A count spans what is counted, "ét H100-kort"; other figures that run into a name show that it is none.
        mentions = [m for m in mentions if not any(_runs_into(f, m.start, m.end) for f in figures)]
        unknown = [u for u in unknown if not any(_runs_into(f, u.start, u.end) for f in figures)]
        taken = [(m.start, m.end) for m in mentions] + [(f.start, f.end) for f in figures]
        manners = [_manner(text, figure) for figure in figures]
        taken += [span for span in manners if span is not None]
        figures = [
            figure.model_copy(update={"strict": True})
            if span and _is_strict(text[span[0] : span[1]], language)
            else figure
            for figure, span in zip(figures, manners, strict=True)
        ]
        words = read_words(text, taken, language)
        segments = _segments(text, mentions, figures, words, taken)
        return Reading(text=text, language=language, segments=tuple(segments), unknown=tuple(unknown))

    def _without_size(self, mention: Mention, text: str, figures: Sequence[Figure]) -> Mention:
        """The name without a figure behind it that doesn't tell it from others: "the H200 141 GB", said of the H200."""
        behind = [f for f in figures if mention.start < f.start and f.end == mention.end and f.date is None]
        if not behind:
            return mention
        found = self._names.read(text[mention.start : behind[0].start])
        if len(found) != 1 or found[0].start != 0 or found[0].entity != mention.entity:
            return mention
        return mention.model_copy(update={"text": found[0].text, "end": mention.start + found[0].end})

    def _without_maker(
        self, mentions: list[Mention], unknown: list[UnknownName]
    ) -> tuple[list[Mention], list[UnknownName]]:
        """A known name behind its maker's ("NVIDIA CUDA Toolkit 13.4") is no unknown name."""
        known, left = list(mentions), []
        for name in unknown:
            start = name.start + len(name.text.split(" ", 1)[0]) + 1
            found = self._names.read(name.text[start - name.start :])
            if found and found[0].start == 0 and start + found[0].end == name.end:
                known = [m for m in known if not (m.start < name.end and name.start < m.end)]
                known.append(found[0].model_copy(update={"start": start, "end": name.end}))
            else:
                left.append(name)
        return sorted(known, key=lambda mention: mention.start), left


def _runs_into(figure: Figure, start: int, end: int) -> bool:
    overlaps = figure.start < end and start < figure.end
    return overlaps and not (figure.start < start and end <= figure.end and figure.date is None)


def _manner(text: str, figure: Figure) -> tuple[int, int] | None:
    """The span of the words in front of a figure that make it a limit or an approximation: those are its own."""
    lists = bound_lists()
    sides = {"at_most": lists.at_most, "at_least": lists.at_least}
    chosen = [sides[figure.bound]] if figure.bound else []
    chosen += [lists.approximate] if figure.approximate else []
    before = text[max(0, figure.start - _BEFORE) : figure.start].casefold()
    stripped = before.rstrip()
    best = max(
        (word for side in chosen for word in side.before if stripped.endswith(word.casefold())), key=len, default=None
    )
    if best is None:
        return None
    end = figure.start - (len(before) - len(stripped))
    return end - len(best), end


def _is_strict(manner: str, language: Language) -> bool:
    phrases = tuple(word.casefold() for word in lexicon().strictly[language])
    return phrases_pattern(phrases).search(lower(manner)) is not None


def _segments(
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
        or before.roles - {"plain", "joint", "sum", "condition", "hedge"}
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
