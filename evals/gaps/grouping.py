"""Gaps with the questions that show them, what readers asked most first, and their listing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import one_line
from evals.gaps.asked import ORIGINS, AskedQuestion, Origin, by_people
from evals.gaps.gap import GAP_KINDS, Gap, GapKind

_MOST_NAMES = 6
_MOST_CHARACTERS = 160


class GapQuestion(BaseModel):
    """A question that shows a gap."""

    model_config = ConfigDict(frozen=True)

    text: str
    history: tuple[str, ...] = ()
    language: Language
    origins: dict[Origin, int]
    meant_silent: bool


class GapGroup(BaseModel):
    """One gap with all questions that show it."""

    model_config = ConfigDict(frozen=True)

    kind: GapKind
    what: str
    about: tuple[str, ...]
    nearest: tuple[str, ...]
    questions: tuple[GapQuestion, ...]

    @property
    def by_people(self) -> int:
        return sum(by_people(one.origins) for one in self.questions)

    @property
    def is_meant(self) -> bool:
        """True where evaluations alone ask for it, and expect to get no answer."""
        return all(one.meant_silent for one in self.questions) and self.by_people == 0

    @property
    def languages(self) -> dict[Language, int]:
        counts = Counter(one.language for one in self.questions)
        return {language: counts[language] for language in LANGUAGES if counts[language]}


class GapReport(BaseModel):
    """All gaps. `asked` questions were asked again, `silent` of them show a gap, `left_out` weren't asked."""

    model_config = ConfigDict(frozen=True)

    asked: int
    silent: int
    left_out: int = 0
    by_origin: dict[Origin, int]
    groups: tuple[GapGroup, ...]


def report_of(found: Sequence[tuple[AskedQuestion, list[Gap]]], left_out: int = 0) -> GapReport:
    """Group the gaps of all questions that were asked again."""
    gaps: dict[tuple[GapKind, str], list[tuple[AskedQuestion, Gap]]] = {}
    for asked, missing in found:
        for gap in missing:
            gaps.setdefault((gap.kind, gap.key), []).append((asked, gap))
    groups = [_group(members) for members in gaps.values()]
    order = list(GAP_KINDS)
    groups.sort(key=lambda group: (order.index(group.kind), group.is_meant, -group.by_people, -len(group.questions)))
    silent = [asked for asked, missing in found if missing]
    by_origin = Counter(origin for asked in silent for origin in asked.origins)
    return GapReport(
        asked=len(found),
        silent=len(silent),
        left_out=left_out,
        by_origin={origin: by_origin[origin] for origin in ORIGINS if by_origin[origin]},
        groups=tuple(groups),
    )


def _group(members: Sequence[tuple[AskedQuestion, Gap]]) -> GapGroup:
    first = members[0][1]
    return GapGroup(
        kind=first.kind,
        what=first.what,
        about=tuple(dict.fromkeys(name for _, gap in members for name in gap.about)),
        nearest=first.nearest,
        questions=tuple(
            GapQuestion(
                text=asked.question.text,
                history=asked.question.history,
                language=asked.language,
                origins=asked.origins,
                meant_silent=asked.meant_silent,
            )
            for asked, _ in members
        ),
    )


def listing(report: GapReport, examples: int) -> Iterator[str]:
    """The report as lines of text, with so many questions for each gap."""
    origins = ", ".join(f"{count} in {_ORIGIN_NAMES[origin]}" for origin, count in report.by_origin.items())
    yield f"{report.silent} of {report.asked} questions got no whole answer{f': {origins}' if origins else ''}."
    if report.left_out:
        yield f"{report.left_out} more were not asked again; --most sets how many are."
    meant = [group for group in report.groups if group.is_meant]
    for kind, heading in GAP_KINDS.items():
        groups = [group for group in report.groups if group.kind == kind and not group.is_meant]
        if groups:
            yield f"\n{heading}"
            for group in groups:
                yield from _lines(group, examples)
    if meant:
        yield f"\nMeant to get no answer, by the evaluations: {sum(len(group.questions) for group in meant)}"
        yield from _folded(meant)


_ORIGIN_NAMES: dict[Origin, str] = {"feedback": "feedback", "log": "the log", "evals": "the evaluations"}


def _lines(group: GapGroup, examples: int) -> Iterator[str]:
    counted = " ".join(f"{language} {count}" for language, count in group.languages.items())
    asked = f", asked {group.by_people} times by readers" if group.by_people else ""
    what = f"{group.what}: " if group.what else ""
    about = [name for name in group.about if name not in group.what]
    named = f"; of {_some(about)}" if about else ""
    near = f"; nearest: {_some(group.nearest)}" if group.nearest else ""
    yield f"  {what}{_count(len(group.questions), 'question')} ({counted}){asked}{named}{near}"
    for one in group.questions[:examples]:
        text = one_line(" / ".join([*one.history, one.text]))
        yield f"    {one.language}  {text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + '…'}"
    if len(group.questions) > examples > 0:
        yield f"    and {len(group.questions) - examples} more"


def _folded(groups: Iterable[GapGroup]) -> Iterator[str]:
    by_kind: dict[GapKind, list[str]] = {}
    for group in groups:
        by_kind.setdefault(group.kind, []).append(one_line(group.what or group.questions[0].text))
    for kind, named in by_kind.items():
        yield f"  {kind}: {_some(named, 12)}"


def _some(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
