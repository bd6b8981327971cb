"""What answers are scored against: the knowledge base as it stands, its names, and the facts behind each quote."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from assistant.answering.conflict import Disagreement, find_conflicts
from assistant.answering.verification.reading import SentenceReader
from assistant.answering.vocabulary import vocabulary_of
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.freshness import Standing
from assistant.knowledge.held_facts import facts_of
from assistant.language.mention import NameReader
from assistant.language.question_words import read_question_words
from assistant.language.wording import read_wording
from evals.suite.ties import ClaimValues


class Bench:
    """One knowledge base, read once for all answers that are scored against it."""

    def __init__(self, corpus: Corpus, directory: Path, standings: Iterable[Standing] = ()) -> None:
        self.corpus = corpus
        self.standings: dict[str, Standing] = {standing.id: standing for standing in standings}
        self.facts: list[Fact] = facts_of(corpus, read_wording(directory / "phrases" / "specification.yaml"))
        words = read_question_words(directory / "phrases" / "question-words.yaml")
        self.names = NameReader(corpus.entities, vocabulary_of(corpus, words))
        self.reader = SentenceReader(self.names)

    @cached_property
    def _by_quote(self) -> dict[tuple[str, str], list[Fact]]:
        found: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in self.facts:
            for citation in fact.citations:
                found[citation.source_id, citation.quote].append(fact)
        return found

    @cached_property
    def claim_values(self) -> ClaimValues:
        """The values of all claims, for finding which of them a case writes out."""
        return ClaimValues(self.corpus.claims.values(), self.corpus.entities)

    @cached_property
    def disagreements(self) -> dict[str, Disagreement]:
        """The disagreement that a fact takes part in, by the fact's id."""
        return {fact.id: found for found in find_conflicts(self.facts, self.corpus.attributes) for fact in found.all}

    def behind(self, citation: Citation) -> list[Fact]:
        """The facts that a citation quotes."""
        return self._by_quote.get((citation.source_id, citation.quote), [])

    def wordings(self, entity_id: str) -> tuple[str, ...]:
        """Every spelling of an entity, of its variants, and of the less exact things that it is a variant of."""
        found: list[str] = []
        for id_ in (*self.corpus.descendants(entity_id), *self.corpus.ancestors(entity_id)):
            entity = self.corpus.entities[id_]
            found += [entity.name, *entity.names.values(), *entity.aliases]
        return tuple(dict.fromkeys(found))

    def family(self, entity_id: str) -> frozenset[str]:
        """An entity with its variants, and the less exact things that it is a variant of."""
        if entity_id not in self.corpus.entities:
            return frozenset({entity_id})
        return frozenset({*self.corpus.descendants(entity_id), *self.corpus.ancestors(entity_id)})
