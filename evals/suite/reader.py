"""Reads the cases of a folder, and those of evals/questions/ in the same shape; mistakes name their file and case."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from assistant.errors import CorpusError
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language
from evals import cases as questions
from evals.suite.case import Asked, Case, CaseKind, CasesFile, Expectation, ExpectedFact

SUITE = Path(__file__).parent
CASES = SUITE / "cases"
BESIDE = SUITE / "beside"

_PLACE = re.compile(r"cases\.(?P<place>\d+)(?:\.|: )")

_KINDS: dict[questions.Kind, CaseKind] = {
    "comparison": "comparison",
    "vendor_claim": "qualified",
    "hypothetical": "qualified",
    "not_published": "qualified",
    "conflict": "conflict",
    "dialogue": "follow_up",
    "unanswerable": "unanswerable",
    "out_of_scope": "unanswerable",
}


def read_cases(directory: Path) -> list[Case]:
    """Every case of a folder. Raises CorpusError naming the file and the case at fault."""
    if not directory.is_dir():
        raise CorpusError(f"{directory}: no such folder of cases.", "Name one with --cases.")
    found: dict[str, Case] = {}
    wordings: dict[tuple[str, ...], str] = {}
    for path in sorted(directory.rglob("*.yaml")):
        for case in read_file(path).cases:
            if case.id in found:
                raise CorpusError(f"{path}: the case id {case.id!r} is used twice.")
            for language in case.languages:
                asked = (*case.history.get(language, ()), " ".join(case.question[language].split()).casefold())
                asked = (*asked, *case.beside)
                if asked in wordings:
                    raise CorpusError(f"{path}: {case.id} asks the same as {wordings[asked]}.")
                wordings[asked] = case.id
            for name in case.beside:
                if not (BESIDE / name).is_file() and not (directory.parent / "beside" / name).is_file():
                    raise CorpusError(f"{path}: {case.id}: there is no file {name!r} in {BESIDE}.")
            found[case.id] = case
    for case in found.values():
        if case.pair is not None and case.pair not in found:
            raise CorpusError(f"{directory}: the pair of {case.id}, {case.pair!r}, is no case.")
    return list(found.values())


def read_file(path: Path) -> CasesFile:
    """One file of cases. Raises CorpusError naming the case at fault by its id, not by its place in the file."""
    try:
        return read_yaml(path, CasesFile)
    except CorpusError as error:
        at = _PLACE.search(error.problem)
        if at is None:
            raise
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))["cases"]
        row = rows[int(at["place"])]
        id_ = row.get("id") if isinstance(row, dict) else None
        named = error.problem.replace(at.group(), f"{id_ or 'case number ' + str(int(at['place']) + 1)}: ", 1)
        raise CorpusError(named.replace("Value error, ", ""), error.remedy) from error


def read_questions(directory: Path = questions.QUESTIONS) -> list[Case]:
    """The open questions of evals/questions/ as cases of one language; held-out ones are left to their own command."""
    suite = questions.read_suite(directory)
    return [_case_of(question, suite) for question in suite.cases if question.set != "held"]


def _case_of(question: questions.Case, suite: questions.Suite) -> Case:
    facts = tuple(
        ExpectedFact(
            value=fact.value,
            unit=fact.unit,
            date=fact.date,
            words=fact.words,
            about=fact.about,
            dated=fact.dated,
            note=f"{fact.id}, {', '.join(fact.origin)}",
        )
        for fact in suite.expected(question)
    )
    language: Language = question.language
    kind = _KINDS.get(question.kind, "fact")
    return Case(
        id=question.id,
        kind=kind,
        question={language: question.question},
        history={language: question.history} if question.history else {},
        expect=Expectation(
            facts=facts,
            at_least=question.at_least,
            status=question.statuses,
            caveat=question.label,
            says=question.says,
        ),
        severity="must_pass" if question.set == "first" else "should_pass",
        tags=("questions", question.set, question.kind),
    )


def asked(cases: Iterable[Case]) -> Iterator[Asked]:
    """Each case in each of its languages."""
    for case in cases:
        for language in case.languages:
            yield Asked(case=case, language=language)


def hash_of_cases(cases: Iterable[Case]) -> str:
    """Hash over all that the cases say, 16 hexadecimal digits; the order of files doesn't count."""
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id):
        digest.update(case.model_dump_json().encode())
    return digest.hexdigest()[:16]
