"""What is said where the sources don't answer: what is missing, and the nearest thing they hold."""

from assistant.answering.answer import Missing, Nearest
from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Block, Draft, Sentence
from assistant.answering.evidence import AskEvidence
from assistant.knowledge.fact import Fact

# A fact must be tied this closely to the entities asked about to count as near them.
_ABOUT_IT = 0.75
_NEAR = 3.0
_NEARISH = 1.8
_SHARED_WORDS = 0.4
_PROPERTIES_NAMED = 6
_PRICES_TOLD = 5
_PRICE = "price_per_hour"


def unknown_names(part: AskEvidence, voice: Narrator) -> Draft | None:
    """What is said of names that the knowledge base doesn't have; None where there are none."""
    if not part.unknown:
        return None
    sentences: list[Sentence] = []
    nearest: list[Nearest] = []
    for name in part.unknown:
        sentences.append(voice.sentence("unknown_name", name=name.text))
        if name.nearest:
            sentences.append(voice.sentence("nearest_names", names=voice.names(name.nearest)))
        for entity_id in name.nearest:
            facts = voice.library.by_entity.get(entity_id)
            if facts:
                citation = facts[0].citation
                nearest.append(Nearest(source_id=citation.source_id, title=citation.title, about=voice.name(entity_id)))
    # What is held of a card says nothing of a model.
    if not any(name.nearest or name.kind == "model" for name in part.unknown) and part.entities:
        told, held = nearest_held(part, voice)
        sentences += told
        nearest += held
    return Draft(
        status="not_in_sources",
        blocks=(Block(kind="paragraph", sentences=tuple(sentences)),),
        missing=Missing(what=tuple(name.text for name in part.unknown), nearest=tuple(nearest)),
    )


def silence(part: AskEvidence, voice: Narrator) -> Draft:
    """Says that nothing answers, about what, and what comes nearest."""
    if not part.ask.text.strip():
        return _plain("empty_question", voice)
    if not part.ask.in_domain:
        return _plain("out_of_scope", voice)
    what = what_is_missing(part, voice)
    # The sources may well say something of a property, just not what is asked of it.
    phrase = (
        "not_in_sources_about"
        if part.entities and (part.ask.nouns or _strong_attributes(part, voice))
        else "no_answer_about"
    )
    sentences = [voice.sentence(phrase, what=what) if what else voice.sentence("not_in_sources")]
    told, nearest = nearest_held(part, voice)
    return Draft(
        status="not_in_sources",
        blocks=(Block(kind="paragraph", sentences=(*sentences, *told)),),
        missing=Missing(what=(what or part.ask.text,), nearest=nearest),
    )


def nearest_held(part: AskEvidence, voice: Narrator) -> tuple[tuple[Sentence, ...], tuple[Nearest, ...]]:
    """The nearest facts that the sources do hold, told as such; nothing where none is near."""
    elsewhere = _of_other_providers(part, voice)
    if elsewhere:
        return (voice.sentence("held_elsewhere"), *(voice.statement(fact) for fact in elsewhere)), tuple(
            dict.fromkeys(
                Nearest(source_id=fact.citation.source_id, title=fact.citation.title, about=voice.label(fact.attribute))
                for fact in elsewhere
            )
        )
    about_it = [
        ranked
        for ranked in part.facts
        if ranked.coverage >= _ABOUT_IT or (not part.entities and (ranked.attribute > 0 or ranked.meaning >= _NEAR))
    ]
    about_it = [r for r in about_it if r.attribute > 0 or r.meaning >= _NEARISH or r.subject >= _SHARED_WORDS]
    close = max(about_it, key=lambda ranked: (ranked.attribute > 0, ranked.coverage), default=None)
    if close is None:
        held = _held_about(part, voice)
        return ((held,) if held is not None else ()), ()
    citation = close.fact.citation
    text = voice.say("nearest_source", title=citation.title, statement=close.fact.statement.in_language(voice.language))
    about = voice.label(close.fact.attribute)
    return (Sentence(text=text, support=(citation,)),), (
        Nearest(source_id=citation.source_id, title=citation.title, about=about),
    )


def _of_other_providers(part: AskEvidence, voice: Narrator) -> list[Fact]:
    """What other providers than the one asked about ask for the card named; empty where no price of it is held."""
    named = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind == "provider"]
    elsewhere = bool(named) or any(name.kind == "provider" for name in part.unknown)
    if not elsewhere or _PRICE not in part.ask.attributes:
        return []
    cards = [id_ for id_ in part.entities if voice.corpus.entities[id_].kind == "gpu"]
    held = [
        fact
        for card in cards[:1]
        for edition in voice.corpus.descendants(card)
        for fact in voice.library.by_entity.get(edition, ())
        if fact.kind == "price" and fact.value is not None and fact.qualifiers.provider not in named
    ]
    return list(dict.fromkeys(held))[:_PRICES_TOLD]


def _held_about(part: AskEvidence, voice: Narrator) -> Sentence | None:
    """Which properties the sources hold of the first card named; None where no card is, or nothing is held of it."""
    card = next((id_ for id_ in part.entities if voice.corpus.entities[id_].kind in ("gpu", "system")), None)
    if card is None:
        return None
    facts = [fact for id_ in voice.corpus.descendants(card) for fact in voice.library.by_entity.get(id_, ())]
    labels = list(dict.fromkeys(voice.label(fact.attribute) for fact in facts if fact.kind == "specification"))
    if not labels:
        return None
    return voice.sentence("held_about", name=voice.name(card), attributes=voice.join(labels[:_PROPERTIES_NAMED]))


def what_is_missing(part: AskEvidence, voice: Narrator) -> str:
    """In words, the attribute and entities that nothing is held about; empty where neither is known."""
    names = [voice.name(id_) for id_ in part.entities] + list(part.ask.names)
    labels = [voice.label(id_) for id_ in _strong_attributes(part, voice)]
    attributes = [*part.ask.nouns, *labels][:1]
    if names and attributes:
        return voice.say("attribute_of", attribute=attributes[0], name=voice.join(names))
    return voice.join(names or attributes)


def _strong_attributes(part: AskEvidence, voice: Narrator) -> list[str]:
    if len(part.entities) > 1 and all(voice.corpus.entities[id_].kind == "company" for id_ in part.entities):
        # Between companies an event is asked about, which is a property of neither.
        return []
    return [group[0] for group in part.ask.wanted if not voice.corpus.attributes[group[0]].weak]


def _plain(phrase: str, voice: Narrator) -> Draft:
    return Draft(status="out_of_scope", blocks=(Block(kind="paragraph", sentences=(voice.sentence(phrase),)),))
