"""The exact passage that a statement rests on."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, StrictInt

from assistant.knowledge.article import Article, Work
from assistant.knowledge.specification import Source
from assistant.language.tongue import Language, Translated


class BasedOn(BaseModel):
    """A publication whose facts the cited passage carries."""

    model_config = ConfigDict(frozen=True)

    title: str
    publisher: str | None = None
    published: str | None = None


class Citation(BaseModel):
    """The exact passage a statement rests on. `start` and `end` count characters in the article's text."""

    model_config = ConfigDict(frozen=True)

    marker: StrictInt
    source_id: str
    title: str
    publisher: str | None = None
    language: Language
    published: str | None = None
    url: str | None = None
    section: str
    quote: str
    start: StrictInt | None = None
    end: StrictInt | None = None
    kind: Literal["article", "specification", "tool"]
    based_on: tuple[BasedOn, ...] = ()

    def told_in(self, language: Language) -> "Citation":
        """The citation as an answer in that language gives it: a quote stays in the words of its source."""
        return self


class RowCitation(Citation):
    """A row of specifications, not numbered yet; `quote` is its sentence in English until a language is asked."""

    row: Translated
    """The row itself: what it is about, the property, the value."""

    def told_in(self, language: Language) -> Citation:
        """The row in that language, which is nobody's words, so that it is not taken for a quote."""
        fields = {name: getattr(self, name) for name in Citation.model_fields}
        return Citation(**fields | {"quote": self.row.in_language(language), "language": language})


def cite_article(article: Article, quote: str, *, start: int, section: str, works: Iterable[Work]) -> Citation:
    """The citation of a quote that stands at `start` of the article, not numbered yet, with the works it rests on."""
    return Citation(
        marker=0,
        source_id=article.id,
        title=article.title,
        publisher=article.publisher,
        language=article.language,
        published=str(article.published) if article.published else None,
        url=article.url,
        section=section,
        quote=quote,
        start=start,
        end=start + len(quote),
        kind="article",
        based_on=_based_on(works),
    )


def cite_row(source_id: str, sources: Sequence[Source], statement: str, section: str, row: Translated) -> RowCitation:
    """The citation of a specification's row, not numbered yet; its first source is the one it is named after."""
    first = sources[0]
    return RowCitation(
        marker=0,
        source_id=source_id,
        title=first.title,
        publisher=first.publisher,
        language=first.language,
        published=str(first.published) if first.published else None,
        url=first.url,
        section=section,
        quote=statement,
        row=row,
        kind="specification",
        based_on=_based_on(sources),
    )


def _based_on(publications: Iterable[Work | Source]) -> tuple[BasedOn, ...]:
    return tuple(
        BasedOn(
            title=publication.title,
            publisher=publication.publisher,
            published=str(publication.published) if publication.published else None,
        )
        for publication in publications
    )
