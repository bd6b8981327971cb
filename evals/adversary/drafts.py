"""Whole drafts from a lying endpoint: what of them a reader gets to see."""

import random
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.events import AnswerReady, TextVerified
from assistant.answering.evidence import Question
from assistant.answering.markup import without_emphasis
from assistant.answering.verified_text import clean
from assistant.knowledge.fact import Fact
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from evals.adversary.lies import lies
from evals.adversary.scripted_endpoint import Reply, ScriptedEndpoint, scripted_endpoint
from evals.adversary.sentences import sentences, stated, written
from evals.adversary.world import World

_LIES_A_QUESTION = 6


class Shown(BaseModel):
    """One draft with a lie in it, and whether the lie was ever on screen."""

    model_config = ConfigDict(frozen=True)

    kind: str
    language: Language
    lie: str
    lie_shown: bool
    truth_shown: bool
    cited: bool
    text: str


def lying_assistant(settings: Settings, url: str, today: date) -> Assistant:
    """The assistant with the scripted endpoint at `url` as its language model."""
    return Assistant.open(settings.model_copy(update={"llm_model": "liar", "openai_base_url": url}), today)


def lying_drafts(settings: Settings, world: World, facts: list[Fact], today: date) -> Iterator[Shown]:
    """A question for each fact in each language, answered by drafts that hold a true sentence and a lie."""
    with scripted_endpoint() as endpoint:
        assistant = lying_assistant(settings, endpoint.url, today)
        for language in LANGUAGES:
            for fact in facts:
                told = list(lies(world, fact, language))
                dice = random.Random(f"{fact.id} {language}")  # noqa: S311 (repeatable choice, no secret)
                for lie in dice.sample(told, min(_LIES_A_QUESTION, len(told))):
                    yield _draft(assistant, endpoint, world, fact, language, lie.kind, lie.text)


def _draft(
    assistant: Assistant, endpoint: ScriptedEndpoint, world: World, fact: Fact, language: Language, kind: str, lie: str
) -> Shown:
    card = world.card_of(fact) or fact.about[0]
    provider = world.provider_of(fact)
    name = world.name(card, language)
    value = written(fact.value, fact.unit, language) if isinstance(fact.value, Decimal) else ""
    label = world.corpus.attributes[fact.attribute].label.in_language(language)
    truth = stated(fact, name, language, value)[0]
    question = (
        sentences().say("question_price", language, name=name, provider=world.name(provider, language))
        if provider
        else sentences().say("question", language, name=name, label=label)
    )
    endpoint.script = lambda messages: Reply(f"{truth} [1] {lie} [2]")
    seen: list[str] = []
    answer: Answer | None = None
    for event in assistant.stream(Question(text=question, language=language)):
        if isinstance(event, TextVerified):
            seen.append(event.text)
        elif isinstance(event, AnswerReady):
            answer = event.answer
            seen.append(answer.text)
    screen = "\n".join(seen)
    pieces = [without_emphasis(clean(part)) for part in _sentences(lie)]
    return Shown(
        kind=kind,
        language=language,
        lie=lie,
        lie_shown=without_emphasis(clean(lie)) in screen or (pieces[-1] in screen and pieces[-1] not in truth),
        truth_shown=truth.rstrip("。.") in screen,
        cited=answer is not None and all(f"[{c.marker}]" in answer.text for c in answer.citations),
        text=answer.text if answer else "",
    )


def _sentences(text: str) -> list[str]:
    from assistant.language.sentences import sentence_spans

    return [text[start:end] for start, end in sentence_spans(text)]
