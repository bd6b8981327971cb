"""Whether a sentence without figures of its own says what a piece of evidence says, in nearly its words."""

from collections.abc import Sequence

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import Subjects
from assistant.answering.verification.figure import carries
from assistant.answering.verification.segment import Segment
from assistant.answering.verification.words import same_word
from assistant.knowledge.corpus import Corpus

# What turns a statement into another one must stand in both as often.
_TURNING = (
    "negation",
    "hedge",
    "condition",
    "cause",
    "universal",
    "more",
    "less",
    "cheaper",
    "dearer",
    "thriftier",
    "equal",
    "most",
    "least",
    "half",
    "made_up",
    "expected",
)
# Of ten telling words, one may be left out.
_LEFT_OUT = 0.1
_MOST_TOKENS = 120


def says(segment: Segment, carrier: Carrier, subjects: Subjects, corpus: Corpus) -> bool:
    """True where the segment says what the carrier says, of what it is said of."""
    named = segment.entities | subjects.known
    spoken_of = carrier.about & carrier.reading.whole.entities
    return (
        all(not named.isdisjoint(meaning) for meaning in carrier.required)
        and (not spoken_of or not named.isdisjoint(carrier.about))
        and says_what(segment, carrier, corpus)
    )


def says_what(segment: Segment, carrier: Carrier, corpus: Corpus) -> bool:
    """True where `segment` is the wording of the carrier, or of one of its sentences."""
    return any(
        _is_wording(segment, reading.whole, carrier, corpus) for reading in (carrier.reading, *carrier.sentences)
    )


def _is_wording(segment: Segment, source: Segment, carrier: Carrier, corpus: Corpus) -> bool:
    """True where names and telling words come in the source's order, with little left out."""
    if any(_count(segment, role) != _count(source, role) for role in _TURNING):
        return False
    if not all(any(carries(held, said) for held in (*source.figures, *carrier.figures)) for said in segment.figures):
        return False
    said, held = _tokens(segment), _tokens(source)
    if not said or not held or len(said) > _MOST_TOKENS or len(held) > _MOST_TOKENS:
        return False
    shared = _shared(said, held, corpus)
    if shared == len(said) - 1 and carrier.reading.language == "nl":
        # "CUDA-code kan niet rechtstreeks op AMD draaien": beside an auxiliary, the verb goes to the end.
        shared = max(shared, _with_verb_last(said, held, corpus), _with_verb_last(held, said, corpus))
    return shared == len(said) and len(held) - shared <= int(_LEFT_OUT * len(held))


def _with_verb_last(one: Sequence[str], other: Sequence[str], corpus: Corpus) -> int:
    """How many tokens are shared where the last of one stands elsewhere in the other."""
    last = one[-1]
    place = next((n for n, word in enumerate(other) if word[0].isalpha() and same_word(word, last)), None)
    return 0 if place is None else 1 + _shared(one[:-1], [*other[:place], *other[place + 1 :]], corpus)


def _count(segment: Segment, role: str) -> int:
    return sum(role in word.roles for word in segment.words)


def likeness(segment: Segment, carrier: Carrier, corpus: Corpus) -> float:
    """Share of the segment's names and telling words, in order, that the carrier's statement has too."""
    said, held = _tokens(segment)[:_MOST_TOKENS], _tokens(carrier.reading.whole)[:_MOST_TOKENS]
    return _shared(said, held, corpus) / max(len(said), 1)


def _tokens(segment: Segment) -> list[str]:
    """Names and telling words in order; Chinese character by character."""
    items: list[tuple[int, str]] = [(m.start, f"@{m.entity}") for m in segment.mentions]
    items += [(f.start, "#") for f in segment.figures]
    for word in segment.words:
        if "plain" not in word.roles or word.roles.intersection(_TURNING):
            if "negation" in word.roles:
                items.append((word.start, "¬"))
            elif "\u3400" <= word.text[0] <= "\u9fff" and not word.roles:
                items += [(word.start + n, character) for n, character in enumerate(word.text)]
            else:
                items.append((word.start, word.text))
    return [token for _, token in sorted(items, key=lambda item: item[0])]


def _names(said: str, held: str, corpus: Corpus) -> bool:
    return said == held or said in corpus.ancestors(held)


def _alike(one: str, other: str, corpus: Corpus) -> bool:
    if one[0] == "@" or other[0] == "@":
        return one[0] == other[0] and _names(one[1:], other[1:], corpus)
    return same_word(one, other)


def _shared(said: Sequence[str], held: Sequence[str], corpus: Corpus) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(held) + 1)
    for one in said:
        diagonal = 0
        for place, other in enumerate(held, 1):
            above = row[place]
            row[place] = diagonal + 1 if _alike(one, other, corpus) else max(above, row[place - 1])
            diagonal = above
    return row[-1]
