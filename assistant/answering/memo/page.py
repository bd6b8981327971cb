"""A memo as a page: Markdown, or the markup of DokuWiki or MediaWiki."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from assistant.answering.answer import Answer
from assistant.answering.cited import dated, shown_words
from assistant.answering.memo.record import MemoRecord, written
from assistant.answering.memo.wiki_markup import DOKUWIKI, MEDIAWIKI, WikiSyntax, wiki_markup
from assistant.knowledge.citation import Citation
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period
from assistant.language.tongue import Language
from assistant.language.wording import Wording, read_wording

PageFormat = Literal["markdown", "dokuwiki", "mediawiki"]
SHOWN_OF_KNOWLEDGE = 12
"""Characters of the knowledge base's hash that a reader needs."""


@lru_cache(maxsize=1)
def memo_wording() -> Wording:
    return read_wording(Path(__file__).parent / "wording.yaml")


def answer_markdown(answer: Answer) -> str:
    """The answer and the passages it rests on, as Markdown to paste elsewhere."""
    notes = [source_line(citation, answer.language) for citation in answer.citations]
    return "\n\n".join(filter(None, [answer.text, "\n".join(notes)])).strip() + "\n"


def source_line(citation: Citation, language: Language) -> str:
    """One source: marker, title, publisher, date, language, the quoted words, and the address where it has one."""
    say = memo_wording().say
    if citation.kind == "tool":
        return f"[{citation.marker}] {say('calculation', language)}: {shown_words(citation)}"
    spoken = say(f"lang_{citation.language}", language) if citation.kind == "article" else ""
    parts = (citation.title, citation.publisher, dated(citation, language), spoken)
    address = f" {citation.url}" if citation.url and citation.url.startswith(("https://", "http://")) else ""
    return f"[{citation.marker}] {', '.join(part for part in parts if part)}: {shown_words(citation)}{address}"


def memo_page(answer: Answer, record: MemoRecord, form: PageFormat) -> str:
    """The memo as text to paste into a page of that kind."""
    return _PAGES[form](answer, record)


def _sections(answer: Answer, record: MemoRecord) -> list[str]:
    """The memo's Markdown up to its record."""
    language = answer.language
    say = memo_wording().say
    parts = [f"## {say('question', language)}", answer.question.strip()]
    if record.history:
        parts += [f"{say('earlier', language)}:", "\n".join(f"- {_one_line(earlier)}" for earlier in record.history)]
    parts += [f"## {say('answer', language)}", answer.text]
    reservations = dict.fromkeys(caveat.text for caveat in answer.caveats)
    if reservations:
        parts += [f"## {say('assumptions', language)}", "\n".join(f"- {_one_line(text)}" for text in reservations)]
    if answer.citations:
        lines = [f"- {source_line(citation, language)}" for citation in answer.citations]
        parts += [f"## {say('sources', language)}", "\n".join(lines)]
    day = format_period(Period.of_day(record.asked), language)
    known = answer.knowledge[:SHOWN_OF_KNOWLEDGE]
    parts.append(
        say("written", language, date=day, model=answer.model, knowledge=known)
        if answer.model
        else say("composed", language, date=day, knowledge=known)
    )
    parts.append(say("record", language))
    return parts


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _markdown(answer: Answer, record: MemoRecord) -> str:
    return "\n\n".join([*_sections(answer, record), f"```json\n{written(record)}\n```"]) + "\n"


def _in(syntax: WikiSyntax) -> Callable[[Answer, MemoRecord], str]:
    def page(answer: Answer, record: MemoRecord) -> str:
        text = wiki_markup("\n\n".join(_sections(answer, record)), syntax)
        return f"{text}\n\n{syntax.data.format(written(record))}\n"

    return page


_PAGES: Mapping[PageFormat, Callable[[Answer, MemoRecord], str]] = {
    "markdown": _markdown,
    "dokuwiki": _in(DOKUWIKI),
    "mediawiki": _in(MEDIAWIKI),
}
