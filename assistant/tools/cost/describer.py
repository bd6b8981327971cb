"""How amounts, shares, cards, assumptions and inputs of cost results are written in one language."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.language.formatting import WIDE, format_money, format_number, format_period, format_quantity, join_words
from assistant.language.tongue import Language
from assistant.language.wording import Wording, read_wording
from assistant.tools.cost.result import Change, CostResult, Formula, Input, Money, Note, Quantity
from assistant.tools.cost.span import Span
from assistant.tools.cost.turning_points import turning_points

_SHARES = frozenset({"utilisation", "mfu", "idle_share", "residual_share", "success_rate"})


def read_cost_wording(corpus: Path) -> Wording:
    """The sentences of corpus/phrases/cost.yaml. Raises CorpusError naming the phrase at fault."""
    return read_wording(corpus / "phrases" / "cost.yaml")


class Describer:
    """Writes cost results in one language."""

    def __init__(self, wording: Wording, language: Language) -> None:
        self._wording = wording
        self.language: Language = language

    def say(self, phrase: str, /, **fields: str) -> str:
        return self._wording.say(phrase, self.language, **fields)

    def money(self, amount: Span, currency: str) -> str:
        """An amount, or the range it lies in; below one unit with two significant digits at least."""
        low, high = rounded(amount.low), rounded(amount.high)
        if low == high:
            return format_money(low, currency, self.language, places_of(low))
        step = Decimal(1).scaleb(-max(places_of(low), places_of(high)))
        both = Range(low=low.quantize(step, context=WIDE), high=high.quantize(step, context=WIDE))
        return format_quantity(both, currency, self.language)

    def quantity(self, amount: Span, unit: str) -> str:
        return format_quantity(Span(low=rounded(amount.low), high=rounded(amount.high)).value, unit, self.language)

    def number(self, amount: Span) -> str:
        return self.quantity(amount, "")

    def share(self, amount: Span) -> str:
        return format_quantity((amount * 100).value, "%", self.language)

    def cards(self, name: str | None, count: int) -> str:
        """`count` cards in running text: an NVIDIA H200, 8 NVIDIA H200 GPUs."""
        number = "one" if count == 1 else "many"
        shown = format_number(Decimal(count), self.language)
        if name is None:
            return self.say(f"cards_unnamed_{number}", **({} if count == 1 else {"count": shown}))
        return self.say(f"cards_{number}", name=name, **({} if count == 1 else {"count": shown}))

    def period(self, period: Period) -> str:
        return format_period(period, self.language)

    def note(self, note: Note) -> str:
        """An assumption or caveat as a sentence."""
        fields: dict[str, str] = {}
        for name, value in note.values.items():
            if isinstance(value, Period):
                fields[name] = self.period(value)
            elif isinstance(value, Span):
                fields[name] = self.share(value) if name in _SHARES else self.number(value)
            elif name == "terms":
                fields[name] = join_words(
                    [self.say(f"term_{term.strip()}") for term in value.split(",")], self.language
                )
            else:
                fields[name] = value
        return self.say(note.code, **fields)

    def notes(self, result: CostResult) -> list[str]:
        return list(dict.fromkeys(self.note(note) for note in result.assumptions))

    def change(self, change: Change) -> str:
        """A change that would alter the answer, as a sentence."""
        fields: dict[str, str] = {}
        for name, value in change.values.items():
            match value:
                case Money(amount=amount, currency=currency):
                    fields[name] = self.money(amount, currency)
                case Quantity(amount=amount, unit=unit):
                    fields[name] = self.quantity(amount, unit)
                case str():
                    fields[name] = value
        return self.say(change.code, **fields)

    def changes(self, result: CostResult) -> str:
        """What would change the answer, as a list under its heading; nothing where nothing is known."""
        lines = [f"- {self.change(change)}" for change in turning_points(result)]
        return "\n".join([self.say("would_change"), *lines]) if lines else ""

    def calculation(self, formulas: Sequence[Formula]) -> str:
        """Steps with their numbers; a step that only repeats a number is left out."""
        steps = [f"{step.filled_in(self.language)} {step.unit}".strip() for step in formulas if len(step.parts) > 1]
        return self.say("calculation", steps=("；" if self.language == "zh" else "; ").join(steps)) if steps else ""

    def input_lines(self, result: CostResult) -> list[str]:
        """Each input with its value and where it comes from."""
        return [self._input(item) for item in result.inputs]

    def text(self, *blocks: str | Sequence[str]) -> str:
        """Paragraphs and tables, empty ones left out; a list of sentences is one paragraph."""
        space = "" if self.language == "zh" else " "
        paragraphs = [block if isinstance(block, str) else space.join(filter(None, block)) for block in blocks]
        return "\n\n".join(filter(None, paragraphs))

    def _input(self, item: Input) -> str:
        if item.name in _SHARES:
            shown = self.share(item.value)
        elif item.name == "exchange_rate":
            shown = f"{self.number(item.value)} {item.unit}"
        elif item.unit.endswith("/kWh"):
            shown = f"{self.money(item.value, item.unit.removesuffix('/kWh'))}/kWh"
        else:
            shown = self.quantity(item.value, item.unit)
        name = self.say(f"name_{item.name}")
        if item.label:
            name = self.say("labelled", name=name, label=item.label)
        return self.say("input_line", name=name, value=shown, origin=self._origin(item))

    def _origin(self, item: Input) -> str:
        if item.origin == "data" and item.source:
            if item.as_of is None:
                return self.say("origin_data_undated", source=item.source)
            return self.say("origin_data", source=item.source, as_of=self.period(item.as_of))
        if item.origin == "assumed" and item.source:
            return self.say("origin_assumed_from", source=item.source)
        return self.say(f"origin_{item.origin}", **({"source": "", "as_of": ""} if item.origin == "data" else {}))


def rounded(value: Decimal) -> Decimal:
    """Two decimals, none from 10,000 on unless two give it exactly, and two significant digits below one."""
    if value == value.to_integral_value():
        return value.quantize(Decimal(1), context=WIDE)
    cents = value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP, context=WIDE)
    if abs(value) >= 10_000 and cents != value:
        return value.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=WIDE)
    if abs(value) >= 1:
        return cents
    places = min(12, max(2, 1 - value.adjusted()))
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=WIDE)


def places_of(value: Decimal) -> int:
    """Decimals that `rounded` leaves: none for a whole number, two or more otherwise."""
    exponent = value.as_tuple().exponent
    return 0 if value == value.to_integral_value() else -exponent if isinstance(exponent, int) else 2


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
