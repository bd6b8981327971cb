"""Where the words of a claim's quote stand in an edition of its article that no longer has them verbatim."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from difflib import SequenceMatcher

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.article import Article
from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.passage_subject import folded, has_key, is_row, masked, same_subject
from assistant.knowledge.period import Period
from assistant.language.quantities.quantity import Quantity, read_quantities, reads_back
from assistant.language.quantities.units import dimension_of
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language

_LIKE = 0.75
"""How alike two passages must be, figures apart, for one to be a later wording of the other."""
_LIKE_WITHOUT_NAME = 0.9
"""The same where neither a name nor a row's label says that both speak of one thing."""
_SAME_WORDING = 0.97


class Anchor(BaseModel):
    """The passage of the new edition that stands in the quote's place."""

    model_config = ConfigDict(frozen=True)

    quote: str
    holds_value: bool
    """True where the claim's value, or its words, can be read in it."""
    same_wording: bool
    """True where it differs from the quote in spaces, quotation marks and dashes alone."""
    says: str = ""
    """What it gives in place of the claim's value, as written."""


def find_anchor(claim: Claim, article: Article, others: Collection[str] = ()) -> Anchor | None:
    """The passage most like the claim's quote that speaks of the same thing, or None where there is none.

    `others` are the quotes of the article's other claims: a passage that one of them still quotes is theirs.
    """
    wanted = masked(claim.quote, article.language)
    best, likeness = "", 0.0
    for passage in _passages(article.body, claim.quote):
        if _belongs_to_another(passage, claim.quote, others) or not same_subject(claim, passage, article.language):
            continue
        matcher = SequenceMatcher(None, wanted, masked(passage, article.language), autojunk=False)
        if matcher.real_quick_ratio() <= likeness or matcher.quick_ratio() <= likeness:
            continue
        if (ratio := matcher.ratio()) > likeness:
            best, likeness = passage, ratio
    least = _LIKE if has_key(claim, article.language) else _LIKE_WITHOUT_NAME
    if likeness < least or article.body.count(best) != 1:
        return None
    holds = holds_value(claim, best, article.language)
    says = "" if holds else _says(claim, best, article)
    if says is None:
        return None
    same = holds and likeness >= _SAME_WORDING and folded(best) == folded(claim.quote)
    return Anchor(quote=best, holds_value=holds, same_wording=same, says=says)


def _belongs_to_another(passage: str, quote: str, others: Collection[str]) -> bool:
    return any(other in passage and other not in quote and quote not in other for other in others)


def holds_value(claim: Claim, passage: str, language: Language) -> bool:
    """True where a passage still says what the claim says."""
    if claim.text is not None:
        return folded(claim.text).casefold() in folded(passage).casefold()
    if isinstance(claim.value, Decimal | Range | Period):
        return reads_back(passage, language, claim.value, claim.unit) and not _lost(claim, passage, language)
    return folded(passage) == folded(claim.quote)


def _passages(body: str, quote: str) -> Iterator[str]:
    """Pieces of an article of about the quote's make: rows and lines, or as many sentences as the quote has."""
    count = max(1, sum(1 for _ in sentence_spans(quote)))
    for line in body.splitlines():
        text = line.strip()
        if not text:
            continue
        if is_row(quote) or is_row(text):
            yield text
            continue
        ends = list(sentence_spans(text))
        for place in range(max(1, len(ends) - count + 1)):
            last = min(place + count, len(ends)) - 1
            yield text[ends[place][0] : ends[last][1]]
    if not is_row(quote):
        yield from _likely_pieces(body, quote)


def _likely_pieces(body: str, quote: str) -> Iterator[str]:
    """The stretch around the longest words that the quote and the article share, as long as the quote is."""
    match = SequenceMatcher(None, body, quote, autojunk=False).find_longest_match()
    if match.size < min(12, len(quote) // 2):
        return
    start = max(0, match.a - match.b)
    end = min(len(body), start + len(quote))
    while end < len(body) and re.match(r"\w", body[end]):
        end += 1
    while 0 < start < match.a and re.match(r"\w", body[start - 1]):
        start += 1
    piece = body[start:end].strip()
    if "\n" not in piece:
        yield piece


def _says(claim: Claim, passage: str, article: Article) -> str | None:
    """The figure or date of the passage that stands where the claim's value stood; None where none of its kind does."""
    if not isinstance(claim.value, Decimal | Range | Period):
        return passage
    language = article.language
    now, before = read_quantities(passage, language), read_quantities(claim.quote, language)
    own = _own_places(before, claim, language)
    if own and len(now) == len(before):
        place = next((n for n in _lost(claim, passage, language)), own[0])
        return now[place].text if _comparable(now[place], before[place]) else None
    known = {one.text for one in before}
    kinds = {before[n].kind for n in own} or {one.kind for one in before}
    new = [one.text for one in now if one.text not in known and one.kind in kinds]
    return ", ".join(new) or None


def _lost(claim: Claim, passage: str, language: Language) -> list[int]:
    """Places of the claim's value in its quote at which the passage, with as many figures, gives another one."""
    now, before = read_quantities(passage, language), read_quantities(claim.quote, language)
    if len(now) != len(before):
        return []
    still = _own_places(now, claim, language)
    return [place for place in _own_places(before, claim, language) if place not in still]


def _own_places(quantities: Sequence[Quantity], claim: Claim, language: Language) -> list[int]:
    """Which of the figures read as the claim's value: in its unit, or, where none does, without one."""
    for unit in (claim.unit, None):
        found = [n for n, one in enumerate(quantities) if _is(one, claim, language, unit)]
        if found:
            return found
    return []


def _comparable(one: Quantity, other: Quantity) -> bool:
    """True where both measure the same: figures without a unit may measure anything."""
    if one.kind == "date" or other.kind == "date":
        return one.kind == other.kind
    return dimension_of(one.unit) == dimension_of(other.unit) or "" in (one.unit, other.unit)


def _is(one: Quantity, claim: Claim, language: Language, unit: str | None) -> bool:
    value = claim.value
    return isinstance(value, Decimal | Range | Period) and reads_back(one.text, language, value, unit)
