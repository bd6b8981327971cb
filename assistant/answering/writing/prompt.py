"""Numbered evidence and a question as the messages that a language model gets."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from assistant.answering.composing.narrator import Narrator
from assistant.answering.evidence import QuotedPassage
from assistant.answering.writing.numbered_evidence import NumberedEvidence
from assistant.knowledge.fact import Fact
from assistant.language.wording import Wording, read_wording

_LABELLED = ("vendor_claim", "forecast", "hypothetical", "not_published")
_LONGEST_ITEM = 1200
_LONGEST_QUESTION = 2000
_EARLIER_QUESTIONS = 4
# Characters that hide or turn text around; a source could hide instructions behind them.
_INVISIBLE = re.compile(
    r"[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


@lru_cache(maxsize=1)
def prompt_wording() -> Wording:
    return read_wording(Path(__file__).with_name("prompts.yaml"))


def system_message(evidence: NumberedEvidence, voice: Narrator) -> str:
    """The task and the evidence: the part of the prompt that stays the same for another question over it."""
    say, language = prompt_wording().say, voice.language
    items = [_fact_line(fact, voice) for fact in evidence.facts]
    items += [f"{one_line(item.text)} ({say('label_calculated', language)})" for item in evidence.calculations]
    items += [_passage_line(passage, voice) for passage in evidence.passages]
    numbered = [f"[{number}] {item}" for number, item in enumerate(items, 1)]
    return "\n".join([say("task", language), "", f"{say('evidence', language)}:", *numbered])


def _passage_line(passage: QuotedPassage, voice: Narrator) -> str:
    say, language = prompt_wording().say, voice.language
    title = say("from", language, title=one_line(passage.article.title))
    return f"“{one_line(passage.text)}” ({say('label_quoted', language)}; {title})"


def question_message(question: str, history: Sequence[str], voice: Narrator) -> str:
    say, language = prompt_wording().say, voice.language
    lines = [f"- {one_line(past, 300)}" for past in history[-_EARLIER_QUESTIONS:]]
    earlier = [f"{say('earlier', language)}:", *lines, ""] if lines else []
    return "\n".join([*earlier, f"{say('question', language)}: {one_line(question, _LONGEST_QUESTION)}"])


def one_line(text: str, longest: int = _LONGEST_ITEM) -> str:
    """The text on one line without hidden characters, cut to a bounded length."""
    flat = " ".join(_INVISIBLE.sub("", text).split())
    return flat if len(flat) <= longest else f"{flat[:longest]}…"


def _fact_line(fact: Fact, voice: Narrator) -> str:
    say, language = prompt_wording().say, voice.language
    notes = []
    if fact.value is not None and not isinstance(fact.value, bool):
        notes.append(say("value", language, value=voice.value(fact)))
    if fact.as_of is not None:
        notes.append(say("dated", language, date=voice.date(fact.as_of)))
    if fact.status in _LABELLED:
        notes.append(say(f"label_{fact.status}", language))
    notes.append(say("from", language, title=one_line(fact.citation.title)))
    return f"{one_line(fact.statement.in_language(language))} ({'; '.join(notes)})"
