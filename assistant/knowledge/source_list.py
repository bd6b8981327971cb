"""The sources by language, kind, publisher and words of the title, and a passage of one as it stands there."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.knowledge.article import Article, ArticleKind, Work
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language


class SourceSheet(BaseModel):
    """What is known of a source besides its text."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    language: Language
    publisher: str | None
    published: str | None
    retrieved: str | None
    url: str | None
    kind: ArticleKind
    based_on: tuple[Work, ...]
    characters: int

    @classmethod
    def of(cls, article: Article) -> "SourceSheet":
        return cls(
            id=article.id,
            title=article.title,
            language=article.language,
            publisher=article.publisher,
            published=str(article.published) if article.published else None,
            retrieved=str(article.retrieved) if article.retrieved else None,
            url=article.url,
            kind=article.kind,
            based_on=article.based_on,
            characters=len(article.body),
        )


class SourceFilter(BaseModel):
    """Which sources are wanted; None takes all."""

    model_config = ConfigDict(frozen=True)

    language: Language | None = None
    kind: ArticleKind | None = None
    publisher: str | None = None
    """In part, in any case; publishers of the works that an article is based on count too."""
    words: str | None = None
    """In part of the title, in any case."""
    since: int | None = None
    """First year that counts; of the works that an article is based on, where it has any."""

    def wants(self, article: Article) -> bool:
        publishers = [article.publisher, *(work.publisher for work in article.based_on)]
        return (
            self.language in (None, article.language)
            and self.kind in (None, article.kind)
            and _holds(publishers, self.publisher)
            and _holds([article.title, *(work.title for work in article.based_on)], self.words)
            and self._is_recent(article)
        )

    def _is_recent(self, article: Article) -> bool:
        dates = [work.published for work in article.based_on] or [article.published]
        return self.since is None or any(date is not None and date.last.year >= self.since for date in dates)


def _holds(texts: list[str | None], wanted: str | None) -> bool:
    return wanted is None or any(wanted.casefold() in text.casefold() for text in texts if text)


def list_sources(corpus: Corpus, wanted: SourceFilter) -> Iterator[SourceSheet]:
    """The sources wanted, by language and title."""
    articles = sorted(corpus.articles.values(), key=lambda article: (article.language, article.title))
    return (SourceSheet.of(article) for article in articles if wanted.wants(article))


class PlacedPassage(BaseModel):
    """A source with one passage of it set apart; put together, the three parts are the whole text in Markdown."""

    model_config = ConfigDict(frozen=True)

    source: SourceSheet
    section: str
    start: int
    end: int
    before: str
    quote: str
    after: str


def place_passage(article: Article, start: int | None, end: int | None) -> PlacedPassage:
    """The passage from `start` to `end`; without them an empty one at the beginning. Raises InvalidInput."""
    first = start or 0
    last = first if end is None else end
    if not first <= last <= len(article.body):
        raise InvalidInput(
            f"start and end: {first} to {last} is no passage of a text of {len(article.body)} characters."
        )
    return PlacedPassage(
        source=SourceSheet.of(article),
        section=article.section_at(first),
        start=first,
        end=last,
        before=article.body[:first],
        quote=article.body[first:last],
        after=article.body[last:],
    )
