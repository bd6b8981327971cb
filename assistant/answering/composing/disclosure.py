"""What must be told beside the facts: where sources disagree, and which labels the facts carry."""

from collections.abc import Sequence

from assistant.answering.answer import Caveat, CaveatCode
from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Dispute, DisputedValue, Sentence
from assistant.knowledge.claim import Status
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period

_CODES: dict[Status, CaveatCode] = {
    "vendor_claim": "vendor_claim",
    "forecast": "forecast",
    "hypothetical": "hypothetical",
    "not_published": "not_published",
}


def disputes(used: Sequence[Fact], voice: Narrator) -> tuple[list[Dispute], list[Sentence]]:
    """Disagreements that the facts used take part in, as data and as sentences that name every side."""
    found: list[Dispute] = []
    sentences: list[Sentence] = []
    concerned = (voice.library.conflicts[fact.id] for fact in used if fact.id in voice.library.conflicts)
    for disagreement in {group.sides[0].id: group for group in concerned}.values():
        group = disagreement.sides
        sides = tuple(
            DisputedValue(
                value=voice.value(fact, unit=False),
                unit=fact.unit,
                citation=fact.citation,
                as_of=str(fact.as_of) if fact.as_of else None,
            )
            for fact in group
        )
        about = " / ".join(voice.name(id_) for id_ in group[0].about)
        found.append(Dispute(about=about, attribute=group[0].attribute, values=sides))
        works = {_work_title(fact) for fact in group}
        values = [
            voice.say(
                "disagree_value",
                value=voice.labelled(fact),
                # Where one work contradicts itself, its title doesn't tell the sides apart; the article's does.
                source=_work_title(fact) if len(works) == len(group) else fact.citation.title,
                date=voice.date(fact.as_of),
            )
            for fact in group
        ]
        label = voice.label(group[0].attribute)
        text = voice.say("disagree", about=about, attribute=label, values=voice.join(values))
        sentences.append(Sentence(text=text, support=tuple(fact.citation for fact in group)))
        # What a date was announced for, a launch or a delivery, only its own statement tells.
        announced = (fact for fact in group if fact.status == "vendor_claim" and isinstance(fact.value, Period))
        sentences += [voice.statement(fact) for fact in announced if fact is not used[0]]
    return found, [*sentences, *_more_exact(used, voice), *_corrected(used, voice)]


def _more_exact(used: Sequence[Fact], voice: Narrator) -> list[Sentence]:
    """What dates a thing more exactly than the facts told do, which may say why the two don't go together."""
    told = {fact.value for fact in used if isinstance(fact.value, Period)}
    finer = {
        other.value: other for fact in used for other in voice.library.more_exact.get(fact.id, ()) if other not in used
    }
    return [voice.statement(fact) for value, fact in finer.items() if value not in told]


def _corrected(used: Sequence[Fact], voice: Narrator) -> list[Sentence]:
    """Older values that newer sources have corrected, and others that don't hold, with why they don't."""
    old = {other.id: other for fact in used for other in voice.library.corrected.get(fact.id, ())}
    sentences: list[Sentence] = []
    for fact in old.values():
        told = {"value": voice.value(fact), "source": _work_title(fact), "date": voice.date(fact.as_of)}
        if fact.kind == "claim":
            sentences.append(Sentence(text=voice.say("corrected", **told), support=(fact.citation,)))
        elif fact.note is not None:
            text = voice.say("set_aside", **told, why=fact.note.in_language(voice.language))
            sentences.append(Sentence(text=text, support=(fact.citation,)))
    return sentences


def _work_title(fact: Fact) -> str:
    return fact.citation.based_on[0].title if fact.citation.based_on else fact.citation.title


def caveats(used: Sequence[Fact], voice: Narrator) -> tuple[list[Caveat], list[Sentence]]:
    """Labels for the facts used; only staleness needs a sentence, as the others stand in the statements."""
    found: dict[CaveatCode, Caveat] = {}
    notes: list[Sentence] = []
    for fact in used:
        code = _CODES.get(fact.status)
        if code is not None and code not in found:
            text = voice.say(code, who=voice.claimant(fact)) if code == "vendor_claim" else voice.say(code)
            found[code] = Caveat(code=code, text=text)
        if "stale" not in found and fact.as_of is not None and is_stale(fact, fact.as_of, voice):
            phrase = "stale_price" if fact.attribute == "price_per_hour" else "stale_fact"
            text = voice.say(phrase, date=voice.date(fact.as_of))
            found["stale"] = Caveat(code="stale", text=text)
            notes.append(Sentence(text=text))
    return list(found.values()), notes


def is_stale(fact: Fact, as_of: Period, voice: Narrator) -> bool:
    """True where the fact is older than its attribute stays fresh."""
    fresh_for = voice.corpus.attributes[fact.attribute].freshness_days
    return fresh_for is not None and (voice.today - as_of.last).days > fresh_for
