"""The citations of an answer for readers who see nothing but its text: footnotes, and places with an address."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.cited import dated, shown_words
from assistant.knowledge.citation import Citation
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.cost.describer import read_cost_wording

_MARKER = re.compile(r"\[(\d{1,3})\]")


class UrlCitation(BaseModel):
    """A marker's place in the text, and what it leads to."""

    model_config = ConfigDict(frozen=True)

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    """A citation as the OpenAI protocol has it."""

    model_config = ConfigDict(frozen=True)

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


def what_else(answer: Answer, corpus: Path) -> str:
    """What stands under the text: what would change a calculation, where it is not told there, and the footnotes."""
    told = [change.get("text") for run in answer.tool_runs for change in run.result.get("would_change", ())]
    changes = [f"- {text}" for text in told if text and text not in answer.text]
    heading = f"\n\n{_cost_wording(corpus).say('would_change', answer.language)}\n" if changes else ""
    return heading + "\n".join(changes) + footnotes(answer)


@lru_cache(maxsize=4)
def _cost_wording(corpus: Path) -> Wording:
    return read_cost_wording(corpus)


def footnotes(answer: Answer) -> str:
    """Each marker with its source and the words quoted. Empty where nothing is cited."""
    return "".join(f"\n\n{_footnote(citation, answer.language)}" for citation in answer.citations)


def _footnote(citation: Citation, language: Language) -> str:
    origin = ", ".join(part for part in (citation.title, citation.publisher, dated(citation, language)) if part)
    return f"[{citation.marker}] {origin}: {shown_words(citation)}"


def annotations(answer: Answer, base: str) -> tuple[Annotation, ...]:
    """Every marker in the text whose source has an address; `base` is this server's own, with a slash at its end."""
    return tuple(_annotations(answer, base))


def _annotations(answer: Answer, base: str) -> Iterator[Annotation]:
    by_marker = {citation.marker: citation for citation in answer.citations}
    for match in _MARKER.finditer(answer.text):
        citation = by_marker.get(int(match[1]))
        address = source_address(citation, base) if citation else None
        if citation is not None and address is not None:
            placed = UrlCitation(start_index=match.start(), end_index=match.end(), title=citation.title, url=address)
            yield Annotation(url_citation=placed)


def source_address(citation: Citation, base: str) -> str | None:
    """Where the cited passage can be read: on this server, or for specifications where they were published."""
    if citation.kind == "article":
        place = {"start": citation.start, "end": citation.end} if citation.start is not None else {}
        return f"{base}api/sources/{quote(citation.source_id)}" + (f"?{urlencode(place)}" if place else "")
    return citation.url if citation.url and citation.url.startswith(("https://", "http://")) else None
