"""The cost calculators' forms and outcomes."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from assistant.errors import AssistantError, InvalidInput
from assistant.interfaces.chat.charts import (
    Bar,
    BarChart,
    Crossing,
    Line,
    LineChart,
    Point,
    Segment,
    Tone,
    bar_chart_html,
    line_chart_html,
)
from assistant.interfaces.chat.form import Form, Typed
from assistant.interfaces.chat.result import outcome_html, refusal_html
from assistant.knowledge.corpus import Corpus
from assistant.language.formatting import format_number
from assistant.language.wording import Wording
from assistant.tools.cost.card_figures import card_figure
from assistant.tools.cost.describer import Describer
from assistant.tools.cost.description import describe_ownership, describe_rent, describe_training_run
from assistant.tools.cost.names import cards_and_families, find_gpu
from assistant.tools.cost.ownership import OwnershipRequest, OwnershipResult, Scenario, rent_or_buy, spent_by_month
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.request import checked
from assistant.tools.cost.result import CostResult
from assistant.tools.cost.span import Span
from assistant.tools.cost.training_run import Terms, TrainingRunRequest, TrainingRunResult, training_run

CURRENCY = "USD"
CONVERSIONS = ("EUR", "DKK", "CNY")
_MOST_CARDS = 1_000_000
_MOST_HOURS = 10_000_000
_MOST_MONEY = 10**12
_TONES: tuple[Tone, ...] = ("a", "b", "c", "d", "e", "f")


class RentForm(NamedTuple):
    """The fields, in the order in which the page hands them over."""

    card: str | None
    provider: str | None
    cards: Typed
    hours: Typed
    utilisation: Typed
    price: Typed
    into: str | None
    rate: Typed


class TrainingForm(NamedTuple):
    """The fields, in the order in which the page hands them over."""

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
    """The fields, in the order in which the page hands them over."""

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


class CostDesk:
    """Computes and describes costs from one knowledge base."""

    def __init__(self, corpus: Corpus, wording: Wording, today: date) -> None:
        self._corpus = corpus
        self._wording = wording
        self._today = today

    def cards(self) -> list[str]:
        """Names of the cards, those with a known price first."""
        entities = cards_and_families(self._corpus)
        priced = {row.gpu for row in self._corpus.prices.prices if row.price is not None}
        ordered = sorted(entities.values(), key=lambda entity: (entity.id not in priced, entity.name))
        return list(dict.fromkeys(entity.name for entity in ordered))

    def providers(self) -> list[str]:
        """Names of the providers that there are prices of."""
        ids = dict.fromkeys(row.provider for row in self._corpus.prices.prices)
        return sorted(self._corpus.entities[id_].name for id_ in ids)

    def rent(self, fields: RentForm, form: Form) -> str:
        """What renting costs, as HTML."""
        try:
            request = checked(
                RentRequest,
                gpu=form.chosen("card", fields.card),
                provider=fields.provider or None,
                gpus=form.whole("cards", fields.cards, 1, _MOST_CARDS),
                hours=form.number("hours", fields.hours, Decimal("0.01"), _MOST_HOURS),
                utilisation=form.percent("utilisation", fields.utilisation),
                price=form.optional("price", fields.price, 0, 1_000_000),
                into=fields.into or None,
                rate=form.optional("rate", fields.rate, Decimal("0.0001"), 1_000_000),
            )
            result = rent(request, self._corpus, today=self._today)
        except AssistantError as error:
            return refusal_html(form, error)
        chart = offers_chart(result, form, self._wording)
        shown = bar_chart_html(chart, form.say("figures")) if chart else ""
        text = self._with_changes(describe_rent(result, form.language, self._wording), result, form)
        return outcome_html(form, text, shown, self._inputs(result, form))

    def train(self, fields: TrainingForm, form: Form) -> str:
        """What a training run costs, as HTML."""
        try:
            result = training_run(self._training_request(fields, form), self._corpus, today=self._today)
        except AssistantError as error:
            return refusal_html(form, error)
        shown = bar_chart_html(terms_chart(result, form, self._wording), form.say("figures"))
        text = self._with_changes(describe_training_run(result, form.language, self._wording), result, form)
        return outcome_html(form, text, shown, self._inputs(result, form))

    def own(self, fields: OwnershipForm, form: Form) -> str:
        """Renting against buying, as HTML."""
        try:
            utilisation = form.percent("utilisation", fields.utilisation)
            result = rent_or_buy(self._ownership_request(fields, form, utilisation), self._corpus, today=self._today)
        except AssistantError as error:
            return refusal_html(form, error)
        scenario = next(one for one in result.scenarios if one.utilisation.low == utilisation)
        shown = line_chart_html(months_chart(result, scenario, form), form.say("figures"))
        text = self._with_changes(describe_ownership(result, form.language, self._wording), result, form)
        return outcome_html(form, text, shown, self._inputs(result, form))

    def _training_request(self, fields: TrainingForm, form: Form) -> TrainingRunRequest:
        card = form.chosen("card", fields.card)
        price = self._price(card, fields.price, form)
        length: dict[str, Any] = {}
        if fields.length == "hours":
            length["hours"] = form.number("hours", fields.hours, Decimal("0.01"), _MOST_HOURS)
        else:
            length["parameters"] = form.number("parameters", fields.parameters, Decimal("0.001"), 10**6) * 10**9
            length["tokens"] = form.number("tokens", fields.tokens, Decimal("0.001"), 10**8) * 10**9
            reached = form.optional("mfu", fields.mfu, 1, 100)
            length["mfu"] = None if reached is None else reached / 100
        costs = {
            name: form.optional(name, getattr(fields, name), 0, _MOST_MONEY)
            for name in ("storage", "networking", "software", "recovery", "engineering")
        }
        return checked(
            TrainingRunRequest,
            gpu=card,
            price=price,
            gpus=form.whole("cards", fields.cards, 1, _MOST_CARDS),
            success_rate=form.percent("success_rate", fields.success_rate),
            **length,
            **costs,
        )

    def _ownership_request(self, fields: OwnershipForm, form: Form, utilisation: Decimal) -> OwnershipRequest:
        card = form.chosen("card", fields.card)
        power = form.optional("power_per_gpu", fields.power_per_gpu, 1, 100_000)
        if power is None:
            self._check_power(card, form)
        usual = OwnershipRequest.model_fields["utilisations"].get_default()
        return checked(
            OwnershipRequest,
            gpu=card,
            gpus=form.whole("cards", fields.cards, 1, _MOST_CARDS),
            price=self._price(card, fields.price, form),
            purchase_price=form.number("purchase_price", fields.purchase_price, 0, _MOST_MONEY),
            electricity_price=form.number("electricity_price", fields.electricity_price, 0, 1_000),
            power_per_gpu=power,
            other_power=form.optional("other_power", fields.other_power, 0, 1_000_000),
            pue=form.optional("pue", fields.pue, 1, 10),
            hosting_per_month=form.optional("hosting_per_month", fields.hosting_per_month, 0, _MOST_MONEY),
            operations_per_month=form.optional("operations_per_month", fields.operations_per_month, 0, _MOST_MONEY),
            years=form.number("years", fields.years, Decimal("0.5"), 20),
            residual_share=_share(form.optional("residual_share", fields.residual_share, 0, 100)),
            utilisations=tuple(sorted({*usual, utilisation})),
            rent_when_idle=fields.rent_when_idle,
        )

    def _price(self, card: str, given: Typed, form: Form) -> Decimal | None:
        """The user's own price. Raises InvalidInput, saying what is known, where neither that nor a held one exists."""
        price = form.optional("price", given, 0, 1_000_000)
        if price is not None:
            return price
        held = rent(checked(RentRequest, gpu=card), self._corpus, today=self._today)
        if held.status == "priced":
            return None
        said = describe_rent(held, form.language, self._wording).partition("\n\n")[0]
        raise InvalidInput(said, form.say("price_needed"))

    def _check_power(self, card: str, form: Form) -> None:
        """Raises InvalidInput where the card's own power isn't held."""
        gpu = find_gpu(card, self._corpus)
        try:
            card_figure(self._corpus, gpu.id, "power", "power_per_gpu", "W")
        except InvalidInput as error:
            raise InvalidInput(form.say("power_missing", card=gpu.name)) from error

    def _with_changes(self, text: str, result: CostResult, form: Form) -> str:
        writer = Describer(self._wording, form.language)
        return writer.text(text, writer.changes(result))

    def _inputs(self, result: CostResult, form: Form) -> list[tuple[str, Sequence[str]]]:
        return [(form.say("inputs"), Describer(self._wording, form.language).input_lines(result))]


def _share(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else percent / 100


def offers_chart(result: RentResult, form: Form, wording: Wording) -> BarChart | None:
    """A bar for each offer with a price; None where fewer than two can be compared."""
    writer = Describer(wording, form.language)
    bars = []
    for cost in [*result.offers, *result.alternatives]:
        price = cost.offer.price
        if price is None or cost.offer.currency != CURRENCY:
            continue
        shown = writer.money(price, cost.offer.currency)
        segments = [Segment(label=cost.provider_name, size=float(price.low), shown=shown, tone="a")]
        if not price.exact:
            segments.append(
                Segment(label=cost.provider_name, size=float(price.high - price.low), shown=shown, tone="range")
            )
        bars.append(Bar(label=f"{cost.gpu_name}, {cost.provider_name}", segments=tuple(segments)))
    if len(bars) < 2:
        return None
    return BarChart(title=form.say("prices_chart"), bars=tuple(bars), legend=False)


def terms_chart(result: TrainingRunResult, form: Form, wording: Wording) -> BarChart:
    """What one attempt is made up of; a term that is a range ends in its uncertain part."""
    writer = Describer(wording, form.language)
    segments: list[Segment] = []
    above = Decimal(0)
    for tone, name in zip(_TONES, Terms.model_fields, strict=True):
        amount: Span = getattr(result.terms, name)
        if amount.high <= 0:
            continue
        label = writer.say(f"term_{name}")
        shown = writer.money(amount, result.currency)
        segments.append(Segment(label=label, size=float(amount.low), shown=shown, tone=tone))
        above += amount.high - amount.low
    if above > 0:
        shown = writer.money(Span.of(above), result.currency)
        segments.append(Segment(label=form.say("uncertain"), size=float(above), shown=shown, tone="range"))
    return BarChart(title=form.say("terms_chart"), bars=(Bar(label="", segments=tuple(segments)),))


def months_chart(result: OwnershipResult, scenario: Scenario, form: Form) -> LineChart:
    """What has been spent by the end of each month, and when the two are even."""
    months = spent_by_month(result, scenario)
    utilisation = format_number((scenario.utilisation.low * 100).normalize(), form.language)

    def write(value: float) -> str:
        return format_number(Decimal(value), form.language, 0)

    def line(name: str, tone: Tone) -> Line:
        spans = [(point.month, getattr(point, name)) for point in months]
        points = tuple(Point(x=month, low=float(span.low), high=float(span.high)) for month, span in spans)
        return Line(label=form.say(f"series_{name}"), tone=tone, points=points)

    return LineChart(
        title=form.say("time_chart"),
        detail=form.say("time_chart_detail", utilisation=utilisation, currency=result.currency),
        x_label=form.say("month"),
        lines=(line("own", "a"), line("rent", "b")),
        crossing=_crossing(scenario, len(months) - 1, form),
        write=write,
    )


def _crossing(scenario: Scenario, last: int, form: Form) -> Crossing | None:
    low, high = scenario.break_even_month_earliest, scenario.break_even_month_latest
    if low is None or low > last:
        return None
    if high is None or high > last:
        return Crossing(label=form.say("break_even_from", low=str(low)), low=low, high=last)
    if low == high:
        return Crossing(label=form.say("break_even", month=str(low)), low=low, high=high)
    return Crossing(label=form.say("break_even_between", low=str(low), high=str(high)), low=low, high=high)
