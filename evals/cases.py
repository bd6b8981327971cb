"""Questions with what a right answer must say, read from evals/questions/ and written out for `ask --questions`."""

import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assistant.answering.answer import AnswerStatus, CaveatCode
from assistant.errors import CorpusError
from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language

QUESTIONS = Path(__file__).with_name("questions")

CaseSet = Literal["first", "dev", "seen", "held"]
Kind = Literal[
    "fact",
    "two_part",
    "comparison",
    "list",
    "price",
    "date",
    "why",
    "yes_no",
    "vendor_claim",
    "hypothetical",
    "conflict",
    "not_published",
    "dialogue",
    "unanswerable",
    "out_of_scope",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
SILENT: frozenset[Kind] = frozenset({"unanswerable", "out_of_scope"})
_LABELS: dict[Kind, CaveatCode] = {
    "vendor_claim": "vendor_claim",
    "hypothetical": "hypothetical",
    "not_published": "not_published",
}
_STATUSES: dict[Kind, tuple[AnswerStatus, ...]] = {
    "unanswerable": ("not_in_sources",),
    "out_of_scope": ("out_of_scope",),
    "not_published": ("answered", "partly_answered"),
}
Wordings = dict[Language | Literal["any"], tuple[str, ...]]


class ExpectedFact(BaseModel):
    """One fact of an original that an answer must state: a figure with its unit, a date, or words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{2,79}$")
    origin: tuple[str, ...] = Field(alias="in", min_length=1)
    """Original and line, such as da:47."""
    about: tuple[str, ...]
    """Wordings of what the fact is about; the line of the answer, or the passage it cites, must carry one."""
    value: Decimal | Range | None = None
    unit: str | None = None
    date: Period | None = None
    words: Wordings | None = None
    dated: Period | None = None
    """The month that an answer must give with the figure, for what goes out of date."""

    @model_validator(mode="before")
    @classmethod
    def _dates_as_text(cls, data: object) -> object:
        """YAML reads 2026 as a number and 2026-09-09 as a day."""
        if isinstance(data, dict):
            return {
                key: Period(str(item)) if key in ("date", "dated") and item is not None else item
                for key, item in data.items()
            }
        return data

    @model_validator(mode="after")
    def _says_one_thing(self) -> "ExpectedFact":
        if sum(item is not None for item in (self.value, self.date, self.words)) != 1:
            raise ValueError(f"{self.id}: give exactly one of value, date and words")
        if self.value is not None and self.unit is None:
            raise ValueError(f'{self.id}: a value needs a unit ("" for a plain count)')
        if self.words is not None and "any" not in self.words:
            absent = [language for language in LANGUAGES if language not in self.words]
            if absent:
                raise ValueError(f"{self.id}: no words in {', '.join(absent)}")
        return self

    def wordings(self, language: Language) -> tuple[str, ...]:
        words = self.words or {}
        return (*words.get("any", ()), *words.get(language, ()))

    def __str__(self) -> str:
        if isinstance(self.value, Range):
            said = f"{self.value.low}–{self.value.high} {self.unit}"
        elif self.value is not None:
            said = f"{self.value} {self.unit}"
        elif self.date is not None:
            said = str(self.date)
        else:
            said = " | ".join(dict.fromkeys(word for words in (self.words or {}).values() for word in words))
        return f"{self.id} = {said.strip()} ({', '.join(self.origin)})"


class Case(BaseModel):
    """A question and what its answer must say. The id starts with the question's language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^(nl|da|zh|en)-[a-z0-9-]{1,60}$")
    set: CaseSet
    kind: Kind
    question: str = Field(min_length=2)
    history: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    """Ids of expected facts."""
    at_least: int | None = Field(default=None, ge=1)
    """How many of the expected facts are enough; all, where left out."""
    says: tuple[str, ...] = ()
    """Wordings that the answer must carry without citing them: the name of what isn't known."""
    pair: str | None = None
    """The answerable question that an unanswerable one is the twin of."""
    partly: bool = False
    """True where half of the question can be answered, such as what another provider asks."""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "Case":
        if self.kind in SILENT and self.expects:
            raise ValueError(f"{self.id}: a question of kind {self.kind} expects no facts")
        if self.kind not in SILENT and not self.expects:
            raise ValueError(f"{self.id}: expects no facts")
        if (self.kind == "unanswerable") != (self.pair is not None):
            raise ValueError(f"{self.id}: unanswerable questions, and only they, name their pair")
        if (self.kind == "dialogue") != bool(self.history):
            raise ValueError(f"{self.id}: dialogues, and only they, have a history")
        if self.at_least is not None and self.at_least > len(self.expects):
            raise ValueError(f"{self.id}: at_least is more than the facts expected")
        return self

    @property
    def language(self) -> Language:
        return next(language for language in LANGUAGES if self.id.startswith(f"{language}-"))

    @property
    def statuses(self) -> tuple[AnswerStatus, ...]:
        """The statuses that are right for this kind of question."""
        right = _STATUSES.get(self.kind, ("answered",))
        return (*right, "partly_answered") if self.partly else right

    @property
    def label(self) -> CaveatCode | None:
        """The caveat that the answer must carry."""
        return _LABELS.get(self.kind)


class FactsFile(BaseModel):
    """evals/questions/facts.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    works: dict[str, str]
    """Key of each original in the articles' `based_on`, by its short name."""
    facts: tuple[ExpectedFact, ...]


class CasesFile(BaseModel):
    """One file of questions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: tuple[Case, ...]


class Suite(BaseModel):
    """All questions, and the facts they expect by id."""

    model_config = ConfigDict(frozen=True)

    cases: tuple[Case, ...]
    facts: dict[str, ExpectedFact]

    def expected(self, case: Case) -> tuple[ExpectedFact, ...]:
        return tuple(self.facts[id_] for id_ in case.expects)


def read_suite(directory: Path = QUESTIONS) -> Suite:
    """Every question of a folder. Raises CorpusError naming the file and the case at fault."""
    facts = read_facts(directory / "facts.yaml")
    cases: dict[str, Case] = {}
    asked: dict[tuple[str, ...], str] = {}
    for path in sorted(directory.rglob("*.yaml")):
        if path.name == "facts.yaml":
            continue
        for case in read_yaml(path, CasesFile).cases:
            if case.id in cases:
                raise CorpusError(f"{path}: the question id {case.id!r} is used twice.")
            wording = (*case.history, " ".join(case.question.split()).casefold())
            if wording in asked:
                raise CorpusError(f"{path}: {case.id} asks the same as {asked[wording]}.")
            unknown = sorted(set(case.expects) - facts.keys())
            if unknown:
                raise CorpusError(f"{path}: {case.id} expects unknown facts: {', '.join(unknown)}.", "See facts.yaml.")
            cases[case.id] = case
            asked[wording] = case.id
    for case in cases.values():
        twin = cases.get(case.pair) if case.pair else None
        if case.pair and (twin is None or twin.kind in SILENT):
            raise CorpusError(f"{directory}: the pair of {case.id}, {case.pair!r}, is no answerable question.")
        if twin is not None and (twin.set == "held") != (case.set == "held"):
            raise CorpusError(f"{directory}: {case.id} and its pair {case.pair} are in different halves.")
    return Suite(cases=tuple(cases.values()), facts=facts)


def read_facts(path: Path) -> dict[str, ExpectedFact]:
    """The expected facts by id. Raises CorpusError on a duplicate id or an unknown original."""
    file = read_yaml(path, FactsFile)
    facts: dict[str, ExpectedFact] = {}
    for fact in file.facts:
        if fact.id in facts:
            raise CorpusError(f"{path}: the fact id {fact.id!r} is used twice.")
        for origin in fact.origin:
            work, _, line = origin.partition(":")
            if work not in file.works or not line.isdigit():
                raise CorpusError(f"{path}: {fact.id}: {origin!r} is no line of {', '.join(file.works)}.")
        facts[fact.id] = fact
    return facts


def questions_jsonl(cases: Iterable[Case]) -> str:
    """The questions as `gpu-assistant ask --questions` takes them: one JSON object a line."""
    rows = ({"id": case.id, "question": case.question, "history": list(case.history)} for case in cases)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
