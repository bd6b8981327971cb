"""What verification carries and what it doesn't, sentence by sentence, over facts of the real corpus."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.answering.verification.figure import Figure, carries
from assistant.answering.verification.verdict import Verdict
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from evals.adversary.__main__ import chosen_facts
from evals.adversary.drafts import lying_assistant
from evals.adversary.label_lies import label_lies
from evals.adversary.lies import lies
from evals.adversary.mutations import Mutator
from evals.adversary.paraphrases import paraphrases
from evals.adversary.truths import claimed_truths, truths
from evals.adversary.world import World
from evals.adversary.written import written_sentences


@pytest.fixture(scope="module")
def world() -> World:
    return World(Settings().corpus, date(2026, 11, 30))


def verify(world: World, text: str, *claims: str, language: Language = "en") -> Verdict:
    facts = {fact.id: fact for fact in world.facts}
    evidence = world.evidence(facts[claims[0]], language, *(facts[claim] for claim in claims[1:]))
    return world.verifier.verify(text, evidence)


H100 = "nl-accelerator-geheugen.h100-sxm-memory"
H200 = "nl-accelerator-geheugen.h200-sxm-memory"
BANDWIDTH = "nl-accelerator-geheugen.h100-sxm-bandwidth"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The H100 SXM and the H200 SXM have 80 GB and 141 GB of memory respectively."),
        ("en", "The H200 SXM has more memory than the H100 SXM: 141 GB against 80 GB."),
        ("nl", "De H200 SXM heeft 61 GB meer geheugen dan de H100 SXM."),
        ("da", "Sammenlignet med H100 SXM har H200 SXM mere hukommelse."),
        ("zh", "H200 SXM 的显存比 H100 SXM 多 61 GB。"),
        ("en", "The H100 SXM has 80 GB of HBM3 memory, while the H200 SXM has 141 GB."),
        ("nl", "Samen hebben de H100 SXM en de H200 SXM 221 GB geheugen."),
        ("en", "The H100 SXM offers 0.08 TB of memory."),
    ],
)
def test_true_sentences_on_two_cards_are_carried(world: World, language: Language, text: str) -> None:
    verdict = verify(world, text, H100, H200, language=language)
    assert verdict.carried, verdict.fault


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The H100 SXM and the H200 SXM have 141 GB and 80 GB of memory respectively."),
        ("en", "The H100 SXM has more memory than the H200 SXM: 80 GB against 141 GB."),
        ("nl", "De H200 SXM heeft 62 GB meer geheugen dan de H100 SXM."),
        ("da", "Sammenlignet med H200 SXM har H100 SXM mere hukommelse."),
        ("zh", "H100 SXM 的显存比 H200 SXM 多 61 GB。"),
        ("en", "The H100 SXM has 141 GB of HBM3 memory, while the H200 SXM has 80 GB."),
        ("en", "The H200 SXM has twice as much memory as the H100 SXM."),
        ("en", "The H100 SXM and the H200 SXM have the same memory."),
        ("en", "Both have 80 GB."),
        ("en", "It has 80 GB of memory."),
        ("en", "The H100 SXM has 80 GB of shared memory."),
        ("en", "The H100 SXM has only 80 GB of memory."),
        ("nl", "Momenteel heeft de H100 SXM 80 GB geheugen."),
        ("en", "The H100 SXM does not have 80 GB of memory."),
        ("en", "The H100 SXM has 80 GiB of memory."),
        ("en", "The H100 SXM has the most memory."),
        ("en", "The H100 SXM has 80 GB of memory, and it is out of stock."),
        ("en", "Nobody doubts that the H100 SXM has 80 GB of memory."),
        ("en", "According to AMD, the H100 SXM has 80 GB of memory."),
    ],
)
def test_false_or_unsupported_sentences_are_not(world: World, language: Language, text: str) -> None:
    assert not verify(world, text, H100, H200, language=language).carried


def test_what_is_not_carried_is_answered_with_what_the_evidence_says(world: World) -> None:
    verdict = verify(world, "The H100 SXM has 800 GB of memory.", H100, BANDWIDTH)
    assert not verdict.carried and verdict.nearest is not None
    assert "80 GB" in verdict.nearest.statement


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_way_of_lying_gets_past(world: World, language: Language) -> None:
    told = [lie for fact in chosen_facts(world, 2, seed=7) for lie in lies(world, fact, language)]
    told += label_lies(world, language)
    kinds = {lie.kind for lie in told}
    carried = [lie.text for lie in told if len(lie.text.split("。")) <= 2 and lie.kind != "pronoun"
               and world.verifier.verify(lie.text, lie.evidence).carried]  # fmt: skip
    assert len(kinds) >= 35 and len(told) > 200
    assert carried == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_true_sentences_in_other_words_pass(world: World, language: Language) -> None:
    told = [truth for fact in chosen_facts(world, 3, seed=7) for truth in truths(world, fact, language)]
    told += [*claimed_truths(world, language), *paraphrases(world, language)]
    refused = [truth.text for truth in told if not world.verifier.verify(truth.text, truth.evidence).carried]
    assert len(refused) <= 0.05 * len(told), refused


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_change_in_one_place_is_caught(world: World, language: Language) -> None:
    mutator = Mutator(world)
    sample = [fact for fact in world.facts if not fact.superseded][::40]
    mutants = []
    for fact in sample:
        evidence = world.evidence(fact, language)
        mutants += [
            (m.text, world.verifier.verify(m.text, evidence).carried) for m in mutator.mutants(fact, language, evidence)
        ]
    survived = [text for text, carried in mutants if carried]
    assert len(mutants) > 60 and len(survived) <= 0.03 * len(mutants), survived


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpus_own_sentences_are_carried(world: World, language: Language) -> None:
    refused = [
        fact.id
        for fact in world.facts[::8]
        if not fact.superseded
        and not world.verifier.verify(fact.statement.in_language(language), world.evidence(fact, language)).carried
    ]
    # Specifications that are a vendor's projection have no label in their sentence, so they don't pass without one.
    assert len(refused) <= 6, refused


@settings(max_examples=200, deadline=None)
@given(
    st.decimals(min_value="0.01", max_value=100000, places=2), st.decimals(min_value="0.01", max_value=100000, places=2)
)
def test_a_figure_is_carried_by_its_equal_only(held: Decimal, said: Decimal) -> None:
    source = Figure(text="", low=held, high=held, unit="GB")
    same_unit = Figure(text="", low=said, high=said, unit="GB", step=Decimal("0.01"))
    assert carries(source, same_unit) == (held == said)
    converted = Figure(text="", low=held * 1000, high=held * 1000, unit="MB", step=Decimal("0.01"))
    assert carries(source, converted)


@pytest.mark.parametrize(
    ("held", "said", "carried"),
    [
        ("2026-09-09", "2026-09", True),
        ("2026-09-09", "2026", True),
        ("2026-09", "2026-09-09", False),
        ("2026-09-09", "2026-10", False),
        ("2026-09-09", "--09-09", True),
        ("2026-Q3", "2026-H2", True),
        ("2026-H2", "2026-Q3", False),
    ],
)
def test_a_date_may_be_said_less_exactly_but_not_more(held: str, said: str, carried: bool) -> None:
    assert carries(Figure(text="", date=held), Figure(text="", date=said)) is carried


def test_lies_written_by_hand_are_withheld_and_true_sentences_shown(world: World, settings: Settings) -> None:
    assistant = lying_assistant(settings, "http://127.0.0.1:9/v1", world.today)
    assert assistant.writer is not None
    outcomes = list(written_sentences(world, assistant, assistant.writer))
    assistant.index.close()
    assert len([one for one in outcomes if not one.is_true]) >= 700
    assert [(one.language, one.kind, one.text) for one in outcomes if one.shown and not one.is_true] == []
    true = [one for one in outcomes if one.is_true]
    assert sum(one.shown for one in true) >= 0.85 * len(true)
