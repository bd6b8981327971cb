"""Digits with dots, commas, apostrophes and spaces: every number they can mean, as exact decimals."""

import re
from decimal import Decimal
from typing import Literal, NamedTuple

from assistant.language.tokens import Tokens
from assistant.language.tongue import Language

Separator = Literal["plain", "decimal", "grouped"]

MAX_DIGITS = 28
_DOT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_COMMA_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_INDIAN_GROUPS = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
_APOSTROPHE_GROUPS = re.compile(r"([1-9][0-9]{0,2}(?:'[0-9]{3})+)([.,][0-9]+)?")
_MIXED = re.compile(r"([0-9]{1,3}(?:\.[0-9]{3})*),([0-9]+)|([0-9]{1,3}(?:,[0-9]{3})*)\.([0-9]+)")
_GROUP_OF_THREE = re.compile(r"([0-9]{3})([.,][0-9]+)?")
_HOMES: dict[str, tuple[Language, ...]] = {".": ("nl", "da"), ",": ("en", "zh")}
FRACTION_SIGNS = {
    "½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75"), "⅛": Decimal("0.125"), "⅜": Decimal("0.375"),
    "⅝": Decimal("0.625"), "⅞": Decimal("0.875"), "⅕": Decimal("0.2"), "⅖": Decimal("0.4"), "⅗": Decimal("0.6"),
    "⅘": Decimal("0.8"), "⅓": Decimal(1) / 3, "⅔": Decimal(2) / 3,
}  # fmt: skip
_DENOMINATORS = ("2", "4", "5", "8")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
MAX_EXPONENT = 27


class Reading(NamedTuple):
    """One number that a run of digits can mean. `step` is the size of its last written digit."""

    value: Decimal
    step: Decimal
    separator: Separator
    homes: tuple[Language, ...] = ()
    """Languages in which this is the usual way to read its separator; empty where it's the only way."""


class Numeral(NamedTuple):
    """Digits up to the token `end`, with every reading they have."""

    end: int
    readings: tuple[Reading, ...]


def read_numeral(tokens: Tokens, place: int) -> Numeral | None:
    """The numeral that starts at a token, with digit groups set apart by spaces and powers of ten taken along.

    None where the digits are no number at all, such as a version (13.4.1).
    """
    token = tokens.at(place)
    if token.kind == "symbol":
        return _fraction_sign(tokens, place) or _leading_point(tokens, place)
    if token.kind != "number" or len(token.text) > MAX_DIGITS:
        return None
    spaced = _spaced_groups(tokens, place)
    if spaced is not None:
        return spaced
    readings = _readings(token.text)
    if not readings:
        return None
    numeral = Numeral(place + 1, readings)
    return _with_power(tokens, _with_fraction_sign(tokens, numeral))


def _readings(text: str) -> tuple[Reading, ...]:
    mantissa, exponent = _split_exponent(text)
    if exponent is None:
        return ()
    plain = _mantissa_readings(mantissa)
    if exponent == 0:
        return plain
    power = Decimal(1).scaleb(exponent)
    return tuple(reading._replace(value=reading.value * power, step=reading.step * power) for reading in plain)


def _split_exponent(text: str) -> tuple[str, int | None]:
    mantissa, letter, exponent = text.lower().partition("e")
    if not letter:
        return mantissa, 0
    power = int(exponent)
    return mantissa, power if abs(power) <= MAX_EXPONENT else None


def _mantissa_readings(text: str) -> tuple[Reading, ...]:
    if text.isdigit():
        return (_reading(text, "plain"),)
    if "'" in text:
        match = _APOSTROPHE_GROUPS.fullmatch(text)
        return (_reading(match[1].replace("'", "") + (match[2] or ""), "grouped"),) if match else ()
    dots, commas = text.count("."), text.count(",")
    if dots and commas:
        return _mixed(text)
    sign = "." if dots else ","
    if dots + commas > 1:
        groups = (_DOT_GROUPS if dots else _COMMA_GROUPS).fullmatch(text) or (commas and _INDIAN_GROUPS.fullmatch(text))
        return (_reading(text.replace(sign, ""), "grouped"),) if groups else ()
    decimal = _reading(text, "decimal")
    if not (_DOT_GROUPS if dots else _COMMA_GROUPS).fullmatch(text):
        return (decimal,)
    homes = _HOMES[sign]
    others: tuple[Language, ...] = ("en", "zh") if sign == "." else ("nl", "da")
    return _reading(text.replace(sign, ""), "grouped")._replace(homes=homes), decimal._replace(homes=others)


def _mixed(text: str) -> tuple[Reading, ...]:
    match = _MIXED.fullmatch(text)
    if match is None:
        return ()
    whole, rest = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
    return (_reading(f"{whole.replace('.', '').replace(',', '')}.{rest}", "grouped"),)


def _reading(text: str, separator: Separator) -> Reading:
    value = Decimal(text.replace(",", "."))
    exponent = value.as_tuple().exponent
    return Reading(value, Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0), separator)


def _spaced_groups(tokens: Tokens, place: int) -> Numeral | None:
    """1 000 000 or 12 999,50, where every group behind the first has three digits."""
    first = tokens[place].text
    if not first.isdigit() or len(first) > 3 or first[0] == "0":
        return None
    digits, end = first, place + 1
    while end - place < 8:
        token = tokens.at(end)
        match = (
            _GROUP_OF_THREE.fullmatch(token.text) if token.kind == "number" and token.gap in (" ", "\u00a0") else None
        )
        if match is None:
            break
        digits, end = digits + token.text, end + 1
        if match[2]:
            break
    if end == place + 1:
        return None
    return Numeral(end, (_reading(digits, "grouped"),))


def _with_fraction_sign(tokens: Tokens, numeral: Numeral) -> Numeral:
    """2½ and 2 1/2."""
    sign = tokens.at(numeral.end)
    if sign.gap not in ("", " ") or numeral.readings[0].separator != "plain":
        return numeral
    part, end = FRACTION_SIGNS.get(sign.text), numeral.end + 1
    if part is None and sign.gap == " " and sign.text == "1" and tokens.at(end).text == "/" and tokens.at(end).glued:
        below = tokens.at(end + 1)
        written = below.glued and below.text in _DENOMINATORS
        part, end = (Decimal(1) / Decimal(below.text), end + 2) if written else (None, end)
    if part is None:
        return numeral
    return Numeral(end, (Reading(numeral.readings[0].value + part, _step(part), "plain"),))


def _fraction_sign(tokens: Tokens, place: int) -> Numeral | None:
    part = FRACTION_SIGNS.get(tokens.at(place).text)
    return Numeral(place + 1, (Reading(part, _step(part), "plain"),)) if part is not None else None


def _leading_point(tokens: Tokens, place: int) -> Numeral | None:
    """,89 and .5: a point that stands alone in front of digits."""
    point, digits = tokens.at(place), tokens.at(place + 1)
    before = tokens.at(place - 1)
    free = not point.glued or place == 0 or before.text in ("$", "€", "£", "¥", "(", "|", "~", "<", ">", "=")
    if point.text not in (".", ",") or not free or not digits.glued or not digits.text.isdigit():
        return None
    if digits.kind != "number" or len(digits.text) > MAX_DIGITS:
        return None
    return Numeral(place + 2, (_reading("0." + digits.text, "decimal"),))


def _with_power(tokens: Tokens, numeral: Numeral) -> Numeral:
    """3.2 × 10^9, 3,2·10⁹ and 10^9."""
    end, base_at = numeral.end, numeral.end - 1
    if tokens.at(end).text in ("×", "x", "·", "*") and tokens.at(end + 1).text == "10" and tokens.at(end + 1).near:
        base_at = end + 1
    elif tokens.at(base_at).text != "10":
        return numeral
    exponent = _exponent(tokens, base_at + 1)
    if exponent is None:
        return numeral
    after, power = exponent
    mantissas = numeral.readings if base_at == end + 1 else (Reading(Decimal(1), Decimal(1), "plain"),)
    factor = Decimal(1).scaleb(power)
    return Numeral(after, tuple(r._replace(value=r.value * factor, step=r.step * factor) for r in mantissas))


def _exponent(tokens: Tokens, place: int) -> tuple[int, int] | None:
    token = tokens.at(place)
    if not token.glued:
        return None
    raised = token.text.translate(_SUPERSCRIPTS)
    if token.text != raised and raised.lstrip("-").isdigit():
        return _bounded_exponent(place + 1, raised)
    if token.text != "^":
        return None
    sign = "-" if tokens.at(place + 1).text == "-" else ""
    digits = tokens.at(place + (2 if sign else 1))
    if digits.kind != "number" or not digits.text.isdigit() or not digits.glued:
        return None
    return _bounded_exponent(place + (3 if sign else 2), sign + digits.text)


def _bounded_exponent(end: int, digits: str) -> tuple[int, int] | None:
    if len(digits) > 3 or abs(int(digits)) > MAX_EXPONENT:
        return None
    return end, int(digits)


def _step(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
