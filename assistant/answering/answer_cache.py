"""Whole composed answers, kept by all that they depend on."""

import threading
from collections import OrderedDict
from datetime import date

from assistant.answering.answer import Answer
from assistant.answering.evidence import Question

Key = tuple[str, ...]


class AnswerCache:
    """The last `size` answers over one knowledge base and index. Safe between threads."""

    def __init__(self, size: int, knowledge: str) -> None:
        self._size, self._knowledge = size, knowledge
        self._answers: OrderedDict[Key, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, question: Question, today: date) -> Answer | None:
        key = self._key(question, today)
        with self._lock:
            answer = self._answers.get(key)
            if answer is not None:
                self._answers.move_to_end(key)
        return answer

    def keep(self, question: Question, today: date, answer: Answer) -> None:
        if not self._size:
            return
        with self._lock:
            self._answers[self._key(question, today)] = answer
            while len(self._answers) > self._size:
                self._answers.popitem(last=False)

    def _key(self, question: Question, today: date) -> Key:
        """All that an answer depends on; prices grow stale by the day, so the day is part of it."""
        return self._knowledge, today.isoformat(), question.language or "", question.text, *question.history
