"""Marks that tell values of one property apart: dense or sparse, per die or per rack, one edition or another."""

from collections.abc import Iterable, Mapping

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.lexicon import roles_of_phrases, said_marks
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.words import Vocabulary, blank, lower, pieces
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.language.tongue import LANGUAGES


class Marks:
    """Knows the editions that the facts of each property distinguish, to see whether a sentence names another one."""

    def __init__(self, corpus: Corpus, facts: Iterable[Fact]) -> None:
        editions: dict[str, set[str]] = {}
        for fact in facts:
            if fact.qualifiers.variant is not None:
                editions.setdefault(fact.attribute, set()).update(pieces(fact.qualifiers.variant))
        # A word that questions ask for the property with, such as TDP, marks no edition.
        for id_, words in editions.items():
            asked = [word for asked_as in corpus.attributes[id_].asked_as.values() for word in asked_as]
            words -= {piece for word in asked for piece in pieces(word)}
            words -= _said_anyway()
        self._editions: Mapping[str, set[str]] = editions

    def foreign(self, reading: Reading, carrier: Carrier) -> bool:
        """True where the sentence says a mark that neither the fact nor its statement has."""
        fact = carrier.fact
        if fact is None or carrier.value is None:
            return False
        text = blank(lower(reading.text), [(figure.start, figure.end) for figure in reading.whole.figures])
        own = {fact.qualifiers.sparsity, fact.qualifiers.scope, *said_marks(lower(carrier.statement), reading.language)}
        if not said_marks(text, reading.language) <= own:
            return True
        said = set(pieces(text)) & self._editions.get(fact.attribute, set())
        known = Vocabulary([carrier.statement, fact.qualifiers.variant or "", *_names(carrier)])
        return not all(known.covers(word) for word in said if len(word) > 1 and not word.isdigit())


def _said_anyway() -> frozenset[str]:
    """Words that tell no edition apart, such as the "on" of "depends on the cloud"."""
    return frozenset(word for language in LANGUAGES for word in roles_of_phrases(language))


def _names(carrier: Carrier) -> list[str]:
    return [mention.text for mention in carrier.reading.whole.mentions]
