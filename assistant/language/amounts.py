"""One amount in a text: its number, its unit, and how it's meant."""

from dataclasses import dataclass, field
from decimal import Decimal

from assistant.language.bounds import BoundWords, Manner
from assistant.language.figures import Figure, FigureReader, percent_marker
from assistant.language.card_names import adjectives, identifier_lists, names_a_card
from assistant.language.number_lists import number_lists
from assistant.language.numerals import Reading
from assistant.language.tokens import Token, Tokens
from assistant.language.tongue import Language
from assistant.language.unit_names import NamedUnit, UnitName, UnitNames
from assistant.language.units import currencies, unit_named

_MOST_BETWEEN = 5
_LARGEST_DENOMINATOR = 20
_CARD_COUNTERS = frozenset("张块片颗枚")
_COUNTED_KINDS = ("count", "parameters", "duration")
_BIT_WIDTHS = frozenset(Decimal(width) for width in (1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 128, 256))
_PERSONS = frozenset("工员客用同学专开研作读数")
_ADJECTIVE_ENDS = ("e", "ed", "al", "ic", "ive", "ete")
_NOT_ADJECTIVES = frozenset(
    {
        "the",
        "these",
        "those",
        "alle",
        "some",
        "more",
        "have",
        "were",
        "are",
        "one",
        "since",
        "while",
        "before",
        "because",
        "like",
        "time",
        "hele",
        "gange",
        "nogle",
        "where",
        "inde",
        "ude",
        "mere",
        "eller",
        "siden",
        "ene",
    }
)
_FRACTION_NOT_BEFORE = "本为功员立果交长熟绩都型年分就像品人因"


@dataclass(frozen=True)
class Other:
    """Another reading of an amount."""

    value: Decimal
    unit: str
    reason: str


@dataclass(frozen=True)
class Amount:
    """An amount between the tokens `start` and `end`. `bare` ones have no unit yet and may share a neighbour's."""

    start: int
    end: int
    value: Decimal
    step: Decimal
    unit: str = ""
    manner: Manner = Manner()
    weak: bool = False
    power: int = 0
    unit_in_front: bool = False
    low: Decimal | None = None
    high: Decimal | None = None
    readings: tuple[Reading, ...] = ()
    others: tuple[Other, ...] = field(default=())

    @property
    def bare(self) -> bool:
        return self.unit == ""


class AmountReader:
    """Reads single amounts of one text."""

    def __init__(
        self, tokens: Tokens, language: Language | None, figures: FigureReader, units: UnitNames, bounds: BoundWords
    ) -> None:
        self.tokens = tokens
        self.language = language
        self.figures = figures
        self.units = units
        self.bounds = bounds

    def read(self, place: int) -> Amount | None:
        """The amount that starts at a token: with its currency, 百分之 or sign in front, or with its number."""
        return self._multiple(place) or self._percent(place) or self._money(place) or self._plain(place)

    def starts_with_money(self, place: int) -> bool:
        money = self.units.money_in_front(self.tokens, place)
        return money is not None and self._number_after(money.end) is not None

    def _multiple(self, place: int) -> Amount | None:
        """twice, dobbelt, 翻倍; 双 4090."""
        words = self.figures.words
        found = words.multiples.longest(self.tokens, place)
        if found is not None:
            following = self.tokens.at(found[0])
            if following.near and (following.key in words.lists.not_multiples or following.text == "-"):
                return None
            return Amount(place, found[0], found[1], Decimal(1), "x")
        cards = words.lists.han.cards.get(self.tokens.at(place).text)
        if cards is not None and (names_a_card(self.tokens, place + 1) or self.tokens.at(place + 1).text == "卡"):
            return Amount(place, place + 1, Decimal(cards), Decimal(1), "gpu")
        return None

    def _percent(self, place: int) -> Amount | None:
        marker = percent_marker(self.tokens, place)
        if marker is None:
            return None
        figure = self.figures.read(marker[0])
        if figure is None:
            return None
        return self._finish(place, figure, NamedUnit(figure.end, UnitName(marker[1])), in_front=True)

    def _money(self, place: int) -> Amount | None:
        money = self.units.money_in_front(self.tokens, place)
        if money is None:
            return None
        number = self._number_after(money.end)
        figure = self.figures.read(number, money=True) if number is not None else None
        if figure is None:
            return None
        end = _past_dash(self.tokens, figure.end)
        behind = self.units.read(self.tokens, end)
        if behind is not None and behind.unit.partition("/")[0] == money.unit:
            return self._finish(place, figure, behind, in_front=True)
        after = self.bounds.read_after(self.tokens, end)
        rate = self.units.with_per(self.tokens, NamedUnit(after[0] if after else end, money.name))
        return self._finish(place, figure, rate if "/" in rate.unit else rate._replace(end=end), in_front=True)

    def _number_after(self, place: int) -> int | None:
        token = self.tokens.at(place)
        if not token.near:
            return None
        if token.text in ("~", "-") and self.tokens.at(place + 1).kind == "number" and self.tokens.at(place + 1).glued:
            return place + 1
        return place if token.kind in ("number", "symbol", "word", "han") and token.text != "-" else None

    def _plain(self, place: int) -> Amount | None:
        figure = self.figures.read(place)
        if figure is None:
            return None
        parts = self._parts(place, figure) or self._tenths(place, figure) or self._fraction(place)
        if parts is not None:
            return parts
        manner, end = Manner(), figure.end
        after = self.bounds.read_after(self.tokens, end)
        if after is not None and not self._unit_at(end, figure):
            end, manner = after[0], after[1]
        if figure.unit:
            named: NamedUnit | None = self._after_letter(figure, end)
        else:
            named = self._unit_at(end, figure)
        amount = self._finish(place, figure, named)
        if named is None:
            amount = self._counted(amount, figure, end)
        if amount.end >= end:
            amount = _with_manner(amount, manner)
        elif manner.bound or manner.approximate:
            amount = _with_manner(amount, manner, end)
        return amount

    def _after_letter(self, figure: Figure, end: int) -> NamedUnit:
        """The word that says again what the letter said (70B parameters, 32k tokens), or what it's per (80G/s)."""
        named = self.units.read(self.tokens, end)
        if named is not None and named.unit.partition("/")[0] == figure.unit:
            return named
        return self.units.with_per(self.tokens, NamedUnit(figure.end, UnitName(figure.unit)))

    def _unit_at(self, place: int, figure: Figure) -> NamedUnit | None:
        named = self.units.read(self.tokens, place)
        if named is None or self._opens_the_next(named, place):
            return self._shop_price(place)
        if named.unit == "x":
            return self._times(named, place)
        return named

    def _opens_the_next(self, named: NamedUnit, place: int) -> bool:
        """True for the sign of "5 $3.99", which belongs to the number behind it."""
        token, number = self.tokens.at(place), self.tokens.at(named.end)
        return (
            named.unit in currencies()
            and token.gap != ""
            and number.kind == "number"
            and (number.glued and not token.text.isalpha())
        )

    def _shop_price(self, place: int) -> NamedUnit | None:
        """12.999,- in shops: kroner in Danish, euros in Dutch."""
        end = _past_dash(self.tokens, place)
        unit = {"da": "DKK", "nl": "EUR"}.get(self.language or "")
        return NamedUnit(end, UnitName(unit)) if unit and end != place else None

    def _times(self, named: NamedUnit, place: int) -> NamedUnit | None:
        """8x H100 counts cards; 8 × 80 GB counts; 3.3x is a multiple."""
        sign = self.tokens[place].text in ("x", "X", "×")
        if sign and names_a_card(self.tokens, named.end):
            return NamedUnit(named.end, UnitName("gpu"))
        following = self.tokens.at(named.end)
        if sign and following.kind == "number" and following.near:
            return NamedUnit(named.end, UnitName(""))
        if sign and following.near:
            counted = self._counted_noun(named.end)
            if counted is not None:
                return counted
        return named

    def _counted(self, amount: Amount, figure: Figure, end: int) -> Amount:
        """What a number without a unit counts: cards (two H100), what a noun further on says, or pieces (三个)."""
        tokens = self.tokens
        if not tokens.at(end).near:
            return amount
        if (names_a_card(tokens, end) and not tokens.at(end).glued) or names_a_card(tokens, _hyphen(tokens, end)):
            return _with_unit(amount, "gpu", amount.end)
        noun = self._counted_noun(end)
        if noun is not None:
            return _with_unit(amount, noun.unit, noun.end)
        if tokens.at(end).text in identifier_lists().counters:
            return self._pieces(amount, figure, end)
        return amount

    def _counted_noun(self, place: int) -> NamedUnit | None:
        """The noun that says what is counted, past adjectives and the first half of a compound."""
        at = _hyphen(self.tokens, place)
        for _ in range(_MOST_BETWEEN):
            token = self.tokens.at(at)
            if not token.near:
                return None
            named = self.units.read(self.tokens, at) or self._compound(at)
            if named is not None:
                unit = unit_named(named.unit)
                return named if unit is not None and unit.whole and named.unit != "B" else None
            adjective = adjectives().longest(self.tokens, at)
            if adjective is not None:
                at = adjective[0]
            elif _is_adjective(token) or names_a_card(self.tokens, at):
                at += 1
            elif token.kind not in ("word", "name") or self.tokens.at(at + 1).text != "-":
                return None
            else:
                at += 1
            at = _hyphen(self.tokens, at)
        return None

    def _compound(self, place: int) -> NamedUnit | None:
        """arkitekturgenerationer: the unit at the end of one long word."""
        token = self.tokens.at(place)
        if token.kind != "word":
            return None
        for end, unit in identifier_lists().compound_ends.items():
            if token.key.endswith(end) and len(token.key) > len(end) + 2:
                return NamedUnit(place + 1, UnitName(unit))
        return None

    def _pieces(self, amount: Amount, figure: Figure, place: int) -> Amount:
        """三个小时, 8 块 H100, 16 位, 两种: what stands behind a Chinese word for pieces."""
        tokens = self.tokens
        counter, following = tokens.at(place), tokens.at(place + 1)
        if counter.text == "个" and following.text == number_lists().han.half:
            return self._and_a_half(amount, place + 2)
        if counter.text == "位" and amount.value in _BIT_WIDTHS and following.text not in _PERSONS:
            return _with_unit(amount, "bit", place + 1)
        named = self.units.read(tokens, place + 1) if following.near else None
        if named is not None and (unit := unit_named(named.unit)) is not None and unit.kind in _COUNTED_KINDS:
            return _with_unit(amount, named.unit, named.end)
        noun = self._counted_noun(place + 1) or self._card_further_on(place)
        if noun is not None:
            return _with_unit(amount, noun.unit, noun.end)
        if names_a_card(tokens, place + 1) or (counter.text == "张" and following.kind != "han"):
            return _with_unit(amount, "gpu", place + 1)
        if counter.text == "块":
            return self._yuan(amount, place + 1)
        if amount.weak and amount.value == 1:
            return amount
        return _replace(amount, end=place + 1, weak=False)

    def _card_further_on(self, place: int) -> NamedUnit | None:
        """8 张高端显卡: only where the word for pieces is one that cards have."""
        if self.tokens[place].text not in _CARD_COUNTERS:
            return None
        for at in range(place + 1, place + 2 + _MOST_BETWEEN):
            token = self.tokens.at(at)
            if not token.near:
                return None
            named = self.units.read(self.tokens, at)
            if named is not None:
                return named if named.unit == "gpu" else None
            if token.kind != "han":
                return None
        return None

    def _yuan(self, amount: Amount, end: int) -> Amount:
        """块 counts yuan (3000 块, 15 块一小时) or pieces (卖出 100 万块)."""
        rate = self.units.with_per(self.tokens, NamedUnit(end, UnitName("CNY")))
        sold = any(self.tokens.at(at).text in identifier_lists().sold for at in range(amount.start - 8, amount.start))
        money = "/" in rate.unit or (amount.value >= 100 and not sold and self.tokens.at(end).kind != "han")
        if not money:
            return _replace(amount, end=end, weak=amount.weak)
        other = Other(amount.value, "", "块 counts yuan or pieces")
        return _replace(amount, unit=rate.unit, end=rate.end, others=(*amount.others, other))

    def _and_a_half(self, amount: Amount, place: int) -> Amount:
        named = self.units.read(self.tokens, place)
        if self.tokens.at(place).text == "月":
            named = NamedUnit(place + 1, UnitName("month"))
        half = Decimal("0.5")
        changed = _replace(amount, value=amount.value + half, low=None, high=None, step=Decimal("0.1"), end=place)
        return _with_unit(changed, named.unit, named.end) if named else changed

    def _parts(self, place: int, figure: Figure) -> Amount | None:
        """三分之二."""
        if self.tokens.at(figure.end).text != "分" or self.tokens.at(figure.end + 1).text != "之":
            return None
        above = self.figures.read(figure.end + 2)
        below = figure.readings[0].value
        if above is None or below == 0:
            return None
        return Amount(place, above.end, above.readings[0].value / below, Decimal("0.01"), "x")

    def _fraction(self, place: int) -> Amount | None:
        """1/3, where nothing says what would be counted by the 1 and the 3."""
        above, slash, below = (self.tokens.at(place + step) for step in range(3))
        written = slash.text == "/" and slash.glued and below.glued and above.text.isdigit() and below.text.isdigit()
        if not written or len(below.text) > 2 or not 0 < int(above.text) < int(below.text) <= _LARGEST_DENOMINATOR:
            return None
        behind = self.tokens.at(place + 3)
        if self.units.read(self.tokens, place + 3) or (behind.glued and behind.text in ("/", "-", ".")):
            return None
        return Amount(place, place + 3, Decimal(above.text) / Decimal(below.text), Decimal("0.01"), "x")

    def _tenths(self, place: int, figure: Figure) -> Amount | None:
        """九成 is 90 %, 七成五 is 75 %."""
        value, tokens = figure.readings[0].value, self.tokens
        sign, following = tokens.at(figure.end), tokens.at(figure.end + 1)
        if sign.text != number_lists().han.tenths or not sign.glued or not 0 < value <= 10:
            return None
        if following.glued and following.text in _FRACTION_NOT_BEFORE:
            return None
        share, end = value * 10, figure.end + 1
        extra = number_lists().han.digits.get(following.text) if following.glued and following.text else None
        if extra is not None:
            share, end = share + extra, end + 1
        elif following.text == "半" and following.glued:
            share, end = share + 5, end + 1
        return Amount(place, end, share, Decimal(1), "%")

    def _finish(self, place: int, figure: Figure, named: NamedUnit | None, in_front: bool = False) -> Amount:
        name = named.name if named else UnitName("")
        end = named.end if named and named.end > figure.end else figure.end
        homes = name.homes or figure.homes
        reading = choose(figure.readings, self.language, homes, name.unit, figure.power > 0)
        value = reading.value * name.times
        others = [
            Other(other.value * name.times, name.unit, f"{other.separator} reading of the separator")
            for other in figure.readings
            if other is not reading
        ]
        others += [
            Other(reading.value * other.factor, other.unit or name.unit, other.reason)
            for other in figure.others
            if (other.unit or name.unit) != name.unit or other.factor != 1
        ]
        if name.other:
            others.append(Other(value, name.unit.replace(name.unit.partition("/")[0], name.other), name.reason))
        amount = Amount(
            place, end, value, reading.step * name.times, name.unit, weak=figure.weak, power=figure.power, manner=figure.manner,
            unit_in_front=in_front, readings=figure.readings, others=tuple(others),
        )  # fmt: skip
        return self._with_half_behind(amount)

    def _with_half_behind(self, amount: Amount) -> Amount:
        """一年半, 3 小时半."""
        token = self.tokens.at(amount.end)
        unit = unit_named(amount.unit)
        if token.text != number_lists().han.half or not token.glued or unit is None or unit.kind != "duration":
            return amount
        return _replace(amount, value=amount.value + Decimal("0.5"), step=Decimal("0.1"), end=amount.end + 1)


def choose(
    readings: tuple[Reading, ...], language: Language | None, homes: frozenset[Language], unit: str, scaled: bool
) -> Reading:
    """The likeliest reading of a separator: by the text's language, unless the unit makes only the other one sensible.

    A fraction of a token or a card makes no sense; 1.000 W in English is 1000 W, because no card takes 1 W. Without a
    language the spelling of the unit hints at one (kr., 元), and an amount of money has no third decimal.
    """
    if len(readings) == 1:
        return readings[0]
    usual = next((reading for reading in readings if language in reading.homes), None)
    if usual is None and len(homes) <= 2:
        usual = next((reading for reading in readings if homes and homes <= set(reading.homes)), None)
    if usual is None:
        grouped = unit in currencies() or readings[1].value == readings[1].value.to_integral_value()
        usual = readings[0] if grouped else next(reading for reading in readings if "en" in reading.homes)
    other = readings[1] if usual is readings[0] else readings[0]
    known = unit_named(unit) or unit_named(unit.partition("/")[0])
    if known is None or scaled:
        return usual
    if known.whole and usual.value % 1 != 0 and other.value % 1 == 0:
        return other
    if known.plausible is not None:
        low, high = known.plausible
        if not low <= usual.value <= high and low <= other.value <= high:
            return other
    return usual


def _with_unit(amount: Amount, unit: str, end: int) -> Amount:
    known = unit_named(unit)
    if known is not None and known.whole and len(amount.readings) > 1 and not amount.power and amount.value % 1 != 0:
        whole = next((reading for reading in amount.readings if reading.value % 1 == 0), None)
        if whole is not None:
            others = (*amount.others, Other(amount.value, unit, "decimal reading of the separator"))
            amount = _replace(amount, value=whole.value, step=whole.step, others=others)
    others = tuple(Other(other.value, other.unit or unit, other.reason) for other in amount.others)
    return _replace(amount, unit=unit, end=max(end, amount.end), others=others)


def _with_manner(amount: Amount, manner: Manner, end: int | None = None) -> Amount:
    return _replace(amount, manner=amount.manner.with_(manner), end=max(amount.end, end or 0))


def _replace(amount: Amount, **changes: object) -> Amount:
    from dataclasses import replace

    return replace(amount, **changes)  # type: ignore[arg-type]


def _past_dash(tokens: Tokens, place: int) -> int:
    """Past the ,- or ,-- behind a price without cents."""
    if tokens.at(place).text in (",", ".") and tokens.at(place).glued and tokens.at(place + 1).text in ("-", "—"):
        dash = tokens.at(place + 1)
        following = tokens.at(place + 2)
        if dash.glued and not (following.glued and following.kind in ("number", "word", "name")):
            return place + 3 if following.text == "-" and following.glued else place + 2
    return place


def _hyphen(tokens: Tokens, place: int) -> int:
    token = tokens.at(place)
    return place + 1 if token.text == "-" and token.glued and tokens.at(place + 1).glued else place


def _is_adjective(token: Token) -> bool:
    """Guess from its ending whether a word may stand between a number and its noun."""
    if token.kind != "word" or not token.text.islower() or len(token.text) < 4:
        return False
    return token.key.endswith(_ADJECTIVE_ENDS) and token.key not in _NOT_ADJECTIVES
