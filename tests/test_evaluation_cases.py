"""Cases that curators write: every kind in every language, and mistakes named with their file and case."""

import shutil
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from assistant.errors import AssistantError, CorpusError
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.language.tongue import LANGUAGES
from assistant.settings import ROOT, Settings
from evals.runs.session import check_cases, read_asked
from evals.suite.case import CASE_KINDS
from evals.suite.draft import append_draft
from evals.suite.reader import CASES, asked, read_cases
from evals.suite.ties import ClaimValues

GOOD = """\
cases:
  - id: h100-memory
    kind: fact
    question: {en: "How much memory does the H100 SXM have?"}
    expect: {facts: [nl-accelerator-geheugen.h100-sxm-memory]}
"""


def test_every_kind_of_question_is_asked_in_every_language() -> None:
    found = list(asked(read_cases(CASES)))
    assert len(found) >= 240
    for language in LANGUAGES:
        kinds = Counter(one.case.kind for one in found if one.language == language)
        assert sum(kinds.values()) >= 60
        assert set(kinds) == set(CASE_KINDS)


def test_every_claim_and_source_that_a_case_expects_exists(settings: Settings) -> None:
    check_cases(read_asked(None), settings.corpus, None, "cases")


def test_a_corrected_claim_moves_the_expectation_with_it(corpus: Corpus) -> None:
    expected = {id_ for case in read_cases(CASES) for id_ in case.expect.claims}
    assert len(expected) >= 50
    assert expected <= corpus.claims.keys()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("kind: fact", "kind: fakt", "h100-memory"),
        ("facts: [nl-accelerator-geheugen.h100-sxm-memory]", "", "expects nothing"),
        ("facts: [", "status: not_in_sources, facts: [", "contradicts itself"),
        ("facts: [", "says: [H100], must_not_say: [h100], facts: [", "contradicts itself"),
        ("facts: [nl-accel", "facts: [nl-accelerator-geheugen.h100-sxm-memory, nl-accel", "twice"),
        ("facts: [nl-accelerator-geheugen.h100-sxm-memory]", "facts: [{value: 80}]", "unit"),
        ("facts: [nl-accelerator-geheugen.h100-sxm-memory]", "facts: [{claim: a.b, value: 80, unit: GB}]", "not both"),
        ("facts: [nl-accelerator-geheugen.h100-sxm-memory]", "facts: [{words: {nl: [tachtig]}}]", "no words in da"),
        ("facts: [nl-accelerator-geheugen.h100-sxm-memory]", "conflict: [one-claim]", "at least two"),
        ("facts: [", "at_least: 3, facts: [", "at_least"),
        ("kind: fact", "kind: follow_up", "history"),
        ("kind: fact", "kind: tool", "names the tool"),
        ("kind: fact", "kind: poisoned", "poisoned"),
        ("kind: fact", "kind: fact\n    pair: nobody", "nobody"),
        ("question: {en:", "question: {fr:", "h100-memory"),
        ("kind: fact", "kind: fact\n    colour: red", "colour"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_its_case(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in GOOD
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "cards.yaml").write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(CorpusError) as raised:
        read_cases(folder)
    assert problem in str(raised.value)
    assert str(folder) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_cases_with_one_id_or_one_question_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(CorpusError, match="used twice"):
        read_cases(tmp_path)
    (tmp_path / "b.yaml").write_text(GOOD.replace("h100-memory", "h100-again"), encoding="utf-8")
    with pytest.raises(CorpusError, match="asks the same as h100-memory"):
        read_cases(tmp_path)


def test_a_claim_that_nothing_knows_is_named(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.replace("sxm-memory", "sxm-memmory"), encoding="utf-8")
    with pytest.raises(AssistantError, match="sxm-memmory") as raised:
        check_cases(read_asked(tmp_path), settings.corpus, None, str(tmp_path))
    assert raised.value.exit_status == 2


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ("{facts: [{value: 80, unit: GB}]}", "writes out 80 GB, which is what nl-accelerator-geheugen.h100-"),
        ("{facts: [{value: 80, unit: GB, about: [H100]}]}", "writes out 80 GB, which is what"),
        ("{facts: [nl-gpu-huurprijzen.h100-sxm-lambda], must_not_say: [$3.99]}", "'$3.99' must not be said"),
        ("{facts: [nl-gpu-huurprijzen.h100-sxm-lambda], must_not_say: ['3.99']}", "'3.99' must not be said"),
        ("{facts: [nl-gpu-huurprijzen.h100-sxm-lambda], must_not_say: [Lambda]}", "'Lambda' must not be said"),
        ("{facts: [{value: 81, unit: GB, about: [H100]}], must_not_say: [81 GB]}", "81 GB must be told"),
        (
            "{facts: [{value: 81, unit: GB, about: [H100]}, {value: 82, unit: GB, about: [H100]}]}",
            "81 GB and 82 GB are two values of H100",
        ),
        (
            "{facts: [nl-accelerator-geheugen.h100-sxm-memory, {value: 81, unit: GB, about: [H100 SXM]}]}",
            "81 GB is written out, and nl-accelerator-geheugen.h100-sxm-memory says otherwise",
        ),
        ("{facts: [nl-rocm-10.anthropic-first-gigawatt, en-platform-examples.anthropic-first-gigawatt]}", "two values"),
    ],
)
def test_a_value_that_a_claim_has_and_expectations_that_no_answer_meets_are_one_clear_line(
    tmp_path: Path, settings: Settings, expect: str, problem: str
) -> None:
    case = GOOD.replace("{facts: [nl-accelerator-geheugen.h100-sxm-memory]}", expect)
    (tmp_path / "a.yaml").write_text(case, encoding="utf-8")
    with pytest.raises(CorpusError) as raised:
        check_cases(read_asked(tmp_path), settings.corpus, None, str(tmp_path))
    assert str(raised.value).startswith(f"{tmp_path}: h100-memory ")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_value_written_out_is_tied_to_the_claims_that_have_it(corpus: Corpus) -> None:
    values = ClaimValues(corpus.claims.values(), corpus.entities)
    cases = {one.case.id: one.case for one in read_asked(None)}
    assert "nl-gpu-huurprijzen.h100-sxm-lambda" in values.tied(cases["da-dev-06"])
    changed = corpus.claims["nl-gpu-huurprijzen.h100-sxm-lambda"].model_copy(update={"value": Decimal("4.29")})
    later = ClaimValues({**corpus.claims, changed.id: changed}.values(), corpus.entities)
    assert changed.id not in later.tied(cases["da-dev-06"])


def test_a_source_that_there_never_was_is_named(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.replace("expect: {", "expect: {sources: [nobodys-notes], "), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"h100-memory expects the source 'nobodys-notes'"):
        check_cases(read_asked(tmp_path), settings.corpus, None, str(tmp_path))


def test_a_claim_id_used_twice_names_its_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "corpus", tmp_path / "corpus")
    name = "nl-accelerator-geheugen.yaml"
    path = tmp_path / "corpus" / "claims" / name
    first = yaml.safe_load(path.read_text(encoding="utf-8"))
    first["claims"].append(first["claims"][0])
    path.write_text(yaml.safe_dump(first, allow_unicode=True), encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"{name}: claim id .* is used twice") as raised:
        load_corpus(tmp_path / "corpus")
    assert "\n" not in str(raised.value)


def test_a_draft_that_breaks_the_file_leaves_it_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "cards.yaml"
    path.write_text(GOOD, encoding="utf-8")
    append_draft(GOOD.replace("h100-memory", "h100-more").replace("How much", "What"), path)
    assert [case.id for case in read_cases(tmp_path)] == ["h100-memory", "h100-more"]
    before = path.read_text(encoding="utf-8")
    with pytest.raises(CorpusError):
        append_draft(GOOD.replace("kind: fact", "kind: fakt"), path)
    assert path.read_text(encoding="utf-8") == before
