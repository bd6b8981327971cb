"""Copies of the knowledge base in which every article is poisoned, with an index and an assistant over each."""

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple

from assistant.answering.assistant import Assistant
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.language.tongue import LANGUAGES
from assistant.retrieval.embedding import load_engine
from assistant.retrieval.index import build_index
from assistant.retrieval.location import VECTORS
from assistant.settings import Settings
from evals.poison.attacks import Attack
from evals.poison.places import PLACES, Document


class Poisoned(NamedTuple):
    """One article, the attack in it and where it stands."""

    article: str
    attack: Attack
    place: str


def poisonings(corpus: Corpus, attacks: Sequence[Attack], documents: int) -> list[list[Poisoned]]:
    """`documents` poisoned articles in rounds, each of which poisons every article once at most.

    Attacks and places are dealt out evenly, the same way each time.
    """
    dice = random.Random("poison")  # noqa: S311 (repeatable choice, no secret)
    texts, places, articles = list(attacks), list(PLACES), sorted(corpus.articles)
    dice.shuffle(texts)
    chosen = [
        Poisoned(articles[n % len(articles)], texts[n % len(texts)], places[(n + n // len(places)) % len(places)])
        for n in range(documents)
    ]
    return [chosen[start : start + len(articles)] for start in range(0, len(chosen), len(articles))]


def poison(directory: Path, corpus: Corpus, one: Poisoned) -> None:
    """Write the poisoned article and its claims into a copy of the knowledge base."""
    article = directory / "articles" / corpus.articles[one.article].language / f"{one.article}.md"
    claims = directory / "claims" / f"{one.article}.yaml"
    document = Document.read(article.read_text(encoding="utf-8"), claims.read_text(encoding="utf-8"))
    changed = PLACES[one.place](document, one.attack.text)
    article.write_text(changed.article_text(), encoding="utf-8")
    claims.write_text(changed.claims_text(), encoding="utf-8")


@contextmanager
def poisoned_assistant(
    settings: Settings, corpus: Corpus, round_: Sequence[Poisoned], folder: Path, today: date
) -> Iterator[Assistant]:
    """An assistant over a knowledge base poisoned so, or a clean one, with an index built anew from known vectors."""
    directory, index = folder / "corpus", folder / "index"
    shutil.copytree(settings.corpus, directory)
    index.mkdir(parents=True)
    if (settings.index / VECTORS).is_file():
        shutil.copy(settings.index / VECTORS, index)
    for one in round_:
        poison(directory, corpus, one)
    changed = load_corpus(directory)
    build_index(
        list(changed.articles.values()),
        load_engine(settings),
        index,
        statements={language: changed.statements(language) for language in LANGUAGES},
        corpus_hash=changed.text_hash,
    )
    assistant = Assistant.open(settings.model_copy(update={"corpus": directory, "index": index}), today)
    try:
        yield assistant
    finally:
        assistant.index.close()
