"""Which calculation a question asks for, and its result as evidence."""

from assistant.answering.evidence import Calculation
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.language.understanding import Ask


class Calculator:
    """Runs the memory and cost tools that a question asks for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def calculate(self, ask: Ask, language: Language) -> tuple[list[Calculation], list[str]]:
        """The results, and the names of inputs that are missing."""
        return [], []
