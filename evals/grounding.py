"""Which numbers of an answer nothing supports: no cited quote, no calculation, not the question itself."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from assistant.answering.answer import Answer
from assistant.answering.evidence import Question
from assistant.knowledge.citation import Citation
from assistant.knowledge.period import Period
from assistant.language.quantities.quantity import Quantity, read_quantities, reads_back
from assistant.language.quantities.units import convert

_MARKER = re.compile(r"\[\d+\]")
_LIST_NUMBER = re.compile(r"^(?:>|\s)*\d+\.\s", re.MULTILINE)
_MOST_IN_WORDS = 10
# A calculation keeps bytes, watts or fractions; its sentences may show GB, GiB, kW, per cent or millions.
_SCALES = tuple(Decimal(scale) for scale in (1, 100, 10**3, 10**6, 10**9, 10**12, 2**10, 2**20, 2**30, 2**40))


def plain_text(text: str) -> str:
    """The answer's text without citation markers and the numbers of list items."""
    return _LIST_NUMBER.sub("", _MARKER.sub("", text))


class Calculated(NamedTuple):
    """A number of a calculation. `unit` is None where the calculation doesn't say it, "" for a number in a formula."""

    value: Decimal
    unit: str | None


class Grounds:
    """What the figures of one answer may rest on besides the passages it cites: the question and its calculations."""

    def __init__(self, answer: Answer, question: Question) -> None:
        self._answer = answer
        self._question = question

    def unsupported_in(self, text: str, cited: Sequence[Citation]) -> list[str]:
        """Numbers and dates of a piece of the answer that the passages it cites, and its calculations, don't hold."""
        return [
            quantity.text
            for quantity in read_quantities(text, self._answer.language)
            if not _counted_in_words(quantity)
            and not any(_in_citation(quantity, citation) for citation in cited)
            and not _in_calculations(quantity, self._figures)
            and not self._repeats(quantity)
        ]

    @cached_property
    def _asked(self) -> list[Quantity]:
        said = " ".join([self._question.text, *self._question.history])
        return read_quantities(said, self._answer.language)

    @cached_property
    def _figures(self) -> list[Calculated]:
        return list(_figures_of(self._answer))

    @cached_property
    def _dates(self) -> list[str | None]:
        """The dates of the answer's disagreements and of its calculations' inputs."""
        told = [value.as_of for conflict in self._answer.conflicts for value in conflict.values]
        runs = " ".join(run.model_dump_json() for run in self._answer.tool_runs)
        return told + [other.period for other in read_quantities(runs, self._answer.language)]

    def _repeats(self, quantity: Quantity) -> bool:
        """True for figures of the question, and for the dates of disagreements and of a calculation's inputs."""
        if quantity.period is None:
            return any(quantity.value == other.value and quantity.low == other.low for other in self._asked)
        return any(quantity.period == other.period for other in self._asked) or any(
            _same_date(quantity.period, date) for date in self._dates
        )


def unsupported_numbers(answer: Answer, question: Question) -> list[str]:
    """Numbers and dates of the text, as written, that stand in no cited quote and no calculation."""
    grounds = Grounds(answer, question)
    lines = plain_text(answer.text).splitlines()
    return [number for line in lines for number in grounds.unsupported_in(line, answer.citations)]


def calculated(value: Decimal, answer: Answer) -> bool:
    """True where a calculation of the answer comes to the value, to the value's own last digit."""
    exponent = value.as_tuple().exponent
    half = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0) / 2
    return any(abs(figure.value - value) <= half for figure in _figures_of(answer))


def _counted_in_words(quantity: Quantity) -> bool:
    """True for "two racks" and "seven questions": words that count what stands there, not figures of a source."""
    small = quantity.value is not None and 0 < quantity.value <= _MOST_IN_WORDS
    return small and quantity.kind == "count" and not any(character.isdigit() for character in quantity.text)


def _in_citation(quantity: Quantity, citation: Citation) -> bool:
    # A price or a disagreement carries the date of its source, which stands beside the quote and not in it.
    dates = [citation.published, *(work.published for work in citation.based_on)]
    if quantity.period is not None:
        return any(
            _same_date(quantity.period, other.period) for other in read_quantities(citation.quote, citation.language)
        ) or any(_same_date(quantity.period, date) for date in dates)
    titles = " ".join([citation.section, citation.title, *(work.title for work in citation.based_on)])
    ends = [end for end in (quantity.value, quantity.low, quantity.high) if end is not None]
    return all(
        reads_back(citation.quote, citation.language, end, quantity.unit)
        or reads_back(titles, citation.language, end, quantity.unit)
        for end in ends
    )


def _same_date(written: str, other: str | None) -> bool:
    """True where the dates are the same, or the answer's is the less exact one."""
    if other is None:
        return False
    if written.startswith("--") or other.startswith("--"):
        return written.lstrip("-") in other or other.lstrip("-") in written
    mine, theirs = Period(written), Period(other)
    return mine.first <= theirs.first and theirs.last <= mine.last


def _figures_of(answer: Answer) -> Iterator[Calculated]:
    """Every number of the answer's calculations: inputs, results, formulas."""
    for run in answer.tool_runs:
        found = [*_leaves(run.inputs, answer, None), *_leaves(run.result, answer, None)]
        yield from found
        # Where a calculation gives units, a number of its formula stands for nothing but itself.
        unit = "" if any(figure.unit for figure in found) else None
        yield from _leaves(run.formula, answer, unit)


def _leaves(item: Any, answer: Answer, unit: str | None) -> Iterator[Calculated]:
    if isinstance(item, bool) or item is None:
        return
    if isinstance(item, int | float | Decimal):
        yield Calculated(Decimal(str(item)), unit)
    elif isinstance(item, str):
        for quantity in read_quantities(item, answer.language):
            ends = (quantity.value, quantity.low, quantity.high)
            yield from (Calculated(end, quantity.unit or unit) for end in ends if end is not None)
    elif isinstance(item, dict):
        own = item.get("unit")
        within = own if isinstance(own, str) and own else unit
        yield from (leaf for value in item.values() for leaf in _leaves(value, answer, within))
    elif isinstance(item, Iterable):
        yield from (leaf for value in item for leaf in _leaves(value, answer, unit))
    else:
        yield from _leaves(json.loads(json.dumps(item, default=str)), answer, unit)


def _in_calculations(quantity: Quantity, figures: list[Calculated]) -> bool:
    if quantity.period is not None:
        return False
    half = (quantity.step or Decimal(1)) / 2
    ends = {end for end in (quantity.value, quantity.low, quantity.high) if end is not None}
    return all(any(_comes_to(end, quantity.unit, half, figure) for figure in figures) for end in ends)


def _comes_to(end: Decimal, unit: str, half: Decimal, figure: Calculated) -> bool:
    """True where a calculated number is what is written, in its own unit or, where it has none, at any scale."""
    if figure.unit is None or not unit:
        return any(
            abs(end - figure.value * scale) <= half or abs(end * scale - figure.value) <= half * scale
            for scale in _SCALES
        )
    if unit == figure.unit:
        return abs(end - figure.value) <= half
    converted = convert(figure.value, figure.unit, unit)
    return converted is not None and abs(end - converted) <= half
