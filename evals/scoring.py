"""Whether an answer is right, without a judge: figures are read back, words looked up, quotes checked."""

import re
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer, Conflict
from assistant.answering.evidence import Question
from assistant.knowledge.citation import Citation
from assistant.knowledge.period import Period
from assistant.language.detection import detect_language
from assistant.language.quantities.quantity import read_quantities, reads_back
from assistant.language.tongue import Language
from evals.cases import Case, ExpectedFact, Suite
from evals.grounding import calculated, plain_text, unsupported_numbers
from evals.wording import carries

CheckName = Literal["status", "language", "value", "citation", "conflict", "label", "dated", "says", "invented"]
_MARKER = re.compile(r"\[(\d+)\]")
_TITLE = re.compile(r"“[^”]*”|《[^》]*》")


class Check(BaseModel):
    """One thing that must hold of an answer, and what was found where it doesn't."""

    model_config = ConfigDict(frozen=True)

    name: CheckName
    passed: bool
    found: str = ""


class FactScore(BaseModel):
    """Whether one expected fact is stated, and whether a cited quote holds it."""

    model_config = ConfigDict(frozen=True)

    fact: str
    stated: bool
    cited: bool
    beside: bool
    """True where the citation stands on the line that states it."""
    first: bool
    """True where the first paragraph already states it."""


class Score(BaseModel):
    """What was right and wrong of one answer."""

    model_config = ConfigDict(frozen=True)

    case: Case
    answer: Answer
    facts: tuple[FactScore, ...]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def check(self, name: CheckName) -> Check | None:
        return next((check for check in self.checks if check.name == name), None)

    @property
    def states_and_cites(self) -> bool:
        """The value is right and a cited passage holds it, whatever else is wrong."""
        return all(check.passed for check in self.checks if check.name in ("value", "citation"))

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)


def question_of(case: Case) -> Question:
    return Question(id=case.id, text=case.question, history=case.history)


def score(case: Case, answer: Answer, suite: Suite) -> Score:
    """Every check that applies to the case."""
    expected = suite.expected(case)
    facts = tuple(score_fact(fact, answer) for fact in expected)
    enough = case.at_least or len(expected)
    checks = [
        Check(name="status", passed=answer.status in case.statuses, found=answer.status),
        _language(case, answer),
    ]
    if expected:
        absent = ", ".join(fact.fact for fact in facts if not fact.stated)
        uncited = ", ".join(fact.fact for fact in facts if fact.stated and not fact.cited)
        checks += [
            Check(name="value", passed=sum(fact.stated for fact in facts) >= enough, found=f"not stated: {absent}"),
            Check(
                name="citation", passed=sum(fact.cited for fact in facts) >= enough, found=f"no quote for: {uncited}"
            ),
        ]
    if case.kind == "conflict":
        told = any(_tells(conflict, expected, answer.language) for conflict in answer.conflicts)
        checks.append(Check(name="conflict", passed=told, found=f"{len(answer.conflicts)} conflicts told"))
    if case.label is not None:
        codes = [caveat.code for caveat in answer.caveats]
        checks.append(Check(name="label", passed=case.label in codes, found=f"caveats: {', '.join(codes) or 'none'}"))
    undated = [fact.id for fact in expected if fact.dated is not None and not is_dated(fact.dated, answer)]
    if undated:
        checks.append(Check(name="dated", passed=False, found=f"no date with {', '.join(undated)}"))
    unsaid = [wording for wording in case.says if not carries(answer.text, [wording])]
    if unsaid:
        checks.append(Check(name="says", passed=False, found=f"doesn't name {', '.join(unsaid)}"))
    invented = unsupported_numbers(answer, question_of(case))
    checks.append(Check(name="invented", passed=not invented, found=f"no support for: {', '.join(invented)}"))
    return Score(case=case, answer=answer, facts=facts, checks=tuple(checks))


def score_fact(fact: ExpectedFact, answer: Answer) -> FactScore:
    """Look for the fact in each line of the answer, and in the quotes of the citations that the text marks."""
    quotes = {citation.marker: citation for citation in answer.citations}
    lines = [line for line in answer.text.splitlines() if line.strip()]
    stating = [line for line in lines if holds(plain_text(line), answer.language, fact)]
    supporting = {
        marker
        for marker in map(int, _MARKER.findall(answer.text))
        if marker in quotes and holds(quotes[marker].quote, quotes[marker].language, fact)
    }
    on_subject = {
        (line, marker) for line in stating for marker in supporting if _names_subject(fact, line, quotes[marker])
    }
    return FactScore(
        fact=fact.id,
        stated=bool(stating),
        cited=bool(on_subject) or (bool(stating) and _is_calculated(fact, answer)),
        beside=any(f"[{marker}]" in line for line, marker in on_subject),
        first=bool(stating) and stating[0] == lines[0],
    )


def holds(text: str, language: Language, fact: ExpectedFact) -> bool:
    """True where the fact's figure, date or words can be read in a text of that language."""
    if fact.words is not None:
        return carries(text, fact.wordings(language))
    value = fact.value if fact.value is not None else fact.date
    return value is not None and reads_back(text, language, value, fact.unit)


def _names_subject(fact: ExpectedFact, line: str, citation: Citation) -> bool:
    """True where the line or its passage speaks of the fact's subject: a like figure of another doesn't count."""
    if not fact.about:
        return True
    return carries(" ".join([line, citation.quote, citation.section, citation.title]), fact.about)


def _is_calculated(fact: ExpectedFact, answer: Answer) -> bool:
    """True where the assistant's own arithmetic, over cited inputs, comes to the figure."""
    return isinstance(fact.value, Decimal) and bool(answer.citations) and calculated(fact.value, answer)


def _language(case: Case, answer: Answer) -> Check:
    read = detect_language(prose_of(answer), [case.question])
    right = answer.language == case.language == read
    return Check(name="language", passed=right, found=f"marked {answer.language}, reads as {read}")


def prose_of(answer: Answer) -> str:
    """The text without passages and titles, which are quoted in their own language, and without tables."""
    prose = [line for line in plain_text(answer.text).splitlines() if not line.startswith((">", "|"))]
    return _TITLE.sub("", " ".join(prose))


def _tells(conflict: Conflict, expected: tuple[ExpectedFact, ...], language: Language) -> bool:
    """True where the conflict gives every expected value, each with a source of its own."""
    sides = {value.marker: f"{value.value} {value.unit or ''}" for value in conflict.values}
    return len(sides) > 1 and all(any(holds(side, language, fact) for side in sides.values()) for fact in expected)


def is_dated(dated: Period, answer: Answer) -> bool:
    """True where the answer's text gives the date."""
    return any(quantity.period == dated.text for quantity in read_quantities(plain_text(answer.text), answer.language))
