"""Other values that a sentence could be mistaken for: another edition, provider or way of counting."""

from collections.abc import Iterable

from assistant.answering.conflict import contradict
from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.lexicon import lexicon
from assistant.answering.verification.reading import Reading
from assistant.answering.verification.words import Vocabulary, lower
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact


class Rivals:
    """All figures of the knowledge base by property, to see whether a sentence says which one it means."""

    def __init__(self, corpus: Corpus, facts: Iterable[Fact]) -> None:
        self._corpus = corpus
        self._by_attribute: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.value is not None and not isinstance(fact.value, bool) and not fact.superseded:
                self._by_attribute.setdefault(fact.attribute, []).append(fact)

    def confusable(self, carrier: Carrier, said: frozenset[str], reading: Reading) -> bool:
        """True where the words fit another value as well, which the source keeps apart from this one."""
        fact = carrier.fact
        attribute = self._corpus.attributes.get(fact.attribute) if fact else None
        if fact is None or attribute is None or not attribute.single_valued:
            return False
        return any(
            _differ(fact, rival, attribute.unit) and self._is_open(fact, rival, said, reading)
            for rival in self._by_attribute.get(fact.attribute, ())
            if set(rival.about) == set(fact.about) or self._is_relative(fact, rival)
        )

    def _is_relative(self, fact: Fact, rival: Fact) -> bool:
        """True for another member of a family that the fact's thing belongs to."""
        own = {a for id_ in fact.about for a in self._corpus.ancestors(id_)}
        return any(own.intersection((id_, *self._corpus.ancestors(id_))) for id_ in rival.about)

    def _is_open(self, fact: Fact, rival: Fact, said: frozenset[str], reading: Reading) -> bool:
        """True where the sentence doesn't say which of the two it means."""
        if set(rival.about) != set(fact.about) and any(
            id_ in said and not any(id_ in self._corpus.ancestors(other) or id_ == other for other in rival.about)
            for id_ in fact.about
        ):
            return False
        ours, theirs = fact.qualifiers, rival.qualifiers
        told = [
            self._says_mark(mark, reading)
            for mark, other in ((ours.sparsity, theirs.sparsity), (ours.scope, theirs.scope))
            if mark != other and mark in lexicon().apart
        ]
        if ours.provider != theirs.provider:
            told.append(ours.provider in said)
        if ours.variant and ours.variant != theirs.variant:
            told.append(self._says_words(ours.variant, reading))
        if ours.precision and ours.precision != theirs.precision:
            told.append(self._says_words(ours.precision, reading))
        if set(rival.about) == set(fact.about):
            return bool(told) and not any(told)
        return not any(told)

    def _says_mark(self, mark: str | None, reading: Reading) -> bool:
        text = lower(reading.text)
        return mark is not None and any(word in text for word in lexicon().apart[mark][reading.language])

    def _says_words(self, words: str, reading: Reading) -> bool:
        marks = Vocabulary([words])
        return any(marks.covers(word.text) for word in reading.whole.words if len(word.text) > 1)


def _differ(fact: Fact, rival: Fact, unit: str | None) -> bool:
    """True where the values can't both hold, or where each provider has its own price."""
    priced = fact.qualifiers.provider != rival.qualifiers.provider and fact.unit == rival.unit
    return contradict(fact, rival, unit) or (priced and fact.value != rival.value)
