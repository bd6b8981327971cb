"""What the sources hold at other times, where a figure is asked for a time of which they hold none."""

from collections.abc import Sequence

from assistant.answering.answer import Missing, Nearest
from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Block, Draft
from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.ranking import RankedFact, holds_at
from assistant.answering.facts.selection import select_facts
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.ask import Ask

_MOST_TOLD = 3


def periods_asked(ask: Ask) -> list[Period]:
    """The times that the question names."""
    return [Period(quantity.period) for quantity in ask.quantities if quantity.period is not None]


def without_time(ask: Ask) -> Ask:
    """The same question, asked of any time."""
    return ask.model_copy(update={"quantities": tuple(q for q in ask.quantities if q.period is None)})


def at_other_times(part: AskEvidence, facts: Sequence[RankedFact], corpus: Corpus) -> tuple[Fact, ...]:
    """The facts that would answer `part` but for the time it names; `facts` are ranked without regard to time."""
    periods = periods_asked(part.ask)
    timeless = part.model_copy(update={"ask": without_time(part.ask), "facts": tuple(facts)})
    asked = {id_ for id_ in part.ask.attributes if not corpus.attributes[id_].weak}
    return tuple(
        fact
        for fact in select_facts(timeless, corpus)
        if not holds_at(fact, periods, corpus) and (not asked or fact.attribute in asked)
    )


def not_at_that_time(part: AskEvidence, voice: Narrator) -> Draft | None:
    """Says that no figure is held for the time asked, and what is nearest to it; None where time isn't the lack."""
    periods = periods_asked(part.ask)
    dated = [(fact, fact.as_of) for fact in part.other_times if fact.as_of is not None]
    if not periods or not dated:
        return None
    nearest_time = min((as_of for _, as_of in dated), key=lambda as_of: _days_between(as_of, periods[0]))
    nearest = [fact for fact, as_of in dated if as_of == nearest_time][:_MOST_TOLD]
    what = voice.say(
        "attribute_of",
        attribute=voice.label(nearest[0].attribute),
        name=voice.join([voice.name(id_) for id_ in part.entities or nearest[0].about]),
    )
    asked = voice.join([voice.date(period) for period in periods])
    return Draft(
        status="not_in_sources",
        blocks=(
            Block(
                kind="paragraph",
                sentences=(
                    voice.sentence("no_figure_at", what=what, period=asked),
                    voice.sentence("nearest_in_time", date=voice.date(nearest_time)),
                    *(voice.statement(fact) for fact in nearest),
                ),
            ),
        ),
        missing=Missing(
            what=(f"{what} ({asked})",),
            nearest=tuple(
                dict.fromkeys(
                    Nearest(
                        source_id=fact.citation.source_id, title=fact.citation.title, about=voice.label(fact.attribute)
                    )
                    for fact in nearest
                )
            ),
        ),
    )


def _days_between(one: Period, other: Period) -> int:
    return max((one.first - other.last).days, (other.first - one.last).days, 0)
