"""The cost calculators' tab: rent, a training run, buying, tokens, offers against each other, a migration."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from assistant.interfaces.chat.cost_forms import (
    MigrationForm,
    OfferForm,
    OwnershipForm,
    RentForm,
    TokensForm,
    TrainingForm,
)
from assistant.interfaces.chat.cost_view import CONVERSIONS, CostDesk
from assistant.interfaces.chat.form import Form, first_holding
from assistant.interfaces.chat.localiser import Localiser, Outcome
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language

Choices = list[tuple[str, str]]
Compute = Callable[[Any, Form], str]


def build_cost_tab(localiser: Localiser, language: gr.Radio, opening: Opening) -> None:
    """A form for each calculation, its outcome, and the events between them."""
    desk = opening.cost_desk()
    cards = desk.cards()
    with localiser.add(gr.Tab(id="cost"), label="tab_cost") as tab:
        localiser.add(gr.Markdown(elem_classes="tab-lead"), value="cost_lead")
        with gr.Tabs():
            _rent_tab(localiser, language, desk, cards, tab)
            _training_tab(localiser, language, desk, cards)
            _ownership_tab(localiser, language, desk, cards)
            _tokens_tab(localiser, language, desk, cards)
            _offers_tab(localiser, language, desk, cards)
            _migration_tab(localiser, language, desk)


def _card_and_count(localiser: Localiser, cards: list[str], count: int) -> tuple[gr.Dropdown, gr.Number]:
    with gr.Row():
        card = localiser.add(gr.Dropdown(cards, value=cards[0] if cards else None, scale=3), label="card")
        return card, _number(localiser, "cards", count, scale=1, min_width=90)


def _provider(localiser: Localiser, desk: CostDesk, **place: Any) -> gr.Dropdown:
    text, names = page_wording(), desk.providers()

    def providers(spoken: Language) -> Choices:
        return [(text.say("any_provider", spoken), ""), *((name, name) for name in names)]

    return localiser.add(gr.Dropdown([("", "")], value="", **place), label="provider", choices=providers)


def _number(localiser: Localiser, name: str, value: float, **place: Any) -> gr.Number:
    return localiser.add(gr.Number(value, **place), label=name)


def _optional(localiser: Localiser, name: str, hint: str | None = None, **place: Any) -> gr.Textbox:
    """A number that may be left out; a number field can't be empty."""
    words = {"label": name, **({"placeholder": hint} if hint else {})}
    return localiser.add(gr.Textbox("", max_lines=1, **place), **words)


def _connect(
    localiser: Localiser,
    outcome: gr.Markdown,
    language: gr.Radio,
    tabs: list[gr.Tab],
    fields: list[Any],
    form: Callable[..., Any],
    compute: Compute,
) -> None:
    """Compute when a tab is opened, and again whenever a field or the language changes."""
    text = page_wording()

    def answer(spoken: Language, *values: Any) -> str:
        return compute(form(*values), Form(text, spoken))

    localiser.show(Outcome(outcome, fields, answer), language, tabs)


def _rent_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk, cards: list[str], whole: gr.Tab) -> None:
    text = page_wording()

    def currencies(spoken: Language) -> Choices:
        return [(text.say("no_conversion", spoken), ""), *((name, name) for name in CONVERSIONS)]

    with localiser.add(gr.Tab(id="rent"), label="tab_rent") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            card, count = _card_and_count(localiser, cards, 8)
            provider = _provider(localiser, desk)
            with gr.Row():
                hours = _number(localiser, "hours", 100, min_width=90)
                utilisation = _number(localiser, "utilisation", 100, min_width=90)
            with localiser.add(gr.Accordion(open=False), label="more_choices"):
                price = _optional(localiser, "price", "price_hint")
                into = localiser.add(gr.Dropdown([("", "")], value=""), label="into", choices=currencies)
                rate = _optional(localiser, "rate", "rate_hint")
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="rent-outcome", latex_delimiters=[])
    fields = [card, provider, count, hours, utilisation, price, into, rate]
    _connect(localiser, outcome, language, [whole, tab], fields, RentForm, desk.rent)


def _training_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk, cards: list[str]) -> None:
    text = page_wording()

    def lengths(spoken: Language) -> Choices:
        return [(text.say(f"by_{name}", spoken), name) for name in ("tokens", "hours")]

    with localiser.add(gr.Tab(id="train"), label="tab_train") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            card, count = _card_and_count(localiser, cards, 64)
            length = localiser.add(gr.Radio(value="tokens"), label="length_of_run", choices=lengths)
            hours = localiser.add(gr.Number(100, visible=False), label="hours")
            with gr.Row() as work:
                parameters = _number(localiser, "parameters", 7, min_width=120)
                tokens = _number(localiser, "tokens", 1000, min_width=120)
            with gr.Row():
                success = _number(localiser, "success_rate", 80, min_width=120)
                price = _optional(localiser, "price", "price_hint", min_width=120)
            with localiser.add(gr.Accordion(open=False), label="more_choices"):
                mfu = _optional(localiser, "mfu", "mfu_hint")
                localiser.add(gr.Markdown(elem_classes="group-title"), value="other_costs")
                with gr.Row():
                    others = [
                        _optional(localiser, name, min_width=130)
                        for name in ("storage", "networking", "software", "recovery", "engineering")
                    ]
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="train-outcome", latex_delimiters=[])
    length.change(
        lambda chosen: (gr.update(visible=chosen == "hours"), gr.update(visible=chosen != "hours")),
        length,
        [hours, work],
        show_progress="hidden",
        api_visibility="private",
    )
    fields = [card, count, length, hours, parameters, tokens, mfu, price, success, *others]
    _connect(localiser, outcome, language, [tab], fields, TrainingForm, desk.train)


def _ownership_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk, cards: list[str]) -> None:
    with localiser.add(gr.Tab(id="own"), label="tab_own") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            card, count = _card_and_count(localiser, cards, 8)
            purchase = localiser.add(gr.Number(300_000), label="purchase_price", info="purchase_hint")
            with gr.Row():
                utilisation = _number(localiser, "utilisation", 60, min_width=120)
                electricity = _number(localiser, "electricity_price", 0.25, min_width=120)
            with gr.Row():
                years = _number(localiser, "years", 4, min_width=120)
                price = _optional(localiser, "price", "price_hint", min_width=120)
            idle = localiser.add(gr.Checkbox(False), label="rent_when_idle")
            with localiser.add(gr.Accordion(open=False), label="more_choices"), gr.Row():
                power = _optional(localiser, "power_per_gpu", "power_hint", min_width=130)
                others = [
                    _optional(localiser, name, min_width=130)
                    for name in ("other_power", "pue", "hosting_per_month", "operations_per_month", "residual_share")
                ]
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="own-outcome", latex_delimiters=[])
    fields = [card, count, purchase, electricity, utilisation, price, years, power, *others, idle]
    _connect(localiser, outcome, language, [tab], fields, OwnershipForm, desk.own)


def _tokens_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk, cards: list[str]) -> None:
    with localiser.add(gr.Tab(id="tokens"), label="tab_tokens") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            card, count = _card_and_count(localiser, cards, 8)
            throughput = localiser.add(gr.Number(10_000), label="throughput", info="throughput_hint")
            with gr.Row():
                utilisation = _number(localiser, "utilisation", 50, min_width=120)
                price = _optional(localiser, "price", "price_hint", min_width=120)
            with localiser.add(gr.Accordion(open=False), label="more_choices"):
                provider = _provider(localiser, desk)
                other = _optional(localiser, "other_per_hour")
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="tokens-outcome", latex_delimiters=[])
    fields = [card, count, throughput, utilisation, provider, price, other]
    _connect(localiser, outcome, language, [tab], fields, TokensForm, desk.tokens)


def _offers_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk, cards: list[str]) -> None:
    with localiser.add(gr.Tab(id="offers"), label="tab_offers") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            first = _offer(localiser, desk, "A", cards, first_holding("B200", cards), 40)
            second = _offer(localiser, desk, "B", cards, first_holding("H100 SXM", cards), 60)
            with localiser.add(gr.Accordion(open=False), label="third_offer"):
                third = _offer(localiser, desk, "C", cards, None, 40)
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="offers-outcome", latex_delimiters=[])
    width = len(OfferForm._fields)

    def offers(*values: Any) -> tuple[OfferForm, ...]:
        return tuple(OfferForm(*values[start : start + width]) for start in range(0, len(values), width))

    _connect(localiser, outcome, language, [tab], [*first, *second, *third], offers, desk.compare)


def _offer(
    localiser: Localiser, desk: CostDesk, letter: str, cards: list[str], chosen: str | None, hours: int
) -> tuple[Any, ...]:
    """The fields of one offer, in the order of OfferForm; without a chosen card it begins empty."""
    text = page_wording()
    localiser.add(
        gr.Markdown(elem_classes="group-title"), value=lambda spoken: text.say("offer", spoken, letter=letter)
    )
    with gr.Row():
        card = localiser.add(
            gr.Dropdown(cards if chosen else ["", *cards], value=chosen or "", min_width=170),
            label="card",
        )
        provider = _provider(localiser, desk, min_width=170)
    with gr.Row():
        count, worked = _number(localiser, "cards", 8, min_width=120), _number(localiser, "hours", hours, min_width=120)
    with gr.Row():
        price = _optional(localiser, "price", "price_hint", min_width=120)
        other = _optional(localiser, "other_costs", min_width=120)
    return card, provider, count, worked, price, other


def _migration_tab(localiser: Localiser, language: gr.Radio, desk: CostDesk) -> None:
    with localiser.add(gr.Tab(id="migrate"), label="tab_migrate") as tab, gr.Row(elem_classes="calculator"):
        with gr.Column(scale=2, min_width=300, elem_classes="form"):
            with gr.Row():
                weeks = _number(localiser, "weeks", 8, min_width=120)
                people = _number(localiser, "people", 3, min_width=120)
            rate = _number(localiser, "weekly_rate", 4_000)
            with gr.Row():
                savings = _number(localiser, "savings_per_month", 10_000, min_width=120)
                months = _number(localiser, "months_of_use", 36, min_width=120)
            one_off = _optional(localiser, "one_off", "one_off_hint")
        with gr.Column(scale=3, min_width=320):
            outcome = gr.Markdown(elem_id="migrate-outcome", latex_delimiters=[])
    fields = [weeks, people, rate, savings, months, one_off]
    _connect(localiser, outcome, language, [tab], fields, MigrationForm, desk.migrate)
