"""The knowledge base loads whole, and its snapshot says exactly the same."""

import shutil
from pathlib import Path

from click.testing import CliRunner

from assistant.interfaces.commands.index import command
from assistant.knowledge.corpus import (
    Corpus,
    hash_of_corpus,
    hash_of_texts,
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


def test_a_change_in_a_folder_that_is_a_link_is_noticed(tmp_path: Path) -> None:
    for name in ("articles", "claims", "entities"):
        (tmp_path / "elsewhere" / name).mkdir(parents=True)
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "corpus" / name).symlink_to(tmp_path / "elsewhere" / name)
    before = hash_of_corpus(tmp_path / "corpus"), hash_of_texts(tmp_path / "corpus")
    (tmp_path / "elsewhere" / "claims" / "one.yaml").write_text("article: one\n", encoding="utf-8")
    assert hash_of_corpus(tmp_path / "corpus") != before[0]
    assert hash_of_texts(tmp_path / "corpus") != before[1]
