"""`gpu-assistant index`: build the search index, or say that it is up to date."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from assistant.errors import IndexUnavailable
from assistant.settings import Settings


@click.command()
@click.option("--rebuild", is_flag=True, help="Build anew even where nothing changed, and embed every text again.")
@click.option("--json", "as_json", is_flag=True, help="Print the index's manifest.")
@click.pass_obj
def command(settings: Settings, rebuild: bool, as_json: bool) -> None:
    """Build the search index of the knowledge base. Only what changed is embedded again."""
    from assistant.knowledge.corpus import load_corpus, save_snapshot, snapshot_path
    from assistant.language.tongue import LANGUAGES
    from assistant.retrieval.embedding import load_engine
    from assistant.retrieval.index import build_index, open_index

    corpus = load_corpus(settings.corpus)
    engine = load_engine(settings)
    if not rebuild:
        try:
            index = open_index(settings.index, engine, corpus_hash=corpus.text_hash, chroma_url=settings.chroma_url)
        except IndexUnavailable:
            pass
        else:
            index.close()
            # What isn't embedded, a specification say, may have changed since.
            if not snapshot_path(settings.index, corpus.hash).exists():
                save_snapshot(corpus, settings.index)
            click.echo(
                index.manifest.model_dump_json(indent=2) if as_json else f"The index in {settings.index} is up to date."
            )
            return
    statements = {language: corpus.statements(language) for language in LANGUAGES}
    with embedding_bar() as show:
        manifest = build_index(
            list(corpus.articles.values()),
            engine,
            settings.index,
            statements=statements,
            corpus_hash=corpus.text_hash,
            progress=show,
            forget_vectors=rebuild,
            chroma_url=settings.chroma_url,
        )
    save_snapshot(corpus, settings.index)
    if as_json:
        click.echo(manifest.model_dump_json(indent=2))
    else:
        click.echo(
            f"Indexed {manifest.passage_count} passages and {sum(manifest.statements.values())} statements "
            f"of {len(corpus.articles)} articles in {settings.index}; {manifest.embedded} texts were embedded."
        )


@contextmanager
def embedding_bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar that appears with the first progress, so that what fails before it prints its reason alone."""
    with ExitStack() as shown:
        bar: Any = None

        def show(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                bar = shown.enter_context(
                    click.progressbar(length=total, label="Embedding", file=sys.stderr, show_pos=True)
                )
            bar.update(done - bar.pos)

        yield show
