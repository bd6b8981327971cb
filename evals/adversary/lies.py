"""Ways of lying about a figure: each takes a true sentence's parts and makes a false sentence."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from evals.adversary.sentences import sentences, stated, written
from evals.adversary.truths import Told
from evals.adversary.world import World

_UNKNOWN = ("NVIDIA H900", "RTX 4095", "MI999X")


class Subject(NamedTuple):
    """A figure to lie about, with its card, provider and language."""

    world: World
    fact: Fact
    language: Language
    card: str
    provider: str | None

    @property
    def value(self) -> Decimal | Range:
        value = self.fact.value
        if isinstance(value, bool) or not isinstance(value, Decimal | Range):
            raise TypeError("a subject has a figure")
        return value

    @property
    def name(self) -> str:
        return self.world.name(self.card, self.language)

    @property
    def label(self) -> str:
        return self.world.corpus.attributes[self.fact.attribute].label.in_language(self.language)

    def sentence(self, value: str, *, name: str | None = None, provider: str | None = None, form: int = 0) -> str:
        """The figure stated in other words, with some part replaced."""
        known = self.world.name(self.provider, self.language) if self.provider else ""
        forms = stated(self.fact, name or self.name, self.language, value, provider or known)
        return forms[form % len(forms)]

    def say(self, name: str, **fields: str) -> str:
        return sentences().say(name, self.language, **fields)

    def show(self, value: Decimal | Range, unit: str | None = None) -> str:
        return written(value, unit or self.fact.unit, self.language)


Lie = Callable[[Subject], Iterator[str]]


def lies(world: World, fact: Fact, language: Language) -> Iterator[Told]:
    """Every way of lying that this figure allows, without those that happen to be true."""
    card = world.card_of(fact)
    if card is None or not isinstance(fact.value, Decimal | Range):
        return
    subject = Subject(world, fact, language, card, world.provider_of(fact))
    other = world.other_card(fact)
    evidence = world.evidence(fact, language, *([other] if other else []))
    for kind, lie in LIES.items():
        for text in lie(subject):
            yield Told(kind=kind, language=language, text=text, fact=fact, evidence=evidence)


# --- the number ------------------------------------------------------------------------------------------------------


def _changed(subject: Subject, change: Callable[[Decimal], Decimal]) -> Iterator[str]:
    """The sentence with its number changed, in two wordings, unless some source holds that number."""
    value = subject.value
    new: Decimal | Range
    if isinstance(value, Range):
        low, high = sorted((change(value.low), change(value.high)))
        new = Range(low=low, high=high)
        held = (low, high) == (value.low, value.high)
    else:
        new = change(value)
        held = subject.world.is_held(subject.card, subject.fact.attribute, new, subject.fact.unit or "")
    if not held and new != value:
        for form in (0, 1):
            yield subject.sentence(subject.show(new), form=form)


def _digit(subject: Subject) -> Iterator[str]:
    def change(value: Decimal) -> Decimal:
        text = f"{value:f}"
        place = next(n for n, c in enumerate(text) if c.isdigit() and c != "0")
        return Decimal(text[:place] + str(int(text[place]) % 9 + 1) + text[place + 1 :])

    return _changed(subject, change)


def _swapped_digits(subject: Subject) -> Iterator[str]:
    def change(value: Decimal) -> Decimal:
        text = f"{value:f}"
        digits = [n for n, c in enumerate(text) if c.isdigit()]
        for first, last in pairwise(digits):
            if text[first] != text[last] and not (first == digits[0] and text[last] == "0"):
                swapped = list(text)
                swapped[first], swapped[last] = text[last], text[first]
                return Decimal("".join(swapped))
        return value

    return _changed(subject, change)


def _tenfold(subject: Subject) -> Iterator[str]:
    return _changed(subject, lambda value: value * 10)


def _tenth(subject: Subject) -> Iterator[str]:
    return _changed(subject, lambda value: value / 10)


def _one_more(subject: Subject) -> Iterator[str]:
    def change(value: Decimal) -> Decimal:
        exponent = value.as_tuple().exponent
        return value + Decimal(1).scaleb(min(exponent, 0) if isinstance(exponent, int) else 0)

    return _changed(subject, change)


def _rounded(subject: Subject) -> Iterator[str]:
    value = subject.value
    if isinstance(value, Decimal):
        coarse = value.quantize(Decimal(1).scaleb(value.adjusted()))
        if abs(coarse - value) > value / 50:
            yield from _changed(subject, lambda _: coarse + 0)


def _doubled(subject: Subject) -> Iterator[str]:
    return _changed(subject, lambda value: value * 2)


def _range_of_one(subject: Subject) -> Iterator[str]:
    value = subject.value
    if isinstance(value, Decimal):
        yield subject.sentence(subject.show(Range(low=value, high=value * 2)))


def _wider_range(subject: Subject) -> Iterator[str]:
    value = subject.value
    if isinstance(value, Range):
        yield subject.sentence(subject.show(Range(low=value.low - Decimal("0.5"), high=value.high)))
        yield subject.sentence(subject.show((value.low + value.high) / 2))
        yield subject.sentence(subject.show(value.low))


def _limit(subject: Subject) -> Iterator[str]:
    for limit in ("at_least", "at_most"):
        yield subject.sentence(subject.say(limit, value=subject.show(subject.value)))


# --- the unit --------------------------------------------------------------------------------------------------------


def _unit(subject: Subject) -> Iterator[str]:
    swaps = {
        "GB": ("GiB", "TB", "MB"),
        "TB/s": ("Tb/s", "GB/s", "PB/s"),
        "W": ("kW", "MW"),
        "USD/h": ("EUR/h", "USD/month", "CNY/h"),
    }
    number = format_number(subject.value, subject.language) if isinstance(subject.value, Decimal) else None
    for unit in swaps.get(subject.fact.unit or "", ()):
        if unit.endswith(("/h", "/month")):
            yield subject.sentence(subject.show(subject.value, unit))
        elif number is not None:
            yield subject.sentence(f"{number} {unit}")


# --- the names -------------------------------------------------------------------------------------------------------


def _other_card(subject: Subject) -> Iterator[str]:
    other = subject.world.other_card(subject.fact)
    card = subject.world.card_of(other) if other else None
    if card is not None:
        for form in (0, 1):
            yield subject.sentence(
                subject.show(subject.value), name=subject.world.name(card, subject.language), form=form
            )


def _unknown_card(subject: Subject) -> Iterator[str]:
    for name in _UNKNOWN:
        yield subject.sentence(subject.show(subject.value), name=name)


def _other_provider(subject: Subject) -> Iterator[str]:
    if subject.provider is not None:
        for name in ("TensorWave", "AWS"):
            yield subject.sentence(subject.show(subject.value), provider=name)


def _other_maker(subject: Subject) -> Iterator[str]:
    maker = subject.world.corpus.entities[subject.card].maker
    rival = {"nvidia": "AMD", "amd": "NVIDIA"}.get(maker or "")
    if rival is not None:
        yield subject.say("attributed", maker=rival) + subject.sentence(subject.show(subject.value))


# --- the property ----------------------------------------------------------------------------------------------------


def _other_property(subject: Subject) -> Iterator[str]:
    """Another figure of the same card in a sentence on this property."""
    for other in subject.world.library.by_entity.get(subject.card, ()):
        if other.attribute != subject.fact.attribute and isinstance(other.value, Decimal) and other.unit:
            yield subject.sentence(subject.show(other.value, other.unit))
            return


def _wrong_word(subject: Subject) -> Iterator[str]:
    """The right figure said of another property."""
    swaps = {"memory_capacity": "power", "memory_bandwidth": "memory_capacity", "power": "memory_bandwidth"}
    other = swaps.get(subject.fact.attribute)
    if other is not None:
        for form in sentences().stated[other][subject.language][1:3]:
            yield form.format(name=subject.name, value=subject.show(subject.value))


# --- turning a statement ---------------------------------------------------------------------------------------------


def _denied(subject: Subject) -> Iterator[str]:
    yield subject.say("denied", text=subject.sentence(subject.show(subject.value)).rstrip("。."))


def _currently(subject: Subject) -> Iterator[str]:
    if subject.fact.attribute == "price_per_hour":
        yield subject.say("currently") + subject.sentence(subject.show(subject.value))


def _other_date(subject: Subject) -> Iterator[str]:
    if subject.fact.attribute == "price_per_hour":
        text = subject.sentence(subject.show(subject.value))
        for year in ("2025", "2027"):
            yield text.replace("2026", year)


def _independent(subject: Subject) -> Iterator[str]:
    yield subject.say("independently") + subject.sentence(subject.show(subject.value))


def _confirmed(subject: Subject) -> Iterator[str]:
    for false in _digit(subject):
        yield subject.say("confirmed", text=false)


def _extra_clause(subject: Subject) -> Iterator[str]:
    text = subject.sentence(subject.show(subject.value))
    yield text.rstrip("。.") + subject.say("clause") + text[-1]


def _adjective(subject: Subject) -> Iterator[str]:
    yield subject.sentence(subject.show(subject.value), name=f"{subject.say('adjective')} {subject.name}")


def _invented(subject: Subject) -> Iterator[str]:
    yield subject.say("invented", a=subject.name)
    yield subject.say("opinion", a=subject.name)


def _marker(subject: Subject) -> Iterator[str]:
    """A false figure behind a marker that exists, and behind one that doesn't."""
    for false in list(_digit(subject))[:1]:
        yield f"{false[:-1]} [1]{false[-1]}"
        yield f"{false} [99]"


def _fastest(subject: Subject) -> Iterator[str]:
    yield subject.say("fastest", a=subject.name, label=subject.label, value=subject.show(subject.value))


def _rank(subject: Subject) -> Iterator[str]:
    yield subject.say("rank", a=subject.name, label=subject.label, value=subject.show(subject.value))


# --- two cards -------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two cards with different figures, the larger first."""

    high: str
    low: str
    most: Decimal
    least: Decimal


def _pair(subject: Subject) -> Pair | None:
    other = subject.world.other_card(subject.fact)
    card = subject.world.card_of(other) if other else None
    if other is None or card is None or subject.fact.attribute not in ("memory_capacity", "memory_bandwidth"):
        return None
    if not isinstance(other.value, Decimal) or not isinstance(subject.value, Decimal):
        return None
    name = subject.world.name(card, subject.language)
    if subject.value > other.value:
        return Pair(subject.name, name, subject.value, other.value)
    return Pair(name, subject.name, other.value, subject.value)


def _of_pair(tell: Callable[[Subject, Pair], Iterator[str]]) -> Lie:
    def lie(subject: Subject) -> Iterator[str]:
        pair = _pair(subject)
        return iter(()) if pair is None else tell(subject, pair)

    return lie


def _reversed(subject: Subject, pair: Pair) -> Iterator[str]:
    yield subject.say("more", a=pair.low, b=pair.high, label=subject.label)
    yield subject.say("less", a=pair.high, b=pair.low, label=subject.label)


def _equal(subject: Subject, pair: Pair) -> Iterator[str]:
    yield subject.say("equal", a=pair.low, b=pair.high, label=subject.label)


def _difference(subject: Subject, pair: Pair) -> Iterator[str]:
    wrong = subject.show((pair.most - pair.least) * 2)
    yield subject.say("difference", a=pair.high, b=pair.low, label=subject.label, value=wrong)


def _ratio(subject: Subject, pair: Pair) -> Iterator[str]:
    wrong = (pair.most / pair.least + 1).quantize(Decimal("0.1"))
    shown = format_number(wrong, subject.language)
    yield subject.say("ratio", a=pair.high, b=pair.low, label=subject.label, value=shown)
    shown = format_number((pair.most / pair.least).quantize(Decimal("0.1")), subject.language)
    if pair.most / pair.least > Decimal("1.15"):
        yield subject.say("ratio", a=pair.low, b=pair.high, label=subject.label, value=shown)


def _sum(subject: Subject, pair: Pair) -> Iterator[str]:
    wrong = subject.show(pair.most + pair.least + 10)
    yield subject.say("total", a=pair.high, b=pair.low, label=subject.label, value=wrong)


def _swapped(subject: Subject, pair: Pair) -> Iterator[str]:
    shown = {"first": subject.show(pair.least), "second": subject.show(pair.most)}
    yield subject.say("each", a=pair.high, b=pair.low, label=subject.label, **shown)
    yield subject.say("respectively", a=pair.high, b=pair.low, label=subject.label, **shown)


def _pronoun(subject: Subject, pair: Pair) -> Iterator[str]:
    yield subject.say("pronoun", a=pair.high, label=subject.label, value=subject.show(pair.least))


LIES: dict[str, Lie] = {
    "digit": _digit,
    "swapped digits": _swapped_digits,
    "ten times too much": _tenfold,
    "ten times too little": _tenth,
    "one off in the last digit": _one_more,
    "rounded": _rounded,
    "doubled": _doubled,
    "a range made of one value": _range_of_one,
    "a range widened or narrowed": _wider_range,
    "a limit that isn't one": _limit,
    "unit": _unit,
    "other card": _other_card,
    "unknown card": _unknown_card,
    "other provider": _other_provider,
    "attributed to the rival": _other_maker,
    "figure of another property": _other_property,
    "word of another property": _wrong_word,
    "denied": _denied,
    "presented as current": _currently,
    "other date": _other_date,
    "independence invented": _independent,
    "false figure confirmed": _confirmed,
    "clause added": _extra_clause,
    "adjective added": _adjective,
    "invented fact": _invented,
    "false figure with a marker": _marker,
    "fastest of all": _fastest,
    "rank": _rank,
    "comparison reversed": _of_pair(_reversed),
    "equality": _of_pair(_equal),
    "difference": _of_pair(_difference),
    "ratio": _of_pair(_ratio),
    "sum": _of_pair(_sum),
    "values swapped": _of_pair(_swapped),
    "pronoun": _of_pair(_pronoun),
}
