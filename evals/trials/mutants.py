"""Right answers spoilt in one place, each of which the checks must notice."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.verification.segment import EXACT
from assistant.knowledge.fact import name_of
from assistant.language.formatting import format_period
from assistant.language.quantities.quantity import Quantity, read_quantities
from evals.adversary.mutations import mutation_words
from evals.checks.bench import Bench
from evals.checks.grounds import denials
from evals.checks.span import Span, spans
from evals.checks.wanted import said_share
from evals.suite.case import Asked
from evals.trials.written import later

MutantKind = Literal[
    "digit", "unit", "entity", "negation", "citation swapped", "citation dropped", "date", "label dropped"
]
MUTANT_KINDS: tuple[MutantKind, ...] = get_args(MutantKind)
_UNITS = (
    ("TB/s", "GB/s"), ("GB", "TB"), ("TB", "GB"), (" W", " kW"), ("$", "€"), ("dollar", "euro"), ("美元", "欧元"),
    ("kroner", "dollar"), ("kronen", "dollar"), ("克朗", "美元"), ("gigawatt", "megawatt"), ("吉瓦", "兆瓦"),
    ("%", " x"), ("percent", "times"), ("procent", "keer"), ("倍", "%"), (" GPU", " CPU"),
)  # fmt: skip
_LABELS = frozenset({"vendor_claim", "forecast", "hypothetical", "not_published"})


class Mutant(BaseModel):
    """A spoilt answer, and in which way."""

    model_config = ConfigDict(frozen=True)

    kind: MutantKind
    asked: Asked
    answer: Answer
    change: str


class AnswerMutator:
    """Spoils answers over one knowledge base; the same answer is always spoilt the same way."""

    def __init__(self, bench: Bench, seed: int = 1) -> None:
        self._bench = bench
        self._seed = seed
        self._kinds: dict[MutantKind, Callable[[Asked, Answer, random.Random], tuple[Answer, str] | None]] = {
            "digit": self._digit,
            "unit": self._unit,
            "entity": self._entity,
            "negation": self._negation,
            "citation swapped": self._swapped,
            "citation dropped": self._dropped,
            "date": self._date,
            "label dropped": self._label,
        }

    def mutants(self, asked: Asked, answer: Answer) -> Iterator[Mutant]:
        """The answer spoilt in each way that it allows."""
        for kind, spoil in self._kinds.items():
            found = spoil(asked, answer, random.Random(f"{asked.key} {kind} {self._seed}"))  # noqa: S311 (repeatable choice)
            if found is not None and found[0] != answer:
                yield Mutant(kind=kind, asked=asked, answer=found[0], change=found[1])

    def _figures(self, asked: Asked, answer: Answer) -> list[tuple[int, Quantity]]:
        """Figures that a piece of the answer rests on a source for, with the place of the piece in the text."""
        echoed = {q.text for q in read_quantities(asked.question, answer.language)}
        return [
            (answer.text.index(piece.text), quantity)
            for piece in self._stating(answer)
            if piece.text in answer.text
            for quantity in read_quantities(piece.text, answer.language)
            if quantity.text not in echoed and any(character.isdigit() for character in quantity.text)
        ]

    def _stating(self, answer: Answer) -> list[Span]:
        return [piece for piece in spans(answer) if piece.cited and not piece.quoted and not piece.row]

    def _digit(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        figures = [(at, q) for at, q in self._figures(asked, answer) if q.period is None]
        if not figures:
            return None
        at, quantity = dice.choice(figures)
        places = [n for n in range(quantity.start, quantity.end) if answer.text[at + n] in "123456789"]
        if not places:
            return None
        place = at + dice.choice(places)
        other = dice.choice([digit for digit in "123456789" if digit != answer.text[place]])
        return _with(answer, answer.text[:place] + other + answer.text[place + 1 :]), f"{quantity.text}: {other}"

    def _unit(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        figures = [(at, q) for at, q in self._figures(asked, answer) if q.period is None and q.unit]
        for at, quantity in dice.sample(figures, len(figures)):
            for unit, other in _UNITS:
                if unit in quantity.text:
                    start, end = at + quantity.start, at + quantity.end
                    text = answer.text[:start] + quantity.text.replace(unit, other, 1) + answer.text[end:]
                    return _with(answer, text), f"{quantity.text}: {other}"
        return None

    def _entity(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        mentions = [
            (answer.text.index(piece.text), mention)
            for piece in self._stating(answer)
            if piece.text in answer.text
            for mention in self._bench.names.read(piece.text)
            if mention.kind in EXACT
        ]
        if not mentions:
            return None
        at, mention = dice.choice(mentions)
        spoken_of = {id_ for _, m in mentions for id_ in self._bench.family(m.entity)}
        others = [
            entity.id
            for entity in self._bench.corpus.entities.values()
            if entity.kind == mention.kind and entity.id not in spoken_of and entity.parent is None
        ]
        name = name_of(self._bench.corpus.entities[dice.choice(others)], answer.language)
        start, end = at + mention.start, at + mention.end
        return _with(answer, answer.text[:start] + name + answer.text[end:]), f"{mention.text}: {name}"

    def _negation(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        """Turn round a sentence of a claim; sentences of the assistant's own making aren't held against one."""
        for piece in self._stating(answer):
            own = [f.statement.in_language(answer.language) for c in piece.cited for f in self._bench.behind(c)]
            if not any(min(said_share(o, piece.text), said_share(piece.text, o)) > 0.9 for o in own):
                continue
            pairs = [(old, new) for old, new in mutation_words().negated[answer.language] if old in piece.text]
            if pairs and piece.text in answer.text:
                old, new = dice.choice(pairs)
                turned = piece.text.replace(old, new, 1)
                if denials(turned, answer.language) != denials(piece.text, answer.language):
                    return _with(answer, answer.text.replace(piece.text, turned, 1)), f"{old}→{new}"
        return None

    def _swapped(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        """Let the passages be those of another answer: quotes about another thing and property."""
        claims = list(self._bench.corpus.claims.values())
        about = {id_ for c in answer.citations for f in self._bench.behind(c) for id_ in f.about}
        article = [c for c in answer.citations if c.kind == "article"]
        if not article or not self._figures(asked, answer):
            return None
        others = [c for c in claims if c.value is not None and not about & set(c.about)]
        wrong = tuple(
            c.model_copy(update={"quote": other.quote, "source_id": self._bench.corpus.article_of[other.id]})
            if c.kind != "tool" and (other := dice.choice(others))
            else c
            for c in answer.citations
        )
        return answer.model_copy(update={"citations": wrong}), wrong[0].quote[:60]

    def _dropped(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        if not self._figures(asked, answer) or answer.tool_runs:
            return None
        return _with(answer, re.sub(r"\s*\[\d+\]", "", answer.text)), "all markers"

    def _date(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        dates = [(at, q) for at, q in self._figures(asked, answer) if q.period and not q.period.startswith("--")]
        if not dates:
            return None
        at, quantity = dice.choice(dates)
        moved = format_period(later(quantity.period or ""), answer.language)
        start, end = at + quantity.start, at + quantity.end
        return _with(answer, answer.text[:start] + moved + answer.text[end:]), f"{quantity.text}: {moved}"

    def _label(self, asked: Asked, answer: Answer, dice: random.Random) -> tuple[Answer, str] | None:
        left = tuple(caveat for caveat in answer.caveats if caveat.code not in _LABELS)
        if len(left) == len(answer.caveats) or asked.case.expect.caveat is None:
            return None
        return answer.model_copy(update={"caveats": left}), ", ".join(c.code for c in answer.caveats)


def _with(answer: Answer, text: str) -> Answer:
    return answer.model_copy(update={"text": text})
