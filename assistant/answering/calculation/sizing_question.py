"""Which models on which cards a question asks to size: names, bare sizes, cards of which only the memory is said."""

import re
from collections.abc import Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.answering.calculation.inputs import is_times_of_card
from assistant.answering.calculation.words import calculation_words
from assistant.language.ask import Ask
from assistant.language.mention import Mention, UnknownName, folded
from assistant.language.model_names import end_of_size
from assistant.language.quantities.quantity import Quantity
from assistant.tools.memory.card import Card
from assistant.tools.memory.catalogue import Catalogue

COUNTED = frozenset({"gpu", "card", "unit"})
_MOST_SUBJECTS = 3
# A size this near to a named model's own is that model's: "DeepSeek-R1 671B" has 671.03 billion.
_SAME_SIZE = 0.04
_SIZE_IN_NAME = re.compile(r"(?<![\w.])\d+(?:\.\d+)?[bm](?![a-z])", re.IGNORECASE)
# Between a count and the card it counts stand at most a maker, a form and a memory size.
_COUNT_REACH = 24
_MEMORY_REACH = 16
_NOMINAL_SLACK = 1.0
_TIMES = re.compile(r"(\d{1,4})\s*[x×*]\s*$", re.IGNORECASE)


class SubjectAsked(BaseModel):
    """A model by the id of its entity, or one of which only the size is said."""

    model_config = ConfigDict(frozen=True)

    model: str | None = None
    parameters: int | None = None


class CardAsked(BaseModel):
    """A card by its entity, or by its memory alone, and how many of it; None where the question doesn't say."""

    model_config = ConfigDict(frozen=True)

    entity: str | None = None
    memory: Decimal | None = None
    """GB said of it: the edition of a named card, or all that is known of an unnamed one."""
    count: int | None = None
    how_many: bool = False
    """True where the question asks how many of it are needed."""


def subjects_asked(ask: Ask, catalogue: Catalogue) -> tuple[SubjectAsked, ...]:
    """Every model to size: those named, and "405B" behind "Llama 3.1 70B" as the Llama 3.1 of that size."""
    mentions = [mention for mention in ask.mentions if mention.kind == "model"]
    # The size of a model that isn't held is all that is known of it; beside a model that is, it stands for nothing.
    own: list[Mention | UnknownName] = [*mentions, *(name for name in ask.unknown if mentions)]
    sizes = [q for q in ask.quantities if q.unit == "param" and q.value is not None and not _inside(q, own, ask)]
    found: dict[SubjectAsked, None] = {}
    replaced: set[str] = set()
    sized: list[SubjectAsked] = []
    for quantity in sizes:
        parameters = int(quantity.value or 0)
        kin = [(m, id_) for m in mentions if (id_ := _of_that_size(m.entity, parameters, catalogue)) is not None]
        if not kin:
            sized.append(SubjectAsked(parameters=parameters))
            continue
        relative, model = kin[0]
        sized.append(SubjectAsked(model=model))
        if _SIZE_IN_NAME.search(relative.text) is None and model != relative.entity:
            # "the 32B distilled R1" speaks of the one model, not of R1 as well.
            replaced.add(relative.entity)
    named = [SubjectAsked(model=m.entity) for m in mentions if m.entity not in replaced]
    if named and any(subject.model is None for subject in sized):
        sized = [subject for subject in sized if subject.model is not None]
    for subject in (*named, *sized):
        found[subject] = None
    return tuple(found)[:_MOST_SUBJECTS]


def _inside(quantity: Quantity, names: Sequence[Mention | UnknownName], ask: Ask) -> bool:
    return any(
        ask.text[m.start : m.end] == m.text and m.start <= quantity.start and quantity.end <= m.end for m in names
    )


def followed_by_size(ask: Ask) -> tuple[tuple[Mention, int], ...]:
    """Models named with a size right behind that is no part of the name, and where it ends: "Llama 3.3 80B"."""
    models = [m for m in ask.mentions if m.kind == "model" and ask.text[m.start : m.end] == m.text]
    ends = ((m, end_of_size(ask.text, m.end)) for m in models if _SIZE_IN_NAME.search(m.text) is None)
    return tuple((mention, end) for mention, end in ends if end is not None)


def with_sizes_not_held(ask: Ask, catalogue: Catalogue) -> Ask:
    """The question with a model of a size that it doesn't come in, as an unknown name in place of the model."""
    for mention, end in followed_by_size(ask):
        sizes = [q for q in ask.quantities if q.unit == "param" and mention.end <= q.start and q.end <= end]
        if not sizes or any(_of_that_size(mention.entity, int(q.value or 0), catalogue) for q in sizes):
            continue
        name = UnknownName(
            text=ask.text[mention.start : end], start=mention.start, end=end, kind="model", nearest=(mention.entity,)
        )
        left = tuple(other for other in ask.mentions if other != mention)
        ask = ask.model_copy(update={"mentions": left, "unknown": (*ask.unknown, name)})
    return ask


def _of_that_size(model: str, parameters: int, catalogue: Catalogue) -> str | None:
    """The id of the model itself or of a relative of its name that has this many parameters; None where none has."""
    by_id = {known.id: known for known in catalogue.models}
    own = by_id.get(model)
    if own is None:
        return None
    if any(_near(known, parameters) for known in (own.parameters, own.active_parameters) if known):
        return own.id
    family = folded(_SIZE_IN_NAME.sub("", own.name))
    relatives = [
        known
        for known in by_id.values()
        if folded(known.name).startswith(family) and _says_size(known.name, parameters)
    ]
    return min(relatives, key=lambda known: (len(known.name), known.id)).id if relatives else None


def _near(one: int, other: int) -> bool:
    return abs(one - other) <= _SAME_SIZE * max(one, other)


def _says_size(name: str, parameters: int) -> bool:
    return any(
        Decimal(size[0][:-1]) * (10**9 if size[0][-1] in "bB" else 10**6) == parameters
        for size in _SIZE_IN_NAME.finditer(name.replace("-", " "))
    )


def cards_asked(ask: Ask, *, unnamed: bool) -> tuple[CardAsked, ...]:
    """The cards to size for, each with the count said of it, or else with the count said of any.

    With `unnamed`, a memory size that a card is said to have stands for a card of that size.
    """
    counts = [(q, int(q.value)) for q in ask.quantities if q.value is not None and _is_count(q, ask)]
    memories = [q for q in ask.quantities if q.unit in ("GB", "GiB") and q.value is not None]
    usual = counts[0][1] if counts else None
    named: list[CardAsked] = []
    for mention in ask.mentions:
        if mention.kind != "gpu" or any(card.entity == mention.entity for card in named):
            continue
        here = ask.text[mention.start : mention.end] == mention.text
        own = [value for q, value in counts if here and 0 <= mention.start - q.end <= _COUNT_REACH]
        said = [q.value for q in memories if here and -2 <= q.start - mention.end <= _MEMORY_REACH]
        count = own[-1] if own else usual
        named.append(
            CardAsked(
                entity=mention.entity,
                memory=said[0] if said else None,
                count=count,
                how_many=count is None and here and _asks_how_many(ask.text[: mention.start]),
            )
        )
    if named or not unnamed:
        return tuple(named)
    words = calculation_words()
    for quantity in memories:
        before, after = ask.text[: quantity.start], ask.text[quantity.end :]
        if words.before_need.search(before):
            continue
        if words.behind_memory.match(after) or words.before_memory.search(before):
            times = _TIMES.search(before)
            count = int(times[1]) if times else usual
            return (CardAsked(memory=quantity.value, count=count, how_many=not count and _asks_how_many(before)),)
    return ()


def _asks_how_many(before: str) -> bool:
    return calculation_words().before_counted.search(before) is not None


def _is_count(quantity: Quantity, ask: Ask) -> bool:
    """True for a number of cards; a bare number counts where "of them" or the like stands behind it."""
    if quantity.unit in COUNTED or is_times_of_card(quantity, ask):
        return True
    if quantity.unit or quantity.value is None or quantity.value != quantity.value.to_integral_value():
        return False
    behind = calculation_words().behind_count.match(ask.text[quantity.end :])
    return ask.text[quantity.start : quantity.end] == quantity.text and behind is not None


def editions(card: CardAsked, catalogue: Catalogue) -> tuple[Card, ...]:
    """The cards that a name may mean, the least first; those of the memory said, where some have it.

    Raises InvalidInput for a card whose memory isn't known.
    """
    if card.entity is None:
        gigabytes = float(card.memory or 0)
        return (
            Card(
                id="stated",
                name=f"{gigabytes:g} GB GPU",
                nominal_gb=gigabytes,
                usable_bytes=int(gigabytes * 1e9),
                usable_measured=False,
            ),
        )
    least = catalogue.card(catalogue.entities[card.entity].name)
    if least.id == card.entity:
        return (least,)
    kin = [known for known in catalogue.cards.values() if _descends(known.id, card.entity, catalogue)]
    stated = float(card.memory) if card.memory is not None else None
    fitting = [known for known in kin if stated is not None and abs(known.nominal_gb - stated) <= _NOMINAL_SLACK]
    chosen = sorted(fitting or kin, key=lambda c: (c.nominal_gb, not c.usable_measured, c.bandwidth or 0.0, c.id))
    return tuple(chosen) or (least,)


def has_data(card: CardAsked, catalogue: Catalogue) -> bool:
    """False for a card of which no memory is held: what the sources say of it is for the facts to tell."""
    return card.entity is None or any(_descends(known.id, card.entity, catalogue) for known in catalogue.cards.values())


def _descends(id_: str, ancestor: str, catalogue: Catalogue) -> bool:
    seen: set[str] = set()
    while id_ not in seen:
        seen.add(id_)
        if id_ == ancestor:
            return True
        entity = catalogue.entities.get(id_)
        if entity is None or entity.parent is None:
            return False
        id_ = entity.parent
    return False
