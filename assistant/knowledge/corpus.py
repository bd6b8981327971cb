"""The whole knowledge base in memory: articles, claims, entities, attributes and specifications."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError, CorpusUnavailable
from assistant.knowledge.addressed import ALREADY_READ
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.attribute import Attribute, AttributesFile
from assistant.knowledge.claim import Claim, ClaimsFile, Series
from assistant.knowledge.entity import EntitiesFile, Entity
from assistant.knowledge.schema import Model, read_yaml
from assistant.knowledge.specification import GpusFile, PricesFile, SoftwareFile
from assistant.language.tongue import Language

_SNAPSHOT_VERSION = "3"
READ_ATTEMPTS = 5
QUESTION_PREFIX = "question:"
TITLE_PREFIX = "title:"
PLACE_MARK = "#"
# Mark a claim's own question, and the title of a list, among the statements.


class Corpus(BaseModel):
    """Everything the assistant knows. Claims whose quote isn't in their article are not among `claims`."""

    model_config = ConfigDict(frozen=True)

    hash: str
    """Hash over every file of the knowledge base."""
    text_hash: str
    """Hash over articles and claims alone, which is what the search index is built from."""
    articles: dict[str, Article]
    claims: dict[str, Claim]
    article_of: dict[str, str]
    """Article id by claim id."""
    series: dict[str, Series]
    entities: dict[str, Entity]
    attributes: dict[str, Attribute]
    gpus: GpusFile
    prices: PricesFile
    software: SoftwareFile

    @cached_property
    def children_of(self) -> dict[str, tuple[str, ...]]:
        """Entity ids of the variants of each entity."""
        children: dict[str, list[str]] = {}
        for entity in self.entities.values():
            if entity.parent:
                children.setdefault(entity.parent, []).append(entity.id)
        return {parent: tuple(ids) for parent, ids in children.items()}

    @cached_property
    def series_claims(self) -> dict[str, tuple[Claim, ...]]:
        """The claims that stand in each list."""
        claims: dict[str, list[Claim]] = {id_: [] for id_ in self.series}
        for claim in self.claims.values():
            if claim.series is not None:
                claims.setdefault(claim.series.id, []).append(claim)
        return {id_: tuple(listed) for id_, listed in claims.items()}

    @cached_property
    def series_sizes(self) -> dict[str, int]:
        """How many claims stand in each list."""
        return {id_: len(listed) for id_, listed in self.series_claims.items()}

    def statements(self, language: Language) -> list[tuple[str, str]]:
        """What questions are compared with: claims and the questions they answer, lists' titles and questions."""
        claims = [(claim.id, claim.statement.in_language(language)) for claim in self.claims.values()]
        claims += [
            (QUESTION_PREFIX + claim.id, claim.question.in_language(language))
            for claim in self.claims.values()
            if claim.question is not None
        ]
        lists = [
            (f"{TITLE_PREFIX}{list_.id}{PLACE_MARK}{place}", text.in_language(language))
            for list_ in self.series.values()
            for place, text in enumerate((list_.title, *list_.questions))
        ]
        return claims + lists

    def descendants(self, entity_id: str) -> Iterator[str]:
        """The entity itself, then all its variants."""
        yield entity_id
        for child in self.children_of.get(entity_id, ()):
            yield from self.descendants(child)

    def ancestors(self, entity_id: str) -> Iterator[str]:
        """The less exact things that an entity is a variant of, nearest first."""
        entity = self.entities.get(entity_id)
        while entity and entity.parent:
            yield entity.parent
            entity = self.entities.get(entity.parent)


def corpus_files(directory: Path) -> list[Path]:
    """All files that make up the knowledge base, in a fixed order. Raises CorpusUnavailable without a folder."""
    if not directory.is_dir():
        raise CorpusUnavailable(
            f"{directory}: no such folder.", "Name the knowledge base with --corpus or ASSISTANT_CORPUS."
        )
    # A ** doesn't enter a folder that is a link; a * before it does, so that linked folders are noticed to change.
    found = [*directory.glob("articles/*/**/*.md"), *directory.glob("*.yaml"), *directory.glob("*/**/*.yaml")]
    return sorted(path for path in set(found) if path.is_file())


def hash_of(directory: Path, files: Sequence[Path]) -> str:
    """Hash over names and contents of files, 16 hexadecimal digits."""
    digest = hashlib.sha256(_SNAPSHOT_VERSION.encode())
    for path in files:
        digest.update(str(path.relative_to(directory)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def hash_of_corpus(directory: Path) -> str:
    return hash_of(directory, corpus_files(directory))


def hash_of_texts(directory: Path) -> str:
    """Hash over articles and claims, so that a new price or spelling doesn't ask for a new index."""
    texts = [path for path in corpus_files(directory) if path.relative_to(directory).parts[0] in ("articles", "claims")]
    return hash_of(directory, texts)


def read_articles(directory: Path) -> dict[str, Article]:
    """All articles by id. Raises CorpusError on a duplicate id or a bad file."""
    articles: dict[str, Article] = {}
    for path in sorted(directory.glob("articles/*/**/*.md")):
        article = read_article(path)
        if article.id in articles:
            raise CorpusError(f"{path}: article id {article.id!r} is used twice.")
        articles[article.id] = article
    return articles


def read_claims_files(directory: Path) -> list[tuple[Path, ClaimsFile]]:
    return [(path, read_yaml(path, ClaimsFile)) for path in sorted(directory.glob("claims/*.yaml"))]


def read_entities(directory: Path) -> dict[str, Entity]:
    """All entities by id. Raises CorpusError on a duplicate id."""
    entities: dict[str, Entity] = {}
    for path in sorted(directory.glob("entities/*.yaml")):
        for entity in read_yaml(path, EntitiesFile).entities:
            if entity.id in entities:
                raise CorpusError(f"{path}: entity id {entity.id!r} is used twice.")
            entities[entity.id] = entity
    return entities


def read_attributes(directory: Path) -> dict[str, Attribute]:
    path = directory / "attributes.yaml"
    if not path.is_file():
        return {}
    return {attribute.id: attribute for attribute in read_yaml(path, AttributesFile).attributes}


def _read_or_empty(path: Path, model: type[Model], empty: Model) -> Model:
    return read_yaml(path, model) if path.is_file() else empty


def load_corpus(directory: Path) -> Corpus:
    """Read the knowledge base. Raises CorpusError naming the first file that can't be used.

    Read again where a file changed meanwhile, so that what is read is what the hashes say.
    """
    for _ in range(READ_ATTEMPTS):
        corpus = _read_corpus(directory)
        if corpus.hash == hash_of_corpus(directory):
            return corpus
    raise CorpusError(f"{directory} keeps changing while it is read.", "Try again when it has come to rest.")


def _read_corpus(directory: Path) -> Corpus:
    hashes = hash_of_corpus(directory), hash_of_texts(directory)
    articles = read_articles(directory)
    claims: dict[str, Claim] = {}
    article_of: dict[str, str] = {}
    series: dict[str, Series] = {}
    for path, file in read_claims_files(directory):
        article = articles.get(file.article)
        if article is None:
            continue
        series.update({item.id: item for item in file.series})
        for claim in file.claims:
            if claim.id in claims:
                raise CorpusError(f"{path}: claim id {claim.id!r} is used twice.")
            # A claim that can't be traced to its passage is never shown; `sources check` names it.
            if claim.quote in article.body:
                claims[claim.id] = claim
                article_of[claim.id] = article.id
    specs = directory / "specs"
    return Corpus(
        hash=hashes[0],
        text_hash=hashes[1],
        articles=articles,
        claims=claims,
        article_of=article_of,
        series=series,
        entities=read_entities(directory),
        attributes=read_attributes(directory),
        gpus=_read_or_empty(specs / "gpus.yaml", GpusFile, GpusFile(sources=(), gpus=())),
        prices=_read_or_empty(specs / "prices.yaml", PricesFile, PricesFile(sources=(), prices=())),
        software=_read_or_empty(
            specs / "software.yaml", SoftwareFile, SoftwareFile(sources=(), releases=(), support=())
        ),
    )


def snapshot_path(index: Path, corpus_hash: str) -> Path:
    return index / f"knowledge-{corpus_hash}.json"


def open_corpus(directory: Path, index: Path) -> Corpus:
    """The knowledge base, from its snapshot in the index folder where that is of the same files.

    Reading the snapshot takes a tenth of the time of reading the YAML; a snapshot that can't be read is ignored.
    """
    path = snapshot_path(index, hash_of_corpus(directory))
    try:
        return Corpus.model_validate_json(path.read_bytes(), context=ALREADY_READ)
    except (OSError, ValueError):
        return load_corpus(directory)


def save_snapshot(corpus: Corpus, index: Path) -> None:
    """Keep the parsed knowledge base beside the index, and drop snapshots of earlier versions."""
    index.mkdir(parents=True, exist_ok=True)
    path = snapshot_path(index, corpus.hash)
    partial = path.with_suffix(".partial")
    partial.write_text(corpus.model_dump_json(), encoding="utf-8")
    partial.replace(path)
    for old in index.glob("knowledge-*.json"):
        if old != path:
            old.unlink(missing_ok=True)
