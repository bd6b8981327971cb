"""True sentences written freely, by the claim that carries them."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusError
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language
from evals.adversary.truths import Told
from evals.adversary.world import World

PARAPHRASES = Path(__file__).with_name("paraphrases.yaml")


class Paraphrases(BaseModel):
    """Sentences of one claim in four languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    claim: str
    nl: tuple[str, ...]
    da: tuple[str, ...]
    zh: tuple[str, ...]
    en: tuple[str, ...]

    def in_language(self, language: Language) -> tuple[str, ...]:
        texts: tuple[str, ...] = getattr(self, language)
        return texts


class ParaphrasesFile(BaseModel):
    """The file paraphrases.yaml, which says what its sentences are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    paraphrases: tuple[Paraphrases, ...]


def paraphrases(world: World, language: Language) -> Iterator[Told]:
    """Each free sentence with its evidence. Raises CorpusError for a claim that the corpus doesn't have."""
    facts = {fact.id: fact for fact in world.facts}
    for item in read_yaml(PARAPHRASES, ParaphrasesFile).paraphrases:
        fact = facts.get(item.claim)
        if fact is None:
            raise CorpusError(f"{PARAPHRASES}: {item.claim} is no claim of the corpus.", "Name one that is.")
        evidence = world.evidence(fact, language)
        for text in item.in_language(language):
            yield Told(kind="written freely", language=language, text=text, fact=fact, evidence=evidence)
