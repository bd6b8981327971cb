"""The outcomes of the cost calculators: what each says, its chart, and where its inputs come from."""

from collections.abc import Callable
from decimal import Decimal

from assistant.errors import AssistantError, InvalidInput
from assistant.interfaces.chat.charts import bar_chart_html, line_chart_html
from assistant.interfaces.chat.cost_charts import (
    months_chart,
    offers_chart,
    options_chart,
    payback_chart,
    terms_chart,
    utilisation_chart,
)
from assistant.interfaces.chat.cost_forms import (
    MigrationForm,
    OfferForm,
    OwnershipForm,
    RentForm,
    TokensForm,
    TrainingForm,
    comparison_request,
    migration_request,
    ownership_request,
    rent_request,
    tokens_request,
    training_request,
)
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.result import outcome_html, refusal_html
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.calculation import AnyResult, CostTables, described
from assistant.tools.cost.card_figures import card_figure
from assistant.tools.cost.comparison import compare
from assistant.tools.cost.describer import Describer
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.hourly_rate import RateRequest
from assistant.tools.cost.migration import migration
from assistant.tools.cost.names import cards_and_families, find_gpu
from assistant.tools.cost.ownership import rent_or_buy
from assistant.tools.cost.rent import RentRequest, rent
from assistant.tools.cost.request import checked
from assistant.tools.cost.tokens import cost_per_million_tokens
from assistant.tools.cost.training_run import training_run

CONVERSIONS = ("EUR", "DKK", "CNY")
_SHARES = tuple(Decimal(percent) / 100 for percent in (25, 50, 75, 100))


class CostDesk:
    """Computes and describes costs, from the tables as they are when each is asked for."""

    def __init__(self, corpus: Corpus, tables: Callable[[], CostTables]) -> None:
        self._corpus = corpus
        self._tables = tables

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

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            request = rent_request(fields, form)
            result = rent(request, tables.corpus, today=tables.today, refreshed=tables.refreshed)
            chart = offers_chart(result, form, tables.wording)
            return result, bar_chart_html(chart, form.say("figures")) if chart else ""

        return _told(outcome, self._tables, form)

    def train(self, fields: TrainingForm, form: Form) -> str:
        """What a training run costs, as HTML."""

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            request = training_request(fields, form)
            _check_price(request, tables, form)
            result = training_run(request, tables.corpus, today=tables.today, refreshed=tables.refreshed)
            return result, bar_chart_html(terms_chart(result, form, tables.wording), form.say("figures"))

        return _told(outcome, self._tables, form)

    def own(self, fields: OwnershipForm, form: Form) -> str:
        """Renting against buying, as HTML."""

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            request = ownership_request(fields, form)
            _check_price(request, tables, form)
            if request.power_per_gpu is None:
                _check_power(form.chosen("card", fields.card), tables, form)
            result = rent_or_buy(request, tables.corpus, today=tables.today, refreshed=tables.refreshed)
            utilisation = form.percent("utilisation", fields.utilisation)
            scenario = next(one for one in result.scenarios if one.utilisation.low == utilisation)
            return result, line_chart_html(months_chart(result, scenario, form), form.say("figures"))

        return _told(outcome, self._tables, form)

    def tokens(self, fields: TokensForm, form: Form) -> str:
        """What a million tokens cost, as HTML."""

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            request = tokens_request(fields, form)
            _check_price(request, tables, form)
            by_share = {
                share: cost_per_million_tokens(
                    request.model_copy(update={"utilisation": share}),
                    tables.corpus, today=tables.today, refreshed=tables.refreshed,
                )
                for share in sorted({*_SHARES, request.utilisation})
            }  # fmt: skip
            chart = utilisation_chart(list(by_share.values()), form, tables.wording)
            return by_share[request.utilisation], bar_chart_html(chart, form.say("figures"))

        return _told(outcome, self._tables, form)

    def compare(self, offers: tuple[OfferForm, ...], form: Form) -> str:
        """Offers for the same work against each other, as HTML."""

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            request = comparison_request(offers, form)
            for option in request.options:
                _check_price(option, tables, form)
            result = compare(request, tables.corpus, today=tables.today, refreshed=tables.refreshed)
            return result, bar_chart_html(options_chart(result, form, tables.wording), form.say("figures"))

        return _told(outcome, self._tables, form)

    def migrate(self, fields: MigrationForm, form: Form) -> str:
        """Whether a migration pays, as HTML."""

        def outcome(tables: CostTables) -> tuple[AnyResult, str]:
            result = migration(migration_request(fields, form))
            return result, line_chart_html(payback_chart(result, form), form.say("figures"))

        return _told(outcome, self._tables, form)


def _told(
    outcome: Callable[[CostTables], tuple[AnyResult, str]], tables_now: Callable[[], CostTables], form: Form
) -> str:
    """Result, chart and inputs as HTML; what can't be computed is said in one line."""
    try:
        tables = tables_now()
        result, chart = outcome(tables)
    except AssistantError as error:
        return refusal_html(form, error)
    inputs = Describer(tables.wording, form.language).input_lines(result)
    text = described(result, form.language, tables.wording)
    return outcome_html(form, text, chart, [(form.say("inputs"), inputs)])


def _check_price(request: RateRequest, tables: CostTables, form: Form) -> None:
    """Raises InvalidInput, saying what is known, where neither an own price nor a held one exists."""
    if request.price is not None:
        return
    asked = checked(RentRequest, gpu=request.gpu, provider=request.provider)
    held = rent(asked, tables.corpus, today=tables.today, refreshed=tables.refreshed)
    if held.status != "priced":
        said = describe_rent(held, form.language, tables.wording).partition("\n\n")[0]
        raise InvalidInput(said, form.say("price_needed"))


def _check_power(card: str, tables: CostTables, form: Form) -> None:
    """Raises InvalidInput where the card's own power isn't held."""
    gpu = find_gpu(card, tables.corpus)
    try:
        card_figure(tables.corpus, gpu.id, "power", "power_per_gpu", "W")
    except InvalidInput as error:
        raise InvalidInput(form.say("power_missing", card=gpu.name)) from error
