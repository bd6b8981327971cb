"""What a table of cards shows of one card in one property."""

from collections.abc import Sequence

from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Sentence
from assistant.knowledge.fact import Fact


def cell_of(card: str, cell: Sequence[Fact], voice: Narrator) -> Sentence:
    """The values of a card, each with the edition it belongs to where the card has several."""
    if not cell:
        return voice.sentence("not_known")
    editions: dict[str, list[str]] = {}
    for fact in cell:
        shown = voice.labelled(fact)
        if fact.qualifiers.scope is not None and fact.kind == "specification":
            shown += f" ({voice.say(f'scope_{fact.qualifiers.scope}')})"
        editions.setdefault(_edition(card, fact, voice), []).append(shown)
    alike: dict[str, list[str]] = {}
    for edition, values in editions.items():
        alike.setdefault(voice.join(list(dict.fromkeys(values))), []).append(edition)
    shown_cell = [_of_editions(values, of) for values, of in alike.items()]
    return Sentence(text="; ".join(shown_cell), support=tuple(fact.citation for fact in cell))


def _edition(card: str, fact: Fact, voice: Narrator) -> str:
    """What tells a fact's card apart from the less exact name asked for: PCIe, SXM …"""
    family = set(voice.corpus.descendants(card)) - {card}
    variant = next((id_ for id_ in fact.about if id_ in family), None)
    if variant is None:
        return ""
    known = set(voice.name(card).split())
    return " ".join(word for word in voice.name(variant).split() if word not in known)


def _of_editions(values: str, editions: Sequence[str]) -> str:
    """The values with the editions that have them; the card as a whole needs none."""
    named = ", ".join(filter(None, editions))
    return f"{values} ({named})" if named else values
