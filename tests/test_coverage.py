"""Nothing of the originals is left out, and nothing is claimed of them that they don't say."""

from pathlib import Path

import pytest

from assistant.errors import CorpusError
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.coverage import (
    PAGE,
    Coverage,
    ListedFact,
    coverage_problems,
    read_coverage,
    render_coverage,
)
from assistant.settings import Settings


@pytest.fixture(scope="module")
def coverages(settings: Settings) -> tuple[Coverage, ...]:
    return read_coverage(settings.corpus)


def with_claims(coverage: Coverage, *claims: str) -> Coverage:
    """The same original with other claims for its first fact."""
    first = ListedFact(**{**coverage.facts[0].model_dump(), "claims": claims})
    return Coverage(**{**coverage.model_dump(), "facts": (first, *coverage.facts[1:])})


def test_every_fact_of_the_originals_is_stated_and_every_claim_is_asked_for(
    coverages: tuple[Coverage, ...], corpus: Corpus
) -> None:
    assert coverages
    assert list(coverage_problems(coverages, corpus)) == []


def test_the_page_is_up_to_date(coverages: tuple[Coverage, ...]) -> None:
    assert PAGE.read_text(encoding="utf-8") == render_coverage(coverages), "run python -m assistant.knowledge.coverage"


def test_a_fact_without_a_claim_is_told(coverages: tuple[Coverage, ...], corpus: Corpus) -> None:
    problems = list(coverage_problems([with_claims(coverages[0])], corpus))
    assert problems[0].startswith(f"{coverages[0].facts[0].id}: no claim states it")


def test_an_unknown_claim_is_told(coverages: tuple[Coverage, ...], corpus: Corpus) -> None:
    problems = list(coverage_problems([with_claims(coverages[0], "no-such-claim")], corpus))
    assert problems[0] == f"{coverages[0].facts[0].id}: unknown claim 'no-such-claim'"


def test_a_claim_of_another_work_states_nothing(coverages: tuple[Coverage, ...], corpus: Corpus) -> None:
    key = next(work.key for article in corpus.articles.values() for work in article.based_on)
    other = next(id_ for id_, claim in corpus.claims.items() if claim.work == key)
    elsewhere = Coverage(
        original="en",
        title="A work no article is based on",
        facts=(ListedFact(id="en-001", line=1, fact="x", claims=(other,)),),
    )
    assert list(coverage_problems([elsewhere], corpus)) == [
        f"en-001: claim {other!r} is not based on 'A work no article is based on'"
    ]


def test_a_claim_that_no_fact_asks_for_is_told(coverages: tuple[Coverage, ...], corpus: Corpus) -> None:
    coverage = coverages[0]
    counts = [claim_id for fact in coverage.facts for claim_id in fact.claims]
    place, fact = next(
        (place, fact) for place, fact in enumerate(coverage.facts) if fact.claims and counts.count(fact.claims[0]) == 1
    )
    emptied = ListedFact(**{**fact.model_dump(), "claims": ()})
    without = Coverage(
        **{**coverage.model_dump(), "facts": (*coverage.facts[:place], emptied, *coverage.facts[place + 1 :])}
    )
    assert any(problem.startswith(f"{fact.claims[0]}: based on") for problem in coverage_problems([without], corpus))


def test_facts_out_of_order_are_refused_with_the_file_and_the_fact(tmp_path: Path) -> None:
    folder = tmp_path / "coverage"
    folder.mkdir()
    (folder / "da.yaml").write_text(
        "original: da\ntitle: T\nfacts:\n  - {id: da-001, line: 5, fact: a}\n  - {id: da-002, line: 4, fact: b}\n",
        encoding="utf-8",
    )
    with pytest.raises(CorpusError, match=r"da\.yaml.*da-002 is on line 4, before the fact above"):
        read_coverage(tmp_path)
