"""The words that the sources use, so that a name in a question can be told from one they never speak of."""

import re
from collections.abc import Iterator

from assistant.knowledge.corpus import Corpus
from assistant.language.question_words import QuestionWords
from assistant.language.tongue import LANGUAGES

# Words, and runs of capitalised words such as "Secure Cloud", which are names of their own.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*")
_ACCENTED = re.compile(r"[^\W\d_\u3400-\u9fff]+")
_RUN = re.compile(r"[A-Z][A-Za-z0-9&]*(?: [A-Z][A-Za-z0-9&]*)+")


def vocabulary_of(corpus: Corpus, words: QuestionWords) -> frozenset[str]:
    """Every Latin word of the articles, statements, names and question words."""
    found: set[str] = set()
    for text in _texts(corpus, words):
        found.update(_WORD.findall(text))
        found.update(_ACCENTED.findall(text))
    for text in _prose(corpus):
        found.update(_RUN.findall(text))
    return frozenset(found)


def _texts(corpus: Corpus, words: QuestionWords) -> Iterator[str]:
    yield from _prose(corpus)
    for article in corpus.articles.values():
        yield article.title
    for name in QuestionWords.model_fields:
        for cues in getattr(words, name).values():
            yield from cues
    for attribute in corpus.attributes.values():
        for cues in attribute.asked_as.values():
            yield from cues
    for entity in corpus.entities.values():
        yield from (entity.name, *entity.names.values(), *entity.aliases)


def _prose(corpus: Corpus) -> Iterator[str]:
    for article in corpus.articles.values():
        yield article.body
    for claim in corpus.claims.values():
        for language in LANGUAGES:
            yield claim.statement.in_language(language)
