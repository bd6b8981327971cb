"""True statements in other words, units and number formats than the corpus has them."""

from collections.abc import Iterator
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.answering.verification.evidence_set import EvidenceSet
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from evals.adversary.sentences import other_writings, sentences, stated, written
from evals.adversary.world import World


class Told(BaseModel):
    """A sentence of a draft with the evidence that it is written from."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    kind: str
    language: Language
    text: str
    fact: Fact
    evidence: EvidenceSet


def truths(world: World, fact: Fact, language: Language) -> Iterator[Told]:
    """Everything true that is said of one figure and of it beside another's."""
    card, value = world.card_of(fact), fact.value
    if card is None or not isinstance(value, Decimal | Range):
        return
    evidence = world.evidence(fact, language)
    name, provider_id = world.name(card, language), world.provider_of(fact)
    provider = world.name(provider_id, language) if provider_id else ""

    def told(kind: str, text: str) -> Told:
        return Told(kind=kind, language=language, text=text, fact=fact, evidence=evidence)

    yield told("corpus sentence", fact.statement.in_language(language))
    own = written(value, fact.unit, language)
    for text in stated(fact, name, language, own, provider):
        yield told("other words", text)
    for number, form in enumerate(list(other_writings(value, fact.unit or "", language))[1:]):
        forms = stated(fact, name, language, form, provider)
        if forms:
            yield told("other units and formats", forms[number % len(forms)])
    short = name.split(" ", 1)[-1]
    for text in stated(fact, short, language, own, provider)[:1]:
        if world.names.read(short) and world.names.read(short)[0].entity == card:
            yield told("shorter name", text)
    for text in stated(fact, f"**{name}**", language, f"**{own}**", provider)[:1]:
        yield told("emphasis", text)
    yield from _compared(world, fact, language)


def _compared(world: World, fact: Fact, language: Language) -> Iterator[Told]:
    other = world.other_card(fact)
    card, second = world.card_of(fact), world.card_of(other) if other else None
    if other is None or card is None or second is None or fact.attribute not in ("memory_capacity", "memory_bandwidth"):
        return
    if not isinstance(fact.value, Decimal) or not isinstance(other.value, Decimal):
        return
    evidence = world.evidence(fact, language, other)
    label = world.corpus.attributes[fact.attribute].label.in_language(language)
    ours, theirs = world.name(card, language), world.name(second, language)
    say = sentences().say
    high, low = (ours, theirs) if fact.value > other.value else (theirs, ours)
    apart = written(abs(fact.value - other.value), fact.unit, language)
    first, last = (written(v, fact.unit, language) for v in (fact.value, other.value))
    total = written(fact.value + other.value, fact.unit, language)
    texts = {
        "comparison": say("more", language, a=high, b=low, label=label),
        "comparison, the other way": say("less", language, a=low, b=high, label=label),
        "difference": say("difference", language, a=high, b=low, label=label, value=apart),
        "sum": say("total", language, a=ours, b=theirs, label=label, value=total),
        "pair": say("respectively", language, a=ours, b=theirs, label=label, first=first, second=last),
        "two clauses": say("each", language, a=ours, b=theirs, label=label, first=first, second=last),
    }
    times = max(fact.value, other.value) / min(fact.value, other.value)
    rounded = times.quantize(Decimal("0.1"))
    if abs(times - rounded) <= Decimal("0.02") * times and rounded > 1:
        texts["ratio"] = say("ratio", language, a=high, b=low, label=label, value=format_number(rounded, language))
    for kind, text in texts.items():
        yield Told(kind=kind, language=language, text=text, fact=fact, evidence=evidence)


def claimed_truths(world: World, language: Language) -> Iterator[Told]:
    """A vendor's figures said as the vendor's."""
    for attribute, task in (("speedup_inference", "task_inference"), ("speedup_training", "task_training")):
        for fact in vendor_figures(world, attribute):
            say = sentences().say
            text = say(
                "faster_claimed",
                language,
                a="ROCm 10",
                b="ROCm 7",
                task=say(task, language),
                value=format_number(fact.value, language) if isinstance(fact.value, Decimal) else "",
            )
            evidence = world.evidence(fact, language)
            yield Told(kind="vendor's claim", language=language, text=text, fact=fact, evidence=evidence)


def vendor_figures(world: World, attribute: str) -> list[Fact]:
    return [
        fact
        for fact in world.facts
        if fact.attribute == attribute
        and fact.status == "vendor_claim"
        and isinstance(fact.value, Decimal)
        and fact.qualifiers.compared_with == "rocm-7"
    ]
