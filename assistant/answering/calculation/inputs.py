"""The inputs of a calculation as a question states them: counts, hours, formats, contexts, sizes, prices."""

import re
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.answering.calculation.fit_options import Choice, FitOptions, read_options
from assistant.answering.calculation.words import calculation_words
from assistant.errors import InvalidInput
from assistant.language.ask import Ask
from assistant.language.quantities.quantity import Quantity
from assistant.tools.memory.cache_layout import Engine
from assistant.tools.memory.quantization import weight_format

_HOURS: dict[str, Decimal] = {
    "h": Decimal(1),
    "day": Decimal(24),
    "week": Decimal(168),
    "month": Decimal(730),
    "year": Decimal(8760),
}
# Names of weight formats as they stand in questions; whether one is known is for the calculator to say.
FORMAT = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[qQ][2-8](?:_[K0-9](?:_[SML])?)?|I?Q\d_[A-Z0-9_]+|nf4|fp4|fp8|fp16|fp32|bf16|int[48]|w[48]a(?:8|16)|mxfp4|"
    r"nvfp4|gptq|awq)(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_BITS = {Decimal(4): "int4", Decimal(8): "int8", Decimal(16): "bf16", Decimal(32): "fp32"}
_LORA = re.compile(r"(?<![a-z])(qlora|lora)(?![a-z])", re.IGNORECASE)


class CalculationInputs(BaseModel):
    """What a question states; None for what it leaves open."""

    model_config = ConfigDict(frozen=True)

    gpus: int | None = None
    hours: Decimal | None = None
    parameters: int | None = None
    context: int | None = None
    users: int | None = None
    weights: str | None = None
    task: str | None = None
    engine: Engine | None = None
    price: Decimal | None = None
    """USD per GPU and hour."""
    rate: Decimal | None = None
    into: str | None = None
    """Currency that the answer is asked in."""
    options: FitOptions = FitOptions()
    """Choices of the memory calculator besides these."""


# Figures that a reader of ordinary numbers passes over, and that must not be taken for nothing said.
_NOT_A_COUNT = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?e[+-]?\d+|nan|infinity|inf|∞)(?![\w])", re.IGNORECASE)
_MOST = Decimal("1e15")
_CENT = Decimal("0.01")
# Between "times" and the card stands an article at most.
_TIMES_REACH = 6
# What divides or recomputes a training says that it is one, and without a word of adapters one of all parameters.
_OF_FULL_TRAINING = frozenset({"zero", "optimizer", "recompute", "accumulation"})
_SEVERAL = frozenset({"gpu", "card", "unit"})
_USERS = frozenset({"user", "person", "request", "sequence"})


def stated(**fields: object) -> dict[str, object]:
    """The fields of a request that a question says something of; what it leaves open is left to their defaults."""
    return {name: value for name, value in fields.items() if value is not None}


def _first(quantities: tuple[Quantity, ...], units: frozenset[str] | set[str]) -> Decimal | None:
    for quantity in quantities:
        if quantity.unit in units and quantity.value is not None:
            return quantity.value
    return None


def read_inputs(ask: Ask) -> CalculationInputs:
    """Read what the question states of a calculation. Raises InvalidInput for figures that can't be meant."""
    odd = _NOT_A_COUNT.search(ask.text)
    if odd is not None:
        raise InvalidInput(odd[0].strip())
    quantities = ask.quantities
    options = read_options(ask)
    chosen = options.values
    task = _task(ask, options)
    serving = task is None or task == "inference"
    times = next((q.value for q in quantities if is_times_of_card(q, ask)), None)
    gpus = chosen.get("gpus") or _first(quantities, _SEVERAL) or times
    parameters = _first(quantities, {"param"})
    lengths = (chosen.get("context"), chosen.get("sequence") if serving else None)
    context = next((length for length in lengths if length is not None), None) or _context(quantities, ask.text)
    # A batch of requests that are served is as many sequences at a time.
    together = chosen.get("concurrency", chosen.get("batch") if serving else None)
    users = together if together is not None else _first(quantities, _USERS)
    currencies = calculation_words().of_currency
    into = next((code for code, words in currencies.items() if words.search(ask.text)), None)
    return CalculationInputs(
        gpus=_whole(gpus, "gpus"),
        hours=_hours(quantities, ask.text),
        parameters=_whole(parameters, "parameters"),
        context=_whole(context, "context"),
        users=_whole(users, "concurrency"),
        weights=_weights(ask, options),
        task=task,
        engine=next((name for name, words in calculation_words().of_engine.items() if words.search(ask.text)), None),
        price=_first(quantities, {"USD/h"}),
        rate=_first(quantities, {f"{code}/USD" for code in currencies}),
        into=into,
        options=options,
    )


def is_times_of_card(quantity: Quantity, ask: Ask) -> bool:
    """True for "2 times" right before a card, which counts it: "twee keer een RTX 3090"."""
    return quantity.unit == "x" and any(
        mention.kind == "gpu"
        and ask.text[mention.start : mention.end] == mention.text
        and 0 <= mention.start - quantity.end <= _TIMES_REACH
        for mention in ask.mentions
    )


def _hours(quantities: tuple[Quantity, ...], text: str) -> Decimal | None:
    """How long something is rented or runs: "3 weeks", "a month", "8 hours a day for a month"."""
    words = calculation_words()
    stated = [q for q in quantities if q.unit in _HOURS and q.value and not words.behind_past.match(text[q.end :])]
    part = next(((q, unit) for q in stated if q.unit == "h" and (unit := _hours_each(q, text))), None)
    if part is None:
        spans = [(q.value or Decimal(0)) * _HOURS[q.unit] for q in stated] or _spans_said(text)
        return spans[0] if stated else max(spans, default=None)
    each, unit = part
    others = [(q.value or Decimal(0)) * _HOURS[q.unit] for q in stated if q is not each]
    whole = max([*others, *_spans_said(text), _HOURS[unit]])
    return ((each.value or Decimal(0)) * whole / _HOURS[unit]).quantize(_CENT)


def _hours_each(quantity: Quantity, text: str) -> str | None:
    """The unit of which so many hours are meant, in "8 hours a day"; None where they are all there is."""
    behind, before = text[quantity.end :], text[: quantity.start]
    for unit, words in calculation_words().beside_duration.items():
        if words.behind.match(behind) or words.before.search(before):
            return unit
    return None


def _spans_said(text: str) -> list[Decimal]:
    """Hours of each period that is named without a figure, but for one that tells how long something is ago."""
    words = calculation_words()
    return [
        hours
        for unit, hours in _HOURS.items()
        if unit in words.of_duration
        and any(not words.behind_past.match(text[found.end() :]) for found in words.of_duration[unit].finditer(text))
    ]


def _context(quantities: tuple[Quantity, ...], text: str) -> Decimal | None:
    """A context length in tokens; 32k is 32,768 there, which the reader offers as its other reading."""
    told = calculation_words().of_context.search(text) is not None
    for quantity in quantities:
        bare = told and quantity.unit == "" and quantity.text.casefold().endswith("k")
        if (quantity.unit == "token" or bare) and quantity.value is not None:
            binary = [c.value for c in quantity.candidates if c.value is not None and c.value % 1024 == 0]
            if bare:
                return quantity.value / 1000 * 1024
            return binary[0] if binary else quantity.value
    return None


def _whole(value: Choice | Decimal | None, field: str) -> int | None:
    """A count. Raises InvalidInput for a fraction: half a card, or a third of a token, isn't asked for knowingly."""
    if value is None:
        return None
    number = Decimal(str(value))
    if number != number.to_integral_value() or abs(number) > _MOST:
        raise InvalidInput(f"{field}: {value}")
    return int(number)


def _weights(ask: Ask, options: FitOptions) -> str | None:
    """The format of the weights: one that is said of the cache or of the optimizer is none of theirs."""
    for match in FORMAT.finditer(options.without(ask.text)):
        try:
            return weight_format(match[0]).name
        except InvalidInput:
            continue
    left = tuple(q for q in ask.quantities if not options.covers(q.start))
    bits = _first(left, {"bit"})
    if bits is not None and bits not in _BITS:
        raise InvalidInput(f"weights: {bits} bit")
    return _BITS[bits] if bits is not None else None


def _task(ask: Ask, options: FitOptions) -> str | None:
    if "task" in options.values:
        return str(options.values["task"])
    match = _LORA.search(ask.text)
    if match is not None:
        return match[1].lower()
    if options.values.keys() & _OF_FULL_TRAINING and "train" not in ask.wishes:
        return "full"
    if "train" in ask.wishes:
        return "full" if calculation_words().of_all_parameters.search(ask.text) else "lora"
    return None
