"""Cards side by side, as a table with sources and a chart of one property."""

from collections.abc import Mapping, Sequence
from html import escape

from assistant.answering.cited import dated
from assistant.errors import AssistantError
from assistant.interfaces.chat.charts import Bar, BarChart, Segment, bar_chart_html
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.markup import clean, one_line
from assistant.interfaces.chat.result import refusal_html
from assistant.interfaces.chat.text import LANGUAGE_TAGS
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.tongue import Language
from assistant.tools.card_table import MOST_CARDS, CardTable, CardValue, PropertyRow, card_properties, card_table
from assistant.tools.cost.names import cards_and_families


class CompareDesk:
    """Compares cards of one knowledge base."""

    def __init__(self, corpus: Corpus, facts: Mapping[str, Sequence[Fact]]) -> None:
        self._corpus = corpus
        self._facts = facts

    def cards(self) -> list[str]:
        """Names of the cards and of their families."""
        return sorted({entity.name for entity in cards_and_families(self._corpus).values()})

    def properties(self, language: Language) -> list[tuple[str, str]]:
        """Label and id of each property that is a figure."""
        return [
            (self._corpus.attributes[id_].label.in_language(language), id_) for id_ in card_properties(self._corpus)
        ]

    def compare(self, cards: Sequence[str] | None, charted: str | None, form: Form) -> str:
        """The table and the chart; what can't be compared is said in one line."""
        if not cards or len(cards) > MOST_CARDS:
            return f'<p class="hint">{escape(form.say("compare_none", most=str(MOST_CARDS)))}</p>'
        try:
            table = card_table(cards, (), self._facts, self._corpus, form.language)
        except AssistantError as error:
            return refusal_html(form, error)
        row = next((row for row in table.rows if row.attribute == charted), None)
        chart = chart_of(row, table, form) if row is not None else ""
        tag = LANGUAGE_TAGS[form.language]
        return one_line(f'<div class="outcome comparison" lang="{tag}">{chart}{table_html(table, form)}</div>')


def chart_of(row: PropertyRow, table: CardTable, form: Form) -> str:
    """One bar a card, from the least to the most that its sources say; nothing where no card has a figure."""
    bars: list[Bar] = []
    for name, cell in zip(table.names, row.cells, strict=True):
        figures = [value.figures for value in cell if value.figures is not None]
        if not figures:
            continue
        low, high = min(one.low for one in figures), max(one.high for one in figures)
        shown = "; ".join(dict.fromkeys(value.shown for value in cell))
        segments = [Segment(label=name, size=float(low), shown=shown, tone="a")]
        if high > low:
            segments.append(Segment(label=name, size=float(high - low), shown=shown, tone="range"))
        bars.append(Bar(label=name, segments=tuple(segments)))
    if not bars:
        return ""
    return bar_chart_html(BarChart(title=row.label, bars=tuple(bars), legend=False), form.say("figures"))


def table_html(table: CardTable, form: Form) -> str:
    """Properties as rows, cards as columns, and the sources of the values as a numbered list."""
    numbers: dict[tuple[str, str], int] = {}
    sources: list[Citation] = []

    def number(citation: Citation) -> int:
        key = (citation.source_id.partition("#")[0], citation.title)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            sources.append(citation)
        return numbers[key]

    def cell_html(cell: tuple[CardValue, ...], card: str, row: PropertyRow) -> str:
        if not cell:
            return f'<td class="unknown">{escape(form.say("compare_unknown"))}</td>'
        values = "<br>".join(_value(value, card, number(value.citation)) for value in cell)
        best = f' <span class="most">{escape(form.say("compare_most"))}</span>' if row.most == card else ""
        return f"<td>{values}{best}</td>"

    body = "".join(
        f'<tr><th scope="row">{escape(clean(row.label))}</th>'
        + "".join(cell_html(cell, card, row) for card, cell in zip(table.cards, row.cells, strict=True))
        + "</tr>"
        for row in table.rows
    )
    head = "".join(f'<th scope="col">{escape(clean(name))}</th>' for name in table.names)
    listed = "".join(f"<li>{_source(citation, form)}</li>" for citation in sources)
    return (
        f'<div class="table" tabindex="0"><table><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
        f'<h2 class="sources-title">{escape(form.say("sources"))}</h2><ol class="compared-sources">{listed}</ol>'
    )


def _value(value: CardValue, card: str, number: int) -> str:
    edition = f' <span class="aside">({escape(clean(value.card_name))})</span>' if value.card != card else ""
    return f'{escape(clean(value.shown))}{edition}<sup class="source-number">{number}</sup>'


def _source(citation: Citation, form: Form) -> str:
    date = dated(citation, form.language)
    spoken = form.say(f"lang_{citation.language}") if citation.kind == "article" else ""
    named = ", ".join(part for part in (citation.title, citation.publisher, date, spoken) if part)
    return escape(clean(named))
