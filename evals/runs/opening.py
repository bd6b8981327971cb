"""Opens the assistant that is asked: its index brought up to date, and a second one beside files of poisoned cases."""

import shutil
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from assistant.answering.assistant import Assistant
from assistant.errors import IndexUnavailable
from assistant.knowledge.corpus import load_corpus
from assistant.knowledge.intake import add_source
from assistant.language.tongue import LANGUAGES
from assistant.retrieval.embedding import load_engine
from assistant.retrieval.index import build_index
from assistant.settings import Settings


def open_assistant(settings: Settings, clock: date) -> Assistant:
    """The assistant over the corpus as it stands, on a day; of its index, only what changed is embedded."""
    try:
        return Assistant.open(settings, today=clock)
    except IndexUnavailable:
        bring_up_to_date(settings)
        return Assistant.open(settings, today=clock)


def bring_up_to_date(settings: Settings) -> None:
    """Build the index of the present corpus."""
    corpus = load_corpus(settings.corpus)
    build_index(
        list(corpus.articles.values()),
        load_engine(settings),
        settings.index,
        statements={language: corpus.statements(language) for language in LANGUAGES},
        corpus_hash=corpus.text_hash,
    )


def open_beside(settings: Settings, clock: date, files: Iterable[Path], folder: Path) -> Assistant:
    """An assistant over a copy of the knowledge base with further files added to it, in a folder of its own."""
    corpus, index = folder / "corpus", folder / "index"
    shutil.copytree(settings.corpus, corpus)
    if settings.index.is_dir():
        shutil.copytree(settings.index, index, ignore=shutil.ignore_patterns("*.lock"))
    for file in files:
        add_source(file, corpus)
    return open_assistant(settings.model_copy(update={"corpus": corpus, "index": index}), clock)
