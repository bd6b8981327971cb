"""Claims said again in another unit, language or rounding, which contradict nothing, and altered, which do."""

import random
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from pydantic import BaseModel, ConfigDict

from assistant.answering.conflict import find_conflicts
from assistant.knowledge.attribute import Attribute
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period, format_quantity
from assistant.language.quantities.quantity import read_quantities
from assistant.language.quantities.units import convert
from assistant.language.tongue import LANGUAGES, Language

# The same in another unit: what a figure can be multiplied by, and what it is then called.
_OTHER_UNITS = {
    "GB": ("TB", "MB"),
    "TB/s": ("GB/s",),
    "GB/s": ("TB/s",),
    "W": ("kW",),
    "TFLOPS": ("PFLOPS",),
    "MiB": ("GiB",),
    "GW": ("MW",),
}
_DIGITS = 2


class Restated(BaseModel):
    """A fact said again by another source, and the disagreements that this makes."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    kind: str
    language: Language
    fact: Fact
    said: str
    conflicts: int


def restatements(
    facts: Sequence[Fact], attributes: dict[str, Attribute], count: int, seed: int, *, altered: bool
) -> Iterator[Restated]:
    """`count` facts said again, in turn in each way that they allow; `altered` ones with another value."""
    usable = [fact for fact in facts if attributes[fact.attribute].single_valued and not fact.superseded]
    usable = [fact for fact in usable if isinstance(fact.value, Decimal | Range | Period)]
    usable = [fact for fact in usable if fact.status not in ("hypothetical", "not_published")]
    random.Random(seed).shuffle(usable)  # noqa: S311 (repeatable choice, no secret)
    done = 0
    for place, fact in enumerate(usable):
        language = LANGUAGES[place % len(LANGUAGES)]
        ways = list(_altered(fact) if altered else _again(fact))
        for kind, value, unit, approximate in ways[place % max(len(ways), 1) :][:1]:
            said = _written(value, unit, language)
            read = _read(said, language, fact)
            if read is None:
                yield Restated(kind=f"{kind}: not read", language=language, fact=fact, said=said, conflicts=1)
            else:
                other = _from_elsewhere(fact, read, unit, approximate)
                yield Restated(
                    kind=kind, language=language, fact=fact, said=said, conflicts=_new(facts, fact, other, attributes)
                )
            done += 1
        if done >= count:
            return


def _again(fact: Fact) -> Iterator[tuple[str, Decimal | Range | Period, str | None, bool]]:
    value, unit, loose = fact.value, fact.unit, fact.qualifiers.approx
    if isinstance(value, Period):
        yield "another language", value, None, loose
        for length, kind in ((7, "only the month"), (4, "only the year")):
            if (
                value.text[:4].isdigit()
                and "-Q" not in value.text
                and "-H" not in value.text
                and len(value.text) > length
            ):
                yield kind, Period(value.text[:length]), None, loose
        return
    if not isinstance(value, Decimal | Range) or isinstance(value, bool):
        return
    yield "another language", value, unit, loose
    if isinstance(value, Range):
        return
    for other in _OTHER_UNITS.get(unit or "", ()):
        converted = convert(value, unit or "", other)
        if converted is not None:
            yield "another unit", converted.normalize() + 0, other, loose
    rounded = _rounded(value)
    if rounded != value and abs(rounded - value) <= abs(value) / 20:
        yield "rounded", rounded, unit, True
    if value >= 1000 and value % 1 == 0 and unit in ("unit", "parameters", ""):
        yield "millions", value, unit, loose


def _altered(fact: Fact) -> Iterator[tuple[str, Decimal | Range | Period, str | None, bool]]:
    value = fact.value
    if isinstance(value, Decimal) and not isinstance(value, bool) and value:
        yield "a third more", _to_two_digits(value, Decimal("1.34"), Decimal("1.43")), fact.unit, False
        yield "a third less", _to_two_digits(value, Decimal("0.66"), Decimal("0.57")), fact.unit, False
    elif isinstance(value, Range):
        yield "twice the range", Range(low=value.high * 2, high=value.high * 3), fact.unit, False
    elif isinstance(value, Period) and value.text[:4].isdigit():
        yield "two years later", Period(f"{int(value.text[:4]) + 2}{value.text[4:]}"), None, False


def _to_two_digits(value: Decimal, times: Decimal, or_times: Decimal) -> Decimal:
    """The multiple that takes two digits to say; "1 TB/s" might be 0.77 TB/s rounded."""
    first = _rounded(value * times)
    return first if len(first.normalize().as_tuple().digits) > 1 else _rounded(value * or_times)


def _rounded(value: Decimal) -> Decimal:
    step = Decimal(1).scaleb(value.adjusted() - _DIGITS + 1)
    return (
        value.quantize(step, rounding=ROUND_HALF_UP) + 0
        if step < 1
        else (value / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step.quantize(Decimal(1))
    )


def _written(value: Decimal | Range | Period, unit: str | None, language: Language) -> str:
    return format_period(value, language) if isinstance(value, Period) else format_quantity(value, unit, language)


def _read(said: str, language: Language, fact: Fact) -> Decimal | Range | Period | None:
    """The value as the number reader finds it in what was said; None where it finds none or several."""
    found = read_quantities(said, language)
    if len(found) != 1:
        return None
    one = found[0]
    if one.period is not None:
        return Period(one.period)
    if one.low is None or one.high is None:
        return None
    return one.low if one.low == one.high else Range(low=one.low, high=one.high)


def _from_elsewhere(fact: Fact, value: Decimal | Range | Period, unit: str | None, approximate: bool) -> Fact:
    qualifiers = fact.qualifiers.model_copy(update={"approx": approximate, "part": None})
    return fact.model_copy(update={"id": "restated", "value": value, "unit": unit, "qualifiers": qualifiers})


def _new(facts: Sequence[Fact], fact: Fact, other: Fact, attributes: dict[str, Attribute]) -> int:
    """How many disagreements there are on the matter with the other fact beyond those without it."""
    near = [one for one in facts if one.attribute == fact.attribute and set(one.about) & set(fact.about)]
    before = {side.id for group in find_conflicts(near, attributes) for side in group.sides}
    own = find_conflicts([fact, other], attributes)
    after = {side.id for group in find_conflicts([*near, other], attributes) for side in group.sides}
    return len(own) + (0 if own or before else len(after - before))
