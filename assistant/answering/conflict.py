"""Disagreement between sources, found from the facts themselves."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.attribute import Attribute
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.quantities.units import convert

# Figures of a hypothetical example, or of a forecast against a measurement, don't contradict anything.
_COMPARABLE = frozenset({"measured", "specified", "vendor_claim", "editorial", "forecast"})


def scope_of(fact: Fact) -> tuple[object, ...]:
    """What must agree before two values can contradict each other."""
    q = fact.qualifiers
    return (
        fact.attribute,
        q.provider,
        (q.variant or "").casefold(),
        q.scope,
        q.sparsity,
        q.precision,
        q.compared_with,
        q.model_parameters,
    )


def as_range(fact: Fact, unit: str | None) -> tuple[Decimal, Decimal] | None:
    """The fact's figure in `unit`, rounded outwards to the digits that its source gives."""
    if isinstance(fact.value, bool) or not isinstance(fact.value, Decimal | Range):
        return None
    ends = (fact.value.low, fact.value.high) if isinstance(fact.value, Range) else (fact.value, fact.value)
    slack = Decimal("0.05") if fact.qualifiers.approx else Decimal(0)
    out: list[Decimal] = []
    for end, sign in zip(ends, (-1, 1), strict=True):
        half_digit = Decimal(1).scaleb(int(end.as_tuple().exponent)) / 2
        widened = end + sign * max(half_digit, slack * abs(end))
        converted = convert(widened, fact.unit or "", unit) if unit and fact.unit != unit else widened
        if converted is None:
            return None
        out.append(converted)
    return out[0], out[1]


def as_days(period: Period, part: str | None) -> tuple[date, date]:
    """First and last day that a dated value can mean."""
    return period.third(part) if part is not None else (period.first, period.last)


def contradict(one: Fact, other: Fact, unit: str | None) -> bool:
    """True where the two facts can't both hold."""
    if isinstance(one.value, Period) and isinstance(other.value, Period):
        days, others = as_days(one.value, one.qualifiers.part), as_days(other.value, other.qualifiers.part)
        return days[1] < others[0] or others[1] < days[0]
    if isinstance(one.value, bool) and isinstance(other.value, bool):
        return one.value != other.value
    # Months can't be told in weeks, but two sources that both count months can be compared.
    common = one.unit if one.unit == other.unit else unit
    first, second = as_range(one, common), as_range(other, common)
    if first is None or second is None:
        return False
    return first[1] < second[0] or second[1] < first[0]


class Disagreement(BaseModel):
    """Sources that can't all be right about one thing."""

    model_config = ConfigDict(frozen=True)

    sides: tuple[Fact, ...]
    """One fact for each distinct value."""
    all: tuple[Fact, ...]
    """Every fact on the matter, those that repeat a side's value too."""


def find_conflicts(facts: Iterable[Fact], attributes: dict[str, Attribute]) -> list[Disagreement]:
    """Every disagreement among the facts."""
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        attribute = attributes.get(fact.attribute)
        if attribute is None or not attribute.single_valued or fact.status not in _COMPARABLE:
            continue
        # A value that was corrected is history, not a side of a disagreement.
        if fact.value is None or fact.superseded:
            continue
        groups.setdefault(scope_of(fact), []).append(fact)
    conflicts: list[Disagreement] = []
    for group in groups.values():
        unit = attributes[group[0].attribute].unit
        for alike in same_subject(group):
            sides: list[Fact] = []
            for fact in alike:
                if all(contradict(fact, other, unit) for other in sides):
                    sides.append(fact)
            if len(sides) > 1:
                conflicts.append(Disagreement(sides=tuple(sides), all=tuple(alike)))
    return conflicts


def same_subject(facts: list[Fact]) -> list[list[Fact]]:
    """Facts grouped by what they are about; of the same thing, one source may name more than another."""
    groups: list[list[Fact]] = []
    for fact in sorted(facts, key=lambda fact: (len(fact.about), fact.id)):
        about = set(fact.about)
        home = next((group for group in groups if about.issuperset(group[0].about)), None)
        if home is not None:
            home.append(fact)
        else:
            groups.append([fact])
    return groups


def corrections(facts: Iterable[Fact], attributes: dict[str, Attribute]) -> dict[str, list[Fact]]:
    """For each valid fact, by its id, the facts on the same matter whose value has been corrected."""
    found: dict[str, list[Fact]] = {}
    for alike in _on_one_matter(facts, attributes):
        for fact in alike:
            corrected = [
                old for old in alike if old.superseded and contradict(fact, old, attributes[fact.attribute].unit)
            ]
            if corrected and not fact.superseded:
                found[fact.id] = corrected
    return found


def more_exact(facts: Iterable[Fact], attributes: dict[str, Attribute]) -> dict[str, list[Fact]]:
    """For each dated fact, by its id, those on the same matter that give the date more exactly."""
    found: dict[str, list[Fact]] = {}
    for alike in _on_one_matter(facts, attributes):
        dated = [(fact, as_days(fact.value, fact.qualifiers.part)) for fact in alike if isinstance(fact.value, Period)]
        for fact, (first, last) in dated:
            finer = [
                other
                for other, (begin, end) in dated
                if first <= begin and end <= last and (begin, end) != (first, last)
            ]
            if finer:
                found[fact.id] = finer
    return found


def _on_one_matter(facts: Iterable[Fact], attributes: dict[str, Attribute]) -> Iterator[list[Fact]]:
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if attributes[fact.attribute].single_valued and fact.value is not None:
            groups.setdefault((*scope_of(fact), frozenset(fact.about)), []).append(fact)
    yield from (group for group in groups.values() if len(group) > 1)
