"""results.jsonl, the record of a run: first what was run, then one line for each question asked."""

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.answering.answer import Answer
from assistant.errors import FileUnavailable, InvalidInput
from assistant.knowledge.freshness import SourceRecord, Standing
from assistant.knowledge.schema import first_problem
from assistant.language.tongue import Language
from evals.checks.score import Check
from evals.suite.case import CaseKind, Severity

FORMAT = 1
Verdict = Literal["passed", "failed", "error", "skipped"]


class RunHeader(BaseModel):
    """What was run over what, so that two runs can be compared, or one continued."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    corpus: str
    code: str
    cases: str
    engine: str
    clock: date
    model: str | None = None
    runs: int = 1
    """How often each question was asked; more than once only with a language model."""
    asked: str
    """Hash over which questions were chosen."""
    whole: bool
    """True where no question was left out by options."""
    sources: SourceRecord
    standings: tuple[Standing, ...] = ()
    """Claims that aren't fresh, and rows that are out of date."""
    disputes: tuple[tuple[str, ...], ...] = ()
    """Claim ids of each disagreement among the facts."""
    reason: str = ""
    """Why a person accepted it as the baseline."""
    accepted: tuple[str, ...] = ()
    """Of a baseline: must-pass questions that fail in it, each named by the person who accepted it."""
    times: dict[str, str] = Field(default_factory=dict)
    """When it began and ended: all that differs between two runs without a model, with `timings_ms`."""


class Result(BaseModel):
    """One question, what was answered, and what was found."""

    model_config = ConfigDict(frozen=True)

    key: str
    case: str
    language: Language
    kind: CaseKind
    severity: Severity
    tags: tuple[str, ...] = ()
    question: str = ""
    history: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    verdict: Verdict
    note: str = ""
    """Why it is an error or was skipped."""
    checks: tuple[Check, ...] = ()
    stated: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    """Ids of the claims and rows that the expectation rests on."""
    tied: tuple[str, ...] = ()
    """Of those, the claims whose value the expectation writes out itself."""
    cites: tuple[str, ...] = ()
    """Ids of the claims and rows that the answer quotes."""
    attempts: tuple[bool, ...] = ()
    """With a language model: whether each asking passed."""
    spans: dict[str, int] = Field(default_factory=dict)
    """Statements, and of them grounded; marks, and of them useful."""
    retrieval: dict[str, float] = Field(default_factory=dict)
    """How search alone ranks the passages of the expected quotes: ndcg, recall, mrr."""
    answer: Answer | None = None
    timings_ms: dict[str, float] = Field(default_factory=dict)

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)

    @property
    def why(self) -> str:
        """What is wrong in one line."""
        return self.note or "; ".join(f"{check.name}: {check.found}" for check in self.failed)


class Run(BaseModel):
    """A whole results file."""

    model_config = ConfigDict(frozen=True)

    header: RunHeader
    results: tuple[Result, ...]

    @property
    def by_key(self) -> dict[str, Result]:
        return {result.key: result for result in self.results}

    def of(self, verdict: Verdict) -> list[Result]:
        return [result for result in self.results if result.verdict == verdict]


def line_of(item: BaseModel) -> str:
    """One line of JSON; a field that is empty is left out, so that files stay readable and small."""
    data = item.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(data, ensure_ascii=False) + "\n"


def write_run(run: Run, path: Path) -> None:
    """Write a results file in one step, so that an interrupted write leaves the earlier one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".writing")
    partial.write_text(_header_line(run.header) + "".join(map(line_of, run.results)), encoding="utf-8")
    partial.replace(path)


def _header_line(header: RunHeader) -> str:
    return json.dumps({"run": {"format": header.format, **json.loads(line_of(header))}}, ensure_ascii=False) + "\n"


def append_result(path: Path, result: Result) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line_of(result))


def begin_file(path: Path, header: RunHeader) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_header_line(header), encoding="utf-8")


def read_run(path: Path) -> Run:
    """Read a results file. Raises FileUnavailable where there is none, InvalidInput for another format."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnavailable(f"{path}: {getattr(error, 'strerror', None) or error}.") from error
    results = []
    header: RunHeader | None = None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            if number == 1:
                header = _read_header(path, data)
            else:
                results.append(Result.model_validate(data))
        except ValidationError as error:
            raise InvalidInput(
                f"{path}, line {number}: {first_problem(error)}", "Run `gpu-assistant eval` anew."
            ) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{path}, line {number} is no result.", "Run `gpu-assistant eval` anew.") from error
    if header is None:
        raise InvalidInput(f"{path} is empty.", "Run `gpu-assistant eval` anew.")
    return Run(header=header, results=tuple(results))


def _read_header(path: Path, data: Any) -> RunHeader:
    run = data.get("run") if isinstance(data, dict) else None
    if not isinstance(run, dict):
        raise InvalidInput(f"{path} is no results file: its first line says nothing of a run.")
    if run.get("format") != FORMAT:
        raise InvalidInput(
            f"{path} is of format {run.get('format')!r}; this version reads format {FORMAT}.",
            "Bless a new run: gpu-assistant eval bless --reason …",
        )
    return RunHeader.model_validate(run)


def same_conditions(one: RunHeader, other: RunHeader) -> bool:
    """True where two runs ask the same of the same, so that answers of one hold in the other."""
    kept = {"times", "standings", "reason", "accepted"}
    return one.model_dump(exclude=kept) == other.model_dump(exclude=kept)


def kept_results(path: Path, header: RunHeader) -> list[Result]:
    """Finished results of an interrupted run under the same conditions; a line that was cut off is dropped."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    try:
        if not lines or not same_conditions(_read_header(path, json.loads(lines[0])), header):
            return []
    except (ValueError, InvalidInput):
        return []
    return list(_readable(lines[1:]))


def _readable(lines: Iterable[str]) -> Iterable[Result]:
    for line in lines:
        try:
            yield Result.model_validate_json(line)
        except ValidationError:
            continue


def slim(run: Run) -> Run:
    """A run as it is committed for comparison: of each answer its text, status and quotes, and no times."""
    return Run(
        header=run.header.model_copy(update={"times": {}}),
        results=tuple(
            result.model_copy(
                update={
                    "timings_ms": {},
                    "retrieval": {},
                    "spans": {},
                    "question": "",
                    "history": (),
                    "expected": (),
                    "checks": result.failed,
                    "answer": _slim_answer(result.answer),
                }
            )
            for result in run.results
        ),
    )


def _slim_answer(answer: Answer | None) -> Answer | None:
    if answer is None:
        return None
    return answer.model_copy(
        update={
            "question": "",
            "citations": (),
            "tool_runs": (),
            "conflicts": (),
            "caveats": (),
            "missing": None,
        }
    )
