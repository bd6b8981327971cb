"""The sources as a list to search and to filter, each leading to its text."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple, get_args

from assistant.errors import AssistantError
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.markup import clean, one_line
from assistant.interfaces.chat.result import refusal_html
from assistant.interfaces.chat.text import LANGUAGE_TAGS, page_wording
from assistant.knowledge.article import Article, ArticleKind, Work
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.period import Period
from assistant.knowledge.source_list import SourceFilter, SourceSheet, list_sources
from assistant.language.formatting import format_period
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.passage import Passage
from assistant.retrieval.search import MAX_RESULTS, SearchResult

MOST_WORDS = 400
_CONSIDERED = MAX_RESULTS
"""Passages that a search looks at; an article is listed by its best one."""
_NEAR = 0.27
"""Cosine from which a passage speaks of what the words mean; twenty words about other things stay at 0.26 or under."""
_SHOWN_OF_PASSAGE = 320
_MOST_IN_LINE = 3
"""Works behind a source that are named in a line."""

Choices = list[tuple[str, str]]
Search = Callable[[str, Language | None, int], list[SearchResult]]


class LibraryForm(NamedTuple):
    """The fields, in the order in which the page hands them over; empty ones take all."""

    words: str | None
    language: str | None
    kind: str | None
    publisher: str | None
    since: str | None


class Found(NamedTuple):
    """A source, and the passage of it that the words fit best."""

    sheet: SourceSheet
    passage: Passage | None


class Shelf(NamedTuple):
    """What a choice can be made from."""

    languages: Choices
    kinds: Choices
    publishers: Choices
    years: Choices


def shelf_of(corpus: Corpus, language: Language) -> Shelf:
    """The choices that the sources give, with one that takes all before them."""
    say = page_wording().say
    every = (say("any", language), "")
    articles = corpus.articles.values()
    works = [work for article in articles for work in article.based_on]
    publishers = {*(article.publisher for article in articles), *(work.publisher for work in works)}
    dates = [*(article.published for article in articles), *(work.published for work in works)]
    years = sorted({date.text[:4] for date in dates if date is not None}, reverse=True)
    return Shelf(
        languages=[every, *((say(f"lang_{code}", language), code) for code in LANGUAGES)],
        kinds=[every, *((say(f"kind_{kind}", language), kind) for kind in get_args(ArticleKind))],
        publishers=[every, *((name, name) for name in sorted(filter(None, publishers), key=str.casefold))],
        years=[every, *((year, year) for year in years)],
    )


def wanted_of(fields: LibraryForm) -> SourceFilter:
    """The filter that the fields describe."""
    return SourceFilter.model_validate(
        {
            "language": fields.language or None,
            "kind": fields.kind or None,
            "publisher": fields.publisher or None,
            "since": int(fields.since) if fields.since else None,
        }
    )


def found_by_words(words: str, results: list[SearchResult], corpus: Corpus, wanted: SourceFilter) -> Iterator[Found]:
    """The articles that hold all the words, or speak of what they mean; best first, each once.

    A claim is stated in every language, so that an article is found by words that it has in another language alone.
    """
    best: dict[str, SearchResult] = {}
    for result in results:
        best.setdefault(result.passage.source_id, result)
    sought = words.casefold().split()
    literal = {id_ for id_, article in corpus.articles.items() if _holds_all(article, sought)}
    literal |= {corpus.article_of[id_] for id_, claim in corpus.claims.items() if _states_all(claim, sought)}
    near = [id_ for id_, result in best.items() if id_ not in literal and result.cosine >= _NEAR]
    # Those that hold the words come first, in the order of their passages.
    ranked = [*(id_ for id_ in best if id_ in literal), *sorted(literal - best.keys()), *near]
    for id_ in ranked:
        article = corpus.articles[id_]
        if wanted.wants(article):
            yield Found(SourceSheet.of(article), best[id_].passage if id_ in best else None)


def _holds_all(article: Article, sought: list[str]) -> bool:
    works = " ".join(work.title for work in article.based_on)
    text = f"{article.title} {works} {article.body}".casefold()
    return all(word in text for word in sought)


def _states_all(claim: Claim, sought: list[str]) -> bool:
    return any(
        all(word in stated for word in sought)
        for stated in (claim.statement.in_language(language).casefold() for language in LANGUAGES)
    )


class Library:
    """Lists the sources of one knowledge base. `search` gives the passages that words fit best."""

    def __init__(self, corpus: Corpus, search: Search) -> None:
        self._corpus = corpus
        self._search = search

    def shelf(self, language: Language) -> Shelf:
        return shelf_of(self._corpus, language)

    def listed(self, fields: LibraryForm, form: Form) -> str:
        """The sources that are wanted, as HTML."""
        words = clean(fields.words or "").strip()[:MOST_WORDS]
        wanted = wanted_of(fields)
        try:
            if words:
                results = self._search(words, None, _CONSIDERED)
                found = list(found_by_words(words, results, self._corpus, wanted))
            else:
                found = [Found(sheet, None) for sheet in list_sources(self._corpus, wanted)]
        except AssistantError as error:
            return refusal_html(form, error)
        count = form.say("library_count", count=str(len(found)), all=str(len(self._corpus.articles)))
        if not found:
            count = f"{count}. {form.say('library_none')}"
        cards = "".join(_card(one, words, form) for one in found)
        return one_line(f'<p class="hint" role="status">{escape(count)}</p><ul class="library">{cards}</ul>')


def _card(found: Found, words: str, form: Form) -> str:
    sheet, passage = found
    tag = LANGUAGE_TAGS[sheet.language]
    address = f"api/sources/{sheet.id}"
    date = format_period(Period(sheet.published), form.language) if sheet.published else ""
    parts = (form.say(f"kind_{sheet.kind}"), sheet.publisher or "", date, form.say(f"lang_{sheet.language}"))
    meta = " · ".join(part for part in parts if part)
    based = _works(sheet.based_on, form)
    return (
        f'<li><a class="title" href="{address}" target="_blank" lang="{tag}">{escape(clean(sheet.title))}</a>'
        f'<p class="meta">{escape(clean(meta))}</p>{based}{_passage(passage, words, address, tag, form)}</li>'
    )


def _works(works: Sequence[Work], form: Form) -> str:
    """The works behind a source; many stand in a list that opens on demand."""
    named = [
        escape(clean(", ".join(filter(None, (work.title, work.publisher, _date(work.published, form.language))))))
        for work in works
    ]
    if len(named) > _MOST_IN_LINE:
        said = escape(form.say("based_on_works", count=str(len(named))))
        items = "".join(f"<li>{name}</li>" for name in named)
        return f'<details class="figures"><summary>{said}</summary><ul>{items}</ul></details>'
    return f'<p class="meta">{escape(form.say("based_on"))}: {"; ".join(named)}</p>' if named else ""


def _passage(passage: Passage | None, words: str, address: str, tag: str, form: Form) -> str:
    if passage is None:
        return ""
    text = " ".join(passage.text.replace("|", " ").replace("*", "").split())
    shown = _excerpt(clean(text), words)
    place = f"{address}?start={passage.start}&amp;end={passage.end}#passage"
    return (
        f'<blockquote lang="{tag}">{_with_marks(shown, words)}</blockquote>'
        f'<p><a href="{place}" target="_blank">{escape(form.say("library_in_place"))}</a></p>'
    )


def _excerpt(text: str, words: str) -> str:
    """A passage cut to what a list has room for, from a little before the first of the words."""
    if len(text) <= _SHOWN_OF_PASSAGE:
        return text
    match = _any_of(words).search(text)
    start = max(0, match.start() - _SHOWN_OF_PASSAGE // 3) if match else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = start + _SHOWN_OF_PASSAGE
    last = len(text) if end >= len(text) else max(text.rfind(" ", start, end), start + _SHOWN_OF_PASSAGE // 2)
    return f"{'… ' if start else ''}{text[start:last]}{' …' if last < len(text) else ''}"


def _with_marks(text: str, words: str) -> str:
    """Text as HTML with the words marked."""
    place, parts = 0, []
    for match in _any_of(words).finditer(text):
        parts += [escape(text[place : match.start()]), f"<mark>{escape(match[0])}</mark>"]
        place = match.end()
    return "".join([*parts, escape(text[place:])])


def _any_of(words: str) -> re.Pattern[str]:
    """Any of the words that say something by their length; a Chinese one may be a single character."""
    telling = [word for word in words.split() if len(word) > 2 or not word.isascii()]
    return re.compile("|".join(map(re.escape, telling)) or r"(?!)", re.IGNORECASE)


def _date(period: Period | None, language: Language) -> str:
    return format_period(period, language) if period else ""
