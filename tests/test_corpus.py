"""The knowledge base loads whole, and its snapshot says exactly the same."""

from pathlib import Path

from assistant.knowledge.corpus import Corpus, open_corpus, save_snapshot
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
