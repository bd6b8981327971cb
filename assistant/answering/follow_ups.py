"""Questions to go on with after an answer, each tried first: only one that the sources answer is offered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.answering.assistant import Assistant
from assistant.answering.composing.composing import compose
from assistant.answering.evidence import Question
from assistant.knowledge.fact import name_of
from assistant.language.ask import Understanding
from assistant.language.tongue import Language
from assistant.language.wording import Wording, fields_of, read_wording

MOST_OFFERED = 3
MOST_TRIED = 8
MOST_REMEMBERED = 5
"""Earlier questions that aren't offered again, said otherwise."""
MOST_SUBJECTS = 2
"""Of an answer's cards, models and software; the questions of several take turns."""


class FollowUps:
    """Offers questions, in the language of the one before."""

    def __init__(self, assistant: Assistant, directory: Path) -> None:
        self._assistant = assistant
        self._wording: Wording = read_wording(directory / "phrases" / "follow-ups.yaml")

    def after(self, question: Question) -> tuple[str, ...]:
        """At most MOST_OFFERED questions that get an answer; none where nothing known is named."""
        understood = self._assistant.understand(question)
        asked = {question.text, *question.history}
        told = self._told(question.history[-MOST_REMEMBERED:])
        offered: list[str] = []
        for number, candidate in enumerate(self._candidates(understood, told)):
            if number == MOST_TRIED or len(offered) == MOST_OFFERED:
                break
            if candidate not in asked and self._is_answered(candidate):
                offered.append(candidate)
        return tuple(offered)

    def _is_answered(self, candidate: str) -> bool:
        """True where it is answered whole without a language model, which is quick and the same every time."""
        assistant, question = self._assistant, Question(text=candidate)
        evidence = assistant.gather(question, assistant.understand(question))
        return compose(evidence, assistant.library, assistant.phrases, assistant.today).status == "answered"

    def _told(self, history: Sequence[str]) -> frozenset[tuple[str, str]]:
        """What earlier questions asked of which thing, in whatever words."""
        earlier = [self._assistant.understand(Question(text=text)) for text in history]
        asks = [ask for understood in earlier for ask in understood.asks]
        return frozenset((name, id_) for ask in asks for name in ask.attributes for id_ in ask.entities())

    def _candidates(self, understood: Understanding, told: frozenset[tuple[str, str]]) -> Iterator[str]:
        """Questions about what was asked about, in the order of the file."""
        subjects = self._subjects(understood)
        wanted = {attribute for ask in understood.asks for attribute in ask.attributes}
        wishes = {wish for ask in understood.asks for wish in ask.wishes}
        # Several subjects take turns, so that the questions offered aren't all about the first.
        turn = 0
        for name, phrase in self._wording.phrases.items():
            if name in wanted or not subjects or (name == "compare" and "comparison" in wishes):
                continue
            subject = subjects[turn % len(subjects)]
            if (name, subject) in told:
                continue
            fields = self._fields(name, subject, fields_of(phrase.en), understood.language)
            if fields is not None:
                turn += 1
                yield self._wording.say(name, understood.language, **fields)

    def _subjects(self, understood: Understanding) -> list[str]:
        kinds = ("gpu", "system", "model", "software", "framework", "library")
        named = dict.fromkeys(id_ for ask in understood.asks for id_ in ask.entities(*kinds))
        return list(named)[:MOST_SUBJECTS]

    def _fields(self, name: str, subject: str, used: set[str], language: Language) -> dict[str, str] | None:
        """The fields of a phrase; None where nothing is held that could answer it."""
        corpus = self._assistant.corpus
        fields = {"name": name_of(corpus.entities[subject], language)}
        if "other" in used:
            other = self._companion(subject)
            return None if other is None else {**fields, "other": name_of(corpus.entities[other], language)}
        family = (subject, *corpus.descendants(subject))
        held = any(fact.attribute == name for id_ in family for fact in self._assistant.library.by_entity.get(id_, ()))
        return fields if held else None

    def _companion(self, subject: str) -> str | None:
        """The card that the sources most often mention in one statement with this one."""
        corpus = self._assistant.corpus
        if corpus.entities[subject].kind != "gpu":
            return None
        family = {subject, *corpus.descendants(subject), *corpus.ancestors(subject)}
        together: Sequence[tuple[str, int]] = Counter(
            other
            for fact in self._assistant.library.by_entity.get(subject, ())
            for other in fact.about
            if other not in family and corpus.entities[other].kind == "gpu"
        ).most_common(1)
        return together[0][0] if together else None
