"""`gpu-assistant cost`: what renting, training, serving, buying and migrating cost."""

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assistant.errors import InvalidInput
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.knowledge.corpus import Corpus
    from assistant.language.wording import Wording
    from assistant.tools.cost.calculation import AnyRequest
    from assistant.tools.cost.price import Offer
    from assistant.tools.cost.request import Request

Asked = TypeVar("Asked", bound="Request")
Command = TypeVar("Command", bound=Callable[..., Any])


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_output = _options(
    click.option("--json", "as_json", is_flag=True, help="Print the whole result."),
    click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the text."),
    click.option(
        "--offers",
        type=click.Path(path_type=Path),
        envvar="ASSISTANT_OFFERS",
        help="File that 'prices refresh' keeps offers in.",
    ),
)
_priced = _options(
    click.option("--gpu", help="Card, by any usual name."),
    click.option("--provider", help="Whose prices count; everyone's if left out."),
    click.option(
        "--billing",
        type=click.Choice(["on_demand", "spot", "reserved", "marketplace"]),
        help="Kind of price; every kind if left out.",
    ),
    click.option("--price", help="Price per GPU and hour, or a range such as 3.59..4.59; wins over the data."),
    click.option("--currency", help="Currency of --price; USD if left out."),
    click.option("--gpus", help="Number of cards; 1 if left out."),
)
_utilisation = click.option("--utilisation", "--utilization", help="Share of the hours with useful work: 0.6 or 60%.")


class Desk:
    """What the calculations of one call share: corpus, offers read earlier, today's date, and how to print."""

    def __init__(self, settings: Settings, offers: Path | None, language: Language, as_json: bool) -> None:
        from assistant.knowledge.corpus import open_corpus
        from assistant.tools.cost.describer import read_cost_wording
        from assistant.tools.cost.offers import kept_offers

        self.corpus: Corpus = open_corpus(settings.corpus, settings.index)
        self.today = date.today()
        self.refreshed: list[Offer] = kept_offers(offers, self.corpus, self.today)
        self.wording: Wording = read_cost_wording(settings.corpus)
        self._language: Language = language
        self._as_json = as_json

    def show(self, request: "AnyRequest") -> None:
        """Print the text and the inputs, or the whole object with its assumptions and changes in words."""
        from assistant.tools.cost.calculation import CostTables, calculate, described, with_texts
        from assistant.tools.cost.describer import Describer

        tables = CostTables(self.corpus, self.refreshed, self.today, self.wording)
        result = calculate(request, tables)
        writer = Describer(self.wording, self._language)
        text = described(result, self._language, self.wording)
        if not self._as_json:
            inputs = "\n".join(f"- {line}" for line in writer.input_lines(result))
            click.echo(writer.text(text, inputs))
            return
        complete = with_texts(result, writer).model_dump(mode="json")
        click.echo(json_escaped(json.dumps({**complete, "text": text}, ensure_ascii=False, indent=2)))


def _request(model: "type[Asked]", given: dict[str, Any]) -> "Asked":
    """The request that the options describe. Raises InvalidInput naming the option at fault."""
    from assistant.tools.cost import request

    readers: dict[str, Callable[[str, str], object]] = {
        "gpus": request.read_count,
        "price": request.read_span,
        "weeks": request.read_span,
        "savings_per_month": request.read_span,
        "mfu": request.read_share_span,
        **dict.fromkeys(("utilisation", "success_rate", "idle_share", "residual_share"), request.read_share),
    }
    as_written = {"gpu", "provider", "billing", "currency", "into", "precision"}
    fields: dict[str, object] = {}
    for name, value in given.items():
        if not isinstance(value, str) or name in as_written:
            fields[name] = value
        else:
            fields[name] = readers.get(name, request.read_number)(name, value)
    return request.checked(model, **fields)


@click.group()
def command() -> None:
    """What renting, training, serving, buying, migrating and power cost, with the formula and each input's source."""


@command.command()
@_priced
@click.option("--hours", help="Hours for which they are reserved; 1 if left out.")
@_utilisation
@click.option("--into", help="Currency to convert the total into, such as DKK.")
@click.option("--rate", help="Units of that currency for one unit of the price's.")
@click.option("--sweep", help="hours=24,168,730, gpus=1..8 or utilisation=30%,60%: a line and a bar for each value.")
@_output
@click.pass_obj
def rent(
    settings: Settings, /, sweep: str | None, as_json: bool, lang: Language, offers: Path | None, **given: Any
) -> None:
    """Cards × hours × price, on demand or spot, with the date of every price."""
    from assistant.tools.cost.rent import RentRequest

    request = _request(RentRequest, given)
    desk = Desk(settings, offers, lang, as_json)
    if sweep is not None:
        from assistant.tools.cost.sweep import describe_sweep, read_sweep, sweep_data, sweep_rent

        field, values = read_sweep(sweep)
        points = sweep_rent(request, desk.corpus, field, values, today=desk.today, refreshed=desk.refreshed)
        data = json_escaped(json.dumps(sweep_data(field, points), ensure_ascii=False, indent=2))
        click.echo(data if as_json else describe_sweep(field, points, lang, desk.wording))
        return
    desk.show(request)


@command.command()
@_priced
@click.option("--hours", help="Hours of the run; else give --params and --tokens.")
@click.option("--params", "parameters", help="Parameters that take part in each token: 70B.")
@click.option("--tokens", help="Training tokens: 15T.")
@click.option("--mfu", help="Share of the dense peak that is reached: 0.4, 40% or 0.35..0.45.")
@click.option("--peak-tflops", help="Dense peak of one card; the card's own if left out.")
@click.option("--precision", type=click.Choice(["16bit", "fp8"]), help="Which peak of the card counts.")
@click.option("--storage", help="Cost of storage.")
@click.option("--networking", help="Cost of networking.")
@click.option("--software", help="Cost of software.")
@click.option("--recovery", help="Cost of recovery from failures.")
@click.option("--engineering", help="Cost of engineering and operations, paid once.")
@click.option("--success-rate", help="Share of attempts that succeed: 0.8 or 80%.")
@_output
@click.pass_obj
def train(settings: Settings, /, as_json: bool, lang: Language, offers: Path | None, **given: Any) -> None:
    """The whole cost of a training run, and of a run that succeeds."""
    from assistant.tools.cost.training_run import TrainingRunRequest

    request = _request(TrainingRunRequest, given)
    Desk(settings, offers, lang, as_json).show(request)


@command.command()
@_priced
@click.option("--throughput", required=True, help="Tokens per second of all cards together, while busy.")
@_utilisation
@click.option("--other-per-hour", help="What else the service costs for each hour.")
@_output
@click.pass_obj
def tokens(settings: Settings, /, as_json: bool, lang: Language, offers: Path | None, **given: Any) -> None:
    """The cost of a million tokens at a stated throughput and utilisation."""
    from assistant.tools.cost.tokens import TokensRequest

    request = _request(TokensRequest, given)
    Desk(settings, offers, lang, as_json).show(request)


@command.command()
@click.argument("options", nargs=-1, required=True, metavar="OPTION...")
@click.option("--currency", default="USD", show_default=True, help="Currency of prices in the options.")
@_output
@click.pass_obj
def compare(
    settings: Settings, options: tuple[str, ...], currency: str, as_json: bool, lang: Language, offers: Path | None
) -> None:
    """Ways to do the same work, each written LABEL=PRICExHOURS or LABEL=CARD@PROVIDERxHOURSxGPUS.

    For example: AMD=2.50x60 NVIDIA=3.50x40, or "H100 SXM@Lambda x 40 x 8" "B200@RunPod x 20 x 8".
    """
    from assistant.tools.cost.comparison import ComparisonRequest
    from assistant.tools.cost.request import checked

    request = checked(ComparisonRequest, options=tuple(_option(text, currency) for text in options))
    Desk(settings, offers, lang, as_json).show(request)


_OPTION = re.compile(r"^(?P<what>.+?)\s*[x×*]\s*(?P<hours>[^x×*]+?)(?:\s*[x×*]\s*(?P<gpus>[^x×*]+?))?\s*$")
_PRICE = re.compile(r"^[+-]?\d[\d.]*$")


def _option(text: str, currency: str) -> dict[str, Any]:
    """The fields of one option of `compare`."""
    from assistant.tools.cost.request import read_count, read_number, read_span

    label, equals, rest = text.partition("=")
    match = _OPTION.match(rest if equals else text)
    if match is None or not match["hours"][:1].isdigit():
        raise InvalidInput(
            f"options: {text[:60]!r} can't be read.", "Write LABEL=PRICExHOURS or LABEL=CARDxHOURSxGPUS."
        )
    what = match["what"].strip()
    fields: dict[str, Any] = {"label": label.strip() if equals else what, "hours": read_number("hours", match["hours"])}
    if match["gpus"]:
        fields["gpus"] = read_count("gpus", match["gpus"])
    if _PRICE.match(what):
        return {**fields, "price": read_span("price", what), "currency": currency}
    card, at, provider = what.partition("@")
    return {**fields, "gpu": card.strip(), **({"provider": provider.strip()} if at else {})}


@command.command(name="buy-or-rent")
@_priced
@click.option("--purchase-price", required=True, help="For all cards with their servers and network.")
@click.option("--electricity-price", required=True, help="Per kWh.")
@click.option("--power-per-gpu", help="Watts of one busy card; the card's own figure if left out.")
@click.option("--other-power", help="Watts of everything else in the servers.")
@click.option("--idle-share", help="Share of its power that an idle card draws.")
@click.option("--pue", help="Power of the site ÷ power of the machines.")
@click.option("--cooling-per-month", help="Cooling that the PUE doesn't cover.")
@click.option("--hosting-per-month", help="Rack space and connections.")
@click.option("--operations-per-month", help="Staff, support, spare parts.")
@click.option("--years", help="Time in which the purchase is written off.")
@click.option("--residual-share", help="Share of the price that a sale brings at the end.")
@click.option("--utilisation", "--utilization", "utilisations", multiple=True, help="Scenario; may be repeated.")
@click.option("--rent-when-idle", is_flag=True, help="Rented cards are kept, and paid for, while idle.")
@_output
@click.pass_obj
def buy_or_rent(
    settings: Settings,
    /,
    utilisations: tuple[str, ...],
    as_json: bool,
    lang: Language,
    offers: Path | None,
    **given: Any,
) -> None:
    """Renting against buying at several utilisations, with the break-even month."""
    from assistant.tools.cost.ownership import OwnershipRequest
    from assistant.tools.cost.request import read_share

    scenarios = tuple(sorted(read_share("utilisation", text) for text in utilisations)) or None
    request = _request(OwnershipRequest, {**given, "utilisations": scenarios})
    Desk(settings, offers, lang, as_json).show(request)


@command.command()
@click.option("--gpu", help="Card, by any usual name.")
@click.option("--power-per-gpu", help="Watts of one card; the card's own figure if left out.")
@click.option("--gpus", help="Number of cards; 1 if left out.")
@click.option("--hours", help="How long they run; a month of 730 hours if left out.")
@_utilisation
@click.option("--pue", help="Power of the site ÷ power of the machines; 1 if left out.")
@click.option("--electricity-price", help="Per kWh; without it only the energy is told.")
@click.option("--currency", help="Of the electricity price; USD if left out.")
@_output
@click.pass_obj
def energy(settings: Settings, /, as_json: bool, lang: Language, offers: Path | None, **given: Any) -> None:
    """What cards use in electricity, and what that costs."""
    from assistant.tools.cost.energy import EnergyRequest

    Desk(settings, offers, lang, as_json).show(_request(EnergyRequest, given))


@command.command()
@click.option("--weeks", required=True, help="Length of the migration: 8 or 6..10.")
@click.option("--people", required=True, help="People who work on it.")
@click.option("--weekly-rate", required=True, help="What one of them costs for a week.")
@click.option("--savings-per-month", required=True, help="What the new platform costs less: 5000 or 4000..6000.")
@click.option("--one-off", help="Retesting, parallel running, licences.")
@click.option("--months", help="How long the workload will still run; 36 if left out.")
@click.option("--currency", help="USD if left out.")
@_output
@click.pass_obj
def migrate(settings: Settings, /, as_json: bool, lang: Language, offers: Path | None, **given: Any) -> None:
    """Weeks × people × rate against savings, with the month in which it has paid for itself."""
    from assistant.tools.cost.migration import MigrationRequest

    request = _request(MigrationRequest, given)
    Desk(settings, offers, lang, as_json).show(request)
