"""The panel beside the conversation: each cited passage, highlighted where it stands in its article."""

from html import escape

from assistant.answering.cited import dated, work_dated
from assistant.interfaces.chat.markup import clean, one_line
from assistant.interfaces.chat.passage import Context, Prose, Run, Table, context_of
from assistant.interfaces.chat.text import LANGUAGE_TAGS
from assistant.knowledge.citation import BasedOn, Citation
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.language.wording import Wording


def passage_id(exchange: int, marker: int) -> str:
    """The element that holds a passage; links in the answer point to it."""
    return f"passage-{exchange}-{marker}"


def title_of(citation: Citation, text: Wording, language: Language) -> str:
    """The title of the source, or what was calculated."""
    if citation.kind != "tool":
        return clean(citation.title)
    known = f"tool_{citation.section}"
    return text.say(known if known in text.phrases else "tool_other", language)


def panel_html(
    answered: list[tuple[int, tuple[Citation, ...]]], corpus: Corpus | None, text: Wording, language: Language
) -> str:
    """The sources of every answer, by number of the exchange; the last answer's are shown until others are chosen."""
    head = f'<h2 class="sources-title">{escape(text.say("sources", language))}</h2>'
    closing = f'<button type="button" class="close-sources">{escape(text.say("close", language))}</button>'
    sections = [
        _section(exchange, citations, corpus, text, language, shown=number == len(answered) - 1)
        for number, (exchange, citations) in enumerate(answered)
    ]
    if not sections:
        sections = [f'<p class="hint">{escape(text.say("sources_empty", language))}</p>']
        if corpus is not None:
            held = text.say("sources_held", language, count=str(len(corpus.articles)))
            sections.append(f'<p class="hint">{escape(held)}</p>')
    return one_line(f'<div class="sources-head">{head}{closing}</div>{"".join(sections)}')


def _section(
    exchange: int,
    citations: tuple[Citation, ...],
    corpus: Corpus | None,
    text: Wording,
    language: Language,
    shown: bool,
) -> str:
    passages = "".join(_passage(exchange, citation, corpus, text, language) for citation in citations)
    if not citations:
        passages = f'<p class="hint">{escape(text.say("no_sources", language))}</p>'
    current = " current" if shown else ""
    return f'<section class="sources{current}" id="sources-{exchange}">{passages}</section>'


def _passage(exchange: int, citation: Citation, corpus: Corpus | None, text: Wording, language: Language) -> str:
    article = corpus.articles.get(citation.source_id) if corpus else None
    if article is not None and citation.kind == "article":
        context = context_of(article.body, citation.quote, citation.start, citation.end)
    else:
        context = Prose(runs=(Run(text=citation.quote, quoted=citation.kind == "article"),))
    shown = _steps(citation.quote) if citation.kind == "tool" else context_html(context)
    # A row of data is nobody's words.
    words = "blockquote" if citation.kind != "specification" else "div"
    tag = "en" if citation.kind == "tool" else LANGUAGE_TAGS[citation.language]
    title = escape(title_of(citation, text, language))
    title_tag = LANGUAGE_TAGS[language if citation.kind == "tool" else citation.language]
    return (
        f'<details class="passage {citation.kind}" id="{passage_id(exchange, citation.marker)}">'
        f'<summary><span class="number">{citation.marker}</span>'
        f'<span class="heading"><span class="title" lang="{title_tag}">{title}</span>'
        f'<span class="meta">{_meta(citation, text, language)}</span></span></summary>'
        f'<div class="passage-body">{_where(citation, text, language)}'
        f'<{words} lang="{tag}" dir="auto">{shown}</{words}>'
        f"{_based_on(citation, text, language)}{_link(citation, text, language)}</div></details>"
    )


def _steps(formulas: str) -> str:
    """The steps of a calculation, one a line; each is "formula: numbers", and a formula may hold a semicolon itself."""
    steps: list[str] = []
    for part in formulas.split("; "):
        if steps and ": " not in steps[-1]:
            steps[-1] += f"; {part}"
        else:
            steps.append(part)
    return '<ul class="steps">' + "".join(f"<li>{escape(clean(step))}</li>" for step in steps) + "</ul>"


def _meta(citation: Citation, text: Wording, language: Language) -> str:
    if citation.kind == "tool":
        return ""
    is_row = citation.kind == "specification"
    kind = text.say("kind_specification", language) if is_row else ""
    written_in = "" if is_row else text.say(f"lang_{citation.language}", language)
    parts = [kind, citation.publisher or "", dated(citation, language), written_in]
    return escape(clean(" · ".join(part for part in parts if part)))


def _where(citation: Citation, text: Wording, language: Language) -> str:
    if citation.kind != "article" or citation.section in ("", citation.title):
        return ""
    return f'<p class="where">{escape(clean(text.say("section", language, section=citation.section)))}</p>'


def _based_on(citation: Citation, text: Wording, language: Language) -> str:
    if not citation.based_on:
        return ""
    works = "".join(f"<li>{escape(_work(work, language))}</li>" for work in citation.based_on)
    return f'<div class="based-on"><span>{escape(text.say("based_on", language))}</span><ul>{works}</ul></div>'


def _work(work: BasedOn, language: Language) -> str:
    return clean(", ".join(part for part in (work.title, work.publisher, work_dated(work, language)) if part))


def _link(citation: Citation, text: Wording, language: Language) -> str:
    """A link to the original, where its address is of the web."""
    if not citation.url or not citation.url.startswith(("https://", "http://")):
        return ""
    return f'<p><a class="original" href="{escape(citation.url)}">{escape(text.say("original", language))} ↗</a></p>'


def context_html(context: Context) -> str:
    """The passage with the quoted words marked."""
    if isinstance(context, Prose):
        return f'<p class="prose-context">{"".join(map(_run, context.runs))}</p>'
    return _table(context)


def _run(run: Run) -> str:
    shown = escape(clean(run.text))
    return f"<mark>{shown}</mark>" if run.quoted else shown


def _table(table: Table) -> str:
    header = "".join(f"<th>{_run(cell)}</th>" for cell in table.header)
    width = len(table.header)
    lines: list[str] = []
    for row in table.rows:
        if row.gap:
            lines.append(f'<tr class="gap"><td colspan="{width}">⋯</td></tr>')
        lines.append("<tr>" + "".join(f"<td>{_run(cell)}</td>" for cell in row.cells) + "</tr>")
    return (
        f'<div class="table" tabindex="0"><table><thead><tr>{header}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
