"""Whether what is known still stands as its source has it, on a given day: each claim and row in one state."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError, InvalidInput
from assistant.knowledge.anchor import Anchor, find_anchor
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.attribute import Attribute
from assistant.knowledge.check import describe
from assistant.knowledge.claim import Claim, ClaimsFile, Range
from assistant.knowledge.corpus import read_attributes, read_claims_files
from assistant.knowledge.period import Period
from assistant.knowledge.rows import Rows
from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import GpusFile, PricesFile, SoftwareFile

State = Literal["FRESH", "EXPIRED", "MOVED", "VALUE_CHANGED", "QUOTE_GONE", "SOURCE_GONE", "NOT_CHECKED"]
STATES: tuple[State, ...] = get_args(State)
BROKEN: frozenset[State] = frozenset({"VALUE_CHANGED", "QUOTE_GONE", "SOURCE_GONE"})
"""States in which a claim can't be used: what it says is not what its source says now."""


class Standing(BaseModel):
    """The state of one claim or row, with what a person needs to mend it."""

    model_config = ConfigDict(frozen=True)

    id: str
    """Claim id, or spec.<entity>.<attribute>.<number>, price.<card>.<provider>.<number> …"""
    source: str
    state: State
    value: str = ""
    """What the claim says, in its own unit."""
    found: str = ""
    """What its source says now, where the context is found."""
    quote: str = ""
    expires: date | None = None
    """The last day on which it counts as fresh; None for what doesn't go out of date."""
    note: str = ""
    rows: tuple[str, ...] = ()
    """Ids of specification rows that still give the value of a claim whose source no longer does."""

    def __str__(self) -> str:
        change = f": {self.value} → {self.found}" if self.found else f": {self.value}" if self.value else ""
        return f"{self.state:13} {self.id}{change}{f' ({self.note})' if self.note else ''}"


class SourceRecord(BaseModel):
    """What sources said when they were last looked at: to tell a text that moved from one that is as it was."""

    model_config = ConfigDict(frozen=True)

    articles: dict[str, str]
    """Hash of each article's text by its id."""
    claims: dict[str, str]
    """Article id by claim id."""


def record_sources(directory: Path) -> SourceRecord:
    """The present texts and claims of a knowledge base. Files that can't be read are left out."""
    articles, _ = _articles(directory)
    return SourceRecord(
        articles={id_: text_hash(article) for id_, article in articles.items()},
        claims={claim.id: file.article for _, file in read_claims_files(directory) for claim in file.claims},
    )


def refuse_past(day: date, articles: Iterable[Article]) -> None:
    """Raises InvalidInput for a day before the newest article was published: nothing of it could have been known."""
    dated = [(article.published, article.id) for article in articles if article.published]
    newest, id_ = max(dated, key=lambda item: item[0].first, default=(None, ""))
    if newest is not None and day < newest.first:
        raise InvalidInput(
            f"The clock is {day}, before {id_} was published ({newest}).", "Give a later day with --as-of."
        )


def readable_articles(directory: Path) -> list[Article]:
    """The articles of a knowledge base, without those that can't be read."""
    return list(_articles(directory)[0].values())


def text_hash(article: Article) -> str:
    return hashlib.sha256(article.body.encode()).hexdigest()[:16]


def standings(directory: Path, day: date, earlier: SourceRecord | None = None) -> list[Standing]:
    """Every claim and specification row of a knowledge base in one state, on a day.

    `earlier` is what the sources said before: a quote that still stands in a text that changed is MOVED, and a claim
    that is gone with its article is SOURCE_GONE. Without it a text counts as unchanged. Raises CorpusError where the
    claims themselves can't be read.
    """
    articles, unreadable = _articles(directory)
    attributes = read_attributes(directory)
    files = [file for _, file in read_claims_files(directory)]
    found = [
        _of_claim(claim, file, articles, unreadable, attributes, day, earlier)
        for file in files
        for claim in file.claims
    ]
    if any(standing.state in BROKEN for standing in found):
        rows, claims = Rows(directory), {claim.id: claim for file in files for claim in file.claims}
        found = [
            standing.model_copy(update={"rows": rows.giving(claims[standing.id])})
            if standing.state in BROKEN
            else standing
            for standing in found
        ]
    here = {standing.id for standing in found}
    if earlier is not None:
        found += [
            Standing(id=id_, source=source, state="SOURCE_GONE", note=f"{source} and its claims were removed")
            for id_, source in earlier.claims.items()
            if id_ not in here and source not in articles
        ]
    return found + list(_of_rows(directory, attributes, day))


def _articles(directory: Path) -> tuple[dict[str, Article], dict[str, str]]:
    """The articles that can be read, and for each file that can't, why, by the file's name."""
    articles: dict[str, Article] = {}
    unreadable: dict[str, str] = {}
    for path in sorted(directory.glob("articles/*/**/*.md")):
        try:
            article = read_article(path)
        except CorpusError as error:
            unreadable[path.stem] = error.problem.removeprefix(f"{path}: ")
        else:
            articles[article.id] = article
    return articles, unreadable


def _of_claim(
    claim: Claim,
    file: ClaimsFile,
    articles: dict[str, Article],
    unreadable: dict[str, str],
    attributes: dict[str, Attribute],
    day: date,
    earlier: SourceRecord | None,
) -> Standing:
    article = articles.get(file.article)
    said = claim.text or (describe(claim) if claim.value is not None else "")
    standing = Standing(id=claim.id, source=file.article, state="FRESH", value=said, quote=claim.quote)
    if article is None and file.article in unreadable:
        note = f"{file.article} can't be read: {unreadable[file.article]}"
        return standing.model_copy(update={"state": "NOT_CHECKED", "note": note})
    if article is None:
        return standing.model_copy(update={"state": "SOURCE_GONE", "note": f"there is no article {file.article}"})
    if claim.quote not in article.body:
        others = {other.quote for other in file.claims if other.quote in article.body}
        elsewhere = [id_ for id_, other in articles.items() if claim.quote in other.body]
        return _without_quote(standing, find_anchor(claim, article, others), elsewhere)
    work = article.work(claim.work)
    held = claim.qualifiers.as_of or (work.published if work else None)
    expires = None if claim.lasting else _expires(attributes.get(claim.attribute), held)
    if expires is not None and day > expires:
        return standing.model_copy(update={"state": "EXPIRED", "expires": expires, "note": f"fresh until {expires}"})
    moved = earlier is not None and earlier.articles.get(article.id) not in (None, text_hash(article))
    return standing.model_copy(update={"state": "MOVED" if moved else "FRESH", "expires": expires})


def _without_quote(standing: Standing, anchor: Anchor | None, elsewhere: list[str]) -> Standing:
    if anchor is None:
        now = f"; its words stand in {', '.join(elsewhere)}" if elsewhere else ""
        note = f"nothing like its quote is in the article{now}"
        return standing.model_copy(update={"state": "QUOTE_GONE", "note": note})
    if anchor.holds_value:
        note = f"the article now says “{anchor.quote}”; what is claimed still stands there"
        return standing.model_copy(update={"state": "QUOTE_GONE", "note": note})
    note = f"the article now says “{anchor.quote}”"
    return standing.model_copy(update={"state": "VALUE_CHANGED", "found": anchor.says, "note": note})


def _expires(attribute: Attribute | None, held: Period | None) -> date | None:
    if attribute is None or attribute.freshness_days is None or held is None:
        return None
    return date.fromordinal(held.last.toordinal() + attribute.freshness_days)


def _of_rows(directory: Path, attributes: dict[str, Attribute], day: date) -> Iterator[Standing]:
    """Rows of corpus/specs/, whose sources lie outside: out of date by the clock, or not to be checked here."""

    def row(id_: str, source: str, attribute: str, held: Period | None, value: str) -> Standing:
        expires = _expires(attributes.get(attribute), held)
        if expires is not None and day > expires:
            note = f"fresh until {expires}"
            return Standing(id=id_, source=source, state="EXPIRED", value=value, expires=expires, note=note)
        return Standing(id=id_, source=source, state="NOT_CHECKED", value=value, expires=expires)

    specs = directory / "specs"
    if (path := specs / "gpus.yaml").is_file():
        gpus = read_yaml(path, GpusFile)
        published = {source.id: source.published for source in gpus.sources}
        for card in gpus.gpus:
            for number, value in enumerate(card.values):
                dates = [d for d in (published.get(id_) for id_ in value.sources) if d is not None]
                held = value.as_of or max(dates, default=None)
                shown = _shown(value.value, value.unit)
                yield row(
                    f"spec.{card.entity}.{value.attribute}.{number}", value.sources[0], value.attribute, held, shown
                )
    if (path := specs / "prices.yaml").is_file():
        for number, price in enumerate(read_yaml(path, PricesFile).prices):
            shown = _shown(price.price, f"{price.currency}/h") if price.price is not None else "not published"
            id_ = f"price.{price.gpu}.{price.provider}.{number}"
            yield row(id_, price.source, "price_per_hour", price.as_of, shown)
    if (path := specs / "software.yaml").is_file():
        software = read_yaml(path, SoftwareFile)
        published = {source.id: source.published for source in software.sources}
        for number, release in enumerate(software.releases):
            shown = str(release.released) if release.released is not None else ""
            yield row(f"release.{release.entity}.{number}", release.source, "release_date", None, shown)
        for number, support in enumerate(software.support):
            lasting = support.lasting or support.from_version or support.until_version
            held = None if lasting else support.as_of or published.get(support.source)
            id_ = f"support.{support.software}.{support.subject}.{number}"
            yield row(id_, support.source, "supported_hardware", held, support.status)


def _shown(value: Decimal | Range | Period | bool | str | None, unit: str | None) -> str:
    shown = f"{value.low}–{value.high}" if isinstance(value, Range) else str(value)
    return f"{shown} {unit or ''}".strip()
