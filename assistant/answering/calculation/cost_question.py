"""What a question asks of the cost calculations: the request it describes, and the inputs that it leaves out."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import product

from assistant.answering.calculation.inputs import CalculationInputs, stated
from assistant.answering.calculation.sizing_question import cards_asked
from assistant.answering.calculation.words import calculation_words
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask, Wish
from assistant.language.quantities.quantity import Quantity
from assistant.tools.cost.comparison import ComparisonRequest
from assistant.tools.cost.energy import EnergyRequest
from assistant.tools.cost.ownership import OwnershipRequest
from assistant.tools.cost.tokens import TokensRequest
from assistant.tools.cost.training_run import TrainingRunRequest

USUAL_CURRENCY = "USD"
_PER_ENERGY = "/kWh"
_CHOICE: frozenset[Wish] = frozenset({"alternative", "rent", "buy"})
_MOST_OPTIONS = 6


def wants_energy(ask: Ask) -> bool:
    """True where the electricity of a card, or of so many watts, is asked for: its bill, or what it comes to."""
    if ask.entities("model") or ask.wishes >= _CHOICE or _purchase(ask) is not None:
        return False
    told = _energy_price(ask) is not None or calculation_words().of_electricity.search(ask.text) is not None
    return told and (bool(ask.entities("gpu")) or _watts(ask) is not None)


def energy_request(ask: Ask, inputs: CalculationInputs, corpus: Corpus) -> EnergyRequest:
    price = _energy_price(ask)
    return EnergyRequest.model_validate(
        stated(
            gpu=_card(ask, corpus),
            power_per_gpu=_watts(ask),
            gpus=inputs.gpus,
            hours=inputs.hours,
            electricity_price=price.value if price else None,
            currency=price.unit.removesuffix(_PER_ENERGY) if price else None,
        )
    )


def wants_ownership(ask: Ask) -> bool:
    """True where buying a card and renting it are set against each other."""
    return ask.wishes >= _CHOICE and bool(ask.entities("gpu"))


def ownership_lacks(ask: Ask) -> tuple[str, ...]:
    """The purchase price, which buying can't be reckoned without, or one currency for all amounts."""
    purchase, energy = _purchase(ask), _energy_price(ask)
    if purchase is None:
        return ("purchase_price",)
    currencies = {purchase.unit, _rent_currency(ask)}
    if energy is not None:
        currencies.add(energy.unit.removesuffix(_PER_ENERGY))
    return ("currency",) if len(currencies) > 1 else ()


def ownership_request(ask: Ask, inputs: CalculationInputs, corpus: Corpus) -> OwnershipRequest:
    """Buying against renting as stated; an amount said of each card counts for all of them."""
    purchase, energy = _purchase(ask), _energy_price(ask)
    amount = None
    if purchase is not None and purchase.value is not None:
        each = calculation_words().beside_each
        of_each = each.behind.match(ask.text[purchase.end :]) or each.before.search(ask.text[: purchase.start])
        amount = purchase.value * (inputs.gpus or 1) if of_each else purchase.value
    shares = [q.value / 100 for q in ask.quantities if q.unit == "%" and q.value is not None and 0 < q.value <= 100]
    years = next((q.value for q in ask.quantities if q.unit == "year" and q.value is not None), None)
    return OwnershipRequest.model_validate(
        {
            **_rented(ask, inputs, corpus),
            **stated(
                purchase_price=amount,
                electricity_price=energy.value if energy else None,
                years=years,
                utilisations=tuple(sorted(set(shares))) or None,
            ),
        }
    )


def wants_comparison(ask: Ask) -> bool:
    """True where several cards, or several providers of one, are named."""
    return len(ask.entities("gpu")) * max(1, len(ask.entities("provider"))) > 1 and _rent_price(ask) is None


def comparison_request(ask: Ask, inputs: CalculationInputs, corpus: Corpus) -> ComparisonRequest:
    """Each card at each provider named, for the same time; each card in its own number."""
    counts = {card.entity: card.count for card in cards_asked(ask, unnamed=False)}
    hours = inputs.hours or Decimal(1)
    options = []
    for card, provider in product(ask.entities("gpu"), ask.entities("provider") or (None,)):
        count = counts.get(card) or 1
        name = corpus.entities[card].name
        seller = corpus.entities[provider].name if provider is not None else None
        label = f"{count} × {name}" + (f" ({seller})" if seller else "")
        options.append({"label": label, "hours": hours, **stated(gpu=name, provider=seller, gpus=count)})
    return ComparisonRequest.model_validate({"options": tuple(options[:_MOST_OPTIONS])})


def wants_tokens(ask: Ask) -> bool:
    """True where the price of generated tokens on a card is asked for."""
    priced = bool(ask.wishes & {"rent", "amount"}) or "price_per_hour" in ask.attributes
    return "tokens" in ask.wishes and priced and bool(ask.entities("gpu"))


def tokens_lacks(ask: Ask) -> tuple[str, ...]:
    """The throughput, which only a measurement can give."""
    return () if _throughput(ask) is not None else ("throughput",)


def tokens_request(ask: Ask, inputs: CalculationInputs, corpus: Corpus) -> TokensRequest:
    measured = stated(throughput=_throughput(ask), utilisation=_share(ask))
    return TokensRequest.model_validate({**_rented(ask, inputs, corpus), **measured})


def wants_training_cost(ask: Ask, inputs: CalculationInputs) -> bool:
    """True where the price of training a model is asked for, not its memory."""
    sized = inputs.parameters is not None or bool(ask.entities("model"))
    return sized and {"train", "rent"} <= ask.wishes and not _asks_memory(ask)


def training_lacks(ask: Ask, inputs: CalculationInputs) -> tuple[str, ...]:
    """The card, and either the tokens or the hours, that a training run can't be reckoned without."""
    known = bool(ask.entities("gpu")) or _rent_price(ask) is not None
    lacking = () if known else ("gpu",)
    return lacking if inputs.hours is not None or _tokens(ask) is not None else (*lacking, "tokens")


def training_request(ask: Ask, inputs: CalculationInputs, parameters: int, corpus: Corpus) -> TrainingRunRequest:
    """The run as stated. With hours, those count, which the result says; else they follow from the rest."""
    told = stated(hours=inputs.hours, parameters=parameters, tokens=_tokens(ask), mfu=_share(ask))
    return TrainingRunRequest.model_validate({**_rented(ask, inputs, corpus), **told})


def _rented(ask: Ask, inputs: CalculationInputs, corpus: Corpus) -> dict[str, object]:
    """Which cards are rented of whom, how many, and at what price, as far as the question says."""
    return stated(
        gpu=_card(ask, corpus),
        provider=_provider(ask, corpus),
        gpus=inputs.gpus,
        price=_rent_price(ask),
        currency=_rent_currency(ask),
    )


def _share(ask: Ask) -> Decimal | None:
    """The first percentage that the question states, as a share of one."""
    return next((q.value / 100 for q in ask.quantities if q.unit == "%" and q.value), None)


def _card(ask: Ask, corpus: Corpus) -> str | None:
    return next((corpus.entities[id_].name for id_ in ask.entities("gpu")), None)


def _provider(ask: Ask, corpus: Corpus) -> str | None:
    return next((corpus.entities[id_].name for id_ in ask.entities("provider")), None)


def _energy_price(ask: Ask) -> Quantity | None:
    return next((q for q in ask.quantities if q.unit.endswith(_PER_ENERGY) and q.value is not None), None)


def _purchase(ask: Ask) -> Quantity | None:
    """An amount of money for no time and no energy: what is paid once."""
    return next((q for q in ask.quantities if q.kind == "money" and "/" not in q.unit and q.value), None)


def _rent(ask: Ask) -> Iterator[Quantity]:
    return (q for q in ask.quantities if q.unit.endswith("/h") and q.kind == "rate" and q.value is not None)


def _rent_price(ask: Ask) -> Decimal | None:
    return next((q.value for q in _rent(ask)), None)


def _rent_currency(ask: Ask) -> str:
    return next((q.unit.removesuffix("/h") for q in _rent(ask)), USUAL_CURRENCY)


def _watts(ask: Ask) -> Decimal | None:
    powers = (q for q in ask.quantities if q.unit in ("W", "kW") and q.value)
    return next((q.value * (1000 if q.unit == "kW" else 1) for q in powers if q.value is not None), None)


def _throughput(ask: Ask) -> Decimal | None:
    return next((q.value for q in ask.quantities if q.unit == "token/s" and q.value), None)


def _tokens(ask: Ask) -> Decimal | None:
    """The tokens of a training run: more than any context holds."""
    return next((q.value for q in ask.quantities if q.unit == "token" and q.value and q.value >= 10**7), None)


def _asks_memory(ask: Ask) -> bool:
    return bool({"memory_capacity", "weights_memory", "usable_memory"} & set(ask.attributes))
