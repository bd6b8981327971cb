"""The words that the sources use, so that a name in a question can be told from one they never speak of."""

import re
from collections.abc import Iterator

from assistant.knowledge.corpus import Corpus
from assistant.language.question_words import QuestionWords
from assistant.language.tongue import LANGUAGES

# Words, and runs of capitalised words such as "Secure Cloud", which are names of their own.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*")
_RUN = re.compile(r"[A-Z][A-Za-z0-9&]*(?: [A-Z][A-Za-z0-9&]*)+")


def vocabulary_of(corpus: Corpus, words: QuestionWords) -> Iterator[str]:
    """Every Latin word of the articles, statements, names and question words, with repeats."""
    for name in QuestionWords.model_fields:
        for cues in getattr(words, name).values():
            for cue in cues:
                yield from _WORD.findall(cue)
    for article in corpus.articles.values():
        yield from _WORD.findall(article.body)
        yield from _RUN.findall(article.body)
        yield from _WORD.findall(article.title)
    for claim in corpus.claims.values():
        for language in LANGUAGES:
            yield from _WORD.findall(claim.statement.in_language(language))
            yield from _RUN.findall(claim.statement.in_language(language))
    for attribute in corpus.attributes.values():
        for cues in attribute.asked_as.values():
            for cue in cues:
                yield from _WORD.findall(cue)
    for entity in corpus.entities.values():
        for name in (entity.name, *entity.names.values(), *entity.aliases):
            yield from _WORD.findall(name)
