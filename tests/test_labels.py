"""Vendors' claims, forecasts, made-up examples, unpublished and dated figures are called that in their sentence."""

import re
from collections.abc import Iterator
from decimal import Decimal

import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.answering.verification.reading import Reading, SentenceReader
from assistant.knowledge.claim import Range
from assistant.knowledge.fact import Fact
from assistant.knowledge.period import Period
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import LANGUAGES, Language

LABELS = {
    "vendor_claim": {"claimed"},
    "forecast": {"expected", "claimed", "hedge"},
    "hypothetical": {"made_up"},
    "not_published": {"negation"},
}


@pytest.fixture(scope="module")
def reader(assistant: Assistant) -> SentenceReader:
    return SentenceReader(assistant.names)


def sentences(text: str, language: Language, reader: SentenceReader) -> Iterator[Reading]:
    # The title of an article states nothing.
    for paragraph in re.sub("“[^”\n]*”", "", text).split("\n"):
        for start, end in sentence_spans(paragraph):
            yield reader.read(paragraph[start:end], language)


def states(reading: Reading, fact: Fact) -> bool:
    """True where a sentence gives the fact's figure or date, of the thing that the fact is about."""
    value = fact.value
    if not reading.whole.entities & {*fact.about, *fact.names}:
        return False
    if isinstance(value, Period):
        return any(figure.date == value.text for figure in reading.whole.dates)
    ends = (value.low, value.high) if isinstance(value, Range) else (value, value)
    return any((figure.low, figure.high, figure.unit) == (*ends, fact.unit) for figure in reading.whole.numbers)


def unlabelled(facts: list[Fact], text: str, language: Language, reader: SentenceReader) -> list[str]:
    return [
        reading.text
        for reading in sentences(text, language, reader)
        for fact in facts
        if states(reading, fact) and not reading.whole.roles & LABELS[fact.status]
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_labelled_figure_has_its_label_in_its_sentence(
    assistant: Assistant, reader: SentenceReader, language: Language
) -> None:
    labelled = [fact for fact in assistant.facts if fact.status in LABELS and not fact.superseded]
    figures = [fact for fact in labelled if isinstance(fact.value, Decimal | Range | Period)]
    assert len(figures) > 20
    wrong = {
        fact.id: found
        for fact in figures
        if (found := unlabelled([fact], fact.statement.in_language(language), language, reader))
    }
    assert wrong == {}
    silent = [fact for fact in labelled if fact.status == "not_published"]
    bare = [
        fact.id
        for fact in silent
        if "negation" not in reader.read(fact.statement.in_language(language), language).whole.roles
    ]
    assert bare == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_keep_the_label_beside_the_figure(
    assistant: Assistant, reader: SentenceReader, language: Language
) -> None:
    claims = assistant.corpus.claims.values()
    labelled = [claim for claim in claims if claim.status in LABELS and claim.question is not None]
    assert len(labelled) >= 30
    facts = {fact.id: fact for fact in assistant.facts}
    figures = [f for f in facts.values() if f.status in LABELS and isinstance(f.value, Decimal | Range | Period)]
    settled = [f for f in facts.values() if f.status not in LABELS and f.value is not None]
    wrong: dict[str, list[str]] = {}
    told = 0
    for claim in labelled:
        assert claim.question is not None
        text = assistant.answer(Question(text=claim.question.in_language(language), language=language)).text
        told += any(states(reading, facts[claim.id]) for reading in sentences(text, language, reader))
        # The same figure may also stand as a fact of another source; such a sentence needs no label.
        found = [
            sentence
            for sentence in unlabelled(figures, text, language, reader)
            if not any(states(reader.read(sentence, language), fact) for fact in settled)
            and "according to" not in sentence
        ]
        if found:
            wrong[claim.id] = found
    assert wrong == {}
    assert told >= 8


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What does a B200 cost per hour at RunPod?"),
        ("nl", "Wat kost een B200 per uur bij RunPod?"),
        ("da", "Hvad koster en B200 i timen hos RunPod?"),
        ("zh", "RunPod 的 B200 每小时多少钱？"),
    ],
)
def test_a_price_has_its_date_in_its_sentence(
    assistant: Assistant, reader: SentenceReader, language: Language, question: str
) -> None:
    answer = assistant.answer(Question(text=question, language=language))
    priced = [r for r in sentences(answer.text, language, reader) if any("/h" in f.unit for f in r.whole.numbers)]
    assert priced and all(reading.whole.dates for reading in priced)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Compare the memory of the MI455X and the B200.", "AMD's own claim"),
        ("Vergelijk het geheugen van de MI455X en de MI355X.", "opgave van AMD zelf"),
        ("Sammenlign hukommelsen i MI455X og MI355X.", "oplyst af AMD selv"),
        ("MI455X 和 MI355X 哪个显存大？", "AMD 自称"),
        ("Which GPU has the most memory?", "AMD's own claim"),
    ],
)
def test_a_claim_in_a_comparison_is_labelled_wherever_its_figure_stands(
    assistant: Assistant, question: str, label: str
) -> None:
    lines = [line for line in assistant.answer(Question(text=question)).text.splitlines() if "432 GB" in line]
    assert lines
    assert all(label in line for line in lines)


@pytest.mark.parametrize(
    ("question", "labels", "launch"),
    [
        ("Has AMD already shipped the MI455X Helios racks?", ("own claim", "expected"), "launched the first Helios"),
        ("Heeft AMD de MI455X Helios-racks al geleverd?", ("opgave van AMD", "verwacht"), "een aparte leverdatum"),
        ("Er MI455X allerede leveret i Helios-racks?", ("oplyst af AMD", "ventet"), "en særskilt leveringsdato"),
        ("MI455X 的 Helios 机柜已经交付了吗？", ("自称", "预计"), "交付日期"),
    ],
)
def test_a_launch_is_not_told_as_a_delivery(
    assistant: Assistant, question: str, labels: tuple[str, ...], launch: str
) -> None:
    text = assistant.answer(Question(text=question)).text
    assert launch in text
    assert all(label in text for label in labels)
