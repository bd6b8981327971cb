"""A knowledge base grown to any size: the real one, and articles made of its sentences, with made-up vectors.

A hundred thousand passages take most of an hour to embed and searching costs the same whatever they say. So the vectors
of the first build are drawn at random around a centre for each language, under the identity of the real engine. What is
embedded afterwards, one changed article or a question, goes through the real engine.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from assistant.knowledge.corpus import load_corpus, save_snapshot
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.engine import EmbeddingEngine
from assistant.retrieval.index import build_index
from assistant.retrieval.manifest import Manifest
from assistant.retrieval.passage import split_article
from assistant.retrieval.vectors import FloatArray, unit_vectors
from assistant.settings import ROOT, Settings

SECTIONS, PARAGRAPHS, SENTENCES = 3, 3, 5
"""Of a made-up article, which gives about as many passages as one of the real ones."""
LANGUAGE_SHARE = 0.9
"""Length of the language's centre in a made-up vector, as raw e5 vectors lie close together within a language."""


class DrawnVectors:
    """Stands for the engine whose identity it has; each text's vector is drawn from its hash."""

    def __init__(self, engine: EmbeddingEngine) -> None:
        self.identity, self.dimension = engine.identity, engine.dimension
        self._centre = self._draw("the centre of all texts")

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        drawn = np.stack([self._draw(text) for text in texts])
        return unit_vectors(LANGUAGE_SHARE * self._centre + (1 - LANGUAGE_SHARE) * drawn)

    def _draw(self, text: str) -> FloatArray:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        vector = np.random.default_rng(seed).standard_normal(self.dimension, dtype=np.float32)
        drawn: FloatArray = unit_vectors(vector)
        return drawn


def grow_articles(directory: Path, count: int) -> None:
    """Link the real knowledge base into a folder and add articles until there are `count`, a quarter a language."""
    corpus = ROOT / "corpus"
    directory.mkdir(parents=True)
    for part in corpus.iterdir():
        if part.name != "articles":
            (directory / part.name).symlink_to(part)
    for language in LANGUAGES:
        (directory / "articles" / language).mkdir(parents=True)
    real = sorted((corpus / "articles").glob("*/*.md"))
    for path in real:
        (directory / "articles" / path.parent.name / path.name).symlink_to(path)
    sentences = _sentences()
    for number in range(count - len(real)):
        language = LANGUAGES[number % len(LANGUAGES)]
        path = directory / "articles" / language / f"grown-{number}.md"
        path.write_text(_article(number, language, sentences[language]), encoding="utf-8")


def change_an_article(directory: Path, remark: str) -> None:
    """Add a sentence to the first section of a grown article."""
    path = next((directory / "articles" / "en").glob("grown-*.md"))
    head, mark, rest = path.read_text(encoding="utf-8").partition("\n# Section 1\n\n")
    path.write_text(f"{head}{mark}{remark} {rest}", encoding="utf-8")


def build_grown(settings: Settings, engine: EmbeddingEngine) -> Manifest:
    """Index a grown knowledge base with drawn vectors, as `gpu-assistant index` would with the engine's own."""
    corpus = load_corpus(settings.corpus)
    manifest = build_index(
        list(corpus.articles.values()),
        engine,
        settings.index,
        statements={language: corpus.statements(language) for language in LANGUAGES},
        corpus_hash=corpus.text_hash,
    )
    save_snapshot(corpus, settings.index)
    return manifest


def _sentences() -> dict[Language, list[str]]:
    """Sentences and table rows of the real articles, by language."""
    found: dict[Language, list[str]] = {language: [] for language in LANGUAGES}
    for article in load_corpus(ROOT / "corpus").articles.values():
        for passage in split_article(article):
            if "|" not in passage.text:
                found[passage.language].extend(_split(passage.text))
    return found


def _split(text: str) -> Iterator[str]:
    for part in text.replace("。", "。\0").replace(". ", ".\0").replace("\n", "\0").split("\0"):
        if len(part.strip()) > 20:
            yield part.strip()


def _article(number: int, language: Language, sentences: Sequence[str]) -> str:
    chosen = random.Random(number)
    lines = ["---", f"id: grown-{number}", f'title: "Article {number}"', f"language: {language}", "kind: guide", "---"]
    for section in range(SECTIONS):
        lines += ["", f"# Section {section + 1}"]
        for paragraph in range(PARAGRAPHS):
            mark = f"Record {number}-{section}-{paragraph}."
            lines += ["", " ".join([mark, *chosen.sample(sentences, SENTENCES)])]
    return "\n".join(lines) + "\n"
