"""Follow-up questions: what a question leaves unsaid is taken from the questions before it."""

import re

from assistant.answering.calculation.fit_options import read_options
from assistant.answering.calculation.inputs import FORMAT
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask, Understanding
from assistant.language.mention import Mention

# A new name of one of these kinds replaces earlier names of the same group only.
_GROUPS = (
    frozenset({"gpu", "system"}),
    frozenset({"model"}),
    frozenset({"provider"}),
    frozenset({"software", "framework", "library"}),
    frozenset({"company", "technology", "topic"}),
)
# What is kept of earlier questions' words, so that two hundred of them weigh no more than one.
_KEPT_CHARACTERS = 600
_CALCULATED = frozenset({"fit", "holds", "throughput", "train"})
_CARDS_AT_ONCE = range(1, 1025)
_COUNTS = frozenset({"gpu", "card", "unit", ""})
# What the name of an edition says of a card is also a word for a property of cards.
_EDITION_PROPERTIES = frozenset({"form_factor", "interconnect", "host_interface", "memory_capacity"})


def group_of(mention: Mention) -> frozenset[str]:
    return next(group for group in _GROUPS if mention.kind in group)


def carried_over(current: Ask, earlier: Ask) -> Ask:
    """`current` completed with the names, attributes, figures and wishes of `earlier` that it doesn't replace.

    The words of `earlier` stand behind its own, without what is replaced.
    """
    current = _counting_cards(current, earlier)
    named = {group_of(mention) for mention in current.mentions}
    if _measures_against(current):
        # "How much more than the B200" keeps the card that it is measured against that one.
        named.discard(_GROUPS[0])
    replaced = [m for m in earlier.mentions if group_of(m) in named]
    own = read_options(current)
    units = {_counted(quantity.unit) for quantity in current.quantities if not own.covers(quantity.start)}
    gone = [q for q in earlier.quantities if _counted(q.unit) in units]
    words = earlier.text
    for start, end, said in [(m.start, m.end, m.text) for m in replaced] + [(q.start, q.end, q.text) for q in gone]:
        if words[start:end] == said:
            words = words[:start] + " " * (end - start) + words[end:]
    words = read_options(earlier).of(own.fields).without(words)
    if FORMAT.search(own.without(current.text)):
        words = FORMAT.sub(lambda match: " " * len(match[0]), words)
    shift = len(current.text) + 1
    mentions = [m.model_copy(update={"start": m.start + shift, "end": m.end + shift}) for m in earlier.mentions]
    quantities = [q.model_copy(update={"start": q.start + shift, "end": q.end + shift}) for q in earlier.quantities]
    kept = [m for m in mentions if group_of(m) not in named]
    return current.model_copy(
        update={
            "text": f"{current.text} {words}"[:_KEPT_CHARACTERS],
            "mentions": (*current.mentions, *kept),
            "wanted": current.wanted or earlier.wanted,
            "wishes": current.wishes | earlier.wishes,
            "quantities": (*current.quantities, *(q for q in quantities if _counted(q.unit) not in units)),
            "in_domain": current.in_domain or earlier.in_domain,
        }
    )


def _measures_against(current: Ask) -> bool:
    cards = {mention.entity for mention in current.mentions if group_of(mention) is _GROUPS[0]}
    return len(cards) == 1 and "comparison" in current.wishes and bool(current.wishes & {"more", "less"})


def _counting_cards(current: Ask, earlier: Ask) -> Ask:
    """ "And on two?", said of cards that are named or were: a bare whole number counts them."""
    if not any(mention.kind == "gpu" for mention in (*current.mentions, *earlier.mentions)):
        return current
    options = read_options(current)
    quantities = tuple(
        quantity.model_copy(update={"unit": "gpu"})
        if quantity.unit == ""
        and quantity.kind == "count"
        and quantity.value in _CARDS_AT_ONCE
        and not options.covers(quantity.start)
        else quantity
        for quantity in current.quantities
    )
    return current.model_copy(update={"quantities": quantities})


def _counted(unit: str) -> str:
    """One unit for all that cards are counted in."""
    return "gpu" if unit in _COUNTS else unit


def refined(current: Ask, earlier: Ask, corpus: Corpus) -> Ask | None:
    """`current` with the edition it names of the card before it, "the SXM" behind H100 PCIe; None where it has none."""
    if any(mention.kind in ("gpu", "system") for mention in current.mentions):
        return None
    words = set(re.findall(r"[^\W_]+", current.text.casefold()))
    for mention in earlier.mentions:
        if mention.kind != "gpu":
            continue
        root = (mention.entity, *corpus.ancestors(mention.entity))[-1]
        common = set(corpus.entities[root].name.casefold().split())
        editions = {id_: set(corpus.entities[id_].name.casefold().split()) - common for id_ in corpus.descendants(root)}
        named = {id_: own for id_, own in editions.items() if own and own & words}
        if named:
            best = max(sorted(named), key=lambda id_: (len(named[id_] & words), -len(named[id_] - words)))
            edition = Mention(entity=best, kind="gpu", text=corpus.entities[best].name, start=0, end=0)
            asked = tuple(group for group in current.wanted if not set(group) & _EDITION_PROPERTIES)
            others = tuple(m for m in current.mentions if m.kind != "technology")
            return current.model_copy(update={"mentions": (edition, *others), "wanted": asked})
    return None


def supplies(current: Ask, earlier: Ask) -> bool:
    """True where `current` names the model or the card that a calculation asked for before it lacked."""
    if not earlier.wishes & _CALCULATED and not ("rent" in earlier.wishes or "price_per_hour" in earlier.attributes):
        return False
    new, old = ({mention.kind for mention in ask.mentions} for ask in (current, earlier))
    if any(quantity.unit == "param" for quantity in current.quantities):
        new = new | {"model"}
    if earlier.wishes & _CALCULATED:
        return ("model" in new and "model" not in old) or ("gpu" in new and "gpu" not in old and "model" in old)
    return "gpu" in new and not old


def in_context(current: Understanding, earlier: Understanding | None, corpus: Corpus) -> Understanding:
    """The question as meant after the one before it; unchanged where it stands on its own."""
    if earlier is None or not earlier.asks or not current.asks:
        return current
    first, last = current.asks[0], earlier.asks[-1]
    stands_alone = first.mentions and first.wanted and not (current.is_fragment and supplies(first, last))
    if stands_alone and not current.is_follow_up and not current.is_correction:
        return current
    edition = refined(first, last, corpus)
    if edition is not None and (current.is_correction or current.is_follow_up or current.is_fragment):
        first = edition
    if current.is_correction and current.is_fragment and first.mentions and last.wanted:
        # "No, I mean the SXM": the words of putting right ask for nothing new.
        first = first.model_copy(update={"wanted": ()})
    says = first.mentions or first.wanted or first.quantities or FORMAT.search(first.text) or read_options(first).spans
    if not says and not (first.unknown and current.is_follow_up):
        return current
    # "And the MI325X?" asks again for all that was asked of one thing.
    again = [ask for ask in earlier.asks if ask.wanted and ask.entities() == last.entities()]
    of_all = len(again) == len(earlier.asks) and bool(first.mentions) and not first.wanted
    completed = [carried_over(first, ask) for ask in (again if of_all else [last])]
    return current.model_copy(update={"asks": (*completed, *current.asks[1:])})
