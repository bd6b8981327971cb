"""The results of the cost calculations as text in four languages: the answer first, then how it came about."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.language.formatting import WIDE, format_number
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.cost.comparison import ComparisonResult, OptionCost
from assistant.tools.cost.describer import Describer, capitalised, table
from assistant.tools.cost.energy import EnergyResult
from assistant.tools.cost.migration import MigrationResult
from assistant.tools.cost.ownership import OwnershipResult, Scenario
from assistant.tools.cost.rent import OfferCost, RentResult
from assistant.tools.cost.span import Span
from assistant.tools.cost.tokens import TokensResult
from assistant.tools.cost.training_run import Terms, TrainingRunResult


def describe_rent(result: RentResult, language: Language, wording: Wording) -> str:
    """What renting costs, how that was reckoned, the offers behind it and how old they are."""
    writer = Describer(wording, language)
    if result.total is None:
        return _describe_unpriced(result, writer)
    fields = {
        "cards": writer.cards(result.gpu_name, result.gpus),
        "total": writer.money(result.total, result.currency),
    }
    name = "rent_hour" if result.hours.exact and result.hours.low == 1 else "rent_hours"
    if name == "rent_hours":
        fields["hours"] = writer.quantity(result.hours, "h")
    if result.provider_name:
        name += "_at"
        fields["provider"] = result.provider_name
    sentences = [capitalised(writer.say(name, **fields))]
    if result.hours.low != 1 or result.gpus != 1:
        sentences.append(writer.calculation(result.formulas[:1]))
    if result.utilisation.low < 1 and result.per_useful_gpu_hour and result.total_if_stopped_when_idle:
        sentences.append(
            writer.say(
                "useful_hour",
                utilisation=writer.share(result.utilisation),
                price=writer.money(result.per_useful_gpu_hour, result.currency),
                total=writer.money(result.total_if_stopped_when_idle, result.currency),
            )
        )
    sentences.append(_conversion(result, writer))
    offers = _offer_table(result.offers, result, writer) if len(result.offers) > 1 else ""
    return writer.text(sentences, offers, writer.notes(result))


def _conversion(result: RentResult, writer: Describer) -> str:
    converted = result.converted
    if converted is None:
        return ""
    whole = converted.amount == converted.about
    fields = {
        "rate": writer.number(converted.rate.rate),
        "into": converted.currency,
        "currency": converted.rate.currency,
        "amount": writer.money(converted.amount, converted.currency),
    }
    if whole:
        return writer.say("converted_whole", **fields)
    return writer.say("converted", about=writer.money(converted.about, converted.currency), **fields)


def _offer_table(offers: Sequence[OfferCost], result: RentResult, writer: Describer) -> str:
    header = [writer.say(f"col_{name}") for name in ("gpu", "provider", "price", "total", "note", "date")]
    rows = []
    for cost in offers:
        offer = cost.offer
        priced = offer.price is not None
        price = writer.money(offer.price, offer.currency) if offer.price is not None else writer.say("none_published")
        total = writer.money(cost.total, offer.currency) if cost.total is not None and priced else "–"
        note = offer.note.in_language(writer.language)
        rows.append([cost.gpu_name, cost.provider_name, price, total, note, writer.period(offer.as_of)])
    if result.hours.low == 1 and result.gpus == 1:
        header.pop(3)
        rows = [row[:3] + row[4:] for row in rows]
    return table(header, rows)


def _describe_unpriced(result: RentResult, writer: Describer) -> str:
    fields = {"name": result.gpu_name or ""}
    if result.provider_name:
        fields["provider"] = result.provider_name
    suffix = "_at" if result.provider_name else ""
    status: str = result.status
    if result.billing is not None and status == "no_price_held":
        status, fields["kind"] = "no_kind_held", writer.say(f"kind_{result.billing}")
    sentences = [writer.say(f"{status}{suffix}", **fields)]
    if result.alternatives:
        known = [_offer(cost, writer, labelled=result.billing is not None) for cost in result.alternatives[:4]]
        phrase = "alternatives" if result.billing is None else "other_kinds"
        sentences.append(writer.say(phrase, offers=("；" if writer.language == "zh" else "; ").join(known)))
    offers = _offer_table(result.offers, result, writer) if result.offers else ""
    return writer.text(sentences, offers, writer.notes(result))


def _offer(cost: OfferCost, writer: Describer, *, labelled: bool) -> str:
    offer = cost.offer
    price = writer.money(offer.price, offer.currency) if offer.price is not None else writer.say("none_published")
    note = offer.note.in_language(writer.language)
    return writer.say(
        "offer",
        name=cost.gpu_name,
        provider=cost.provider_name,
        price=price,
        note=("，" if writer.language == "zh" else ", ").join([writer.say(f"kind_{offer.kind}"), note])
        if labelled
        else note,
        as_of=writer.period(offer.as_of),
    )


def describe_training_run(result: TrainingRunResult, language: Language, wording: Wording) -> str:
    """The total first, then its terms and the cost of a run that succeeds."""
    writer = Describer(wording, language)
    terms = [
        f"{writer.say(f'term_{name}')} {writer.money(amount, result.currency)}"
        for name in Terms.model_fields
        if (amount := getattr(result.terms, name)).high > 0
    ]
    sentences = [
        writer.say("train_total", total=writer.money(result.total, result.currency)),
        writer.say(
            "train_compute",
            hours=writer.quantity(result.hours, "h"),
            cards=writer.cards(result.gpu_name, result.gpus),
            price=writer.money(result.price_per_gpu_hour, result.currency),
        ),
    ]
    if len(terms) > 1:
        sentences.append(writer.say("train_terms", terms=("；" if language == "zh" else "; ").join(terms)))
    if result.success_rate.low < 1:
        sentences.append(
            writer.say(
                "train_completed",
                success=writer.share(result.success_rate),
                total=writer.money(result.per_completed_run, result.currency),
            )
        )
    return writer.text(sentences, writer.calculation(result.formulas), writer.notes(result))


def describe_tokens(result: TokensResult, language: Language, wording: Wording) -> str:
    """The price of a million tokens, then what that is per hour and month."""
    writer = Describer(wording, language)
    sentences = [
        writer.say(
            "tokens_total",
            price=writer.money(result.per_million_tokens, result.currency),
            throughput=writer.number(result.throughput),
            utilisation=writer.share(result.utilisation),
        ),
        writer.say(
            "tokens_month",
            hour=writer.money(result.per_hour, result.currency),
            month=writer.money(result.per_month, result.currency),
            tokens=writer.number(result.tokens_per_month / 1_000_000),
        ),
    ]
    return writer.text(sentences, writer.calculation(result.formulas[-1:]), writer.notes(result))


def describe_comparison(result: ComparisonResult, language: Language, wording: Wording) -> str:
    """Which option is cheapest, by how much, and what would turn the order."""
    writer = Describer(wording, language)
    first, second = result.options[0], result.options[1]
    fields = {
        "label": first.label,
        "next": second.label,
        "total": writer.money(first.total, result.currency),
        "other": writer.money(second.total, result.currency),
    }
    if result.difference is not None:
        fields["difference"] = writer.money(result.difference, result.currency)
    sentences = [writer.say("compare_cheapest" if result.difference is not None else "compare_tie", **fields)]
    if second.hours_to_match is not None and result.difference is not None:
        sentences.append(
            writer.say(
                "compare_match",
                label=second.label,
                hours=writer.quantity(second.hours_to_match, "h"),
                now=writer.quantity(second.hours, "h"),
            )
        )
    header = [writer.say(f"col_{name}") for name in ("option", "price", "gpus", "hours", "total")]
    rows = [_option_row(option, result.currency, writer) for option in result.options]
    return writer.text(sentences, table(header, rows), writer.notes(result))


def _option_row(option: OptionCost, currency: str, writer: Describer) -> list[str]:
    return [
        option.label,
        writer.money(option.price_per_gpu_hour, currency),
        format_number(Decimal(option.gpus), writer.language),
        writer.number(option.hours),
        writer.money(option.total, currency),
    ]


def describe_ownership(result: OwnershipResult, language: Language, wording: Wording) -> str:
    """From which utilisation buying is cheaper, then a line for each scenario."""
    writer = Describer(wording, language)
    kept = any(note.code == "rented_when_idle" for note in result.assumptions)
    if result.break_even_utilisation is not None:
        first = writer.say("own_from", utilisation=writer.share(_whole_percent(result.break_even_utilisation)))
    elif kept:
        busiest = result.scenarios[-1]
        first = writer.say(
            "own_kept",
            rent=writer.money(busiest.rent_per_month, result.currency),
            own=writer.money(busiest.own_per_month, result.currency),
        )
    else:
        first = writer.say("own_never")
    fields = {
        "purchase": writer.money(result.purchase_price, result.currency),
        "months": writer.quantity(result.months, "month"),
    }
    if result.residual_value.high > 0:
        residual = writer.money(result.residual_value, result.currency)
        purchase = writer.say("own_purchase", residual=residual, **fields)
    else:
        purchase = writer.say("own_purchase_plain", **fields)
    names = ("utilisation", "rent_month", "own_month", "running_month", "break_even")
    rows = [_scenario_row(scenario, result.currency, writer) for scenario in result.scenarios]
    return writer.text([first, purchase], table([writer.say(f"col_{n}") for n in names], rows), writer.notes(result))


def _whole_percent(share: Span) -> Span:
    return Span(
        low=share.low.quantize(Decimal("0.01"), context=WIDE), high=share.high.quantize(Decimal("0.01"), context=WIDE)
    )


def _scenario_row(scenario: Scenario, currency: str, writer: Describer) -> list[str]:
    return [
        writer.share(scenario.utilisation),
        writer.money(scenario.rent_per_month, currency),
        writer.money(scenario.own_per_month, currency),
        writer.money(scenario.running_per_month, currency),
        _when(scenario.break_even_month_earliest, scenario.break_even_month_latest, writer),
    ]


def _when(earliest: int | None, latest: int | None, writer: Describer) -> str:
    if earliest is None:
        return writer.say("never")
    if latest is None:
        return writer.say("months_from", earliest=str(earliest))
    if earliest == latest:
        return writer.say("month_number", month=str(earliest))
    return writer.say("months_between", earliest=str(earliest), latest=str(latest))


def describe_migration(result: MigrationResult, language: Language, wording: Wording) -> str:
    """Whether the migration pays, and from when."""
    writer = Describer(wording, language)
    months = writer.quantity(result.months, "month")
    if result.pays == "undecided":
        low, high = (writer.money(Span.of(end), result.currency) for end in (result.net.low, result.net.high))
        first = writer.say("migration_undecided", low=low, high=high, months=months)
    elif result.pays == "yes":
        first = writer.say("migration_yes", net=writer.money(result.net, result.currency), months=months)
    else:
        first = writer.say("migration_no", net=writer.money(result.net * -1, result.currency), months=months)
    parts = writer.say(
        "migration_parts",
        cost=writer.money(result.cost, result.currency),
        savings=writer.money(result.savings, result.currency),
    )
    when = _when(result.payback_month_earliest, result.payback_month_latest, writer)
    back = writer.say("migration_payback", when=when) if result.payback_month_earliest is not None else ""
    return writer.text([first, parts, back], writer.notes(result))


def describe_energy(result: EnergyResult, language: Language, wording: Wording) -> str:
    """The electricity bill first, or the energy where no price is known; then how it was reckoned."""
    writer = Describer(wording, language)
    fields = {
        "cards": writer.cards(result.gpu_name, result.gpus),
        "power": writer.quantity(result.power_per_gpu, "W"),
        "hours": writer.quantity(result.hours, "h"),
        "energy": writer.quantity(result.energy, "kWh"),
    }
    if result.total is None or result.electricity_price is None:
        sentence = writer.say("energy_used", **fields)
    else:
        price = writer.quantity(result.electricity_price, f"{result.currency}/kWh")
        sentence = writer.say("energy_bill", total=writer.money(result.total, result.currency), price=price, **fields)
    return writer.text([capitalised(sentence), writer.calculation(result.formulas)], writer.notes(result))
