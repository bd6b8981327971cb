"""What a new build can take over from the one in use, so that one changed article costs little."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assistant.errors import IndexUnavailable
from assistant.knowledge.article import Article
from assistant.language.tongue import Language
from assistant.retrieval.centring import Centres
from assistant.retrieval.collections import Content
from assistant.retrieval.lexical import Keys
from assistant.retrieval.location import current_build
from assistant.retrieval.manifest import Manifest, read_manifest
from assistant.retrieval.passage import CHUNKER_VERSION, Passage, split_article
from assistant.retrieval.shelf import PassageStore, read_words

ARTICLES = "articles.json"
MAX_DRIFT = 0.05
"""Share of texts that may have changed before the centres are fitted anew; a twentieth hardly moves a mean."""


class EarlierBuild:
    """The build in use, read for what hasn't changed."""

    def __init__(self, build: Path, manifest: Manifest) -> None:
        self.path, self.manifest = build, manifest
        stores = {language: PassageStore.load(build / f"passages-{language}") for language in manifest.passages}
        rows: dict[str, list[tuple[Language, int]]] = json.loads((build / ARTICLES).read_text(encoding="utf-8"))
        self._passages = {
            digest: [stores[language][row] for language, row in places] for digest, places in rows.items()
        }

    @classmethod
    def in_use(cls, directory: Path, engine: str) -> "EarlierBuild | None":
        """The build in use, or None where there is none of this engine and these passages that can be read."""
        try:
            build = current_build(directory)
            manifest = read_manifest(build)
            same = manifest.engine == engine and manifest.chunker == CHUNKER_VERSION
            return cls(build, manifest) if same else None
        except (IndexUnavailable, OSError, ValueError, KeyError):
            return None

    def passages_of(self, article: Article) -> list[Passage] | None:
        """The passages of an article that hasn't changed."""
        return self._passages.get(article_digest(article))

    def has_just(self, content: Content, language: Language, keys: Keys) -> bool:
        """Whether it holds these very texts in this order, so that what was made of them alone can be taken over."""
        count = getattr(self.manifest, content).get(language, 0)
        return count == len(keys) and np.array_equal(read_words(self.path / f"{content}-{language}", count)[0], keys)

    def features(self, content: Content, language: Language) -> dict[int, Keys]:
        """The words of each text, by the text's key."""
        count = getattr(self.manifest, content).get(language, 0)
        if not count:
            return {}
        keys, words = read_words(self.path / f"{content}-{language}", count)
        return dict(zip(keys.tolist(), words.features_by_text(), strict=True))

    def centres(self, content: Content) -> Centres:
        return Centres.load(self.path / f"{content}.centres.npz")

    def drift(self, counts: Mapping[Content, Mapping[Language, int]], changed: int) -> int | None:
        """How many texts have changed since the centres were fitted, or None where they should be fitted anew."""
        drift = self.manifest.drift + changed
        total = sum(sum(of.values()) for of in counts.values())
        same_languages = set(self.manifest.passages) == set(counts["passages"]) and set(
            self.manifest.statements
        ) == set(counts.get("statements", {}))
        return drift if same_languages and drift <= MAX_DRIFT * total else None


def article_digest(article: Article) -> str:
    """Hash over all that an article's passages depend on."""
    parts = (article.id, article.title, article.language, article.body)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]


def split_articles(articles: Sequence[Article], earlier: EarlierBuild | None) -> dict[str, list[Passage]]:
    """The passages of each article, by its digest; those of unchanged articles are taken over."""
    return {
        article_digest(article): (earlier.passages_of(article) if earlier else None) or split_article(article)
        for article in articles
    }
