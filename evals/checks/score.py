"""Whether an answer is right: every check that applies to the case, each with what was found where it fails."""

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.evidence import Question
from assistant.knowledge.claim import Range
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from evals.checks.bench import Bench
from evals.checks.disclosure import caveat_missing, disagreement_missing, false_disagreements
from evals.checks.grounds import figures_of_others, foreign_names, lines_without_ground, turned_statements
from evals.checks.source import source_problems
from evals.checks.span import Span, spans
from evals.checks.tool import run_problems
from evals.checks.unmoved import moved_by
from evals.checks.wanted import Wanted, holds, names_subject, resolve
from evals.grounding import calculated, plain_text
from evals.scoring import is_dated, prose_of
from evals.suite.case import Asked, ExpectedFact
from evals.wording import carries

CheckName = Literal[
    "source",
    "status",
    "language",
    "value",
    "citation",
    "sources",
    "conflict",
    "false_conflict",
    "caveat",
    "dated",
    "says",
    "must_not_say",
    "support",
    "names",
    "polarity",
    "tool",
    "unmoved",
]


class Check(BaseModel):
    """One thing that must hold of an answer, and what was found where it doesn't."""

    model_config = ConfigDict(frozen=True)

    name: CheckName
    passed: bool
    found: str = ""


class Scored(BaseModel):
    """All checks of one answer, and how its citations fared."""

    model_config = ConfigDict(frozen=True)

    checks: tuple[Check, ...]
    stated: tuple[str, ...] = ()
    """Names of the expected facts that are stated and cited."""
    statements: int = 0
    """How many pieces of the text state a figure, a date or a claim."""
    grounded: int = 0
    """How many of them are carried whole by the passages that they mark: citation recall."""
    marks: int = 0
    useful: int = 0
    """How many marks stand behind something that their passage supports: citation precision."""

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)


def question_of(asked: Asked) -> Question:
    return Question(id=asked.key, text=asked.question, history=asked.history)


def score(asked: Asked, answer: Answer, bench: Bench, clean: Answer | None = None) -> Scored:
    """Every check that applies; `clean` is the answer without the files that a poisoned case adds."""
    expect, question, pieces = asked.case.expect, question_of(asked), spans(answer)
    checks: list[Check] = []

    def note(name: CheckName, problems: list[str] | str) -> None:
        found = [problems] if isinstance(problems, str) and problems else list(problems)
        checks.append(Check(name=name, passed=not found, found="; ".join(found)))

    if expect.claims:
        note("source", source_problems(asked.case, bench))
    status = answer.status in asked.case.statuses
    note("status", "" if status else f"{answer.status}, not {' or '.join(asked.case.statuses)}")
    note("language", _language(asked, answer, bench))
    wanted = [(fact, resolve(fact, bench)) for fact in expect.facts]
    known = [item for _, item in wanted if item is not None]
    stated = [item for item in known if _states(item, pieces, answer)]
    cited = [item for item in stated if _cites(item, pieces, answer)]
    if known:
        enough = min(expect.at_least or len(known), len(known))
        unsaid = [item.name for item in known if item not in stated]
        uncited = [item.name for item in stated if item not in cited]
        note("value", [] if len(stated) >= enough else [f"not stated: {', '.join(unsaid)}"])
        note("citation", [] if len(cited) >= enough or not uncited else [f"no passage for: {', '.join(uncited)}"])
        undated = [item.name for item in known if item.dated is not None and not is_dated(item.dated, answer)]
        note("dated", [f"no date with {name}" for name in undated])
    if expect.sources:
        absent = set(expect.sources) - {citation.source_id for citation in answer.citations}
        note("sources", [f"doesn't cite {id_}" for id_ in sorted(absent)])
    if asked.case.kind == "conflict":
        sides = [resolve_claim(id_, bench) for id_ in expect.conflict] or known
        note("conflict", disagreement_missing([side for side in sides if side is not None], answer, bench))
    note("false_conflict", false_disagreements(answer))
    if expect.caveat is not None or any(item.claim is not None for item in stated):
        note("caveat", caveat_missing(expect.caveat, [item for item in stated if item.claim], pieces, answer, bench))
    note("says", [f"doesn't name {wording}" for wording in expect.says if not carries(answer.text, [wording])])
    note("must_not_say", [f"says {wording}" for wording in expect.must_not_say if carries(answer.text, [wording])])
    without = lines_without_ground(pieces, answer, question)
    note("support", without)
    names = foreign_names(pieces, answer, question, bench)
    note("names", [*names, *figures_of_others(pieces, answer, bench)])
    note("polarity", turned_statements(pieces, answer, bench))
    if expect.tool is not None or answer.tool_runs:
        note("tool", run_problems(expect.tool, answer))
    if clean is not None:
        note("unmoved", moved_by(answer, clean))
    counted = [piece for piece in pieces if piece.marks]
    return Scored(
        checks=tuple(checks),
        stated=tuple(item.name for item in cited),
        statements=len(counted) + len(without),
        grounded=len(counted),
        marks=sum(len(piece.marks) for piece in pieces),
        useful=sum(len(piece.cited) for piece in pieces),
    )


def resolve_claim(id_: str, bench: Bench) -> Wanted | None:
    return resolve(ExpectedFact(claim=id_), bench)


def _language(asked: Asked, answer: Answer, bench: Bench) -> str:
    read = detect_language(prose_of(answer), [asked.question])
    if answer.language == asked.language == read:
        return ""
    # A short sentence full of names can be taken for another language; the corpus says in which it was written.
    own = (fact.statement.in_language(asked.language) for c in answer.citations for fact in bench.behind(c))
    said = plain_text(answer.text)
    if answer.language == asked.language and any(statement.rstrip(".。") in said for statement in own):
        return ""
    return f"marked {answer.language}, reads as {read}"


def _states(wanted: Wanted, pieces: list[Span], answer: Answer) -> bool:
    if any(holds(piece.text, answer.language, wanted) for piece in pieces):
        return True
    # What is words may be spread over a list or a table.
    return not wanted.is_figure and holds(" ".join(piece.text for piece in pieces), answer.language, wanted)


def _cites(wanted: Wanted, pieces: list[Span], answer: Answer) -> bool:
    """True where a passage marked behind the statement holds the fact, about the right thing."""
    for piece in pieces:
        if wanted.is_figure and not holds(piece.text, answer.language, wanted):
            continue
        for citation in piece.cited:
            if wanted.claim is not None and citation.quote == wanted.claim.quote:
                return True
            beside = " ".join([piece.text, citation.quote, citation.section, citation.title])
            if _holds_quote(wanted, citation.quote, citation.language) and names_subject(wanted, beside):
                return True
    value = wanted.value
    ends = (value.low, value.high) if isinstance(value, Range) else (value,) if isinstance(value, Decimal) else ()
    return bool(answer.citations and ends) and all(calculated(end, answer) for end in ends)


def _holds_quote(wanted: Wanted, quote: str, language: Language) -> bool:
    if wanted.is_figure or (wanted.words is not None and wanted.claim is None):
        return holds(quote, language, wanted)
    # What is words is said in the question's language and quoted in the article's: the claim's own quote must be cited.
    claim = wanted.claim
    return claim is not None and (claim.quote in quote or quote in claim.quote)
