"""What each piece of an answer rests on: its figures, its names, and whether it says yes where its source says yes."""

from collections.abc import Iterable
from decimal import Decimal

from assistant.answering.answer import Answer
from assistant.answering.evidence import Question
from assistant.answering.verification.lexicon import lexicon, phrases_pattern
from assistant.answering.verification.segment import EXACT
from assistant.knowledge.fact import Fact
from assistant.language.quantities.quantity import Quantity, read_quantities, same_quantity
from assistant.language.tongue import Language
from evals.checks.bench import Bench
from evals.checks.span import Span
from evals.checks.wanted import said_share
from evals.grounding import Grounds

_SAME = 0.6
"""How much of a claim's sentence a piece must say to be held against it."""


def lines_without_ground(pieces: list[Span], answer: Answer, question: Question) -> list[str]:
    """Pieces with a figure or date that neither the passages they mark nor a calculation hold."""
    problems: list[str] = []
    grounds = Grounds(answer, question)
    for piece in pieces:
        # A caveat and a heading mark nothing, and the mark of a quotation stands beside its lines: there all count.
        whole = piece.quoted or piece.heading or _is_caveat(piece, answer)
        cited = piece.cited or (answer.citations if whole else ())
        unsupported = grounds.unsupported_in(piece.text, cited)
        problems += [f"{number} isn't in {_marks(piece)}" for number in unsupported]
        if set(piece.marks) - {citation.marker for citation in answer.citations}:
            problems.append(f"marks {_marks(piece)}, which the answer doesn't list")
    return problems


def _is_caveat(piece: Span, answer: Answer) -> bool:
    return any(piece.text in caveat.text for caveat in answer.caveats)


def _marks(piece: Span) -> str:
    return "".join(f"[{mark}]" for mark in piece.marks) or "any passage it marks"


def foreign_names(pieces: list[Span], answer: Answer, question: Question, bench: Bench) -> list[str]:
    """Cards, systems, models and providers that a piece names although neither its passages nor the question do."""
    asked = _family(bench, (m.entity for m in bench.names.read(" ".join([*question.history, question.text]))))
    problems: list[str] = []
    for piece in pieces:
        if not piece.cited or piece.quoted or piece.inherits:
            continue
        held = {id_ for citation in piece.cited for fact in bench.behind(citation) for id_ in _entities(fact)}
        texts = (f"{citation.quote} {citation.section} {citation.title}" for citation in piece.cited)
        held |= {mention.entity for text in texts for mention in bench.names.read(text)}
        known = _family(bench, held)
        tools = any(citation.kind == "tool" for citation in piece.cited)
        reading = bench.reader.read(piece.text, answer.language)
        mentions = reading.whole.mentions
        problems += [
            f"names {mention.text}, which {_marks(piece)} doesn't speak of"
            for mention in mentions
            if mention.kind in EXACT and mention.entity not in known and not (tools and mention.entity in asked)
        ]
        problems += [
            f"names {unknown.text}, which no source knows"
            for unknown in reading.unknown
            if any(map(str.isdigit, unknown.text))
            and unknown.text not in question.text
            and not any(unknown.text in text for text in _texts(piece))
        ]
    return problems


def figures_of_others(pieces: list[Span], answer: Answer, bench: Bench) -> list[str]:
    """Pieces about one card or system that give it a figure which their passages hold of another."""
    problems: list[str] = []
    for piece in pieces:
        if piece.quoted or piece.row:
            continue
        named = {m.entity for m in bench.names.read(piece.text) if m.kind in ("gpu", "system")}
        families = {bench.family(id_) for id_ in named}
        if not named or any(not named <= family for family in families):
            continue
        family = frozenset(member for family in families for member in family)
        facts = [fact for citation in piece.cited for fact in bench.behind(citation)]
        for quantity in read_quantities(piece.text, answer.language):
            held = [fact for fact in facts if _gives(fact, quantity)]
            if held and not any(family & set(fact.about) for fact in held):
                problems.append(f"gives {quantity.text} to {', '.join(sorted(named))}, not to {held[0].about[0]}")
    return problems


def _gives(fact: Fact, quantity: Quantity) -> bool:
    value, unit = fact.value, fact.unit or ""
    if not isinstance(value, Decimal) or quantity.value is None:
        return False
    return same_quantity(quantity.value, value, unit=quantity.unit, other_unit=unit, step=quantity.step)


def _texts(piece: Span) -> list[str]:
    return [f"{citation.quote} {citation.title} {citation.section}" for citation in piece.cited]


def _entities(fact: Fact) -> Iterable[str]:
    provider = fact.qualifiers.provider
    compared = fact.qualifiers.compared_with
    return (*fact.about, *fact.names, *filter(None, (provider, compared, fact.attributed_to)))


def _family(bench: Bench, entities: Iterable[str]) -> frozenset[str]:
    return frozenset(member for id_ in entities for member in bench.family(id_))


def turned_statements(pieces: list[Span], answer: Answer, bench: Bench) -> list[str]:
    """Pieces that say a claim's sentence with a negation more or less than it has."""
    return [problem for piece in pieces if not (piece.row or piece.quoted) for problem in _turned(piece, answer, bench)]


def _turned(piece: Span, answer: Answer, bench: Bench) -> list[str]:
    # A value that was corrected is told as that, in a sentence of its own making.
    facts = {f.id: f for citation in piece.cited for f in bench.behind(citation) if not f.superseded}
    likeness = {
        id_: min(said_share(own, piece.text), said_share(piece.text, own))
        for id_, fact in facts.items()
        if (own := fact.statement.in_language(answer.language))
    }
    nearest = max(likeness, key=lambda id_: likeness[id_], default=None)
    if nearest is None or likeness[nearest] < _SAME:
        return []
    own = facts[nearest].statement.in_language(answer.language)
    same = denials(own, answer.language) == denials(piece.text, answer.language)
    return [] if same else [f"turns {nearest} round"]


def denials(text: str, language: Language) -> int:
    """How many words of denial a text has."""
    phrases = tuple(word.casefold() for word in lexicon().negation[language])
    return len(phrases_pattern(phrases).findall(text.casefold()))
