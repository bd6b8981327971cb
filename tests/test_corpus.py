"""The knowledge base loads whole, and its snapshot says exactly the same."""

import shutil
from pathlib import Path

from click.testing import CliRunner

from assistant.interfaces.commands.index import command
from assistant.knowledge.corpus import (
    Corpus,
    hash_of_corpus,
    load_corpus,
    open_corpus,
    save_snapshot,
    snapshot_path,
)
from assistant.settings import Settings


def test_a_snapshot_holds_the_same_knowledge(corpus: Corpus, settings: Settings, tmp_path: Path) -> None:
    save_snapshot(corpus, tmp_path)
    assert open_corpus(settings.corpus, tmp_path).model_dump() == corpus.model_dump()
    read = open_corpus(settings.corpus, tmp_path)
    assert {id_: type(claim.value) for id_, claim in read.claims.items()} == {
        id_: type(claim.value) for id_, claim in corpus.claims.items()
    }


def test_a_damaged_snapshot_is_ignored(corpus: Corpus, settings: Settings, tmp_path: Path) -> None:
    save_snapshot(corpus, tmp_path)
    next(tmp_path.glob("knowledge-*.json")).write_text('{"hash": ')
    assert open_corpus(settings.corpus, tmp_path).hash == corpus.hash


def test_what_changes_beside_the_texts_is_kept_ready_again(tmp_path: Path, settings: Settings) -> None:
    corpus, index = tmp_path / "corpus", tmp_path / "index"
    shutil.copytree(settings.corpus, corpus)
    shutil.copytree(settings.index, index)
    words = corpus / "attributes.yaml"
    words.write_text(words.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    kept = snapshot_path(index, hash_of_corpus(corpus))
    assert not kept.exists()
    CliRunner().invoke(command, [], obj=Settings(corpus=corpus, index=index), catch_exceptions=False)
    assert kept.exists()
    assert open_corpus(corpus, index) == load_corpus(corpus)
