"""Values written out in an expectation that are a claim's value, so that they are known to change with it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from assistant.errors import CorpusError
from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.corpus import read_claims_files, read_entities
from assistant.knowledge.entity import Entity
from assistant.knowledge.period import Period
from assistant.language.quantities.units import convert, currencies, dimension_of
from evals.suite.case import Case, ExpectedFact
from evals.wording import carries

Value = Decimal | Range | Period


class ClaimValues:
    """The figures and dates of a knowledge base's claims, found by what they measure and what they are about."""

    def __init__(self, claims: Iterable[Claim], entities: Mapping[str, Entity]) -> None:
        self._entities = entities
        self._by_dimension: dict[str | None, list[Claim]] = defaultdict(list)
        for claim in claims:
            if isinstance(claim.value, Decimal | Range | Period):
                self._by_dimension[_dimension(claim.value, claim.unit)].append(claim)

    @classmethod
    def read(cls, directory: Path) -> "ClaimValues":
        claims = (claim for _, file in read_claims_files(directory) for claim in file.claims)
        return cls(claims, read_entities(directory))

    def tied(self, case: Case) -> tuple[str, ...]:
        """Ids of the claims whose value a case writes out, about the same thing. What is calculated is no claim's."""
        if case.expect.tool is not None:
            return ()
        found = [claim.id for fact in case.expect.facts for claim in self.of(fact, case)]
        return tuple(dict.fromkeys(found))

    def of(self, fact: ExpectedFact, case: Case) -> list[Claim]:
        """The claims whose value a fact writes out."""
        value = written_out(fact)
        return (
            []
            if value is None
            else [c for c in self.alike(fact, case) if same_value(c.value, c.unit, value, fact.unit)]
        )

    def alike(self, fact: ExpectedFact, case: Case) -> list[Claim]:
        """The claims on the thing that a written-out fact is about, that measure what it measures."""
        value = written_out(fact)
        if value is None:
            return []
        said = fact.about or tuple(text for asked in case.question.values() for text in (asked,))
        return [
            claim
            for claim in self._by_dimension[_dimension(value, fact.unit)]
            if any(carries(text, self._wordings(id_)) for id_ in claim.about for text in said)
        ]

    def _wordings(self, entity_id: str) -> tuple[str, ...]:
        """The spellings of an entity and of what it is a variant of."""
        found: list[str] = []
        at: str | None = entity_id
        while at is not None and at in self._entities:
            entity = self._entities[at]
            found += [entity.name, *entity.names.values(), *entity.aliases]
            at = entity.parent
        return tuple(dict.fromkeys(found))


def written_out(fact: ExpectedFact) -> Value | None:
    """The figure or date that a fact gives itself, without a claim."""
    return None if fact.claim is not None else fact.value if fact.value is not None else fact.date


def same_value(one: object, unit: str | None, other: object, other_unit: str | None) -> bool:
    """True where two values are equal in one unit; money per hour may be written without "per hour"."""
    if isinstance(one, Range) and isinstance(other, Range):
        return same_value(one.low, unit, other.low, other_unit) and same_value(one.high, unit, other.high, other_unit)
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        own, its = _plain(unit), _plain(other_unit)
        return convert(other, its, own) == one
    return one == other


def _plain(unit: str | None) -> str:
    above = (unit or "").partition("/")[0]
    return above if above in currencies() else unit or ""


def _dimension(value: Value, unit: str | None) -> str | None:
    if isinstance(value, Period):
        return "date"
    plain = _plain(unit)
    return plain if plain in currencies() else dimension_of(plain) or plain


def ties_of(cases: Iterable[Case], directory: Path) -> dict[str, tuple[str, ...]]:
    """By each case's id the claims of a knowledge base whose values it writes out."""
    values = ClaimValues.read(directory)
    return {case.id: found for case in cases if (found := values.tied(case))}


def check_written_out(cases: Iterable[Case], values: ClaimValues, origin: str) -> None:
    """Raises CorpusError for a value of a curator's case that is a claim's: a corrected claim wouldn't move it.

    The open questions take their values from the originals on purpose; what they are tied to is kept beside them.
    """
    for case in cases:
        if "questions" in case.tags or case.expect.tool is not None:
            continue
        for fact in case.expect.facts:
            for claim in values.of(fact, case):
                raise CorpusError(
                    f"{origin}: {case.id} writes out {fact.name}, which is what {claim.id} says.",
                    f"Expect the claim, so that a correction of it moves the case: {{claim: {claim.id}}}",
                )
