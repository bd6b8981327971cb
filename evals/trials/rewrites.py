"""Right answers said otherwise: other units, formats, order, layout and words, none of which may be called a fault."""

import random
import re
from collections.abc import Callable, Iterator

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.knowledge.citation import Citation
from assistant.knowledge.period import Period
from assistant.language.formatting import format_number, format_quantity
from assistant.language.quantities.quantity import Quantity, read_quantities
from evals.adversary.paraphrases import PARAPHRASES, ParaphrasesFile
from evals.checks.bench import Bench
from evals.checks.span import spans
from evals.checks.wanted import holds, resolve
from evals.suite.case import Asked, Case, Expectation, ExpectedFact
from evals.trials.written import other_date, other_unit

_MARKS = re.compile(r"(?:\s*\[\d+\])+")


class Rewrite(BaseModel):
    """An answer that says the same in another way."""

    model_config = ConfigDict(frozen=True)

    kind: str
    asked: Asked
    answer: Answer
    change: str


def rewrites(asked: Asked, answer: Answer, seed: int = 1) -> Iterator[Rewrite]:
    """The answer said otherwise in each way that it allows; the same answer always in the same ways."""
    kinds: dict[str, Callable[[Asked, Answer, random.Random], tuple[Answer, str] | None]] = {
        "other unit": _unit,
        "other format": _format,
        "other form of date": _date,
        "emphasis": _emphasis,
        "order of paragraphs": _reordered,
        "as a list": _list,
        "markers numbered otherwise": _renumbered,
        "marker before the full stop": _marker_before_stop,
    }
    for kind, say in kinds.items():
        found = say(asked, answer, random.Random(f"{asked.key} {kind} {seed}"))  # noqa: S311 (repeatable choice)
        if found is not None and found[0] != answer:
            yield Rewrite(kind=kind, asked=asked, answer=found[0], change=found[1])


def free_wordings(bench: Bench) -> Iterator[Rewrite]:
    """Claims as people put them freely, each as the answer to the claim's own question."""
    from assistant.knowledge.schema import read_yaml
    from assistant.language.tongue import LANGUAGES

    facts = {fact.id: fact for fact in bench.facts}
    for item in read_yaml(PARAPHRASES, ParaphrasesFile).paraphrases:
        fact = facts[item.claim]
        question = bench.corpus.claims[item.claim].question
        for language in LANGUAGES:
            case = Case(
                id=re.sub(r"[^a-z0-9]+", "-", item.claim),
                kind="fact",
                question={
                    language: question.in_language(language) if question else fact.statement.in_language(language)
                },
                expect=Expectation(facts=(ExpectedFact(claim=item.claim),)),
            )
            wanted = resolve(case.expect.facts[0], bench)
            for text in item.in_language(language):
                if wanted is None or (wanted.is_figure and not holds(text, language, wanted)):
                    # It says less than the claim: the month of a day.
                    continue
                citation = fact.citation.model_copy(update={"marker": 1})
                yield Rewrite(
                    kind="written freely",
                    asked=Asked(case=case, language=language),
                    answer=_answer(text, citation, Asked(case=case, language=language)),
                    change=text,
                )


def _answer(text: str, citation: Citation, asked: Asked) -> Answer:
    from assistant.answering.answer import Caveat

    return Answer(
        id=asked.key,
        question=asked.question,
        language=asked.language,
        status="answered",
        text=f"{text} [1]",
        citations=(citation,),
        caveats=(Caveat(code="vendor_claim", text=""), Caveat(code="forecast", text="")),
        knowledge="",
    )


def _changed(answer: Answer, dice: random.Random, say: Callable[[Quantity], str | None]) -> tuple[Answer, str] | None:
    """The answer with one of its quantities written otherwise."""
    found = []
    for piece in spans(answer):
        if piece.quoted or piece.row or answer.text.count(piece.text) != 1:
            continue
        at = answer.text.index(piece.text)
        for quantity in read_quantities(piece.text, answer.language):
            written = say(quantity)
            if written is not None and written != quantity.text:
                found.append((at, quantity, written))
    if not found:
        return None
    at, quantity, written = dice.choice(found)
    text = answer.text[: at + quantity.start] + written + answer.text[at + quantity.end :]
    return answer.model_copy(update={"text": text}), f"{quantity.text} → {written}"


def _unit(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    return _changed(answer, dice, lambda quantity: other_unit(quantity, answer.language))


def _format(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    def say(quantity: Quantity) -> str | None:
        if quantity.value is None or quantity.period is not None or not re.fullmatch(r"[\d.,]+ ?\S+", quantity.text):
            return None
        if quantity.unit in ("GB", "TB/s", "W"):
            return f"{format_number(quantity.value, answer.language)}{quantity.unit}"
        if quantity.unit == "%":
            return format_quantity(quantity.value, "%", answer.language)
        return None

    return _changed(answer, dice, say)


def _date(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    def say(quantity: Quantity) -> str | None:
        if quantity.period is None or quantity.period.startswith("--"):
            return None
        return other_date(Period(quantity.period), answer.language)

    return _changed(answer, dice, say)


def _emphasis(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    return _changed(answer, dice, lambda q: f"**{q.text}**" if any(map(str.isdigit, q.text)) else None)


def _reordered(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    paragraphs = answer.text.split("\n\n")
    plain = [text for text in paragraphs if not text.startswith(("|", ">", "-", "1."))]
    if len(plain) != len(paragraphs) or len(paragraphs) < 2:
        return None
    return answer.model_copy(update={"text": "\n\n".join(reversed(paragraphs))}), "reversed"


def _list(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    if "\n" in answer.text or not answer.citations:
        return None
    return answer.model_copy(update={"text": f"- {answer.text}"}), "as a bullet"


def _renumbered(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    if len(answer.citations) < 2:
        return None
    order = [citation.marker for citation in answer.citations]
    moved = dict(zip(order, [*order[1:], order[0]], strict=True))
    text = re.sub(r"\[(\d+)\]", lambda m: f"[{moved.get(int(m[1]), int(m[1]))}]", answer.text)
    citations = tuple(c.model_copy(update={"marker": moved[c.marker]}) for c in answer.citations)
    conflicts = tuple(
        conflict.model_copy(
            update={
                "values": tuple(v.model_copy(update={"marker": moved.get(v.marker, v.marker)}) for v in conflict.values)
            }
        )
        for conflict in answer.conflicts
    )
    return answer.model_copy(update={"text": text, "citations": citations, "conflicts": conflicts}), str(moved)


def _marker_before_stop(asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
    text = re.sub(
        r"([.。])((?:\s*\[\d+\])+)", lambda m: f"{m[2] if m[1] == '。' else ' ' + m[2].strip()}{m[1]}", answer.text
    )
    return answer.model_copy(update={"text": text}), "markers"
