"""A memo's question asked again: what has changed since, line by line and source by source."""

from datetime import date

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.evidence import Question
from assistant.answering.markup import without_markers
from assistant.answering.memo.page import SHOWN_OF_KNOWLEDGE, memo_wording
from assistant.answering.memo.record import CitedSource, MemoRecord, record_of
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language


class MemoCheck(BaseModel):
    """What a check found. `changed` counts what a reader of the memo would see otherwise; hashes alone don't."""

    model_config = ConfigDict(frozen=True)

    question: str
    asked: date
    changed: bool
    knowledge_before: str
    knowledge_after: str
    status_before: str
    status_after: str
    model_before: str | None
    model_after: str | None
    lines_gone: tuple[str, ...]
    lines_new: tuple[str, ...]
    sources_gone: tuple[str, ...]
    sources_new: tuple[str, ...]


def question_of(record: MemoRecord) -> Question:
    return Question(text=record.question, language=record.language, history=record.history)


def compare(record: MemoRecord, answer: Answer, today: date) -> MemoCheck:
    """What an answer of today says otherwise than the memo."""
    now = record_of(answer, record.history, today)
    gone, new = _apart(_lines(record.text), _lines(now.text))
    sources_gone, sources_new = _apart(_named(record.sources), _named(now.sources))
    return MemoCheck(
        question=record.question,
        asked=record.asked,
        changed=bool(gone or new or sources_gone or sources_new or record.status != now.status),
        knowledge_before=record.knowledge,
        knowledge_after=now.knowledge,
        status_before=record.status,
        status_after=now.status,
        model_before=record.model,
        model_after=now.model,
        lines_gone=gone,
        lines_new=new,
        sources_gone=sources_gone,
        sources_new=sources_new,
    )


def describe(check: MemoCheck, language: Language) -> str:
    """The outcome of a check in words, one change a line."""
    say = memo_wording().say
    day = format_period(Period.of_day(check.asked), language)
    lines: list[str] = []
    if check.knowledge_before != check.knowledge_after:
        before, after = (known[:SHOWN_OF_KNOWLEDGE] for known in (check.knowledge_before, check.knowledge_after))
        lines.append(say("knowledge_changed", language, before=before, after=after))
    if check.status_before != check.status_after:
        before, after = (say(f"status_{name}", language) for name in (check.status_before, check.status_after))
        lines.append(say("status_changed", language, before=before, after=after))
    if check.model_before != check.model_after:
        before, after = (name or say("no_model", language) for name in (check.model_before, check.model_after))
        lines.append(say("model_changed", language, before=before, after=after))
    lines += [say("line_gone", language, line=line) for line in check.lines_gone]
    lines += [say("line_new", language, line=line) for line in check.lines_new]
    lines += [say("source_gone", language, source=source) for source in check.sources_gone]
    lines += [say("source_new", language, source=source) for source in check.sources_new]
    lead = say("changed" if check.changed else "unchanged", language, date=day)
    return "\n".join([lead, *(f"- {line}" for line in lines)])


def _lines(text: str) -> list[str]:
    """Sentences and table rows without markers, whose numbers may move without anything else changing."""
    plain = without_markers(text)
    return [line[start:end] for line in plain.splitlines() for start, end in _parts(line)]


def _parts(line: str) -> list[tuple[int, int]]:
    return [(0, len(line))] if line.startswith("|") else list(sentence_spans(line))


def _named(sources: tuple[CitedSource, ...]) -> list[str]:
    """What was calculated is told by its sentences; sources are told apart by what is quoted from them."""
    return [
        f"{source.title}: “{' '.join(source.quote.split())}”"
        for source in sources
        if not source.source.startswith("tool:")
    ]


def _apart(before: list[str], after: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What only the first holds, and what only the second, each in its order."""
    gone = tuple(line for line in dict.fromkeys(before) if line not in after)
    return gone, tuple(line for line in dict.fromkeys(after) if line not in before)
