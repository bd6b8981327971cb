"""Evidence -> Draft without a language model: each part of the question answered, or said to be missing."""

import re
from collections.abc import Sequence
from datetime import date

from assistant.answering.answer import AnswerStatus, Caveat, Missing
from assistant.answering.calculation.known_case import known_cases
from assistant.answering.calculation.words import calculation_words
from assistant.answering.comparison.comparing import comparison, superlative
from assistant.answering.comparison.filtering import filtered
from assistant.answering.composing.narrator import Library, Narrator
from assistant.answering.composing.other_times import not_at_that_time
from assistant.answering.composing.silence import silence, unknown_names
from assistant.answering.composing.stating import quotation, statements
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence, Evidence
from assistant.language.wording import Wording

# An unknown name in what is told before the question is the asker's own circumstances, and decides nothing.
_SENTENCE_BEFORE = re.compile(r"[.!。！]\s|[.!。！](?=\S{2})(?<!\d.)")


def compose(evidence: Evidence, library: Library, wording: Wording, today: date) -> Draft:
    """One draft for all parts of the question."""
    voice = Narrator(library=library, wording=wording, language=evidence.language, today=today)
    drafts: list[Draft] = []
    for part in evidence.parts:
        draft = compose_part(part, voice)
        cited = {citation for earlier in drafts for citation in earlier.citations}
        if part.ask.before and draft.status == "not_in_sources" and cited.intersection(draft.citations):
            # What lies nearest to a trailing clause has been told already.
            continue
        drafts.append(draft)
    return joined(drafts)


def compose_part(part: AskEvidence, voice: Narrator) -> Draft:
    """The answer to one part of the question: a direct sentence first, then the detail."""
    if part.refused:
        return _refusal(part, voice)
    if part.no_rate is not None:
        return _without_rate(part, part.no_rate, voice)
    if part.lacks:
        return _question_back(part, voice)
    unknown = unknown_names(part, voice)
    draft: Draft | None
    if part.calculations:
        draft = _calculations(part)
        cases = known_cases(part, voice)
        if cases is not None:
            draft = joined([draft, cases]).model_copy(update={"status": draft.status})
    elif unknown is not None and decides(part, voice):
        return unknown if part.ask.in_domain or any(name.kind for name in part.unknown) else silence(part, voice)
    elif part.other_times and not part.passages:
        draft = not_at_that_time(part, voice)
    else:
        draft = (
            comparison(part, voice)
            or filtered(part, voice)
            or superlative(part, voice)
            or _stated_or_quoted(part, voice)
        )
    if draft is None:
        return unknown or silence(part, voice)
    return draft if unknown is None else _beside_unknown(draft, unknown, part, voice)


def _beside_unknown(draft: Draft, unknown: Draft, part: AskEvidence, voice: Narrator) -> Draft:
    """What could be answered, and which name isn't held: that first, where it is a product asked about.

    What is calculated for a model that isn't held is told as what it is: what any model of that size takes.
    """
    products = [name for name in part.unknown if name.kind in ("gpu", "system", "model")]
    blocks = (*draft.blocks, *unknown.blocks)
    if products:
        of_size = part.calculations and not part.ask.entities("model") and any(n.kind == "model" for n in products)
        lead = (Block(kind="paragraph", sentences=(voice.sentence("any_model_of_size"),)),) if of_size else ()
        blocks = (*unknown.blocks, *lead, *draft.blocks)
    return draft.model_copy(update={"status": "partly_answered", "blocks": blocks, "missing": unknown.missing})


def _stated_or_quoted(part: AskEvidence, voice: Narrator) -> Draft | None:
    """Facts with the passage that says more than they do; the passage alone where nothing named ties facts to it."""
    stated = statements(part, voice)
    if stated is None or not part.entities:
        return quotation(part, voice) or stated
    besides = quotation(part, voice, lead_in="quoted_besides")
    if besides is None:
        return stated
    # A passage more makes what the facts answer no less of an answer.
    return joined([stated, besides]).model_copy(update={"status": stated.status})


_OF_A_MODEL = frozenset({"fit", "holds", "throughput", "train"})
_COMPARING = frozenset({"comparison", "alternative", "more", "less", "most", "least"})
_PROGRAMS = frozenset({"software", "framework", "library"})


def decides(part: AskEvidence, voice: Narrator) -> bool:
    """True where what is asked about is the unknown name: a card with nothing but its maker or seller known, say."""
    kinds = {voice.corpus.entities[id_].kind for id_ in part.entities}
    if any(name.kind is None for name in part.unknown) and not _SENTENCE_BEFORE.search(part.ask.text):
        return True
    if any(name.kind == "provider" for name in part.unknown):
        return "provider" not in kinds
    if any(name.kind == "model" for name in part.unknown):
        # Whether it runs on the card can't be told without the model.
        if "model" in kinds:
            # Nor which of two models is the bigger, where one isn't held.
            return bool(part.ask.wishes & _COMPARING)
        return bool(part.ask.wishes & _OF_A_MODEL) or not kinds & {"gpu", "system"}
    if any(name.kind in ("gpu", "system") for name in part.unknown):
        # Nor is it answered by what is known of the model, where nobody knows the card.
        return not kinds & {"gpu", "system"}
    unknown = [name for name in part.unknown if name.kind in ("software", "framework", "library")]
    if unknown:
        # Beside an unknown version, a known one of the same product only says what it is compared with.
        products = {_product(near, voice) for name in unknown for near in name.nearest}
        programs = {_product(id_, voice) for id_ in part.entities if voice.corpus.entities[id_].kind in _PROGRAMS}
        return not programs - products
    return kinds <= {"topic"}


def _product(entity_id: str, voice: Narrator) -> str:
    """What an entity is at last a version of; itself where it is a version of nothing."""
    return [entity_id, *voice.corpus.ancestors(entity_id)][-1]


def _without_rate(part: AskEvidence, currencies: tuple[str, str], voice: Narrator) -> Draft:
    """The answer in the currency of the sources, behind the sentence that there is no rate for the one asked for."""
    text = voice.say("no_exchange_rate", currency=currencies[0], into=currencies[1])
    # "How many euros" asks for no euro.
    money = calculation_words().of_currency.values()
    nouns = tuple(noun for noun in part.ask.nouns if not any(words.search(noun) for words in money))
    ask = part.ask.model_copy(update={"nouns": nouns})
    draft = compose_part(part.model_copy(update={"no_rate": None, "ask": ask}), voice)
    return draft.model_copy(
        update={
            "status": "partly_answered" if draft.status == "answered" else draft.status,
            "blocks": (Block(kind="paragraph", sentences=(Sentence(text=text),)), *draft.blocks),
            "missing": draft.missing or Missing(what=(f"{currencies[0]} → {currencies[1]}",)),
        }
    )


def _refusal(part: AskEvidence, voice: Narrator) -> Draft:
    """Says that a calculation can't be done with what the question states, and which figures it states."""
    figures = [quantity.text for quantity in part.ask.quantities]
    text = voice.say("impossible_figures", figures=voice.join(figures) or part.ask.text, problem=part.refused)
    return Draft(
        status="needs_input",
        blocks=(Block(kind="paragraph", sentences=(Sentence(text=text),)),),
        missing=Missing(what=(part.refused,)),
    )


def _question_back(part: AskEvidence, voice: Narrator) -> Draft:
    """Asks for what a calculation can't do without; the answer to it is read as a follow-up."""
    text = voice.say("which_" + "_and_".join(part.lacks))
    return Draft(
        status="needs_input",
        blocks=(Block(kind="paragraph", sentences=(Sentence(text=text),)),),
        missing=Missing(what=part.lacks),
    )


def _calculations(part: AskEvidence) -> Draft:
    missing = tuple(calculation.missing for calculation in part.calculations if calculation.missing is not None)
    return Draft(
        status=joint_status([calculation.status for calculation in part.calculations]),
        blocks=tuple(
            Block(kind="paragraph", sentences=(Sentence(text=calculation.text, support=calculation.citations),))
            for calculation in part.calculations
        ),
        caveats=tuple(
            Caveat(code="assumption", text=text)
            for calculation in part.calculations
            for text in calculation.assumptions
        ),
        tool_runs=tuple(calculation.run for calculation in part.calculations),
        missing=Missing(what=missing) if missing else None,
    )


def joined(parts: Sequence[Draft]) -> Draft:
    """The parts as one draft, without saying anything twice."""
    told: set[str] = set()
    blocks: list[Block] = []
    for part in parts:
        for block in part.blocks:
            fresh = tuple(sentence for sentence in block.sentences if sentence.text not in told)
            told.update(sentence.text for sentence in fresh)
            if block.kind == "table" and block not in blocks:
                blocks.append(block)
            elif fresh and (block.kind == "paragraph" or len(fresh) > 1):
                blocks.append(block.model_copy(update={"sentences": fresh}))
    missing = [part.missing for part in parts if part.missing is not None]
    return Draft(
        status=joint_status([part.status for part in parts]),
        blocks=tuple(blocks),
        disputes=tuple(dict.fromkeys(dispute for part in parts for dispute in part.disputes)),
        caveats=tuple(dict.fromkeys(caveat for part in parts for caveat in part.caveats)),
        tool_runs=tuple(run for part in parts for run in part.tool_runs),
        missing=Missing(
            what=tuple(dict.fromkeys(what for item in missing for what in item.what)),
            nearest=tuple(dict.fromkeys(near for item in missing for near in item.nearest)),
        )
        if missing
        else None,
    )


def joint_status(statuses: Sequence[AnswerStatus]) -> AnswerStatus:
    """The status of an answer whose parts have these."""
    distinct = set(statuses)
    if len(distinct) == 1:
        return next(iter(distinct))
    if "answered" in distinct or "partly_answered" in distinct:
        return "partly_answered"
    return "needs_input" if "needs_input" in distinct else "not_in_sources"
