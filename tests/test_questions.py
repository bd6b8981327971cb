"""The questions that releases are judged by, and whether their scorer can tell a right answer from a wrong one."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.answering.answer import Answer, Caveat, Conflict, ConflictValue, ToolRun
from assistant.answering.evidence import Question
from assistant.errors import CorpusError
from assistant.interfaces.commands.ask import read_questions
from assistant.knowledge.citation import BasedOn, Citation
from assistant.knowledge.claim import Range
from assistant.language.formatting import format_period, format_quantity
from assistant.language.quantities.quantity import reads_back
from assistant.language.tongue import LANGUAGES, Language
from evals.cases import SILENT, Case, ExpectedFact, Suite, questions_jsonl, read_suite
from evals.grounding import unsupported_numbers
from evals.questions.__main__ import command
from evals.report import failure, pairs_right, summary, table
from evals.scoring import Score, score
from evals.wording import carries

SUITE = read_suite()

QUOTES: dict[Language, str] = {
    "nl": "De MI355X heeft 288 GB HBM3E.",
    "da": "MI355X har 288 GB HBM3E.",
    "zh": "MI355X 配备 288 GB HBM3E 显存。",
    "en": "The MI355X carries 288 GB of HBM3E.",
}
ANSWERS: dict[Language, str] = {
    "nl": "De AMD Instinct MI355X heeft 288 GB geheugen. [1]",
    "da": "AMD Instinct MI355X har 288 GB hukommelse. [1]",
    "zh": "AMD Instinct MI355X 配备 288 GB 显存。 [1]",
    "en": "The AMD Instinct MI355X has 288 GB of memory. [1]",
}
QUESTIONS: dict[Language, str] = {
    "nl": "Hoeveel geheugen heeft de MI355X?",
    "da": "Hvor meget hukommelse har MI355X?",
    "zh": "MI355X 有多少显存？",
    "en": "How much memory does the MI355X have?",
}


def citation(quote: str, language: Language, marker: int = 1) -> Citation:
    return Citation(
        marker=marker, source_id=f"article-{marker}", title="Geheugen", language=language, published="2026-10",
        section="", quote=quote, kind="article", based_on=(BasedOn(title="Work", published="2026-09"),),
    )  # fmt: skip


def answer(text: str, language: Language, *citations: Citation, **more: object) -> Answer:
    fields = {"id": "x", "question": "", "language": language, "status": "answered", "text": text, "knowledge": "k"}
    return Answer.model_validate({**fields, "citations": citations, **more})


def memory_case(language: Language) -> Case:
    return Case.model_validate(
        {
            "id": f"{language}-memory",
            "set": "dev",
            "kind": "fact",
            "question": QUESTIONS[language],
            "expects": ["mi355x-memory"],
        }
    )


def scored(text: str, quote: str, language: Language, quoted_in: Language | None = None) -> Score:
    return score(memory_case(language), answer(text, language, citation(quote, quoted_in or language)), SUITE)


def test_there_are_as_many_questions_of_each_sort_in_each_language() -> None:
    asked = [case for case in SUITE.cases if case.kind not in SILENT and case.kind != "dialogue" and case.set != "seen"]
    for language in LANGUAGES:
        of = [case for case in asked if case.language == language]
        assert len(of) == 74
        assert sum(case.set == "first" for case in of) == 15
        assert sum(case.set == "held" for case in of) == 30
    kinds = Counter(case.kind for case in SUITE.cases)
    assert kinds["unanswerable"] == 68
    assert kinds["out_of_scope"] == 20
    assert kinds["dialogue"] == 16
    unseen = [case for case in SUITE.cases if case.set != "seen"]
    assert sum(case.set == "held" for case in unseen) > 0.4 * len(unseen)


def test_most_questions_are_in_another_language_than_the_original_that_holds_the_fact() -> None:
    asked = [case for case in SUITE.cases if case.expects]
    crossing = [
        case
        for case in asked
        if all(case.language not in [line[:2] for line in fact.origin] for fact in SUITE.expected(case))
    ]
    assert len(crossing) > 0.75 * len(asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_expected_figure_is_found_in_a_text_of_any_language(language: Language) -> None:
    for fact in SUITE.facts.values():
        if fact.date is not None:
            assert reads_back(format_period(fact.date, language), language, fact.date, None), fact.id
        elif isinstance(fact.value, Decimal | Range):
            shown = f"{format_quantity(fact.value, None, language)} {fact.unit}"
            assert reads_back(shown, language, fact.value, fact.unit), (fact.id, shown)
        else:
            assert fact.wordings(language), fact.id


def test_the_questions_file_is_one_that_ask_takes(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(questions_jsonl(SUITE.cases), encoding="utf-8")
    read = list(read_questions(path))
    assert [(q.id, q.text, q.history) for q in read] == [(c.id, c.question, c.history) for c in SUITE.cases]


def test_the_command_exports_the_questions_that_its_options_choose(tmp_path: Path) -> None:
    path = tmp_path / "first.jsonl"
    result = CliRunner().invoke(command, ["--set", "first", "--lang", "da", "--export", str(path)])
    assert result.exit_code == 0, result.output
    assert [question.id[:8] for question in read_questions(path)] == ["da-first"] * 15


FACTS = "works: {nl: work}\nfacts:\n  - {id: mi-memory, in: [nl:1], about: [MI], value: 8, unit: GB}\n"
GOOD = "{id: nl-a, set: dev, kind: fact, question: Hoeveel?, expects: [mi-memory]}"


@pytest.mark.parametrize(
    ("facts", "cases", "problem"),
    [
        (FACTS, f"[{GOOD}, {GOOD}]", "nl-a"),
        (FACTS, f"[{GOOD}, {GOOD.replace('nl-a', 'nl-b')}]", "asks the same"),
        (FACTS, f"[{GOOD.replace('mi-memory', 'm-typo')}]", "m-typo"),
        (FACTS, f"[{GOOD.replace('fact', 'fakt')}]", "kind"),
        (FACTS, f"[{GOOD.replace('nl-a', 'fr-a')}]", "id"),
        (FACTS, "[{id: nl-a, set: dev, kind: fact, question: Hoeveel?}]", "expects no facts"),
        (FACTS, "[{id: nl-a, set: dev, kind: unanswerable, question: Hoeveel?, pair: nl-z}]", "nl-z"),
        (FACTS.replace("nl:1", "xx:1"), f"[{GOOD}]", "xx:1"),
        (FACTS.replace("value: 8, unit: GB", "value: 8"), f"[{GOOD}]", "unit"),
        (FACTS.replace("value: 8, unit: GB", "words: {nl: [acht]}"), f"[{GOOD}]", "no words in da"),
        ("works: {nl: work", f"[{GOOD}]", "not YAML"),
    ],
)
def test_a_mistake_in_the_questions_is_named_with_its_file(
    tmp_path: Path, facts: str, cases: str, problem: str
) -> None:
    (tmp_path / "facts.yaml").write_text(facts, encoding="utf-8")
    (tmp_path / "nl.yaml").write_text(f"cases: {cases}\n", encoding="utf-8")
    with pytest.raises(CorpusError) as raised:
        read_suite(tmp_path)
    assert problem in str(raised.value)
    assert str(tmp_path) in str(raised.value)


def test_a_wording_is_whole_words_and_an_asterisk_is_any_ending() -> None:
    assert carries("Ondersteund op MI300X en MI325X.", ["mi300x"])
    assert not carries("Ondersteund op MI300XT.", ["MI300X"])
    assert carries("支持MI300X的框架", ["MI300X"])
    assert carries("de kvantiserede formater", ["kvantiser*"])
    assert not carries("gekwantiseerd", ["kwantiseer*"])
    assert carries("CDNA‑3", ["CDNA 3"])
    assert carries("MI210, MI250 og MI250X", ["MI210 + MI250"])
    assert not carries("MI210 og MI250X", ["MI210 + MI250"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("quoted_in", LANGUAGES)
def test_a_right_answer_passes_whatever_the_language_of_its_passage(language: Language, quoted_in: Language) -> None:
    result = scored(ANSWERS[language], QUOTES[quoted_in], language, quoted_in)
    assert result.passed, result.failed


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda text, quote: (text.replace("288", "289"), quote), "value"),
        (lambda text, quote: (text.replace("288", "28.8"), quote), "value"),
        (lambda text, quote: (text.replace("288", "2880"), quote), "invented"),
        (lambda text, quote: (text.replace("GB", "TB"), quote), "value"),
        (lambda text, quote: (text.replace("288 GB", "288 W"), quote), "value"),
        (lambda text, quote: (text.replace(" [1]", ""), quote), "citation"),
        (lambda text, quote: (text.replace("[1]", "[2]"), quote), "citation"),
        (lambda text, quote: (text, quote.replace("288", "256")), "citation"),
        (lambda text, quote: (text.replace("MI355X", "MI325X"), quote.replace("MI355X", "MI325X")), "citation"),
        (lambda text, quote: (f"{text} 1400 W", quote), "invented"),
    ],
)
def test_each_way_to_spoil_a_right_answer_is_noticed(language: Language, change, check: str) -> None:  # type: ignore[no-untyped-def]
    text, quote = change(ANSWERS[language], QUOTES[language])
    assert check in {failed.name for failed in scored(text, quote, language).failed}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "De MI355X heeft 0,288 TB geheugen. [1]"),
        ("zh", "MI355X 的显存为 288GB。[1]"),
        ("da", "Kortet MI355X byder på 288 gigabyte hukommelse. [1]"),
        ("en", "| Property | MI355X |\n|---|---|\n| memory of the card | 288 GB [1] |"),
    ],
)
def test_saying_the_same_otherwise_is_no_mistake(language: Language, text: str) -> None:
    assert scored(text, QUOTES[language], language).passed


def test_an_answer_in_another_language_than_the_question_fails() -> None:
    result = score(memory_case("da"), answer(ANSWERS["nl"], "da", citation(QUOTES["da"], "da")), SUITE)
    assert [check.name for check in result.failed] == ["language"]


def conflict_score(*sides: tuple[str, str, int]) -> Score:
    case = next(case for case in SUITE.cases if case.kind == "conflict" and "cuda-since-2006" in case.expects)
    case = case.model_copy(update={"id": "en-conflict", "question": "Since when has CUDA existed?"})
    told = Conflict(
        about="CUDA",
        attribute="introduced",
        values=tuple(ConflictValue(value=value, unit=unit or None, marker=marker) for value, unit, marker in sides),
    )
    text = "CUDA has existed since 2006, says one source, and since 2007, says the other. [1][2]"
    quotes = (citation("CUDA bestaat sinds 2006.", "nl"), citation("CUDA har eksisteret siden 2007.", "da", 2))
    return score(case, answer(text, "en", *quotes, conflicts=[told]), SUITE)


def test_a_disagreement_counts_only_with_both_values_and_a_source_for_each() -> None:
    assert conflict_score(("2006", "", 1), ("2007", "", 2)).passed
    assert not conflict_score(("2006", "", 1), ("2008", "", 2)).passed
    assert not conflict_score(("2006", "", 1), ("2007", "", 1)).passed
    assert not conflict_score(("2006", "", 1)).passed


def test_a_vendors_claim_without_its_label_fails() -> None:
    case = next(case for case in SUITE.cases if case.expects == ("rocm-inference-speedup",) and case.language == "en")
    text = "According to AMD, inference is up to 3.3 times faster on ROCm 10. [1]"
    quotes = citation("ROCm 10 kører inferens op til 3,3 gange hurtigere.", "da")
    assert [check.name for check in score(case, answer(text, "en", quotes), SUITE).failed] == ["label"]
    labelled = answer(text, "en", quotes, caveats=[Caveat(code="vendor_claim", text="AMD's own")])
    assert score(case, labelled, SUITE).passed


def test_a_price_needs_its_date_but_not_in_its_quote() -> None:
    case = next(case for case in SUITE.cases if case.id == "en-dev-06")
    quote = citation("| H100 SXM | RunPod | $3.49 per hour |", "en")
    undated = answer("RunPod asks $3.49 per hour for the H100 SXM. [1]", "en", quote)
    assert [check.name for check in score(case, undated, SUITE).failed] == ["dated"]
    dated = answer("In September 2026, RunPod asked $3.49 per hour for the H100 SXM. [1]", "en", quote)
    assert score(case, dated, SUITE).passed


def test_refusing_counts_only_when_the_status_says_so_and_the_name_is_told() -> None:
    case = next(case for case in SUITE.cases if case.id == "nl-none-01")
    right = answer("“MI399X” staat niet in de bronnen.", "nl", status="not_in_sources")
    assert score(case, right, SUITE).passed
    assert not score(case, right.model_copy(update={"status": "answered"}), SUITE).passed
    unnamed = right.model_copy(update={"text": "Dat staat niet in de bronnen."})
    assert [check.name for check in score(case, unnamed, SUITE).failed] == ["says"]


def test_a_figure_of_a_calculation_or_of_the_question_is_supported() -> None:
    run = ToolRun(tool="rent", inputs={"hours": 24}, result={"total": "191.52"}, formula="8 × 24 × 0.9975")
    question = Question(text="What do 8 cards cost for 24 hours?")
    text = "Renting 8 cards for 24 hours costs $191.52."
    assert unsupported_numbers(answer(text, "en", tool_runs=[run]), question) == []
    assert unsupported_numbers(answer(text, "en"), question) == ["$191.52"]


def test_list_numbers_markers_and_small_counts_in_words_are_no_figures() -> None:
    text = "Two steps:\n\n1. Check the card. [1]\n2. Check the driver. [1]"
    assert unsupported_numbers(answer(text, "en", citation("Check.", "en")), Question(text="How?")) == []


def test_the_report_counts_pairs_and_shows_each_failure_in_three_lines() -> None:
    refused = next(case for case in SUITE.cases if case.id == "nl-none-01")
    twin = next(case for case in SUITE.cases if case.id == refused.pair)
    silent = score(refused, answer("“MI399X” staat niet in de bronnen.", "nl", status="not_in_sources"), SUITE)
    told = score(twin, answer(ANSWERS["nl"], "nl", citation(QUOTES["nl"], "nl")), SUITE)
    wrong = score(twin, answer(ANSWERS["nl"].replace("288", "300"), "nl", citation(QUOTES["nl"], "nl")), SUITE)
    assert pairs_right([silent, told]) == (1, 1)
    assert pairs_right([silent, wrong]) == (0, 1)
    assert "1/1" in table([told], "all")
    assert "100.0 % of 1" in summary([told])
    lines = failure(wrong, SUITE).splitlines()
    assert len(lines) == 3
    assert "300 GB" in lines[1]
    assert "288 GB" in lines[2]


def test_an_expected_fact_says_exactly_one_thing() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        ExpectedFact.model_validate(
            {"id": "two-things", "in": ["nl:1"], "about": [], "value": 1, "unit": "GB", "date": 2026}
        )
    assert isinstance(SUITE, Suite)
