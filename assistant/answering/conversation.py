"""Follow-up questions: what a question leaves unsaid is taken from the questions before it."""

from assistant.knowledge.corpus import Corpus
from assistant.language.mention import Mention
from assistant.language.understanding import Ask, Understanding

# A new name of one of these kinds replaces earlier names of the same group only.
_GROUPS = (
    frozenset({"gpu", "system"}),
    frozenset({"model"}),
    frozenset({"provider"}),
    frozenset({"software", "framework", "library"}),
    frozenset({"company", "technology", "topic"}),
)


def group_of(mention: Mention) -> frozenset[str]:
    return next(group for group in _GROUPS if mention.kind in group)


def carried_over(current: Ask, earlier: Ask) -> Ask:
    """`current` completed with the names, attributes, figures and wishes of `earlier` that it doesn't replace."""
    named = {group_of(mention) for mention in current.mentions}
    mentions = [*current.mentions, *(m for m in earlier.mentions if group_of(m) not in named)]
    units = {quantity.unit for quantity in current.quantities}
    quantities = [*current.quantities, *(q for q in earlier.quantities if q.unit not in units)]
    return current.model_copy(
        update={
            "text": f"{earlier.text} {current.text}",
            "mentions": tuple(mentions),
            "wanted": current.wanted or earlier.wanted,
            "wishes": current.wishes | earlier.wishes,
            "quantities": tuple(quantities),
        }
    )


def in_context(current: Understanding, earlier: Understanding | None, corpus: Corpus) -> Understanding:
    """The question as meant after the one before it; unchanged where it stands on its own."""
    if earlier is None or not current.asks:
        return current
    first, last = current.asks[0], earlier.asks[-1]
    stands_alone = first.mentions and first.wanted
    if stands_alone and not current.is_follow_up:
        return current
    if not current.is_follow_up and not first.mentions and not first.wanted and not first.quantities:
        return current
    if not first.mentions and not first.wanted and not first.quantities and not first.unknown:
        return current
    completed = carried_over(first, last)
    return current.model_copy(update={"asks": (completed, *current.asks[1:])})
