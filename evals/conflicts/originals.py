"""Whether answers tell each disagreement of the originals, with every value, source and date."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.knowledge.period import Period
from assistant.knowledge.schema import read_yaml
from assistant.language.formatting import format_period
from assistant.language.quantities.quantity import read_quantities
from assistant.language.tongue import LANGUAGES, Language, Translated


class Side(BaseModel):
    """What one source says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Decimal | None = None
    unit: str = ""
    date: str | None = None
    source: str
    as_of: str


class Known(BaseModel):
    """A disagreement of the originals, and a question on it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: Translated
    sides: tuple[Side, ...]


class InProse(BaseModel):
    """A contradiction that a claim tells in its sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: Translated
    claims: tuple[str, ...]


class OriginalsFile(BaseModel):
    """The file originals.yaml, which says what it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    disagreements: tuple[Known, ...]
    in_prose: tuple[InProse, ...]


class Disclosure(BaseModel):
    """What an answer left out of a disagreement; nothing where all of it was told."""

    model_config = ConfigDict(frozen=True)

    id: str
    language: Language
    left_out: tuple[str, ...]


def disclosures(assistant: Assistant) -> Iterator[Disclosure]:
    """Each disagreement asked for in each language."""
    file = read_yaml(Path(__file__).with_name("originals.yaml"), OriginalsFile)
    statements = {fact.id: fact.statement for fact in assistant.facts}
    for known in file.disagreements:
        for language in LANGUAGES:
            answer = _answer(assistant, known.question, language)
            left_out = [what for side in known.sides for what in _left_out(side, answer)]
            if len(answer.conflicts) != 1 or len(answer.conflicts[0].values) != len(known.sides):
                left_out.append("the disagreement as data")
            yield Disclosure(id=known.id, language=language, left_out=tuple(left_out))
    for told in file.in_prose:
        for language in LANGUAGES:
            text = _answer(assistant, told.question, language).text
            missing = [id_ for id_ in told.claims if statements[id_].in_language(language) not in text]
            yield Disclosure(id=told.id, language=language, left_out=tuple(missing))


def _answer(assistant: Assistant, question: Translated, language: Language) -> Answer:
    return assistant.answer(Question(text=question.in_language(language), language=language))


def _left_out(side: Side, answer: Answer) -> list[str]:
    """The value, source or date of a side that its clause of the answer doesn't tell."""
    passages = [
        clause
        for paragraph in answer.text.split("\n\n")
        if side.source in paragraph
        for clause in _around(paragraph, side.source)
    ]
    shown = side.date or f"{side.value} {side.unit}"
    if not passages:
        return [f"source “{side.source}” of {shown}"]
    found = [one for passage in passages for one in read_quantities(passage, answer.language)]
    held = any(
        one.period == side.date if side.date else (one.value == side.value and one.unit == side.unit) for one in found
    )
    date = format_period(Period(side.as_of), answer.language)
    return [*([] if held else [f"value {shown}"]), *([] if date in " ".join(passages) else [f"date {date} of {shown}"])]


def _around(paragraph: str, source: str) -> list[str]:
    """The part of a sentence on one source: from behind the source named before it to its own date."""
    place = paragraph.index(source)
    earlier = paragraph.rfind("”", 0, place)
    ends = (paragraph.find(")", earlier, place), paragraph.find("）", earlier, place))
    start = min((n for n in ends if n >= 0), default=earlier) if earlier >= 0 else -1
    start = max(start, *(paragraph.rfind(sign, 0, place) for sign in (":", "：")))
    end = min((n for n in (paragraph.find(")", place), paragraph.find("）", place)) if n >= 0), default=len(paragraph))
    return [paragraph[start + 1 : end + 1]]
