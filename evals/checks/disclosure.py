"""What must be disclosed beside the facts: disagreements with all their sides, and the labels that claims carry."""

from decimal import Decimal

from assistant.answering.answer import Answer, CaveatCode, Conflict
from assistant.knowledge.claim import Status
from assistant.language.quantities.quantity import Quantity, read_quantities
from assistant.language.quantities.units import convert
from assistant.language.tongue import Language
from evals.checks.bench import Bench
from evals.checks.span import Span
from evals.checks.wanted import Wanted, holds
from evals.wording import carries

_LABELS: dict[Status, CaveatCode] = {
    "vendor_claim": "vendor_claim",
    "forecast": "forecast",
    "hypothetical": "hypothetical",
    "not_published": "not_published",
}

_ROUNDING = Decimal("0.001")


def disagreement_missing(sides: list[Wanted], answer: Answer, bench: Bench) -> list[str]:
    """How an expected disagreement isn't disclosed: silent pick, silent average, stale preferred, a side missing."""
    if not sides:
        return []
    lines = answer.text.splitlines()
    told = [conflict for conflict in answer.conflicts if _tells(conflict, sides, answer.language)]
    if told:
        unmarked = [value.marker for value in told[0].values if f"[{value.marker}]" not in answer.text]
        if unmarked:
            return [f"the text doesn't mark the passage of {told[0].values[0].value}"]
        together = any(all(holds(line, answer.language, side) for side in sides) for line in lines)
        return [] if together else ["no line gives every side's value"]
    said = [side for side in sides if any(holds(line, answer.language, side) for line in lines)]
    if len(said) == len(sides) and answer.conflicts:
        return ["a side of the disagreement has no source of its own"]
    if len(said) == len(sides):
        return ["both values stand in the text, but not as a disagreement"]
    if not said:
        return ["silent average: a value between the sides" if _averages(sides, answer) else "neither side is told"]
    if _oldest(said, sides):
        return [f"stale preferred: only {said[0].name} is told, and a newer source says otherwise"]
    return [f"silent pick: only {', '.join(side.name for side in said)} is told"]


def _tells(conflict: Conflict, sides: list[Wanted], language: Language) -> bool:
    """True where the conflict gives every side's value, each with a source of its own."""
    shown = {value.marker: f"{value.value} {value.unit or ''}" for value in conflict.values}
    return len(shown) > 1 and all(any(holds(text, language, side) for text in shown.values()) for side in sides)


def _figure(wanted: Wanted) -> Decimal | None:
    return wanted.value if isinstance(wanted.value, Decimal) else None


def _averages(sides: list[Wanted], answer: Answer) -> bool:
    ends = [value for value in map(_figure, sides) if value is not None]
    if len(ends) < 2:
        return False
    return any(
        quantity.value is not None and quantity.unit == sides[0].unit and min(ends) < quantity.value < max(ends)
        for quantity in read_quantities(answer.text, answer.language)
    )


def _oldest(said: list[Wanted], sides: list[Wanted]) -> bool:
    dates = {side.name: side.claim.qualifiers.as_of for side in sides if side.claim is not None}
    newest = max((date for date in dates.values() if date is not None), default=None)
    told = [dates.get(side.name) for side in said]
    return newest is not None and all(date is not None and date.last < newest.last for date in told)


def false_disagreements(answer: Answer) -> list[str]:
    """Disagreements told whose sides are one value in other units or another language."""
    found: list[str] = []
    for conflict in answer.conflicts:
        readings = [
            read_quantities(f"{value.value} {value.unit or ''}".strip(), answer.language) for value in conflict.values
        ]
        for place, first in enumerate(readings):
            found += [
                f"{conflict.about}, {conflict.attribute}: {first[0].text} is {other[0].text}"
                for other in readings[place + 1 :]
                if first and other and _same(first[0], other[0])
            ]
    return found


def _same(first: Quantity, other: Quantity) -> bool:
    if first.value is None or other.value is None:
        return (first.low, first.high, first.unit, first.period) == (other.low, other.high, other.unit, other.period)
    converted = convert(other.value, other.unit, first.unit)
    return converted is not None and abs(converted - first.value) <= abs(first.value) * _ROUNDING


def caveat_missing(
    expected: CaveatCode | None, stated: list[Wanted], pieces: list[Span], answer: Answer, bench: Bench
) -> list[str]:
    """Labels that must stand in the answer's data, and in its words, and don't."""
    codes = {caveat.code for caveat in answer.caveats}
    problems = []
    if expected is not None and expected not in codes:
        problems.append(f"no caveat {expected}")
    for wanted in stated:
        claim = wanted.claim
        if claim is None or claim.status not in _LABELS:
            continue
        if _LABELS[claim.status] not in codes:
            problems.append(f"{claim.id} without its label {claim.status}")
        if claim.status == "vendor_claim" and claim.attributed_to is not None:
            speaker = bench.wordings(claim.attributed_to) if claim.attributed_to in bench.corpus.entities else ()
            speakers = (*speaker, claim.attributed_to)
            told = [piece for piece in pieces if holds(piece.text, answer.language, wanted)]
            if told and not any(carries(piece.text, speakers) for piece in told):
                problems.append(f"{claim.id} without who says so")
    return problems
