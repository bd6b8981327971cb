"""One opinion of a judging model: what it is asked, and what of its reply can be used."""

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.answering.answer import Answer
from assistant.answering.writing.endpoint import Endpoint
from assistant.knowledge.schema import read_yaml
from evals.runs.record import Result, Verdict

Judgement = Literal["right", "wrong", "unsure", "unreadable"]
_MOST_CHARACTERS = 6_000
_MOST_REASON = 400
_OBJECT = re.compile(r"\{.*?\}", re.DOTALL)


class JudgePrompt(BaseModel):
    """The file prompt.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    answer: str


class Said(BaseModel):
    """The reply that a judge is asked for."""

    model_config = ConfigDict(frozen=True)

    verdict: Literal["right", "wrong", "unsure"]
    why: str = ""


class Opinion(BaseModel):
    """What a judge said of an answer, beside what the checks found."""

    model_config = ConfigDict(frozen=True)

    key: str
    answer: str
    """Hash of the answer that was judged and of what was expected of it."""
    judge: str
    verdict: Verdict
    judgement: Judgement
    why: str = ""


@lru_cache(maxsize=1)
def _prompt() -> JudgePrompt:
    return read_yaml(Path(__file__).with_name("prompt.yaml"), JudgePrompt)


def hash_of_judged(result: Result, answer: Answer) -> str:
    """16 hexadecimal digits over all that an opinion is about."""
    parts = (result.question, *result.history, *result.expected, answer.status, answer.text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def opinion_on(result: Result, answer: Answer, endpoint: Endpoint) -> Opinion:
    """Ask the judge about one answer. Raises EndpointUnavailable."""
    prompt = _prompt()
    passages = "\n".join(f"[{one.marker}] {one.quote}" for one in answer.citations)
    message = prompt.answer.format(
        language=result.language,
        question=result.question,
        history=" / ".join(result.history) or "none",
        expected="; ".join(result.expected),
        status=answer.status,
        text=answer.text[:_MOST_CHARACTERS],
        passages=passages[:_MOST_CHARACTERS] or "none",
    )
    chunks = endpoint.stream([SystemMessage(prompt.task.format()), HumanMessage(message)])
    said = read_reply("".join(chunk.text for chunk in chunks))
    unread = without_opinion(result, answer, endpoint.model)
    if said is None:
        return unread
    return unread.model_copy(update={"judgement": said.verdict, "why": " ".join(said.why.split())[:_MOST_REASON]})


def without_opinion(result: Result, answer: Answer, judge: str, why: str = "") -> Opinion:
    """What is kept where a judge said nothing of use."""
    return Opinion(
        key=result.key,
        answer=hash_of_judged(result, answer),
        judge=judge,
        verdict=result.verdict,
        judgement="unreadable",
        why=why,
    )


def read_reply(reply: str) -> Said | None:
    """The first object of a reply that is one; None where the judge said something else."""
    for match in _OBJECT.finditer(reply):
        try:
            return Said.model_validate(json.loads(match.group()))
        except (ValueError, ValidationError, RecursionError):
            continue
    return None
