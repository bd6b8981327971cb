"""Which properties a sentence speaks of, by the words that questions ask for them with."""

from collections.abc import Mapping

from assistant.answering.verification.lexicon import lexicon, phrases_pattern
from assistant.answering.verification.words import blank, lower
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import LANGUAGES, Language


class PropertyReader:
    """Finds the properties that a text names. Built once for a knowledge base."""

    def __init__(self, corpus: Corpus) -> None:
        self._cues: dict[Language, Mapping[str, frozenset[str]]] = {}
        for language in LANGUAGES:
            cues: dict[str, set[str]] = {}
            labels: dict[str, set[str]] = {}
            for attribute in corpus.attributes.values():
                if attribute.kind != "quantity":
                    continue
                labels.setdefault(attribute.label.in_language(language).casefold(), set()).add(attribute.id)
                said = lexicon().said_as.get(attribute.id, {}).get(language, ())
                for cue in (*attribute.asked_as.get(language, ()), *said):
                    cues.setdefault(cue.casefold(), set()).add(attribute.id)
            # A property's own name means that property, whatever else it may be asked with.
            cues.update(labels)
            self._cues[language] = {cue: frozenset(ids) for cue, ids in cues.items()}

    def named(self, text: str, taken: list[tuple[int, int]], language: Language) -> list[frozenset[str]]:
        """For each cue word outside the spans taken by names and figures, the properties it can mean; longest first."""
        cues = self._cues[language]
        found = phrases_pattern(tuple(cues)).findall(blank(lower(text), taken))
        unique = dict.fromkeys(" ".join(cue.split()) for cue in found)
        return [cues[cue] for cue in sorted(unique, key=len, reverse=True) if cue in cues]
