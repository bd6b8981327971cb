"""Claims that a language model proposes for an article, of which only those are offered that the article bears out."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.answering.writing.endpoint import Endpoint
from assistant.errors import InvalidInput
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.attribute import Attribute
from assistant.knowledge.check import claim_problems
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import read_attributes, read_claims_files, read_entities
from assistant.knowledge.entity import Entity
from assistant.knowledge.schema import first_problem, read_yaml
from assistant.knowledge.update import article_path
from assistant.settings import Settings

_MOST_PARAGRAPHS = 40
_LONGEST = 2_000
_ARRAY = re.compile(r"\[.*\]", re.DOTALL)


class DraftPrompt(BaseModel):
    """The file claim_drafts.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    passage: str


class Drafted(BaseModel):
    """Proposals that hold, and why the others don't."""

    model_config = ConfigDict(frozen=True)

    kept: tuple[Claim, ...]
    refused: tuple[str, ...]


def draft_claims(settings: Settings, article_id: str) -> Drafted:
    """Let the configured model propose claims for the paragraphs that no claim quotes yet.

    Raises EndpointUnavailable where the model doesn't answer, InvalidInput where none is configured.
    """
    if settings.llm_model is None:
        raise InvalidInput("No language model is configured.", "Set ASSISTANT_LLM_MODEL.")
    endpoint = Endpoint.of(settings, settings.llm_model)
    article = read_article(article_path(article_id, settings.corpus))
    claims = [claim for _, file in read_claims_files(settings.corpus) for claim in file.claims]
    entities, attributes = read_entities(settings.corpus), read_attributes(settings.corpus)
    prompt = read_yaml(Path(__file__).with_name("claim_drafts.yaml"), DraftPrompt)
    task = prompt.task.format(attributes=", ".join(attributes))
    replies = []
    for paragraph in _unclaimed(article, claims):
        named = ", ".join(_named_in(paragraph, entities))
        message = prompt.passage.format(language=article.language, entities=named, text=paragraph)
        chunks = endpoint.stream([SystemMessage(task), HumanMessage(message)])
        replies.append("".join(chunk.text for chunk in chunks))
    return borne_out(replies, article, {claim.id for claim in claims}, entities, attributes)


def _unclaimed(article: Article, claims: Sequence[Claim]) -> list[str]:
    quotes = [claim.quote for claim in claims]
    paragraphs = [text.strip() for text in article.body.split("\n\n") if any(map(str.isdigit, text))]
    return [text[:_LONGEST] for text in paragraphs if not any(quote in text for quote in quotes)][:_MOST_PARAGRAPHS]


def _named_in(text: str, entities: dict[str, Entity]) -> list[str]:
    seen = text.casefold()
    return [
        entity.id
        for entity in entities.values()
        if any(name.casefold() in seen for name in (entity.name, *entity.aliases) if len(name) > 2)
    ]


def borne_out(
    replies: Sequence[str],
    article: Article,
    taken: set[str],
    entities: dict[str, Entity],
    attributes: dict[str, Attribute],
) -> Drafted:
    """The proposals of a model's replies that pass every check a claim must pass; the others with their first fault."""
    kept: list[Claim] = []
    refused: list[str] = []
    for number, proposal in enumerate(_proposals(replies), 1):
        fields = _fields(proposal, article, number, taken | {claim.id for claim in kept})
        try:
            claim = Claim.model_validate(fields)
        except ValidationError as error:
            refused.append(f"{fields.get('id')}: {first_problem(error)}")
            continue
        problem = next(claim_problems(claim, article, entities, attributes, set()), None)
        if problem is None:
            kept.append(claim)
        else:
            refused.append(f"{claim.id}: {problem}")
    return Drafted(kept=tuple(kept), refused=tuple(refused))


def _proposals(replies: Sequence[str]) -> Iterator[dict[str, Any]]:
    for reply in replies:
        match = _ARRAY.search(reply)
        try:
            found = json.loads(match.group()) if match else []
        except (ValueError, RecursionError):
            continue
        yield from (item for item in found if isinstance(item, dict))


def _fields(proposal: dict[str, Any], article: Article, number: int, taken: set[str]) -> dict[str, Any]:
    known = {name: value for name, value in proposal.items() if name in Claim.model_fields or name == "date"}
    id_ = f"{article.id}.draft-{number}"
    while id_ in taken:
        number += 1
        id_ = f"{article.id}.draft-{number}"
    work = article.based_on[0].key if article.based_on else ""
    return {"status": "editorial", **known, "id": id_, "work": work}


def drafts_as_yaml(article_id: str, claims: Sequence[Claim]) -> str:
    """The drafts as a file of claims, to be read, corrected and moved to corpus/claims/ by a person."""
    data = {
        "article": article_id,
        "claims": [claim.model_dump(mode="json", exclude_defaults=True) for claim in claims],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=110)
