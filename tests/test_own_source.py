"""An article that a user adds is found and quoted, in its own language and from another."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.knowledge.corpus import load_corpus
from assistant.knowledge.intake import add_source
from assistant.language.tongue import LANGUAGES
from assistant.retrieval.embedding import load_engine
from assistant.retrieval.index import build_index
from assistant.settings import Settings

NOTE = """# Rackregler i Aarhus

Vores rack i Aarhus må højst bruge 40 kW. Køling sker med vand fra fjernkølingen, og hver node kan slukkes på afstand.

Vi har otte MI300X i én node, og de bruger under fuld last cirka 6 kW tilsammen.
"""


@pytest.fixture(scope="module")
def own(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("own")
    shutil.copytree(settings.corpus, folder / "corpus")
    shutil.copytree(settings.index, folder / "index")
    (folder / "rackregler.md").write_text(NOTE, encoding="utf-8")
    add_source(folder / "rackregler.md", folder / "corpus")
    corpus = load_corpus(folder / "corpus")
    build_index(
        list(corpus.articles.values()),
        load_engine(settings),
        folder / "index",
        statements={language: corpus.statements(language) for language in LANGUAGES},
        corpus_hash=corpus.text_hash,
    )
    here: dict[str, Path] = {"corpus": folder / "corpus", "index": folder / "index"}
    opened = Assistant.open(settings.model_copy(update=here))
    yield opened
    opened.index.close()


@pytest.mark.parametrize(
    "question",
    [
        "Hvor meget strøm må vores rack i Aarhus bruge?",
        "How much power may our rack in Aarhus use?",
        "Hoeveel stroom mag ons rack in Aarhus gebruiken?",
    ],
)
def test_what_only_an_added_source_says_is_quoted_from_it_alone(own: Assistant, question: str) -> None:
    answer = own.answer(Question(text=question))
    assert answer.status == "partly_answered"
    assert [citation.source_id for citation in answer.citations] == ["rackregler"]
    assert "40 kW" in answer.text


def test_an_added_source_on_a_known_card_is_quoted_beside_the_facts(own: Assistant) -> None:
    answer = own.answer(Question(text="Hvor meget strøm bruger vores otte MI300X under fuld last?"))
    assert "750 W" in answer.text
    assert "6 kW" in answer.text
    assert answer.citations[-1].source_id == "rackregler"


def test_a_passage_beside_makes_the_answer_no_less_answered(own: Assistant) -> None:
    assert own.answer(Question(text="Hvor meget strøm bruger vores otte MI300X under fuld last?")).status == "answered"


def test_an_added_source_is_not_quoted_for_what_the_facts_already_tell(own: Assistant) -> None:
    answer = own.answer(Question(text="Hvor meget strøm bruger MI300X?"))
    assert answer.status == "answered"
    assert "750 W" in answer.text
    assert "rackregler" not in [citation.source_id for citation in answer.citations]


def test_an_added_source_stays_out_of_what_it_says_nothing_about(own: Assistant) -> None:
    for question in (
        "Hvor meget hukommelse har MI300X?",
        "Hvad bliver vejret i Aarhus i morgen?",
        "Wie is de burgemeester van Aarhus?",
    ):
        assert "rackregler" not in [citation.source_id for citation in own.answer(Question(text=question)).citations]
