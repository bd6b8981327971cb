"""What is true of the pieces of the chat page, without a browser."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, Event, StepBegun, TextVerified
from assistant.answering.evidence import Question
from assistant.errors import EndpointUnavailable, InvalidInput
from assistant.interfaces.chat.charts import Bar, BarChart, Limit, Segment, bar_chart_html, ticks
from assistant.interfaces.chat.conversation import MOST_EXCHANGES, Conversation, converse, messages_of
from assistant.interfaces.chat.cost_forms import (
    MigrationForm,
    OfferForm,
    OwnershipForm,
    RentForm,
    TokensForm,
    TrainingForm,
)
from assistant.interfaces.chat.cost_view import CostDesk
from assistant.interfaces.chat.document import script_policy, visitor_language, with_head
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.markup import clean, plain, render
from assistant.interfaces.chat.memory_view import MemoryForm, estimate, memory_outcome, read_subject
from assistant.interfaces.chat.passage import MOST_CHARACTERS, Prose, Table, context_of
from assistant.interfaces.chat.sources_panel import panel_html
from assistant.interfaces.chat.text import example_questions, page_wording, preferred_language
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from assistant.tools.cost.calculation import CostTables
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.memory.catalogue import Catalogue, open_catalogue

TEXT = page_wording()
BODY = """Opening words of the article.

## Prices

A first sentence. The **H100** costs 3.99 dollars. A last sentence.

| Card | Memory |
|---|---|
| A | 1 GB |
| B | 2 GB |
| C | 3 GB |
| D | 4 GB |
| E | 5 GB |
| F | 6 GB |
"""


def citation(quote: str, **fields: object) -> Citation:
    return Citation.model_validate(
        {"marker": 1, "source_id": "x", "title": "Title", "language": "en", "section": "s", "quote": quote,
         "kind": "article", **fields}
    )  # fmt: skip


# Questions and answers as HTML


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pixel](http://203.0.113.9/p.png)",
        "[link](javascript:alert(1))",
        "<http://203.0.113.9>",
        "<details open ontoggle=alert(1)>",
        "[a]: http://203.0.113.9\n\n[a]",
    ],
)
def test_an_answer_holds_no_foreign_markup(hostile: str) -> None:
    html = render(f"Before. {hostile} After.")
    assert not any(tag in html for tag in ("<script", "<img", "<a ", "<details", "<iframe"))
    assert "Before." in html and "After." in html


@given(st.text())
def test_a_question_is_shown_as_it_was_typed(typed: str) -> None:
    html = plain(typed)
    assert "<" not in html.replace("<br>", "")
    assert "\0" not in html and "\n" not in html


@given(st.text())
def test_any_text_can_be_cleaned_and_encoded(typed: str) -> None:
    assert clean(clean(typed)) == clean(typed)
    clean(typed).encode("utf-8")


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert clean("a\ud83dz") == "a�z"


def test_markers_with_a_source_become_links_and_others_stay_text() -> None:
    html = render("It has 288 GB. [1][7]", {1: "<a>1</a>"})
    assert '288 GB.\u2060<span class="cites"><a>1</a>[7]</span>' in html


def test_markers_in_code_stay_code() -> None:
    assert "<a>1</a>" not in render("`x[1]`", {1: "<a>1</a>"})


# Conversation


def answer(text: str = "Yes. [1]", **fields: object) -> Answer:
    return Answer.model_validate(
        {"id": "1", "question": "q", "language": "en", "status": "answered", "text": text, "knowledge": "k",
         "citations": (citation("3.99 dollars"),), **fields}
    )  # fmt: skip


def test_each_event_is_shown_as_it_comes() -> None:
    def ask(question: Question) -> Iterator[Event]:
        yield StepBegun(step="gathering")
        yield TextVerified(text="Yes.")
        yield AnswerReady(answer=answer())

    seen = [messages_of(now, TEXT, "en")[-1]["content"] for now in converse(Conversation(), "q", ask)]
    assert [("Searching the sources" in html, "Yes." in html, "passage-1-1" in html) for html in seen] == [
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (False, True, True),
    ]


def test_earlier_questions_go_along_with_a_question() -> None:
    asked: list[Question] = []

    def ask(question: Question) -> Iterator[Event]:
        asked.append(question)
        yield AnswerReady(answer=answer())

    conversation = Conversation()
    for text in ("first", "second", "third"):
        *_, conversation = converse(conversation, text, ask)
    assert asked[-1].history == ("first", "second")


@pytest.mark.parametrize(
    ("question", "spoken", "expected"),
    [("MI355X", "da", "da"), ("H100 vs MI300X", "zh", "zh"), ("Wat kost een B200?", "da", "nl"), ("B200", "en", "en")],
)
def test_a_question_of_names_alone_is_asked_in_the_language_of_the_page(
    question: str, spoken: Language, expected: Language
) -> None:
    asked: list[Question] = []

    def ask(question: Question) -> Iterator[Event]:
        asked.append(question)
        yield AnswerReady(answer=answer())

    list(converse(Conversation(), question, ask, spoken))
    assert asked[0].language == expected


def test_a_long_conversation_drops_its_oldest_exchanges_but_keeps_their_numbers() -> None:
    conversation = Conversation()
    for number in range(MOST_EXCHANGES + 5):
        conversation = conversation.asked(str(number))
    assert len(conversation.exchanges) == MOST_EXCHANGES
    assert conversation.exchanges[-1].number == MOST_EXCHANGES + 5


def test_an_expected_error_is_one_line_in_the_language_of_the_page() -> None:
    def ask(question: Question) -> Iterator[Event]:
        yield StepBegun(step="writing")
        raise EndpointUnavailable("The endpoint\nis gone.", "Try later.")

    *_, last = converse(Conversation(), "q", ask)
    html = messages_of(last, TEXT, "nl")[-1]["content"]
    assert "Dit lukte niet: The endpoint is gone. Try later." in html


def test_a_question_longer_than_is_read_says_so() -> None:
    def ask(question: Question) -> Iterator[Event]:
        yield AnswerReady(answer=answer())

    *_, last = converse(Conversation(), "a" * 20_000, ask)
    shown, answered = (message["content"] for message in messages_of(last, TEXT, "da"))
    assert "og 18.800 tegn mere" in shown
    assert "Kun de første 4.000 tegn" in answered


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_question_is_answered(assistant: Assistant, language: Language) -> None:
    for example in example_questions().examples:
        found = assistant.answer(Question(text=example.in_language(language)))
        assert found.status == "answered", example.in_language(language)
        assert found.language == language
        assert found.citations


# Sources


def test_a_passage_is_marked_in_its_paragraph() -> None:
    quote = "The **H100** costs 3.99 dollars."
    start = BODY.index(quote)
    found = context_of(BODY, quote, start, start + len(quote))
    assert isinstance(found, Prose)
    assert [(run.text, run.quoted) for run in found.runs] == [
        ("A first sentence. ", False),
        ("The H100 costs 3.99 dollars.", True),
        (" A last sentence.", False),
    ]


def test_a_row_is_marked_in_its_table_among_its_neighbours() -> None:
    found = context_of(BODY, "| D | 4 GB |", None, None)
    assert isinstance(found, Table)
    assert [cell.text for cell in found.header] == ["Card", "Memory"]
    assert [[cell.text for cell in row.cells] for row in found.rows] == [
        ["B", "2 GB"], ["C", "3 GB"], ["D", "4 GB"], ["E", "5 GB"], ["F", "6 GB"],
    ]  # fmt: skip
    assert [all(cell.quoted for cell in row.cells) for row in found.rows] == [False, False, True, False, False]
    assert [row.gap for row in found.rows] == [True, False, False, False, False]


def test_one_cell_can_be_marked_alone() -> None:
    found = context_of(BODY, "4 GB", None, None)
    assert isinstance(found, Table)
    assert [cell.text for row in found.rows for cell in row.cells if cell.quoted] == ["4 GB"]


def test_a_passage_that_its_article_no_longer_holds_is_shown_alone() -> None:
    found = context_of(BODY, "not there", 3, 12)
    assert found == Prose(runs=found.runs) and [run.text for run in found.runs] == ["not there"]  # type: ignore[union-attr]


@given(st.text(alphabet="ab |\n*#-", max_size=200), st.integers(0, 200), st.integers(1, 40))
def test_any_span_of_any_article_can_be_shown(body: str, start: int, length: int) -> None:
    quote = body[start : start + length]
    context_of(body, quote, start, start + len(quote))


def test_text_around_a_passage_is_bounded() -> None:
    body = "word " * 5_000 + "QUOTE" + " word" * 5_000
    found = context_of(body, "QUOTE", None, None)
    assert isinstance(found, Prose)
    assert sum(len(run.text) for run in found.runs) < 2 * MOST_CHARACTERS + 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_of_the_corpus_is_found_and_marked_in_its_article(corpus: Corpus, language: Language) -> None:
    for claim_id, claim in corpus.claims.items():
        article = corpus.articles[corpus.article_of[claim_id]]
        if article.language != language:
            continue
        start = article.body.index(claim.quote)
        found = context_of(article.body, claim.quote, start, start + len(claim.quote))
        runs = found.runs if isinstance(found, Prose) else [c for row in found.rows for c in row.cells]
        assert any(run.quoted for run in runs), claim_id


def test_a_hostile_source_is_shown_as_text() -> None:
    hostile = citation(
        "<img src=x onerror=alert(1)> ${alert(1)}", title="<script>x</script>", url="javascript:alert(1)"
    )
    html = panel_html([(1, (hostile,))], None, TEXT, "en")
    assert "<img" not in html and "<script" not in html and "javascript:" not in html


def test_a_source_says_what_it_is() -> None:
    html = panel_html(
        [(1, (citation("words", publisher="AI Wereld", published="2026-08-28", language="nl",
                       url="https://example.org/a",
                       based_on=({"title": "Original", "publisher": "P", "published": "2026-09"},)),))],
        None, TEXT, "da",
    )  # fmt: skip
    for words in ("AI Wereld", "september 2026", "Nederlandsk", "Bygger på", "Original, P, september 2026",
                  'href="https://example.org/a"', "<mark>words</mark>", 'lang="nl"'):  # fmt: skip
        assert words in html


# Charts


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_ticks_are_round_and_within_the_axis(top: float) -> None:
    found = ticks(top)
    assert found[0] == 0
    assert 2 <= len(found) <= 9
    assert found[-1] <= top * (1 + 1e-6)
    step = Decimal(repr(found[1])).normalize()
    assert step.as_tuple().digits[0] in (1, 2, 5)


def test_bars_take_the_share_that_they_stand_for() -> None:
    bar = Bar(label="", segments=(Segment(label="w", size=60, shown="60 GB", tone="a"),))
    html = bar_chart_html(BarChart(title="T", bars=(bar,), limit=Limit(label="usable", place=80)), "Figures")
    assert f"width:{60 / (80 * 1.06) * 100:.2f}%" in html
    assert f"left:{80 / (80 * 1.06) * 100:.2f}%" in html
    assert "<figcaption>T</figcaption>" in html and "<td>60 GB</td>" in html


# Calculators


@pytest.fixture(scope="module")
def catalogue(settings: Settings) -> Catalogue:
    return open_catalogue(settings.corpus)


@pytest.fixture(scope="module")
def desk(settings: Settings, corpus: Corpus) -> CostDesk:
    tables = CostTables(corpus, (), date(2026, 11, 30), read_cost_wording(settings.corpus))
    return CostDesk(corpus, lambda: tables)


MEMORY = MemoryForm(
    model="Llama 3.3 70B", card="NVIDIA H100 SXM", cards=2, task="inference", weights="", context="8k",
    concurrency=1, sequence="2k", batch=1, zero=0, engine="", kv_type="",
)  # fmt: skip
RENT = RentForm(
    card="NVIDIA B200", provider="", cards=8, hours=100, utilisation=100, price="", into="", rate=""
)  # fmt: skip
TRAINING = TrainingForm(
    card="NVIDIA B200", cards=64, length="tokens", hours=1, parameters=7, tokens=1000, mfu="", price="",
    success_rate=80, storage="", networking="", software="", recovery="", engineering="",
)  # fmt: skip
TOKENS = TokensForm(
    card="NVIDIA B200", cards=8, throughput=10_000, utilisation=50, provider="", price="3,60", other_per_hour=""
)  # fmt: skip
OFFER = OfferForm(card="NVIDIA B200", provider="", cards=8, hours=40, price="3,50", other="")
NO_OFFER = OfferForm(card="", provider="", cards=8, hours=40, price="", other="")
MIGRATION = MigrationForm(
    weeks=8, people=3, weekly_rate=4_000, savings_per_month=10_000, months=36, one_off=""
)  # fmt: skip
OWNERSHIP = OwnershipForm(
    card="NVIDIA B200", cards=8, purchase_price=300_000, electricity_price=0.25, utilisation=60, price="", years=4,
    power_per_gpu="", other_power="", pue="", hosting_per_month="", operations_per_month="", residual_share="",
    rent_when_idle=False,
)  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_memory_form_gives_what_the_tool_gives(
    catalogue: Catalogue, settings: Settings, language: Language
) -> None:
    form = Form(TEXT, language)
    result = estimate(MEMORY, form, catalogue)
    html = memory_outcome(MEMORY, form, catalogue, settings.corpus)
    assert result.request.gpus == 2
    assert "Llama 3.3 70B" in html and "plot-bars" in html and 'class="problem"' not in html


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cards": 0}, "“Aantal kaarten” moet een getal zijn, van 1 tot 10.000."),
        ({"cards": 1.5}, "“Aantal kaarten” moet een geheel getal zijn"),
        ({"cards": None}, "Vul “Aantal kaarten” in."),
        ({"model": None}, "Vul “Model” in."),
        ({"model": "Llama 9 900B"}, "Model “Llama 9 900B” is niet bekend."),
        ({"card": "H900"}, "“H900” is niet bekend."),
        ({"context": "long"}, "“Context (tokens)” moet een geheel getal zijn"),
        ({"context": "1m"}, "Llama 3.3 70B gaat tot een context van 131.072 tokens."),
        ({"concurrency": -3}, "“Gelijktijdige gesprekken” moet een getal zijn"),
        ({"model": "/etc/passwd"}, "Model “/etc/passwd” is niet bekend."),
        ({"model": "corpus/config.json"}, "Model “corpus/config.json” is niet bekend."),
    ],
)
def test_a_wrong_field_of_the_memory_form_is_one_line(
    catalogue: Catalogue, settings: Settings, changes: dict[str, object], words: str
) -> None:
    html = memory_outcome(MEMORY._replace(**changes), Form(TEXT, "nl"), catalogue, settings.corpus)  # type: ignore[arg-type]
    assert words.replace("'", "&#x27;") in html
    assert html.count("<p") == 1


def test_a_size_can_stand_in_for_a_model(catalogue: Catalogue) -> None:
    assert read_subject("70B", catalogue).name == "70B"


@pytest.mark.parametrize("language", LANGUAGES)
def test_costs_are_told_in_every_language(desk: CostDesk, language: Language) -> None:
    form = Form(TEXT, language)
    for html in (
        desk.rent(RENT, form), desk.train(TRAINING, form), desk.own(OWNERSHIP, form), desk.tokens(TOKENS, form),
        desk.compare((OFFER, OFFER._replace(hours=20), NO_OFFER), form), desk.migrate(MIGRATION, form),
    ):  # fmt: skip
        assert 'class="problem"' not in html
        assert "<figure" in html


def test_the_month_of_break_even_is_in_the_chart(desk: CostDesk) -> None:
    html = desk.own(OWNERSHIP._replace(price="6.79"), Form(TEXT, "en"))
    assert "even in month 14" in html
    assert "even in" not in desk.own(OWNERSHIP._replace(purchase_price=10**9), Form(TEXT, "en"))


def test_tokens_offers_and_a_migration_are_worked_out_as_filled_in(desk: CostDesk) -> None:
    dutch = Form(TEXT, "nl")
    # 3.60 × 8 ÷ (10,000 × 3600 × 0.5) million an hour.
    assert "1,60 dollar bij 10.000 tokens per seconde" in desk.tokens(TOKENS, dutch)
    told = desk.compare((OFFER, OFFER._replace(price="2,50", hours=60), NO_OFFER), dutch)
    assert "A (NVIDIA B200)" in told and "1.120 dollar" in told and "1.200 dollar" in told
    assert "C (NVIDIA B200)" in desk.compare((OFFER, OFFER, OFFER), dutch)
    # 8 × 3 × 4,000 = 96,000, saved in ten months.
    assert "break-even in maand 10" in desk.migrate(MIGRATION, dutch)
    assert "break-even" not in desk.migrate(MIGRATION._replace(savings_per_month=10), dutch)
    assert "“Aantal mensen”" in desk.migrate(MIGRATION._replace(people=None), dutch)


def test_optional_numbers_are_read_as_the_language_writes_them(desk: CostDesk) -> None:
    dutch, english = Form(TEXT, "nl"), Form(TEXT, "en")
    assert dutch.optional("price", "3,99", 0, 10) == Decimal("3.99")
    assert dutch.optional("purchase_price", "300.000", 0, 10**6) == 300_000
    assert english.optional("purchase_price", "300,000", 0, 10**6) == 300_000
    assert english.optional("price", " ", 0, 10) is None
    with pytest.raises(InvalidInput, match="must be a number from 0 to 10"):
        english.optional("price", "cheap", 0, 10)


def test_a_card_without_a_price_says_so_and_asks_for_one(desk: CostDesk) -> None:
    html = desk.train(TRAINING._replace(card="AMD Instinct MI300X"), Form(TEXT, "da"))
    assert "Angiv din egen pris pr. GPU-time" in html
    assert "figure" not in html


@given(cards=st.one_of(st.none(), st.integers(-5, 10**9), st.floats(allow_nan=True, allow_infinity=True)))
def test_no_number_of_cards_breaks_the_form(desk: CostDesk, cards: float | None) -> None:
    desk.rent(RENT._replace(cards=cards), Form(TEXT, "zh"))


# The document and its language


@pytest.mark.parametrize(
    ("accepted", "chosen", "language"),
    [
        ("da-DK,da;q=0.9,en;q=0.8", None, "da"),
        ("de-DE,de;q=0.9,zh-TW;q=0.5,en;q=0.8", None, "en"),
        ("zh-CN", None, "zh"),
        ("fr", None, "en"),
        ("", None, "en"),
        ("en;q=x,nl", None, "nl"),
        ("da", "nl", "nl"),
        ("da", "xx", "da"),
    ],
)
def test_the_page_greets_in_the_language_chosen_or_accepted(
    accepted: str, chosen: str | None, language: Language
) -> None:
    assert preferred_language(accepted, chosen) == language


@given(st.text(), st.text())
def test_no_header_breaks_the_greeting(cookies: str, accepted: str) -> None:
    assert visitor_language(cookies, accepted) in LANGUAGES


def test_a_document_allows_its_own_scripts_and_no_others() -> None:
    html = with_head('<html lang="en"><head><meta property="og:x" content="u"></head><script>a()</script></html>', "zh")
    policy = script_policy(html)
    assert "og:x" not in html and 'lang="zh-CN"' in html
    assert policy.startswith("'self' 'sha256-") and "unsafe" not in policy
    assert policy.count("sha256") == 1


def test_every_string_of_the_page_is_translated() -> None:
    alike = {"title", "tab_memory", "stop", "pue", "model", "task_lora", "task_qlora", "kv_type", "context", "software",
             "engine", "lang_nl"}  # fmt: skip
    for name, phrase in TEXT.phrases.items():
        assert phrase.zh not in (phrase.en, phrase.nl, phrase.da) or name in alike, name


def test_only_fonts_of_the_machine_are_named() -> None:
    folder = Path(__file__).parent.parent / "assistant" / "interfaces" / "chat"
    for name in ("style.css", "page.js", "theme.py"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "http:" not in text.replace("http://www.w3.org", "") and "https:" not in text and "@import" not in text
