"""Every answer is counted and told to the log, whichever way it was asked for; its words only where that is wanted."""

import logging
import time
from collections.abc import Iterator

from assistant.answering.events import AnswerReady, Event, TextVerified
from assistant.answering.evidence import Question
from assistant.interfaces import metrics

_LOG = logging.getLogger("assistant.answers")


def observed(question: Question, events: Iterator[Event], *, log_question: bool) -> Iterator[Event]:
    """The same events; an answer that nobody takes to its end is counted as abandoned."""
    begun = time.perf_counter()
    spoken = finished = False
    with metrics.UNDER_WAY.track_inprogress():
        try:
            for event in events:
                if isinstance(event, TextVerified) and not spoken:
                    spoken = True
                    metrics.FIRST_TEXT_SECONDS.observe(time.perf_counter() - begun)
                if isinstance(event, AnswerReady):
                    finished = True
                    _count(question, event, time.perf_counter() - begun, log_question=log_question)
                yield event
        finally:
            if not finished:
                metrics.ABANDONED.inc()
            # Ends the work at once, and doesn't wait until the iterator is collected.
            close = getattr(events, "close", None)
            if close is not None:
                close()


def _count(question: Question, event: AnswerReady, seconds: float, *, log_question: bool) -> None:
    answer = event.answer
    metrics.ANSWERS.labels(answer.language, answer.status, "model" if answer.model else "composed").inc()
    metrics.ANSWER_SECONDS.observe(seconds)
    fields: dict[str, object] = {
        "answer": answer.id, "language": answer.language, "status": answer.status, "model": answer.model,
        "citations": len(answer.citations), "ms": round(seconds * 1000, 1),
    }  # fmt: skip
    if log_question:
        fields["question"] = question.text
        if question.history:
            fields["history"] = question.history
    _LOG.info("answer", extra={"fields": fields})
