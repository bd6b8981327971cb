"""A case: a question in one or more languages, and what a right answer must say, cite, disclose and leave out."""

from decimal import Decimal
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assistant.answering.answer import AnswerStatus, CaveatCode
from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.language.tongue import LANGUAGES, Language
from evals.cases import Wordings

CaseKind = Literal[
    "fact",
    "comparison",
    "qualified",
    "conflict",
    "unanswerable",
    "false_premise",
    "tool",
    "follow_up",
    "poisoned",
]
CASE_KINDS: tuple[CaseKind, ...] = get_args(CaseKind)
Severity = Literal["must_pass", "should_pass"]
SILENT_KINDS: frozenset[CaseKind] = frozenset({"unanswerable"})
_SILENT_STATUSES: frozenset[AnswerStatus] = frozenset({"not_in_sources", "out_of_scope", "needs_input"})


class ExpectedFact(BaseModel):
    """A fact that the answer must state and cite: a claim of the corpus by its id, or a value written out.

    A claim brings its value, unit and subject along, so that a corrected claim moves the expectation with it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    claim: str | None = None
    value: Decimal | Range | None = None
    unit: str | None = None
    date: Period | None = None
    words: Wordings | None = None
    """Accepted wordings per language; of a claim that is words, they stand in for its statement."""
    about: tuple[str, ...] = ()
    """Wordings of the subject, one of which the line or its passage must carry; a claim brings its own."""
    dated: Period | None = None
    """The month that the answer must give with the figure."""
    note: str = ""
    """Where the value comes from, for a reader."""

    @model_validator(mode="before")
    @classmethod
    def _dates_as_text(cls, data: Any) -> Any:
        """YAML reads 2026 as a number and 2026-09-09 as a day."""
        if isinstance(data, str):
            return {"claim": data}
        if isinstance(data, dict):
            return {
                key: Period(str(item)) if key in ("date", "dated") and item is not None else item
                for key, item in data.items()
            }
        return data

    @model_validator(mode="after")
    def _says_one_thing(self) -> "ExpectedFact":
        literal = [name for name in ("value", "date", "words") if getattr(self, name) is not None]
        if self.claim is not None and any(name != "words" for name in literal):
            raise ValueError(f"{self.claim}: give a claim or a {literal[0]}, not both; the claim brings its own")
        if self.claim is None and len(literal) != 1:
            raise ValueError("a fact is a claim, or exactly one of value, date and words")
        if self.value is not None and self.unit is None:
            raise ValueError('a value needs a unit ("" for a plain count)')
        if self.words is not None and "any" not in self.words:
            absent = [language for language in LANGUAGES if language not in self.words]
            if absent:
                raise ValueError(f"no words in {', '.join(absent)}")
        return self

    @property
    def name(self) -> str:
        """How reports and errors call it."""
        if self.claim is not None:
            return self.claim
        if isinstance(self.value, Range):
            return f"{self.value.low}–{self.value.high} {self.unit}".strip()
        if self.value is not None:
            return f"{self.value} {self.unit}".strip()
        if self.date is not None:
            return str(self.date)
        return " | ".join(dict.fromkeys(word for words in (self.words or {}).values() for word in words))


class ExpectedRun(BaseModel):
    """A calculation that the answer must show, with results that stand in its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    """What must have gone in, by name; what isn't named may be anything."""
    result: dict[str, Any] = Field(default_factory=dict)
    """What must have come out, by name: verdict: fits."""


class Expectation(BaseModel):
    """Everything that must hold of the answer. What isn't given isn't asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    facts: tuple[ExpectedFact, ...] = ()
    at_least: int | None = Field(default=None, ge=1)
    """How many of the facts are enough; all, where left out."""
    sources: tuple[str, ...] = ()
    """Article ids, each of which must be cited."""
    status: tuple[AnswerStatus, ...] = ()
    tool: ExpectedRun | None = None
    conflict: tuple[str, ...] = ()
    """Claim ids: one for each side of the disagreement that must be disclosed."""
    caveat: CaveatCode | None = None
    says: tuple[str, ...] = ()
    """Wordings that the text must carry without citing them: the name of what isn't known."""
    must_not_say: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _one_status_as_list(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("status"), str):
            return {**data, "status": [data["status"]]}
        return data

    @model_validator(mode="after")
    def _holds_together(self) -> "Expectation":
        if not any(
            getattr(self, name) for name in ("facts", "sources", "status", "tool", "conflict", "caveat", "says")
        ):
            raise ValueError("expects nothing; give facts, sources, status, tool, conflict, caveat or says")
        if self.status and set(self.status) <= _SILENT_STATUSES:
            told = [name for name in ("facts", "tool", "conflict") if getattr(self, name)]
            if told:
                raise ValueError(f"contradicts itself: status {self.status[0]} with {told[0]} to be told")
        if self.at_least is not None and self.at_least > len(self.facts):
            raise ValueError("at_least is more than the facts expected")
        if len(self.conflict) == 1:
            raise ValueError("a conflict needs a claim for each of its sides, so at least two")
        claims = [fact.claim for fact in self.facts if fact.claim is not None]
        twice = sorted({id_ for id_ in claims if claims.count(id_) > 1})
        if twice:
            raise ValueError(f"expects {twice[0]} twice")
        forbidden = {wording.casefold() for wording in self.must_not_say}
        both = sorted(forbidden & {wording.casefold() for wording in self.says})
        if both:
            raise ValueError(f"contradicts itself: {both[0]!r} must and must not be said")
        return self

    @property
    def claims(self) -> tuple[str, ...]:
        """Ids of every claim that is expected."""
        named = [fact.claim for fact in self.facts if fact.claim is not None]
        return tuple(dict.fromkeys([*named, *self.conflict]))


class Case(BaseModel):
    """One case of a file of evals/suite/cases/."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{2,79}$")
    kind: CaseKind
    question: dict[Language, str] = Field(min_length=1)
    history: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    expect: Expectation
    severity: Severity = "should_pass"
    tags: tuple[str, ...] = ()
    pair: str | None = None
    """Id of the answerable case that this one is the twin of."""
    beside: tuple[str, ...] = ()
    """Files of evals/suite/beside/ that are added to the knowledge base while this case is asked."""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "Case":
        for language, text in self.question.items():
            if len(text.strip()) < 2:
                raise ValueError(f"the question in {language} is empty")
        if self.history and set(self.history) != set(self.question):
            raise ValueError("the history is in other languages than the question")
        if (self.kind == "follow_up") != bool(self.history):
            raise ValueError("follow-ups, and only they, have a history")
        if self.kind in SILENT_KINDS and (self.expect.facts or self.expect.conflict or self.expect.tool):
            raise ValueError("contradicts itself: an unanswerable question has nothing to be told")
        if self.kind == "conflict" and not self.expect.conflict and len(self.expect.facts) < 2:
            raise ValueError("a case of kind conflict names the claims that disagree")
        if self.kind == "tool" and self.expect.tool is None:
            raise ValueError("a case of kind tool names the tool")
        if (self.kind == "poisoned") != bool(self.beside):
            raise ValueError("poisoned cases, and only they, name files beside the knowledge base")
        return self

    @property
    def languages(self) -> tuple[Language, ...]:
        return tuple(language for language in LANGUAGES if language in self.question)

    @property
    def statuses(self) -> tuple[AnswerStatus, ...]:
        """The statuses that are right."""
        if self.expect.status:
            return self.expect.status
        return ("not_in_sources",) if self.kind in SILENT_KINDS else ("answered",)


class CasesFile(BaseModel):
    """One file of cases."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: tuple[Case, ...]


class Asked(BaseModel):
    """A case in one of its languages: what is asked, answered and scored."""

    model_config = ConfigDict(frozen=True)

    case: Case
    language: Language

    @property
    def key(self) -> str:
        """What results, baselines and --only call it."""
        return f"{self.case.id}@{self.language}"

    @property
    def question(self) -> str:
        return self.case.question[self.language]

    @property
    def history(self) -> tuple[str, ...]:
        return self.case.history.get(self.language, ())
