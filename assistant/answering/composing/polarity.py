"""Whether yes or no answers a question, where figures settle it; no source's statement begins with either."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Sentence
from assistant.answering.evidence import AskEvidence
from assistant.answering.verification.lexicon import lexicon
from assistant.knowledge.fact import Fact
from assistant.language.quantities.units import convert
from assistant.language.question_words import find_cue
from assistant.tools.comparison import ComparisonTable, figures_in


def of_comparison(part: AskEvidence, table: ComparisonTable, voice: Narrator) -> bool | None:
    """Whether the card named first has more (or less) than the other; None where that isn't asked or isn't settled."""
    sides = part.ask.wishes & {"more", "less"}
    asked = [row for row in table.rows if row.attribute in part.ask.attributes]
    if not _is_plain(part, voice) or len(table.cards) != 2 or len(sides) != 1 or len(asked) != 1:
        return None
    if part.ask.quantities or ("comparison" not in part.ask.wishes and not _says_than(part, voice)):
        return None
    extreme = asked[0].extreme(least="less" in sides)
    if extreme is None:
        return None
    first = next((m.entity for m in part.ask.mentions if m.entity in table.cards), None)
    return not extreme.equal and extreme.card == first


def of_figure(part: AskEvidence, facts: Sequence[Fact], voice: Narrator) -> bool | None:
    """Whether a card has the figure that the question states; None where the facts told don't agree on that."""
    cards = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind in ("gpu", "system")]
    quantities = [quantity for quantity in part.ask.quantities if quantity.unit]
    if not _is_plain(part, voice) or len(cards) != 1 or len(part.entities) != 1 or len(quantities) != 1:
        return None
    stated = quantities[0]
    bound = stated.bound
    if stated.value is None or stated.approximate or facts[0].attribute not in part.ask.attributes:
        return None
    same = [fact for fact in facts if fact.attribute == facts[0].attribute]
    unit = voice.corpus.attributes[facts[0].attribute].unit or ""
    value = convert(stated.value, stated.unit, unit)
    figures = [figure for fact in same for figure in figures_in(fact, unit)]
    if value is None or not figures or any(fact.id in voice.library.conflicts for fact in same):
        return None
    return _holds(figures, value, bound, inclusive="inclusive" in part.ask.wishes)


def _holds(figures: Sequence[Decimal], value: Decimal, bound: str | None, *, inclusive: bool) -> bool | None:
    if bound is None:
        # Who has more than asked for has that much as well; who has less hasn't.
        held = {True if figure == value else None if figure > value else False for figure in figures}
    elif inclusive:
        held = {figure >= value if bound == "at_least" else figure <= value for figure in figures}
    else:
        held = {figure > value if bound == "at_least" else figure < value for figure in figures}
    return held.pop() if len(held) == 1 else None


def opened(sentences: Sequence[Sentence], verdict: bool | None, voice: Narrator) -> list[Sentence]:
    """The sentences, the first of them behind the yes or the no; unchanged where neither is settled."""
    if verdict is None or not sentences:
        return list(sentences)
    first = sentences[0]
    said = voice.say("polar_yes" if verdict else "polar_no", sentence=first.text)
    return [first.model_copy(update={"text": said}), *sentences[1:]]


def _is_plain(part: AskEvidence, voice: Narrator) -> bool:
    """True for a question with yes or no for an answer that denies nothing: "doesn't it" may be meant either way."""
    if "polar" not in part.ask.wishes or part.unknown:
        return False
    text = part.ask.text.casefold()
    return find_cue(text, lexicon().negation[voice.language]) is None


def _says_than(part: AskEvidence, voice: Narrator) -> bool:
    return find_cue(part.ask.text.casefold(), lexicon().than[voice.language]) is not None
