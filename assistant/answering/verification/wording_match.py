"""Whether a sentence without figures of its own says what a piece of evidence says, in nearly its words."""

from collections.abc import Sequence

from assistant.answering.verification.carrier import Carrier
from assistant.answering.verification.evidence_set import Subjects
from assistant.answering.verification.figure import carries
from assistant.answering.verification.lexicon import alike_words, han_pieces
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
# Between a preposition and its name an article may stand.
_AN_ARTICLE = 5


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
    if shared < len(said):
        shared = max(shared, _with_phrases_moved(segment, source, corpus))
    return shared == len(said) and len(held) - shared <= int(_LEFT_OUT * len(held))


def _with_phrases_moved(segment: Segment, source: Segment, corpus: Corpus) -> int:
    """How many tokens are shared where phrases such as "with ROCm 10", and one word besides, stand elsewhere."""
    own, theirs = _phrases(segment), _phrases(source)
    # Of two phrases with one preposition, each could be the other.
    names = {
        name
        for before, name in set(own) & set(theirs)
        if all(sum(other == before for other, _ in some) == 1 for some in (own, theirs))
    }
    said = [token for token in _tokens(segment) if token not in names]
    held = [token for token in _tokens(source) if token not in names]
    apart = len(_tokens(segment)) - len(said)
    shared = _shared(said, held, corpus)
    if shared == len(said) - 1:
        telling = {alike_words().get(word.text, word.text) for word in segment.content}
        shared = max((_without(said, held, word, corpus) for word in said if word in telling), default=shared)
    return apart + shared


def _without(said: Sequence[str], held: Sequence[str], word: str, corpus: Corpus) -> int:
    """How many tokens are shared where one word of both stands elsewhere."""
    place = next((n for n, other in enumerate(held) if other[0].isalpha() and same_word(word, other)), None)
    if place is None or said.count(word) > 1:
        return 0
    rest = [other for other in said if other != word]
    return 1 + _shared(rest, [*held[:place], *held[place + 1 :]], corpus)


def _phrases(segment: Segment) -> list[tuple[str, str]]:
    """Names with the preposition in front of them."""
    return [
        (word.text, f"@{mention.entity}")
        for word in segment.words
        for mention in segment.mentions
        if "beside" in word.roles and 0 <= mention.start - word.end <= _AN_ARTICLE
    ]


def _count(segment: Segment, role: str) -> int:
    return sum(role in word.roles for word in segment.words)


def likeness(segment: Segment, carrier: Carrier, corpus: Corpus) -> float:
    """Share of the segment's names and telling words, in order, that the carrier's statement has too."""
    said, held = _tokens(segment)[:_MOST_TOKENS], _tokens(carrier.reading.whole)[:_MOST_TOKENS]
    return _shared(said, held, corpus) / max(len(said), 1)


def _tokens(segment: Segment) -> list[str]:
    """Names and telling words in order, of words that say the same the first; Chinese character by character."""
    alike = alike_words()
    named = {mention.start - space for mention in segment.mentions for space in (0, 1)}
    items: list[tuple[int, str]] = [(m.start, f"@{m.entity}") for m in segment.mentions]
    items += [(f.start, "#") for f in segment.figures]
    for word in segment.words:
        if "plain" not in word.roles or word.roles.intersection(_TURNING):
            if "claimed" in word.roles and any(
                "claimed" in other.roles for other in segment.words[: segment.words.index(word)]
            ):
                continue
            if "negation" in word.roles:
                items.append((word.start, "¬"))
            elif "\u3400" <= word.text[0] <= "\u9fff" and not word.roles:
                # 用 CUDA is "with CUDA".
                run = word.text.removesuffix("用") if word.end in named else word.text
                pieces = han_pieces().finditer(run)
                items += [(word.start + piece.start(), alike.get(piece[0], piece[0])) for piece in pieces]
            else:
                items.append((word.start, alike.get(word.text, word.text)))
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
