"""Search across languages: what is found, how scores are made, and that no language is favoured."""

import threading
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assistant.knowledge.article import Article
from assistant.language.detection import detect_language
from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.calibration import calibration_texts
from assistant.retrieval.centring import fit_centres, refit_spreads
from assistant.retrieval.embedding import BUNDLED, open_engine
from assistant.retrieval.fusion import excess_coverage, fused_scores
from assistant.retrieval.index import build_index, open_index
from assistant.retrieval.lexical import CoverageIndex, lexical_query, names, text_features, words
from assistant.retrieval.retriever import PassageRetriever
from assistant.retrieval.search import MAX_RESULTS, SearchIndex
from assistant.retrieval.vectors import FloatArray, unit_vectors

# Subject, then the same short paragraph in four languages, and a question about it in each.
SUBJECTS: list[tuple[dict[Language, str], dict[Language, str]]] = [
    (
        {
            "en": "The warranty covers the power supply for five years, but not damage by lightning.",
            "nl": "De garantie dekt de voeding vijf jaar lang, maar geen schade door bliksem.",
            "da": "Garantien dækker strømforsyningen i fem år, men ikke skader efter lynnedslag.",
            "zh": "保修期内电源保修五年，但不包括雷击造成的损坏。",
        },
        {
            "en": "How long is the power supply under warranty?",
            "nl": "Hoelang geldt de garantie op de voeding?",
            "da": "Hvor længe er der garanti på strømforsyningen?",
            "zh": "电源的保修期是多久？",
        },
    ),
    (
        {
            "en": "Servers are delivered within six weeks after the order has been paid.",
            "nl": "Servers worden binnen zes weken na betaling van de bestelling geleverd.",
            "da": "Servere leveres senest seks uger efter, at ordren er betalt.",
            "zh": "订单付款后六周内交付服务器。",
        },
        {
            "en": "When will my server arrive?",
            "nl": "Wanneer komt mijn server aan?",
            "da": "Hvornår kommer min server?",
            "zh": "我的服务器什么时候能到货？",
        },
    ),
    (
        {
            "en": "The hall is cooled with sea water, which saves a third of the electricity.",
            "nl": "De hal wordt met zeewater gekoeld, wat een derde van de stroom bespaart.",
            "da": "Hallen køles med havvand, hvilket sparer en tredjedel af strømmen.",
            "zh": "机房用海水冷却，可节省三分之一的电力。",
        },
        {
            "en": "How is the data hall kept cool?",
            "nl": "Hoe wordt de datahal koel gehouden?",
            "da": "Hvordan holdes datahallen kølig?",
            "zh": "机房是怎样降温的？",
        },
    ),
    (
        {
            "en": "Support answers the telephone on working days between eight and six.",
            "nl": "De helpdesk neemt op werkdagen tussen acht en zes de telefoon op.",
            "da": "Supporten tager telefonen på hverdage mellem otte og atten.",
            "zh": "技术支持在工作日八点到十八点接听电话。",
        },
        {
            "en": "At what hours can I call for help?",
            "nl": "Op welke tijden kan ik bellen voor hulp?",
            "da": "Hvornår kan jeg ringe efter hjælp?",
            "zh": "我可以在什么时间打电话求助？",
        },
    ),
    (
        {
            "en": "Customers may end the contract every month without giving a reason.",
            "nl": "Klanten kunnen het contract elke maand zonder reden opzeggen.",
            "da": "Kunder kan opsige kontrakten hver måned uden at give en grund.",
            "zh": "客户每个月都可以无理由解除合同。",
        },
        {
            "en": "Can I cancel the agreement early?",
            "nl": "Kan ik de overeenkomst tussentijds beëindigen?",
            "da": "Kan jeg ophæve aftalen før tid?",
            "zh": "可以提前取消协议吗？",
        },
    ),
]


def article(identity: str, language: Language, body: str) -> Article:
    return Article(id=identity, title="Hosting", language=language, kind="guide", body=body + "\n")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    """All subjects in all languages."""
    directory = tmp_path_factory.mktemp("mixed")
    articles = [
        article(f"{language}-{number}", language, texts[language])
        for number, (texts, _) in enumerate(SUBJECTS)
        for language in LANGUAGES
    ]
    build_index(articles, open_engine(BUNDLED), directory)
    return open_index(directory, open_engine(BUNDLED))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_finds_its_subject_in_every_language(mixed: SearchIndex, language: Language) -> None:
    """Of the twenty passages the four on the subject come out on top, not the five in the question's language."""
    found = 0
    for number, (_, questions) in enumerate(SUBJECTS):
        results = mixed.search(questions[language], language=language, top_k=5)
        found += sum(result.passage.source_id.endswith(f"-{number}") for result in results)
    assert found >= 0.8 * len(SUBJECTS) * len(LANGUAGES)


def test_plain_cosine_would_hide_the_other_languages(mixed: SearchIndex) -> None:
    """What centring is for: without it, passages in the question's own language crowd out the rest."""
    engine = open_engine(BUNDLED)
    texts = [(number, texts[language]) for number, (texts, _) in enumerate(SUBJECTS) for language in LANGUAGES]
    vectors = engine.embed_passages([text for _, text in texts])
    plain = centred = 0
    for number, (_, questions) in enumerate(SUBJECTS):
        best = np.argsort(-(vectors @ engine.embed_queries([questions["zh"]])[0]))[:5]
        plain += sum(texts[place][0] == number for place in best)
        results = mixed.search(questions["zh"], language="zh", top_k=5)
        centred += sum(result.passage.source_id.endswith(f"-{number}") for result in results)
    assert centred > plain


def test_a_card_named_in_a_chinese_question_is_found_in_a_danish_table(tmp_path: Path) -> None:
    table = "| Kort | Hukommelse |\n|---|---|\n| {} | {} GB |"
    articles = [
        article("da-mi355x", "da", table.format("MI355X", 288)),
        article("da-mi325x", "da", table.format("MI325X", 256)),
        *(article(f"zh-{n}", "zh", texts["zh"]) for n, (texts, _) in enumerate(SUBJECTS)),
        *(article(f"nl-{n}", "nl", texts["nl"]) for n, (texts, _) in enumerate(SUBJECTS)),
    ]
    build_index(articles, open_engine(BUNDLED), tmp_path)
    index = open_index(tmp_path, open_engine(BUNDLED))
    found = [result.passage.source_id for result in index.search("MI325X 的显存有多大？", language="zh", top_k=2)]
    assert found[0] == "da-mi325x"


def test_a_single_passage_in_a_language_is_found_among_many_in_others(tmp_path: Path) -> None:
    texts, questions = SUBJECTS[0]
    others = [article(f"en-{n}", "en", texts["en"]) for n, (texts, _) in enumerate(SUBJECTS[1:])]
    build_index([article("da-0", "da", texts["da"]), *others], open_engine(BUNDLED), tmp_path)
    index = open_index(tmp_path, open_engine(BUNDLED))
    for language in LANGUAGES:
        found = [r.passage.source_id for r in index.search(questions[language], language=language, top_k=2)]
        assert "da-0" in found, language


def test_one_article_does_not_crowd_out_the_others(tmp_path: Path) -> None:
    rows = "\n\n".join(f"## Rent {n}\n\nRenting card {n} costs {n} euros an hour." for n in range(1, 9))
    articles = [
        article("long", "en", rows),
        article("short", "en", "Renting a card costs two euros an hour."),
    ]
    build_index(articles, open_engine(BUNDLED), tmp_path)
    found = open_index(tmp_path, open_engine(BUNDLED)).search("What does renting a card cost?", language="en", top_k=4)
    assert {result.passage.source_id for result in found} == {"long", "short"}


def test_results_are_ordered_bounded_and_without_doubles(mixed: SearchIndex) -> None:
    results = mixed.search("garantie", language="nl", top_k=MAX_RESULTS * 10)
    assert [result.score for result in results] == sorted((result.score for result in results), reverse=True)
    assert len({result.passage.id for result in results}) == len(results) == 20
    assert mixed.search("garantie", language="nl", top_k=0) == []


@pytest.mark.parametrize(
    "question",
    [
        "MI300X\0memory",
        "مرحبا",
        "<b>garantie</b> **vet**",
        "woord " * 4000,
        "字" * 20000,
    ],
)
def test_no_question_is_too_odd_to_search_for(mixed: SearchIndex, question: str) -> None:
    assert len(mixed.search(question, language=detect_language(question), top_k=3)) == 3


@pytest.mark.parametrize("question", ["", " ", "🙂🙂🙂", "\0", "\ud800"])
def test_a_question_without_a_word_finds_nothing(mixed: SearchIndex, question: str) -> None:
    assert mixed.search(question, language=detect_language(question), top_k=3) == []


def test_threads_searching_at_once_get_what_one_gets(mixed: SearchIndex) -> None:
    asked = [(questions[language], language) for _, questions in SUBJECTS for language in LANGUAGES]
    alone = [[r.passage.id for r in mixed.search(text, language=language)] for text, language in asked]
    together: dict[int, list[str]] = {}

    def ask(place: int) -> None:
        text, language = asked[place]
        together[place] = [r.passage.id for r in mixed.search(text, language=language)]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [together[place] for place in range(len(asked))] == alone


def test_langchain_gets_passages_as_documents(mixed: SearchIndex) -> None:
    documents = PassageRetriever(index=mixed, top_k=3).invoke("Hoelang geldt de garantie op de voeding?")
    assert len(documents) == 3
    assert documents[0].metadata["source_id"].endswith("-0")
    assert {"title", "section", "language", "start", "end", "score"} <= documents[0].metadata.keys()


# --- centring ---


def rows(count: int, seed: int) -> FloatArray:
    return unit_vectors(np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32))


def spread_of(count: int) -> dict[Language, FloatArray]:
    return {language: rows(count, seed) + seed for seed, language in enumerate(LANGUAGES)}


def test_centring_takes_the_language_out_of_vectors() -> None:
    shifted = spread_of(400)
    centres = fit_centres(shifted, spread_of(50), {})
    means = [centres.centred_passages(shifted[language], language).mean(axis=0) for language in LANGUAGES]
    assert max(float(np.linalg.norm(mean)) for mean in means) < 0.1


def test_the_spread_is_that_of_a_questions_cosines() -> None:
    passages = spread_of(2000)
    centres = fit_centres(passages, spread_of(50), {"en": rows(50, 9) + 3})
    question = centres.centred_question(rows(1, 7)[0] + 3, "en")
    cosines = centres.centred_passages(passages["en"], "en") @ question
    mean, deviation = centres.spread(question, "en", "en")
    usual = float(centres.deviations[LANGUAGES.index("en"), LANGUAGES.index("en")])
    assert isclose(mean, float(cosines.mean()), abs_tol=0.02)
    assert isclose(deviation, (float(cosines.std()) * usual) ** 0.5, rel_tol=0.05)


def test_a_language_without_passages_is_centred_by_the_calibration_texts() -> None:
    """Danish stands as far from English as the calibration texts say, wherever the passages lie."""
    calibration = {language: rows(200, 5) + seed for seed, language in enumerate(LANGUAGES)}
    centres = fit_centres({"en": rows(300, 6) + 10}, calibration, {})
    apart = centres.passages[LANGUAGES.index("da")] - centres.passages[LANGUAGES.index("en")]
    assert np.allclose(apart, LANGUAGES.index("da") - LANGUAGES.index("en"), atol=0.3)


def test_centres_stay_when_only_spreads_are_fitted_anew() -> None:
    before = fit_centres(spread_of(100), spread_of(50), {})
    after = refit_spreads(before, spread_of(120))
    assert np.array_equal(before.passages, after.passages)
    assert not np.array_equal(before.covariances, after.covariances)


def test_centres_survive_being_written_and_read(tmp_path: Path) -> None:
    before = fit_centres(spread_of(30), spread_of(50), {"nl": rows(5, 1)})
    before.save(tmp_path / "centres.npz")
    after = type(before).load(tmp_path / "centres.npz")
    assert all(np.allclose(getattr(before, name), getattr(after, name)) for name in vars(before))


def test_calibration_texts_are_in_the_language_they_stand_under() -> None:
    wrong = [
        (language, text.in_language(language))
        for text in calibration_texts().texts
        for language in LANGUAGES
        if detect_language(text.in_language(language)) != language
    ]
    assert not wrong


# --- words and names ---


def test_names_are_read_in_every_language() -> None:
    assert names("Kører vLLM på MI300X med ROCm 10.0.0?") == ["vllm", "mi300x", "rocm", "10.0.0"]
    assert names("Instinct 显卡支持 cuda 吗") == ["instinct", "cuda"]
    assert names("Hoeveel kost de huur van acht kaarten?") == []


def test_identifiers_count_whole_and_chinese_by_pairs() -> None:
    found = {word.text: word.features for word in words("gfx942, sm_90, 13.4.1, 显存大小, geheugenbandbreedte")}
    assert found["gfx942"] == ("gfx942",)
    assert found["sm_90"] == ("sm_90",)
    assert found["13.4.1"] == ("13.4.1",)
    assert {"显存", "存大", "大小"} <= found.keys()
    assert len(found["geheugenbandbreedte"]) > 10


def coverage_of(texts: list[str], question: str) -> FloatArray:
    return CoverageIndex.build([text_features(text) for text in texts]).coverage(lexical_query(question))


def test_coverage_is_the_share_of_a_questions_information() -> None:
    texts = ["geheugen van de kaart", "prijs van de kaart", "helemaal iets anders"]
    held = coverage_of(texts, "geheugen kaart")
    assert held[0] == pytest.approx(1)
    assert 0 < held[1] < held[0]
    assert held[2] < 0.2


def test_part_of_a_compound_is_found_in_it() -> None:
    held = coverage_of(["hukommelsesbåndbredden er 8 TB/s", "strømforbruget er 750 watt"], "båndbredde")
    assert held[0] > 0.5 > held[1]


def test_a_name_must_be_held_whole() -> None:
    index = CoverageIndex.build([text_features(text) for text in ("MI355X has 288 GB", "MI325X has 256 GB", "NVLink")])
    assert index.name_coverage(lexical_query("MI325X")).tolist() == [0, 1, 0]
    assert index.name_coverage(lexical_query("nvLink of nvswitcH")).tolist()[2] > 0


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.text(max_size=60))
def test_coverage_lies_between_nothing_and_all(texts: list[str], question: str) -> None:
    held = coverage_of(texts, question)
    assert held.shape == (len(texts),)
    assert np.all((held >= 0) & (held <= 1 + 1e-5))


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12))
def test_features_are_read_back_from_an_index(texts: list[str]) -> None:
    features = [text_features(text) for text in texts]
    back = CoverageIndex.build(features).features_by_text()
    assert [sorted(one.tolist()) for one in back] == [sorted(one.tolist()) for one in features]


def test_an_index_of_words_survives_being_written_and_read(tmp_path: Path) -> None:
    built = CoverageIndex.build([text_features("geheugen van de kaart"), text_features("prijs")])
    built.save(tmp_path / "words")
    read = CoverageIndex.load(tmp_path / "words", 2)
    query = lexical_query("prijs van de kaart")
    assert np.allclose(built.coverage(query), read.coverage(query))


# --- fusion ---

COVERAGES = hnp.arrays(np.float32, st.integers(1, 60), elements=st.floats(0, 1, width=32))


@given(COVERAGES)
def test_excess_lies_between_nothing_and_all_and_keeps_the_order(coverages: FloatArray) -> None:
    excess = excess_coverage(coverages)
    assert np.all((excess >= 0) & (excess <= 1 + 1e-6))
    best = int(np.argmax(coverages))
    assert excess[best] == pytest.approx(excess.max(), abs=1e-6)


def test_what_all_passages_hold_by_chance_counts_for_nothing() -> None:
    assert excess_coverage(np.full(100, 0.4, dtype=np.float32)).max() == pytest.approx(0, abs=1e-3)


def test_full_coverage_counts_even_in_a_language_with_two_passages() -> None:
    assert excess_coverage(np.array([1.0, 0.1], dtype=np.float32))[0] > 0.5


@given(COVERAGES)
def test_no_leg_can_lower_a_score(coverages: FloatArray) -> None:
    cosines = np.zeros_like(coverages)
    scores = fused_scores(cosines, excess_coverage(coverages), coverages)
    assert np.all(scores >= cosines)
