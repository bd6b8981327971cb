"""How a citation is shown, the same wherever it is: its date, and its words."""

from assistant.knowledge.citation import BasedOn, Citation
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period
from assistant.language.tongue import Language


def dated(citation: Citation, language: Language) -> str:
    """The date of what is told: that of the work whose facts the passage carries, else the source's own; or empty."""
    work = next((work.published for work in citation.based_on if work.published), None)
    return _in_words(work or citation.published, language)


def work_dated(work: BasedOn, language: Language) -> str:
    return _in_words(work.published, language)


def shown_words(citation: Citation) -> str:
    """The words in one line, in quotation marks where they are the source's own: a row or a sum is nobody's words."""
    words = " ".join(citation.quote.split())
    return f"“{words}”" if citation.kind == "article" else words


def _in_words(published: str | None, language: Language) -> str:
    if not published:
        return ""
    try:
        return format_period(Period(published), language)
    except ValueError:
        return published
