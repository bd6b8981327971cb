"""The outcome of a calculator as HTML: what it says, its chart, and where each input comes from."""

from collections.abc import Sequence
from html import escape

from assistant.errors import AssistantError
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.markup import clean, one_line, render
from assistant.interfaces.chat.text import LANGUAGE_TAGS
from assistant.language.refusal import refusal_text
from assistant.settings import ROOT


def outcome_html(form: Form, markdown: str, chart: str = "", details: Sequence[tuple[str, Sequence[str]]] = ()) -> str:
    """The first paragraph, the chart, the rest of the text, then lists that open on demand."""
    lead, _, rest = markdown.partition("\n\n")
    lists = "".join(_details(title, lines) for title, lines in details if lines)
    return one_line(
        f'<div class="outcome" lang="{LANGUAGE_TAGS[form.language]}"><div class="lead">{render(lead)}</div>'
        f"{chart}{render(rest)}{lists}</div>"
    )


def _details(title: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(clean(line))}</li>" for line in lines)
    return f'<details class="figures"><summary>{escape(title)}</summary><ul>{items}</ul></details>'


def refusal_html(form: Form, error: AssistantError) -> str:
    """One line instead of an outcome."""
    line = escape(clean(refusal_text(error, form.language, ROOT / "corpus")))
    return one_line(f'<div class="outcome"><p class="problem" role="alert">{line}</p></div>')
