"""What every cost calculation answers: amounts, formulas with their numbers, the origin of each input, assumptions."""

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from assistant.knowledge.period import Period
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.tools.cost.span import Span

Origin = Literal["given", "data", "assumed", "computed"]
Part = Span | Decimal | str


class Frozen(BaseModel):
    """Base of the results."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Input(Frozen):
    """One input and where it comes from: given by the user, from the data (with its date), assumed, or computed."""

    name: str
    label: str | None = None
    """Which of several inputs of that name it is: the provider or the option."""
    value: Span
    unit: str
    origin: Origin
    source: str | None = None
    """Title of the source, where the value comes from the data or an assumption has one."""
    as_of: Period | None = None


def shown(value: Span | Decimal, language: Language) -> str:
    """A number for a formula, in the language's own notation: four decimals at most, a power of ten from 10^15 on."""
    span = Span.of(value)
    low, high = (_notation(end, language) for end in (span.low, span.high))
    return low if low == high else f"{low}–{high}"


def _notation(value: Decimal, language: Language) -> str:
    exponent = value.adjusted()
    if exponent >= 15:
        return f"{format_number(_trimmed(value.scaleb(-exponent), 4), language)}e{exponent}"
    return format_number(_trimmed(value, 6 if abs(value) < 1 else 4), language)


def _trimmed(value: Decimal, places: int) -> Decimal:
    text = f"{value:.{places}f}"
    return Decimal(text.rstrip("0").rstrip(".")) if "." in text else Decimal(text)


class Formula(Frozen):
    """One step of a calculation: in words, and with the numbers filled in."""

    term: str
    formula: str
    parts: tuple[Part, ...] = Field(exclude=True)
    """Numbers and signs to the left of the equals sign."""
    value: Span
    unit: str
    source: str
    """Where the formula comes from."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def filled(self) -> str:
        return self.filled_in("en")

    def filled_in(self, language: Language) -> str:
        """The formula with its numbers, in the language's own notation."""
        left = " ".join(part if isinstance(part, str) else shown(part, language) for part in self.parts)
        return f"{left} = {shown(self.value, language)}"


class Note(Frozen):
    """Something assumed, or worth knowing. `code` names its phrase in corpus/phrases/cost.yaml."""

    code: str
    values: dict[str, Span | Period | str] = Field(default_factory=dict)
    text: str = ""


class Money(Frozen):
    """An amount in a currency."""

    amount: Span
    currency: str


class Quantity(Frozen):
    """An amount in a unit; shares in percent."""

    amount: Span
    unit: str

    @classmethod
    def share(cls, value: Span) -> "Quantity":
        return cls(amount=value * 100, unit="%")


class Change(Frozen):
    """Something that would change the answer. `code` names its phrase in corpus/phrases/cost.yaml."""

    code: str
    values: dict[str, Money | Quantity | str]
    text: str = ""


class CostResult(Frozen):
    """Base of the results of all cost calculations."""

    formulas: tuple[Formula, ...] = ()
    inputs: tuple[Input, ...] = ()
    assumptions: tuple[Note, ...] = ()
    would_change: tuple[Change, ...] = ()
    """What would change the answer; filled in where the result is told (`calculation.with_texts`)."""
    sources: tuple[str, ...] = ()
    """Titles of the sources whose figures went into the result."""


def sources_of(*groups: tuple[Input, ...]) -> tuple[str, ...]:
    """Titles of the sources of inputs, without repeats."""
    return tuple(dict.fromkeys(item.source for group in groups for item in group if item.source))
