"""What readers of four languages see."""

import re

import pytest

from assistant.errors import InvalidInput
from assistant.language.refusal import refusal_text
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import open_catalogue
from assistant.tools.memory.description import breakdown_rows, describe_fit, describe_formula, fit_phrases, with_texts
from assistant.tools.memory.fit import answer, estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sweep import sweep
from assistant.tools.memory.sweep_description import describe_sweep, sweep_data

CATALOGUE = open_catalogue(ROOT / "corpus")
PHRASES = fit_phrases(ROOT / "corpus")


def found(model: str, card: str, **choices: object) -> FitResult:
    request = FitRequest.model_validate(choices)
    return estimate_fit(request, CATALOGUE.model(model), CATALOGUE.card(card), CATALOGUE.cards.values())


CASES = {
    "fits": found("llama-3.1-8b", "H100 SXM"),
    "does_not_fit": found("llama-3.3-70b", "H100 SXM", context=32_768, concurrency=4),
    "training": found("llama-3.1-8b", "A100", task="full", gpus=2),
    "precision": found("llama-3.1-8b", "T4"),
    "nominal": found("llama-3.1-8b", "RX 7900 XTX", weights="q4_k_m", kv_type="q8_0"),
    "published": found("gpt-oss-120b", "H100"),
}
DIRECT: dict[str, dict[Language, str]] = {
    "fits": {"nl": "Ja, ", "da": "Ja, ", "zh": "可以，", "en": "Yes, "},
    "does_not_fit": {"nl": "Nee, ", "da": "Nej, ", "zh": "不行，", "en": "No, "},
    "precision": {"nl": "Nee, ", "da": "Nej, ", "zh": "不行，", "en": "No, "},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_every_result_reads_in_every_language(case: str, language: Language) -> None:
    text = describe_fit(CASES[case], language)
    assert "{" not in text and "None" not in text
    if case in DIRECT:
        assert text.startswith(DIRECT[case][language])


@pytest.mark.parametrize(
    ("language", "weights", "count"),
    [("nl", "16,1 GB", "16.060.522.496"), ("da", "16,1 GB", "16.060.522.496"), ("zh", "16.1 GB", "16,060,522,496"),
     ("en", "16.1 GB", "16,060,522,496")],
)  # fmt: skip
def test_figures_are_written_as_the_language_does(language: Language, weights: str, count: str) -> None:
    text = describe_fit(CASES["fits"], language)
    assert weights in text and count in text


def test_the_same_figures_stand_in_every_language() -> None:
    def digits(language: Language) -> list[str]:
        return re.findall(r"\d+", re.sub(r"(?<=\d)[.,](?=\d)", "", describe_fit(CASES["does_not_fit"], language)))

    # Word order differs; the figures do not.
    assert sorted(digits("nl")) == sorted(digits("da")) == sorted(digits("en")) == sorted(digits("zh"))


def test_no_sentence_is_the_same_in_two_languages() -> None:
    for name, phrase in PHRASES.phrases.items():
        if name.startswith("note_") or name in ("fits", "tight", "does_not_fit", "room"):
            texts = [phrase.in_language(language) for language in LANGUAGES]
            assert len(set(texts)) == 4, name


def test_the_breakdown_has_a_row_for_each_term_that_takes_memory() -> None:
    labels = [row[0] for row in breakdown_rows(CASES["training"], PHRASES, "en")]
    assert labels == ["weights", "gradients", "optimizer states", "activations", "overhead", "total", "usable"]


def test_assumptions_carry_their_sentence_in_json() -> None:
    for note in with_texts(CASES["nominal"], "da").assumptions:
        assert note.text and "{" not in note.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sweep_is_a_table_with_bars(language: Language) -> None:
    values: list[int | str] = [4096, 16_384, 400_000]
    points = sweep(FitRequest(), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("L4"), "context", values)
    lines = describe_sweep("context", points, language).splitlines()
    assert len(lines) == 5
    assert lines[2].count("█") < lines[3].count("█") and "|" in lines[2]
    data = sweep_data("context", points)
    assert [point.get("verdict") is None for point in data["points"]] == [False, False, True]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
def test_every_formula_is_told_in_every_language(language: Language, recompute: str) -> None:
    phrases = fit_phrases(ROOT / "corpus")
    training = FitRequest.model_validate({"task": "full", "recompute": recompute})
    for request in (FitRequest(), training):
        model = CATALOGUE.model("llama-3.1-8b")
        for step in answer(request, model, CATALOGUE.card("H100 SXM")).formulas:
            line = describe_formula(step, phrases, language)
            assert step.source in line
            if language == "zh":
                assert "bytes (" not in line and any("\u4e00" <= sign <= "\u9fff" for sign in line)


REFUSED = {
    "unknown_model": lambda: CATALOGUE.model("llamma 3 80b"),
    "unknown_card": lambda: CATALOGUE.card("H900"),
    "no_gguf_format": lambda: answer(
        FitRequest(engine="llama.cpp", weights="fp8"), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100")
    ),
    "gguf_on_sglang": lambda: answer(
        FitRequest(engine="sglang", weights="q4_k_m"), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100")
    ),
    "not_trainable": lambda: answer(
        FitRequest(task="full", weights="fp8"), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100")
    ),
    "too_many_stages": lambda: answer(FitRequest(gpus=4096), CATALOGUE.model("llama-3.1-8b"), CATALOGUE.card("H100")),
}


@pytest.mark.parametrize("code", list(REFUSED))
def test_a_refusal_is_told_in_every_language(code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        REFUSED[code]()
    assert caught.value.code == code
    told = {language: refusal_text(caught.value, language, ROOT / "corpus") for language in LANGUAGES}
    assert len(set(told.values())) == len(LANGUAGES)
    assert all(value in line for line in told.values() for value in caught.value.values.values())
    assert refusal_text(caught.value, "nl", ROOT / "tests") == str(caught.value)
