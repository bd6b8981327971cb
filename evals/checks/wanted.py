"""An expected fact with all that is needed to find it in an answer; a claim brings its own value and wording."""

import re
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError
from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.period import Period
from assistant.language.quantities.quantity import reads_back
from assistant.language.tongue import Language
from evals.cases import Wordings
from evals.checks.bench import Bench
from evals.suite.case import Asked, ExpectedFact
from evals.wording import carries, folded

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+")
_ENOUGH = 0.6
"""How much of a claim's sentence an answer must say for it to count as stated, where the claim is words."""


class Wanted(BaseModel):
    """What is looked for: a value, a date or words, about something."""

    model_config = ConfigDict(frozen=True)

    name: str
    claim: Claim | None = None
    value: Decimal | Range | Period | None = None
    unit: str | None = None
    words: Wordings | None = None
    about: tuple[tuple[str, ...], ...] = ()
    """For each thing it is about, its wordings; one thing must be named."""
    named: tuple[tuple[str, ...], ...] = ()
    """For each thing that the value consists of, its wordings; all must be named."""
    dated: Period | None = None

    @property
    def is_figure(self) -> bool:
        return self.value is not None


def resolve(fact: ExpectedFact, bench: Bench) -> Wanted | None:
    """What is looked for, or None where the claim can't be used as the corpus stands."""
    if fact.claim is None:
        return Wanted(
            name=fact.name,
            value=fact.value if fact.value is not None else fact.date,
            unit=fact.unit,
            words=fact.words,
            about=(fact.about,) if fact.about else (),
            dated=fact.dated,
        )
    claim = bench.corpus.claims.get(fact.claim)
    if claim is None:
        return None
    figure = claim.value if isinstance(claim.value, Decimal | Range | Period) else None
    return Wanted(
        name=claim.id,
        claim=claim,
        value=None if fact.words is not None else figure,
        unit=claim.unit,
        words=fact.words,
        about=tuple(bench.wordings(id_) for id_ in claim.about),
        named=tuple(bench.wordings(id_) for id_ in claim.names),
        dated=fact.dated,
    )


def check_claims_exist(asked: list[Asked], known: set[str], path: str) -> None:
    """Raises CorpusError naming the first expected claim that neither the corpus nor the baseline has."""
    for one in asked:
        for id_ in one.case.expect.claims:
            if id_ not in known:
                raise CorpusError(
                    f"{path}: {one.case.id} expects the claim {id_!r}, which no file of corpus/claims/ holds.",
                    "Correct the id; `gpu-assistant sources list` names the articles.",
                )


def holds(text: str, language: Language, wanted: Wanted) -> bool:
    """True where the value, the date or the words can be read in a text of that language."""
    if wanted.words is not None:
        return carries(text, (*wanted.words.get("any", ()), *wanted.words.get(language, ())))
    if wanted.value is not None:
        return reads_back(text, language, wanted.value, wanted.unit)
    if wanted.named:
        return all(carries(text, wordings) for wordings in wanted.named)
    if wanted.claim is None:
        return False
    return said_share(wanted.claim.statement.in_language(language), text) >= _ENOUGH


def said_share(statement: str, text: str) -> float:
    """Which part of a sentence's words, or pairs of Chinese characters, stands in a text."""
    wanted = units_of(statement)
    return len(wanted & units_of(text)) / len(wanted) if wanted else 0.0


def units_of(text: str) -> frozenset[str]:
    """Words, and pairs of neighbouring Chinese characters."""
    seen = folded(text)
    words = set(_WORD.findall(seen))
    han = {seen[n : n + 2] for n in range(len(seen) - 1) if _HAN.match(seen[n]) and _HAN.match(seen[n + 1])}
    return frozenset(words | han)


def names_subject(wanted: Wanted, text: str) -> bool:
    """True where a text speaks of one of the things that the fact is about."""
    return not wanted.about or any(carries(text, wordings) for wordings in wanted.about)
