"""Lies and true sentences written by hand, told in answer to a question: what of them a reader would see."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.answering.assistant import Assistant
from assistant.answering.composing.composing import compose
from assistant.answering.composing.narrator import Narrator
from assistant.answering.evidence import Question
from assistant.answering.verified_text import VerifiedText
from assistant.answering.writing.numbered_evidence import number_evidence
from assistant.answering.writing.sentence_stream import SentenceStream
from assistant.answering.writing.writing import DraftWriter
from assistant.errors import CorpusError
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language, Translated
from evals.adversary.world import World

_FOLDER = Path(__file__).with_name("written_sentences")
Sentences = dict[str, dict[Language, tuple[str, ...]]]


class Group(BaseModel):
    """Sentences by kind and language, and the question they would answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Translated
    lies: Sentences
    truths: Sentences


class WrittenFile(BaseModel):
    """One file of written_sentences/, which says what its sentences are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    groups: tuple[Group, ...]


class Outcome(BaseModel):
    """One sentence of a draft, and whether all of it was shown."""

    model_config = ConfigDict(frozen=True)

    kind: str
    language: Language
    text: str
    is_true: bool
    shown: bool


def written_groups(only: str = "*") -> Iterator[Group]:
    """The groups of the files whose name fits."""
    for path in sorted(_FOLDER.glob(f"{only}.yaml")):
        yield from read_yaml(path, WrittenFile).groups


def written_sentences(world: World, assistant: Assistant, writer: DraftWriter, only: str = "*") -> Iterator[Outcome]:
    """Each sentence as the only one of a draft. Raises CorpusError where a question isn't answered at all."""
    for group in written_groups(only):
        for language in LANGUAGES:
            question = Question(text=group.question.in_language(language), language=language)
            evidence = assistant.gather(question, assistant.understand(question))
            composed = compose(evidence, world.library, assistant.phrases, world.today)
            if composed.status not in ("answered", "partly_answered"):
                raise CorpusError(f"Nothing answers “{question.text}”, so no draft would be written.", "")
            voice = Narrator(world.library, assistant.phrases, language, world.today)
            numbered = number_evidence(evidence, composed, world.library)
            for is_true, sentences in ((False, group.lies), (True, group.truths)):
                for kind, by_language in sentences.items():
                    for text in by_language.get(language, ()):
                        shown = _is_shown(text, writer.begin(evidence, numbered, voice))
                        yield Outcome(kind=kind, language=language, text=text, is_true=is_true, shown=shown)


def _is_shown(text: str, written: VerifiedText) -> bool:
    stream = SentenceStream()
    pieces = [*stream.feed(text), *stream.finish()]
    for piece in pieces:
        before = written.verified
        written.add(piece)
        if written.verified == before:
            return False
    return bool(pieces)
