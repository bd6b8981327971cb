"""Facts stated: as sentences, as a list that belongs together, as a table of prices, or as a quoted passage."""

from collections import Counter
from decimal import Decimal

from assistant.answering.composing.disclosure import caveats, disputes
from assistant.answering.composing.editions import further_facts, in_all_sources
from assistant.answering.composing.narrator import Narrator
from assistant.answering.composing.polarity import of_figure, opened
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence
from assistant.answering.facts.listing import LIST_ATTRIBUTES, asked_list
from assistant.answering.facts.selection import select_facts
from assistant.answering.markup import plain_text
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.language.formatting import format_quantity

_PRICE = "price_per_hour"
_MOST_OF_A_LIST = 3


def statements(part: AskEvidence, voice: Narrator) -> Draft | None:
    """The facts that answer, the direct answer first; None where nothing does."""
    list_id = asked_list(part, voice.corpus)
    listed = sorted(voice.library.by_series[list_id], key=_place) if list_id is not None else []
    chosen = listed or select_facts(part, voice.corpus)
    if not listed:
        listed = _whole_list(part, chosen, voice)
        chosen = listed or chosen
    if not chosen:
        return None
    if not listed:
        chosen = [in_all_sources(fact, part, voice) for fact in chosen]
        chosen = [*chosen, *further_facts(part, chosen, voice)]
    if listed:
        blocks = [_list(listed, voice)]
    elif _is_price_list(chosen):
        blocks = _prices(part, chosen, voice)
    else:
        # The other sides of a disagreement are told with the disagreement.
        disagreement = voice.library.conflicts.get(chosen[0].id)
        sides = {fact.id for fact in disagreement.all} if disagreement is not None else set()
        stated = [fact for fact in chosen if fact is chosen[0] or fact.id not in sides]
        told_first = opened([voice.statement(fact) for fact in stated], of_figure(part, chosen, voice), voice)
        blocks = [Block(kind="paragraph", sentences=tuple(told_first))]
    told, disagreements = disputes(chosen, voice)
    labels, notes = caveats(chosen, voice)
    if disagreements or notes:
        blocks.append(Block(kind="paragraph", sentences=(*disagreements, *notes)))
    return Draft(
        status="answered",
        blocks=tuple(blocks),
        disputes=tuple(told),
        caveats=tuple(labels),
        tool_runs=(part.hourly_price,) if part.hourly_price is not None and _is_priced(chosen[0]) else (),
    )


def _whole_list(part: AskEvidence, chosen: list[Fact], voice: Narrator) -> list[Fact]:
    """The list that the facts chosen stand in, most of them where several things are asked for, else all.

    Leaving out the rest of the list would mislead.
    """
    lists = Counter(fact.series.id for fact in chosen if fact.series is not None)
    id_, members = next(iter(lists.most_common(1)), ("", 0))
    if members < _MOST_OF_A_LIST or ("list" not in part.ask.wishes and members < len(chosen)):
        return []
    listed = sorted(voice.library.by_series[id_], key=_place)
    # Advice for one team isn't the advice for all.
    names_them = any(fact.names for fact in chosen if fact not in listed)
    of_kind = listed[0].attribute in LIST_ATTRIBUTES and not names_them
    return listed if chosen[0] in listed or of_kind else []


def _place(fact: Fact) -> int:
    return fact.series.position if fact.series is not None else 0


def _list(facts: list[Fact], voice: Narrator) -> Block:
    """A heading, then every item of the list; numbered where they are steps."""
    place = facts[0].series
    heading = voice.corpus.series[place.id].title.in_language(voice.language) if place is not None else ""
    items = tuple(voice.statement(fact) for fact in facts)
    kind = "steps" if facts[0].attribute == "step" else "list"
    return Block.model_validate({"kind": kind, "sentences": (Sentence(text=f"**{heading}**"), *items)})


def _is_priced(fact: Fact) -> bool:
    return fact.attribute == _PRICE and fact.value is not None


def _is_price_list(chosen: list[Fact]) -> bool:
    prices = [fact for fact in chosen if _is_priced(fact)]
    return len(prices) > 1 and len({_ends(fact) for fact in prices}) > 1


def _prices(part: AskEvidence, chosen: list[Fact], voice: Narrator) -> list[Block]:
    """A range in one sentence, then a table of what each provider asks, then what else was chosen."""
    prices = sorted((fact for fact in chosen if fact.attribute == _PRICE), key=_cheapest_first)
    asked = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind == "gpu"]
    name = voice.name(asked[0] if asked else prices[0].about[0])
    priced = [fact for fact in prices if fact.value is not None]
    lowest, highest = priced[0], max(priced, key=lambda fact: max(_ends(fact)))
    lead = (
        _price("lowest_price", lowest, min(_ends(lowest)), voice, name=name),
        _price("highest_price", highest, max(_ends(highest)), voice),
    )
    rows = [tuple(voice.sentence(f"column_{column}") for column in ("provider", "edition", "price", "date"))]
    for fact in prices:
        provider = fact.qualifiers.provider
        rows.append(
            (
                Sentence(text=voice.name(provider) if provider else "–"),
                Sentence(text=_edition(fact, provider, voice)),
                Sentence(text=voice.value(fact), support=(fact.citation,)),
                Sentence(text=voice.date(fact.as_of)),
            )
        )
    blocks = [Block(kind="paragraph", sentences=lead), Block(kind="table", rows=tuple(rows))]
    rest = tuple(voice.statement(fact) for fact in chosen if fact.attribute != _PRICE)
    return [*blocks, Block(kind="paragraph", sentences=rest)] if rest else blocks


def _price(phrase: str, fact: Fact, figure: Decimal, voice: Narrator, **fields: str) -> Sentence:
    """One end of the prices, with the passage that holds it."""
    shown = format_quantity(figure, fact.unit, voice.language)
    return Sentence(text=voice.say(phrase, value=shown, **fields), support=fact.citations)


def _cheapest_first(fact: Fact) -> tuple[bool, Decimal]:
    return (fact.value is None, min(_ends(fact), default=Decimal(0)))


def _edition(fact: Fact, provider: str | None, voice: Narrator) -> str:
    """The card and what the price list notes on it, in the language asked where the list has it."""
    gpu = next((id_ for id_ in fact.about if voice.corpus.entities[id_].kind == "gpu"), fact.about[0])
    rows = [row for row in voice.corpus.prices.prices if row.gpu == gpu and row.provider == provider]
    note = rows[0].note.in_language(voice.language) if len(rows) == 1 else fact.qualifiers.variant
    return ", ".join(filter(None, (voice.name(gpu), note)))


def _ends(fact: Fact) -> tuple[Decimal, ...]:
    if isinstance(fact.value, Range):
        return fact.value.low, fact.value.high
    return (fact.value,) if isinstance(fact.value, Decimal) else ()


def quotation(part: AskEvidence, voice: Narrator, lead_in: str = "quoted") -> Draft | None:
    """The passage that says most, in its own language and marked with it; None where no passage is on the subject."""
    if not part.passages:
        return None
    passage = part.passages[0]
    lead = voice.sentence(lead_in, language=voice.say(f"language_{passage.language}"))
    # The citation holds the words as they stand; what a browser would act on stays out of the answer.
    quoted = Sentence(text=plain_text(passage.text).strip(), support=(passage.citation,))
    return Draft(status="partly_answered", blocks=(Block(kind="quotation", sentences=(lead, quoted)),))
