"""The inputs of a calculation as a question states them: counts, hours, formats, contexts, sizes, prices."""

import re
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.language.quantity import Quantity
from assistant.language.understanding import Ask
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
    r"(?<![\w-])(?:[qQ][2-8](?:_[K0-9](?:_[SML])?)?|I?Q\d_\w+|nf4|fp4|fp8|fp16|fp32|bf16|int[48]|w[48]a(?:8|16)|mxfp4|"
    r"nvfp4|gptq|awq)(?![\w-])",
    re.IGNORECASE,
)
_BITS = {Decimal(4): "int4", Decimal(8): "int8", Decimal(16): "bf16", Decimal(32): "fp32"}
_LORA = re.compile(r"(?<![a-z])(qlora|lora)(?![a-z])", re.IGNORECASE)
_FULL = re.compile(r"full|volledig|fuld|全参|全量|all parameters|alle parameters|alle parametre", re.IGNORECASE)


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
    price: Decimal | None = None
    """USD per GPU and hour."""
    rate: Decimal | None = None
    into: str | None = None
    """Currency that the answer is asked in."""


_CONTEXT = re.compile(r"context|kontekst|上下文", re.IGNORECASE)
# Figures that a reader of ordinary numbers passes over, and that must not be taken for nothing said.
_NOT_A_COUNT = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?e[+-]?\d+|nan|infinity|inf|∞)(?![\w])", re.IGNORECASE)
_CURRENCY_WORDS = {
    "NOK": re.compile(r"norske kroner|noorse kron|norwegian kron|挪威克朗|\bnok\b", re.IGNORECASE),
    "SEK": re.compile(r"svenske kroner|zweedse kron|swedish kron|瑞典克朗|\bsek\b", re.IGNORECASE),
    "DKK": re.compile(r"kroner|kronen|kr\.|dkk|克朗", re.IGNORECASE),
    "EUR": re.compile(r"\beuro|€|\beur\b|欧元", re.IGNORECASE),
    "CNY": re.compile(r"人民币|\bcny\b|\brmb\b|yuan", re.IGNORECASE),
    "GBP": re.compile(r"\b(?:britse |british )?(?:pond|ponden|pounds?|pund)\b|£|\bgbp\b|英镑", re.IGNORECASE),
    "JPY": re.compile(r"\byen\b|\bjpy\b|日元", re.IGNORECASE),
}
_MOST = Decimal("1e15")
_SEVERAL = frozenset({"gpu", "card", "unit"})
_USERS = frozenset({"user", "person", "request", "sequence"})


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
    hours = next((q.value * _HOURS[q.unit] for q in quantities if q.unit in _HOURS and q.value is not None), None)
    gpus = _first(quantities, _SEVERAL)
    parameters = _first(quantities, {"param"})
    context = _context(quantities, ask.text)
    users = _first(quantities, _USERS)
    into = next((code for code, words in _CURRENCY_WORDS.items() if words.search(ask.text)), None)
    return CalculationInputs(
        gpus=_whole(gpus, "gpus"),
        hours=hours,
        parameters=_whole(parameters, "parameters"),
        context=_whole(context, "context"),
        users=_whole(users, "concurrency"),
        weights=_weights(ask),
        task=_task(ask),
        price=_first(quantities, {"USD/h"}),
        rate=_first(quantities, {f"{code}/USD" for code in _CURRENCY_WORDS}),
        into=into,
    )


def _context(quantities: tuple[Quantity, ...], text: str) -> Decimal | None:
    """A context length in tokens; 32k is 32,768 there, which the reader offers as its other reading."""
    told = _CONTEXT.search(text) is not None
    for quantity in quantities:
        bare = told and quantity.unit == "" and quantity.text.casefold().endswith("k")
        if (quantity.unit == "token" or bare) and quantity.value is not None:
            binary = [c.value for c in quantity.candidates if c.value is not None and c.value % 1024 == 0]
            if bare:
                return quantity.value / 1000 * 1024
            return binary[0] if binary else quantity.value
    return None


def _whole(value: Decimal | None, field: str) -> int | None:
    """A count. Raises InvalidInput for a fraction: half a card, or a third of a token, isn't asked for knowingly."""
    if value is None:
        return None
    if value != value.to_integral_value() or abs(value) > _MOST:
        raise InvalidInput(f"{field}: {value}")
    return int(value)


def _weights(ask: Ask) -> str | None:
    for match in FORMAT.finditer(ask.text):
        try:
            return weight_format(match[0]).name
        except InvalidInput:
            continue
    bits = _first(ask.quantities, {"bit"})
    if bits is not None and bits not in _BITS:
        raise InvalidInput(f"weights: {bits} bit")
    return _BITS[bits] if bits is not None else None


def _task(ask: Ask) -> str | None:
    match = _LORA.search(ask.text)
    if match is not None:
        return match[1].lower()
    if "train" in ask.wishes:
        return "full" if _FULL.search(ask.text) else "lora"
    return None
