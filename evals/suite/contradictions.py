"""Expectations that no answer can meet: what must be told and must not be said, two values of one thing."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import combinations

from assistant.errors import CorpusError
from assistant.knowledge.attribute import Attribute
from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.period import Period
from assistant.language.quantities.quantity import read_quantities, reads_back
from assistant.language.tongue import Language
from evals.suite.case import Case, ExpectedFact
from evals.suite.ties import ClaimValues, same_value, written_out
from evals.wording import carries


def check_contradictions(
    cases: Iterable[Case],
    claims: Mapping[str, Claim],
    attributes: Mapping[str, Attribute],
    values: ClaimValues,
    origin: str,
) -> None:
    """Raises CorpusError with the first expectation that contradicts another of its case."""
    for case in cases:
        problem = _said_and_forbidden(case, claims) or _two_values(case, claims, attributes, values)
        if problem:
            raise CorpusError(f"{origin}: {case.id} contradicts itself: {problem}.")


def _said_and_forbidden(case: Case, claims: Mapping[str, Claim]) -> str:
    for fact in case.expect.facts:
        claim = claims.get(fact.claim or "")
        for language in case.languages:
            for wording in case.expect.must_not_say:
                if _would_say(fact, claim, language, wording):
                    return f"{fact.name} must be told, and {wording!r} must not be said"
    return ""


def _would_say(fact: ExpectedFact, claim: Claim | None, language: Language, wording: str) -> bool:
    if claim is not None and fact.words is None and carries(claim.statement.in_language(language), [wording]):
        return True
    if fact.words is not None:
        told = (*fact.words.get("any", ()), *fact.words.get(language, ()))
        return bool(told) and all(carries(word.replace("*", ""), [wording]) for word in told)
    value, unit = (claim.value, claim.unit) if claim is not None else (written_out(fact), fact.unit)
    if not isinstance(value, Decimal | Range | Period):
        return False
    bare = [one for one in read_quantities(wording, language) if one.unit == "" and one.text == wording.strip()]
    return reads_back(wording, language, value, None if bare else unit)


def _two_values(
    case: Case, claims: Mapping[str, Claim], attributes: Mapping[str, Attribute], values: ClaimValues
) -> str:
    if case.kind == "conflict" or case.expect.at_least is not None or case.expect.tool is not None:
        return ""
    named = (claims.get(fact.claim or "") for fact in case.expect.facts)
    expected = [claim for claim in named if claim is not None]
    for one, other in combinations(expected, 2):
        single = one.attribute in attributes and attributes[one.attribute].single_valued
        of_one = (set(one.about), one.attribute, one.qualifiers) == (
            set(other.about),
            other.attribute,
            other.qualifiers,
        )
        if single and of_one and one.value is not None and one.value != other.value:
            return f"{one.id} and {other.id} give two values of one thing; make it a case of kind conflict"
    if "questions" in case.tags:
        # Each of their facts is a line of an original; lines on one card may well differ.
        return ""
    written = [fact for fact in case.expect.facts if written_out(fact) is not None]
    for first, second in combinations(written, 2):
        same = {name.casefold() for name in first.about} == {name.casefold() for name in second.about}
        if first.about and same and _measure_alike(first, second) and not _equal(first, second):
            apart = "name in `about` what they differ in"
            return f"{first.name} and {second.name} are two values of {first.about[0]}; {apart}"
    for fact in written:
        for claim in values.alike(fact, case):
            if claim in expected and not same_value(claim.value, claim.unit, written_out(fact), fact.unit):
                return f"{fact.name} is written out, and {claim.id} says otherwise"
    return ""


def _measure_alike(one: ExpectedFact, other: ExpectedFact) -> bool:
    return (one.date is None) == (other.date is None) and one.unit == other.unit


def _equal(one: ExpectedFact, other: ExpectedFact) -> bool:
    return same_value(written_out(one), one.unit, written_out(other), other.unit)
