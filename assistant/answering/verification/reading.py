"""A sentence taken apart: the things it names, its figures, its words, and its parts."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.figure import Figure, figure_of
from assistant.answering.verification.lexicon import lexicon, phrases_pattern
from assistant.answering.verification.segment import Segment, segments_of
from assistant.answering.verification.words import Word, lower, read_words
from assistant.language.mention import Mention, NameReader, UnknownName
from assistant.language.quantities.bounds import bound_lists
from assistant.language.quantities.quantity import read_quantities
from assistant.language.quantities.units import unit_named
from assistant.language.tongue import Language

_BEFORE = 40


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

    def priced_as(self, before: "Reading") -> "Reading":
        """The same where money is meant per hour, as in the clause before: "… at $6.69 an hour; RunPod asks $6.79"."""
        priced = {f.unit for f in before.whole.numbers if f.unit.endswith("/h")}
        if len(priced) != 1:
            return self
        (rate,) = priced
        segments = [
            part.model_copy(
                update={
                    "figures": tuple(
                        f.model_copy(update={"unit": rate}) if f"{f.unit}/h" == rate else f for f in part.figures
                    )
                }
            )
            for part in self.segments
        ]
        return Reading(text=self.text, language=self.language, segments=tuple(segments), unknown=self.unknown)


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
        words = [_bare(word, text, figures, language) for word in read_words(text, taken, language)]
        figures = _with_shared_units(figures, words, mentions)
        segments = segments_of(text, mentions, figures, words, taken)
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


def _bare(word: Word, text: str, figures: Sequence[Figure], language: Language) -> Word:
    """The word without a restriction, in "only 24 GB" of the least amount that the sentence names beside others."""
    if word.text not in lexicon().merely[language]:
        return word
    amounts = [f for f in figures if f.unit and f.low is not None and not _counts_things(f)]
    for figure in amounts:
        more = any(other.unit == figure.unit and (other.low or 0) > (figure.low or 0) for other in amounts)
        if more and word.end <= figure.start and not text[word.end : figure.start].strip():
            return word._replace(roles=frozenset({"plain"}))
    return word


def _with_shared_units(figures: Sequence[Figure], words: Sequence[Word], mentions: Sequence[Mention]) -> list[Figure]:
    """Each figure with the unit of the one it stands beside: "$3.49 against $3.99 per hour"."""
    found = list(figures)
    for place, (figure, following) in enumerate(pairwise(figures)):
        between = [word for word in words if figure.end <= word.start < following.start]
        joined = bool(between) and all(word.roles & {"joint", "against"} for word in between)
        named = any(figure.end <= mention.start < following.start for mention in mentions)
        if joined and not named and following.unit == f"{figure.unit}/h":
            found[place] = figure.model_copy(update={"unit": following.unit})
    return found


def _counts_things(figure: Figure) -> bool:
    known = unit_named(figure.unit)
    return known is not None and known.whole


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
