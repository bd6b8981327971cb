"""What the cost calculators' forms hold, in the order in which the page hands it over, and the requests it makes."""

from decimal import Decimal
from typing import Any, NamedTuple

from assistant.interfaces.chat.form import Form, Typed
from assistant.tools.cost.comparison import ComparisonRequest
from assistant.tools.cost.migration import MigrationRequest
from assistant.tools.cost.ownership import OwnershipRequest
from assistant.tools.cost.rent import RentRequest
from assistant.tools.cost.request import checked
from assistant.tools.cost.tokens import TokensRequest
from assistant.tools.cost.training_run import TrainingRunRequest

_MOST_CARDS = 1_000_000
_MOST_HOURS = 10_000_000
_MOST_MONEY = 10**12
_MOST_PRICE = 1_000_000
_LETTERS = "ABC"


class RentForm(NamedTuple):
    """Renting."""

    card: str | None
    provider: str | None
    cards: Typed
    hours: Typed
    utilisation: Typed
    price: Typed
    into: str | None
    rate: Typed


class TrainingForm(NamedTuple):
    """A training run."""

    card: str | None
    cards: Typed
    length: str
    hours: Typed
    parameters: Typed
    tokens: Typed
    mfu: Typed
    price: Typed
    success_rate: Typed
    storage: Typed
    networking: Typed
    software: Typed
    recovery: Typed
    engineering: Typed


class OwnershipForm(NamedTuple):
    """Renting against buying."""

    card: str | None
    cards: Typed
    purchase_price: Typed
    electricity_price: Typed
    utilisation: Typed
    price: Typed
    years: Typed
    power_per_gpu: Typed
    other_power: Typed
    pue: Typed
    hosting_per_month: Typed
    operations_per_month: Typed
    residual_share: Typed
    rent_when_idle: bool


class TokensForm(NamedTuple):
    """Tokens that are served."""

    card: str | None
    cards: Typed
    throughput: Typed
    utilisation: Typed
    provider: str | None
    price: Typed
    other_per_hour: Typed


class OfferForm(NamedTuple):
    """One of the offers that are compared; without a card there is none."""

    card: str | None
    provider: str | None
    cards: Typed
    hours: Typed
    price: Typed
    other: Typed


class MigrationForm(NamedTuple):
    """Moving to another platform."""

    weeks: Typed
    people: Typed
    weekly_rate: Typed
    savings_per_month: Typed
    months: Typed
    one_off: Typed


def rent_request(fields: RentForm, form: Form) -> RentRequest:
    return checked(
        RentRequest,
        gpu=form.chosen("card", fields.card),
        provider=fields.provider or None,
        gpus=_cards(fields.cards, form),
        hours=_hours(fields.hours, form),
        utilisation=form.percent("utilisation", fields.utilisation),
        price=own_price(fields.price, form),
        into=fields.into or None,
        rate=form.optional("rate", fields.rate, Decimal("0.0001"), 1_000_000),
    )


def training_request(fields: TrainingForm, form: Form) -> TrainingRunRequest:
    length: dict[str, Any] = {}
    if fields.length == "hours":
        length["hours"] = _hours(fields.hours, form)
    else:
        length["parameters"] = form.number("parameters", fields.parameters, Decimal("0.001"), 10**6) * 10**9
        length["tokens"] = form.number("tokens", fields.tokens, Decimal("0.001"), 10**8) * 10**9
        length["mfu"] = _share(form.optional("mfu", fields.mfu, 1, 100))
    costs = {
        name: form.optional(name, getattr(fields, name), 0, _MOST_MONEY)
        for name in ("storage", "networking", "software", "recovery", "engineering")
    }
    return checked(
        TrainingRunRequest,
        gpu=form.chosen("card", fields.card),
        price=own_price(fields.price, form),
        gpus=_cards(fields.cards, form),
        success_rate=form.percent("success_rate", fields.success_rate),
        **length,
        **costs,
    )


def ownership_request(fields: OwnershipForm, form: Form) -> OwnershipRequest:
    """Renting against buying at the usual utilisations and at the one that was filled in."""
    usual = OwnershipRequest.model_fields["utilisations"].get_default()
    utilisation = form.percent("utilisation", fields.utilisation)
    return checked(
        OwnershipRequest,
        gpu=form.chosen("card", fields.card),
        gpus=_cards(fields.cards, form),
        price=own_price(fields.price, form),
        purchase_price=form.number("purchase_price", fields.purchase_price, 0, _MOST_MONEY),
        electricity_price=form.number("electricity_price", fields.electricity_price, 0, 1_000),
        power_per_gpu=form.optional("power_per_gpu", fields.power_per_gpu, 1, 100_000),
        other_power=form.optional("other_power", fields.other_power, 0, 1_000_000),
        pue=form.optional("pue", fields.pue, 1, 10),
        hosting_per_month=form.optional("hosting_per_month", fields.hosting_per_month, 0, _MOST_MONEY),
        operations_per_month=form.optional("operations_per_month", fields.operations_per_month, 0, _MOST_MONEY),
        years=form.number("years", fields.years, Decimal("0.5"), 20),
        residual_share=_share(form.optional("residual_share", fields.residual_share, 0, 100)),
        utilisations=tuple(sorted({*usual, utilisation})),
        rent_when_idle=fields.rent_when_idle,
    )


def tokens_request(fields: TokensForm, form: Form) -> TokensRequest:
    return checked(
        TokensRequest,
        gpu=form.chosen("card", fields.card),
        provider=fields.provider or None,
        gpus=_cards(fields.cards, form),
        throughput=form.number("throughput", fields.throughput, Decimal("0.01"), 10**9),
        utilisation=form.percent("utilisation", fields.utilisation),
        price=own_price(fields.price, form),
        other_per_hour=form.optional("other_per_hour", fields.other_per_hour, 0, _MOST_MONEY),
    )


def comparison_request(offers: tuple[OfferForm, ...], form: Form) -> ComparisonRequest:
    """Two offers, or three where the third has a card; each is called by its letter and what it is."""
    options: list[dict[str, Any]] = []
    for letter, fields in zip(_LETTERS, offers, strict=False):
        if letter == "C" and not fields.card:
            continue
        card = form.chosen("card", fields.card)
        price = own_price(fields.price, form)
        what = ", ".join(filter(None, (card, fields.provider)))
        option = {
            "label": form.say("offer_named", letter=letter, what=what),
            "gpu": card,
            "provider": fields.provider,
            "gpus": _cards(fields.cards, form),
            "hours": _hours(fields.hours, form),
            "price": price,
            "other": form.optional("other_costs", fields.other, 0, _MOST_MONEY),
        }
        options.append({name: value for name, value in option.items() if value not in (None, "")})
    return checked(ComparisonRequest, options=tuple(options))


def migration_request(fields: MigrationForm, form: Form) -> MigrationRequest:
    return checked(
        MigrationRequest,
        weeks=form.number("weeks", fields.weeks, Decimal("0.1"), 1_000),
        people=form.number("people", fields.people, Decimal("0.1"), 10_000),
        weekly_rate=form.number("weekly_rate", fields.weekly_rate, 0, _MOST_MONEY),
        savings_per_month=form.number("savings_per_month", fields.savings_per_month, 0, _MOST_MONEY),
        months=form.number("months_of_use", fields.months, 1, 600),
        one_off=form.optional("one_off", fields.one_off, 0, _MOST_MONEY),
    )


def own_price(typed: Typed, form: Form) -> Decimal | None:
    """The visitor's own price per GPU and hour."""
    return form.optional("price", typed, 0, _MOST_PRICE)


def _cards(typed: Typed, form: Form) -> int:
    return form.whole("cards", typed, 1, _MOST_CARDS)


def _hours(typed: Typed, form: Form) -> Decimal:
    return form.number("hours", typed, Decimal("0.01"), _MOST_HOURS)


def _share(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else percent / 100
