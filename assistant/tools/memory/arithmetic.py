"""How a calculation is written out, so that whoever reads the line can do the sum again.

Signs are + − × ÷, brackets, ⌈ ⌉ for rounded up, ⌊ ⌋ for rounded down, min(…, …) and max(…, …); digits stand in groups
of three. A figure that is no whole number has twelve digits.
"""

from collections.abc import Iterable

_GROUP = "\u202f"


def shown(value: float) -> str:
    """A number as it stands in a formula."""
    whole = int(value)
    return (f"{whole:,}" if whole == value else f"{value:,.12g}").replace(",", _GROUP)


def product(*factors: str | float) -> str:
    """Factors with × between them; a factor of one is left out."""
    written = [factor if isinstance(factor, str) else shown(factor) for factor in factors if factor != 1]
    return " × ".join(written) or "1"


def total(terms: Iterable[str]) -> str:
    """Terms with + between them."""
    return " + ".join(term for term in terms if term not in ("", "0")) or "0"


def over(text: str, divisor: float) -> str:
    """The text divided, where there is something to divide by."""
    return text if divisor == 1 else f"{text} ÷ {shown(divisor)}"


def bracketed(text: str) -> str:
    """In brackets where it is a sum, so that it can be multiplied."""
    return f"({text})" if " + " in text or " − " in text else text


def up(text: str) -> str:
    return f"⌈{text}⌉"


def down(text: str) -> str:
    return f"⌊{text}⌋"


def equation(left: str, value: float) -> str:
    return f"{left} = {shown(value)}"
