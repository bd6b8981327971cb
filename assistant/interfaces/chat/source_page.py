"""A source as a page of its own, opened at the passage that an answer cites."""

from html import escape

from assistant.interfaces.chat.markup import clean, render
from assistant.interfaces.chat.passage import context_of
from assistant.interfaces.chat.sources_panel import context_html
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording
from assistant.interfaces.page_style import page_style
from assistant.knowledge.period import Period
from assistant.knowledge.source_list import PlacedPassage
from assistant.language.formatting import format_period
from assistant.language.tongue import Language


def source_page(passage: PlacedPassage, language: Language) -> str:
    """The passage with its surroundings, its words marked, then the whole text; labels in the visitor's language."""
    say, source = page_wording().say, passage.source
    tag = LANGUAGE_TAGS[source.language]
    body = passage.before + passage.quote + passage.after
    dated = format_period(Period(source.published), language) if source.published else ""
    written_in = say(f"lang_{source.language}", language)
    meta = " · ".join(part for part in (source.publisher or "", dated, written_in) if part)
    shown = ""
    if passage.quote:
        context = context_html(context_of(body, passage.quote, passage.start, passage.end))
        where = escape(clean(say("section", language, section=passage.section)))
        shown = f'<p class="where">{where}</p><blockquote id="passage">{context}</blockquote>'
    return (
        f'<!doctype html><html lang="{LANGUAGE_TAGS[language]}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(clean(source.title))}</title><style>{page_style()}</style></head>"
        f'<body><main><h1 lang="{tag}">{escape(clean(source.title))}</h1>'
        f'<p class="meta">{escape(clean(meta))}</p><div lang="{tag}" class="passage-body">{shown}{render(body)}</div>'
        "</main></body></html>"
    )
