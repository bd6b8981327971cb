"""Whether the knowledge base can be trusted: schema, ids, quotes, and values read back out of their quotes."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.attribute import Attribute
from assistant.knowledge.claim import Claim, ClaimsFile, Range
from assistant.knowledge.corpus import read_attributes, read_entities
from assistant.knowledge.entity import Entity
from assistant.knowledge.period import Period
from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import GpusFile, PricesFile, SoftwareFile
from assistant.language.mention import spellings
from assistant.language.quantities.quantity import reads_back
from assistant.language.tongue import LANGUAGES


class Problem(BaseModel):
    """Something in the knowledge base that must be mended: where, and what is wrong."""

    model_config = ConfigDict(frozen=True)

    path: str
    id: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.id}: {self.message}" if self.id else f"{self.path}: {self.message}"


class CheckReport(BaseModel):
    """What was looked at, and every problem found."""

    articles: int
    claims: int
    entities: int
    specification_values: int
    problems: tuple[Problem, ...]


def fold_spaces(text: str) -> str:
    return " ".join(text.split()).casefold()


def value_problems(claim: Claim, article: Article) -> Iterator[str]:
    """Why a claim's value can't be trusted to say what its quote says."""
    if isinstance(claim.value, Decimal | Range | Period) and not reads_back(
        claim.quote, article.language, claim.value, claim.unit or ""
    ):
        yield f"the value {describe(claim)} can't be read back out of the quote {claim.quote!r}"
    if claim.text is not None and fold_spaces(claim.text) not in fold_spaces(claim.quote):
        yield f"the text {claim.text!r} doesn't stand in the quote"
    for language in LANGUAGES:
        statement = claim.statement.in_language(language)
        if not statement.strip():
            yield f"the {language} statement is empty"
        elif isinstance(claim.value, Decimal | Range | Period) and not reads_back(
            statement, language, claim.value, claim.unit or ""
        ):
            yield f"the {language} statement doesn't carry the value {describe(claim)}: {statement!r}"


def describe(claim: Claim) -> str:
    if isinstance(claim.value, Range):
        return f"{claim.value.low}–{claim.value.high} {claim.unit or ''}".strip()
    return f"{claim.value} {claim.unit or ''}".strip()


def claim_problems(
    claim: Claim, article: Article, entities: dict[str, Entity], attributes: dict[str, Attribute], series: set[str]
) -> Iterator[str]:
    """Everything wrong with one claim."""
    for entity in (*claim.about, *claim.names, *filter(None, [claim.qualifiers.provider])):
        if entity not in entities:
            yield f"unknown entity {entity!r}"
    attribute = attributes.get(claim.attribute)
    if attribute is None:
        yield f"unknown attribute {claim.attribute!r}"
    elif attribute.kind == "quantity" and isinstance(claim.value, Decimal | Range) and not claim.unit:
        yield "a figure needs a unit"
    if article.work(claim.work) is None:
        yield f"work {claim.work!r} is not in the article's based_on"
    if claim.series is not None and claim.series.id not in series:
        yield f"unknown series {claim.series.id!r}"
    occurrences = article.body.count(claim.quote)
    if occurrences != 1:
        found = "is not in the article" if occurrences == 0 else f"occurs {occurrences} times in the article"
        yield f"the quote {claim.quote!r} {found}"
    yield from value_problems(claim, article)


def spelling_problems(entities: dict[str, Entity]) -> Iterator[tuple[str, str]]:
    """Spellings that two entities share, so that a question's meaning would be a matter of luck; unknown parents."""
    owner: dict[str, str] = {}
    for spelling, entity_id in spellings(entities.values()):
        if owner.setdefault(spelling, entity_id) != entity_id:
            yield entity_id, f"the spelling {spelling!r} also belongs to {owner[spelling]!r}"
    for entity in entities.values():
        for id_ in filter(None, (entity.parent, entity.maker, *entity.related)):
            if id_ not in entities:
                yield entity.id, f"unknown entity {id_!r}"


def specification_problems(
    directory: Path, entities: dict[str, Entity], attributes: dict[str, Attribute]
) -> Iterator[tuple[Path, str, str]]:
    """Unknown entities, attributes and sources in corpus/specs/."""
    path = directory / "gpus.yaml"
    if path.is_file():
        gpus = read_yaml(path, GpusFile)
        known = {source.id for source in gpus.sources}
        for row in gpus.gpus:
            if row.entity not in entities:
                yield path, row.entity, "unknown entity"
            for value in row.values:
                if value.attribute not in attributes:
                    yield path, row.entity, f"unknown attribute {value.attribute!r}"
                for source in set(value.sources) - known:
                    yield path, row.entity, f"unknown source {source!r}"
    path = directory / "prices.yaml"
    if path.is_file():
        prices = read_yaml(path, PricesFile)
        known = {source.id for source in prices.sources}
        for price in prices.prices:
            for entity in {price.gpu, price.provider} - entities.keys():
                yield path, entity, "unknown entity"
            if price.source not in known:
                yield path, price.gpu, f"unknown source {price.source!r}"
    path = directory / "software.yaml"
    if path.is_file():
        software = read_yaml(path, SoftwareFile)
        known = {source.id for source in software.sources}
        for release in software.releases:
            if release.entity not in entities:
                yield path, release.entity, "unknown entity"
            if release.source not in known:
                yield path, release.entity, f"unknown source {release.source!r}"
        for support in software.support:
            for entity in {support.software, support.subject} - entities.keys():
                yield path, entity, "unknown entity"
            if support.source not in known:
                yield path, support.software, f"unknown source {support.source!r}"


def check_corpus(directory: Path) -> CheckReport:
    """Look at every file of the knowledge base; a bad file is a problem of its own and never hides the others."""
    problems: list[Problem] = []

    def note(path: Path, message: str, id_: str = "") -> None:
        problems.append(Problem(path=str(path.relative_to(directory)), id=id_, message=message))

    articles: dict[str, Article] = {}
    for path in sorted(directory.glob("articles/*/**/*.md")):
        try:
            article = read_article(path)
        except CorpusError as error:
            note(path, error.problem.removeprefix(f"{path}: "))
            continue
        if article.id in articles:
            note(path, "the article id is used twice", article.id)
        articles[article.id] = article
    try:
        entities, attributes = read_entities(directory), read_attributes(directory)
    except CorpusError as error:
        note(directory / "entities", str(error))
        entities, attributes = {}, {}

    files: list[tuple[Path, ClaimsFile]] = []
    for path in sorted(directory.glob("claims/*.yaml")):
        try:
            files.append((path, read_yaml(path, ClaimsFile)))
        except CorpusError as error:
            note(path, error.problem.removeprefix(f"{path}: "))
    problems += [Problem(path="entities", id=id_, message=message) for id_, message in spelling_problems(entities)]
    seen: set[str] = set()
    series_home: dict[str, Path] = {}
    for path, file in files:
        for item in file.series:
            if series_home.setdefault(item.id, path) != path:
                note(path, f"the series is also defined in {series_home[item.id].name}", item.id)
        if file.article not in articles:
            note(path, f"no article {file.article!r}")
            continue
        series = {item.id for item in file.series}
        for claim in file.claims:
            if claim.id in seen:
                note(path, "the claim id is used twice", claim.id)
            seen.add(claim.id)
            for message in claim_problems(claim, articles[file.article], entities, attributes, series):
                note(path, message, claim.id)
    try:
        for path, id_, message in specification_problems(directory / "specs", entities, attributes):
            note(path, message, id_)
    except CorpusError as error:
        note(directory / "specs", str(error))
    values = 0
    if (directory / "specs" / "gpus.yaml").is_file() and not any(p.path.startswith("specs") for p in problems):
        values = sum(len(row.values) for row in read_yaml(directory / "specs" / "gpus.yaml", GpusFile).gpus)
    return CheckReport(
        articles=len(articles),
        claims=len(seen),
        entities=len(entities),
        specification_values=values,
        problems=tuple(problems),
    )
