"""Drafts a case from the present answer: what it states, cites and discloses, for a person to correct and approve."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.errors import CorpusError, InvalidInput
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from assistant.settings import Settings
from evals.checks.bench import Bench
from evals.checks.wanted import holds, resolve
from evals.runs.opening import open_assistant
from evals.suite.case import Case, CaseKind, ExpectedFact
from evals.suite.reader import read_file

_MOST_FACTS = 4


def draft_of(settings: Settings, question: str, language: Language | None) -> tuple[str, str]:
    """The draft as YAML, and the answer it was drawn from. Raises InvalidInput for an empty question."""
    if len(question.strip()) < 2:
        raise InvalidInput("The question is empty.")
    assistant = open_assistant(settings.model_copy(update={"llm_model": None}), date.today())
    try:
        answer = assistant.answer(Question(text=question, language=language))
        fields = _fields(question, language or detect_language(question), answer, assistant, settings)
    finally:
        assistant.index.close()
    case = Case.model_validate(fields)
    text = yaml.safe_dump([fields], allow_unicode=True, sort_keys=False, width=110)
    return (
        f"cases:\n{_indented(text)}",
        f"({answer.status}) {answer.text}\n# {case.kind}: what it expects was read off this answer",
    )


def _fields(
    question: str, language: Language, answer: Answer, assistant: Assistant, settings: Settings
) -> dict[str, Any]:
    bench = Bench(assistant.corpus, settings.corpus)
    stated = [
        fact.id
        for citation in answer.citations
        for fact in bench.behind(citation)
        if fact.kind == "claim" and _is_stated(fact.id, answer, bench)
    ]
    claims = list(dict.fromkeys(stated))[:_MOST_FACTS]
    disputed = next((bench.disagreements[id_] for id_ in claims if id_ in bench.disagreements), None)
    expect: dict[str, Any] = {"status": answer.status}
    if answer.tool_runs:
        expect["tool"] = {"name": answer.tool_runs[0].tool}
    elif claims:
        expect["facts"] = claims
        expect["sources"] = sorted({bench.corpus.article_of[id_] for id_ in claims})
    if disputed is not None and answer.conflicts:
        expect["conflict"] = [side.id for side in disputed.sides if side.kind == "claim"]
    if answer.caveats and answer.caveats[0].code not in ("stale", "assumption"):
        expect["caveat"] = answer.caveats[0].code
    if answer.missing is not None and answer.status == "not_in_sources":
        expect["says"] = list(answer.missing.what[:1])
    return {
        "id": _id_of(question, claims, answer),
        "kind": _kind_of(answer, expect),
        "severity": "should_pass",
        "tags": ["draft"],
        "question": {language: question},
        "expect": {name: value for name, value in expect.items() if value},
    }


def _is_stated(id_: str, answer: Answer, bench: Bench) -> bool:
    wanted = resolve(ExpectedFact(claim=id_), bench)
    return wanted is not None and any(holds(line, answer.language, wanted) for line in answer.text.splitlines())


def _kind_of(answer: Answer, expect: dict[str, Any]) -> CaseKind:
    if answer.status in ("not_in_sources", "out_of_scope", "needs_input"):
        return "unanswerable"
    if "tool" in expect:
        return "tool"
    if len(expect.get("conflict", ())) > 1:
        return "conflict"
    return "qualified" if "caveat" in expect else "fact"


def _id_of(question: str, claims: list[str], answer: Answer) -> str:
    words = claims[0].partition(".")[2] if claims else " ".join(re.findall(r"[a-z0-9]+", question.casefold())[:6])
    return re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-")[:60] or f"case-{answer.id[:8]}"


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def append_draft(draft: str, path: Path) -> None:
    """Add a draft to a file of cases. Raises CorpusError where the file would no longer be one; it stays as it was."""
    before = path.read_text(encoding="utf-8") if path.is_file() else "cases:\n"
    added = draft.removeprefix("cases:\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{before.rstrip()}\n{added}", encoding="utf-8")
    try:
        read_file(path)
    except CorpusError:
        path.write_text(before, encoding="utf-8")
        raise
