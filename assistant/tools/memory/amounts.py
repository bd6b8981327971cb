"""Token counts and parameter counts as people type them in an option: 32k, 128K, 70B, 1.5T."""

import re
from decimal import Decimal

from assistant.errors import InvalidInput

_FORM = re.compile(r"^\s*(\d{1,18}(?:[.,]\d{1,9})?)\s*(k|m|b|bn|g|t|ki|mi)?\s*$", re.IGNORECASE)
_TOKENS = {"": 1, "k": 1024, "ki": 1024, "m": 1024**2, "mi": 1024**2}
_PARAMETERS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "g": 10**9, "t": 10**12}
MOST_TOKENS = 100_000_000
MOST_PARAMETERS = 10**14


def _read(text: str, field: str, scales: dict[str, int], most: int, example: str) -> int:
    match = _FORM.match(text)
    scale = scales.get((match[2] or "").lower()) if match else None
    if match is None or scale is None:
        raise InvalidInput(f"{field}: {text[:40]!r} is not a count.", f"Write it as {example}.")
    value = Decimal(match[1].replace(",", ".")) * scale
    if value != value.to_integral_value() or not 1 <= value <= most:
        raise InvalidInput(f"{field}: {text[:40]!r} is not a whole number between 1 and {most}.")
    return int(value)


def read_tokens(text: str, field: str = "context") -> int:
    """A number of tokens; k and m are powers of 1024, as context lengths are named. Raises InvalidInput."""
    return _read(text, field, _TOKENS, MOST_TOKENS, "8192, 32k or 1m")


def read_parameters(text: str, field: str = "params") -> int:
    """A number of parameters; m, b and t are powers of 1000. Raises InvalidInput."""
    return _read(text, field, _PARAMETERS, MOST_PARAMETERS, "70B, 1.5T or 350M")
