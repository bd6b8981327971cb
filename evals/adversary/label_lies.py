"""Lies about what a statement is: a claim told as a fact, a made-up example as a price, a corrected value as valid."""

from collections.abc import Iterator
from decimal import Decimal

from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from evals.adversary.sentences import sentences, stated, written
from evals.adversary.truths import Told, vendor_figures
from evals.adversary.world import World

_TASKS = (("speedup_inference", "task_inference"), ("speedup_training", "task_training"))


def label_lies(world: World, language: Language) -> Iterator[Told]:
    """Every way of lying about labels, limits and direction that the corpus gives cause for."""
    yield from _vendor(world, language)
    yield from _examples(world, language)
    yield from _superseded(world, language)


def _vendor(world: World, language: Language) -> Iterator[Told]:
    say = sentences().say
    for attribute, task_name in _TASKS:
        task = say(task_name, language)
        other_task = say(next(name for _, name in _TASKS if name != task_name), language)
        for fact in vendor_figures(world, attribute):
            if not isinstance(fact.value, Decimal):
                continue
            value = format_number(fact.value, language)
            more = format_number(fact.value + 1, language)
            new, old = "ROCm 10", "ROCm 7"
            texts = {
                "vendor's claim told as a fact": say("faster", language, a=new, b=old, value=value, task=task),
                "vendor's claim about another task": say(
                    "faster_claimed", language, a=new, b=old, value=value, task=other_task
                ),
                "vendor's claim the wrong way round": say(
                    "faster_claimed", language, a=old, b=new, value=value, task=task
                ),
                "vendor's claim raised": say("faster_claimed", language, a=new, b=old, value=more, task=task),
                "vendor's claim against a rival": say(
                    "faster_claimed", language, a=new, b="CUDA", value=value, task=task
                ),
                "vendor's claim from the rival": say(
                    "faster_claimed", language, a=new, b=old, value=value, task=task
                ).replace("AMD", "NVIDIA"),
            }
            evidence = world.evidence(fact, language)
            for kind, text in texts.items():
                yield Told(kind=kind, language=language, text=text, fact=fact, evidence=evidence)


def _examples(world: World, language: Language) -> Iterator[Told]:
    for fact in world.facts:
        if fact.status == "hypothetical" and isinstance(fact.value, Decimal):
            text = sentences().say("real", language, value=written(fact.value, fact.unit, language))
            evidence = world.evidence(fact, language)
            yield Told(kind="made-up example told as real", language=language, text=text, fact=fact, evidence=evidence)


def _superseded(world: World, language: Language) -> Iterator[Told]:
    """Values that a later source corrected, told as they were."""
    for fact in world.facts:
        card = world.card_of(fact)
        unit = fact.unit or ""
        if (
            not fact.superseded
            or card is None
            or not isinstance(fact.value, Decimal)
            or fact.attribute == "usable_memory"
        ):
            continue
        current = [
            other
            for other in world.library.by_entity.get(card, ())
            if other.attribute == fact.attribute and not other.superseded and other.value == fact.value
        ]
        if current:
            continue
        evidence = world.evidence(fact, language)
        for text in stated(fact, world.name(card, language), language, written(fact.value, unit, language)):
            yield Told(kind="value since corrected", language=language, text=text, fact=fact, evidence=evidence)
