"""Where the words of a claim's quote stand in an edition of its article that no longer has them verbatim."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from difflib import SequenceMatcher

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.article import Article
from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.period import Period
from assistant.language.quantity import Quantity, read_quantities, reads_back
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language

_LIKE = 0.75
"""How alike two passages must be, figures apart, for one to be a later wording of the other."""
_SAME_WORDING = 0.97
_FOLDS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "…": "..."})


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


def find_anchor(claim: Claim, article: Article) -> Anchor | None:
    """The passage most like the claim's quote, or None where nothing is like it."""
    wanted = masked(claim.quote, article.language)
    best, likeness = "", 0.0
    for passage in _passages(article.body, claim.quote):
        matcher = SequenceMatcher(None, wanted, masked(passage, article.language), autojunk=False)
        if matcher.real_quick_ratio() <= likeness or matcher.quick_ratio() <= likeness:
            continue
        if (ratio := matcher.ratio()) > likeness:
            best, likeness = passage, ratio
    if likeness < _LIKE or article.body.count(best) != 1:
        return None
    holds = holds_value(claim, best, article.language)
    same = holds and likeness >= _SAME_WORDING and _folded(best) == _folded(claim.quote)
    return Anchor(quote=best, holds_value=holds, same_wording=same, says="" if holds else _says(claim, best, article))


def holds_value(claim: Claim, passage: str, language: Language) -> bool:
    """True where a passage still says what the claim says."""
    if claim.text is not None:
        return _folded(claim.text).casefold() in _folded(passage).casefold()
    if isinstance(claim.value, Decimal | Range | Period):
        return reads_back(passage, language, claim.value, claim.unit)
    return _folded(passage) == _folded(claim.quote)


def masked(text: str, language: Language) -> str:
    """A text with every figure and date replaced by one sign, so that only its words are compared."""
    pieces, at = [], 0
    for quantity in read_quantities(text, language):
        pieces += [text[at : quantity.start], "#"]
        at = quantity.end
    return _folded("".join([*pieces, text[at:]]))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_FOLDS).split())


def _passages(body: str, quote: str) -> Iterator[str]:
    """Pieces of an article of about the quote's make: rows and lines, or as many sentences as the quote has."""
    count = max(1, sum(1 for _ in sentence_spans(quote)))
    for line in body.splitlines():
        text = line.strip()
        if not text:
            continue
        if quote.startswith("|") or text.startswith("|"):
            yield text
            continue
        ends = list(sentence_spans(text))
        for place in range(max(1, len(ends) - count + 1)):
            last = min(place + count, len(ends)) - 1
            yield text[ends[place][0] : ends[last][1]]
    if not quote.startswith("|"):
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
    piece = body[start:end].strip()
    if "\n" not in piece:
        yield piece


def _says(claim: Claim, passage: str, article: Article) -> str:
    """The figure or date of the passage that stands where the claim's value stood."""
    now = read_quantities(passage, article.language)
    before = read_quantities(claim.quote, article.language)
    if isinstance(claim.value, Decimal | Range | Period):
        place = next((n for n, one in enumerate(before) if _is(one, claim, article.language)), None)
        if place is not None and len(now) == len(before):
            return now[place].text
        known = {one.text for one in before}
        new = [one.text for one in now if one.text not in known]
        if new:
            return ", ".join(new)
    return passage


def _is(one: Quantity, claim: Claim, language: Language) -> bool:
    value = claim.value
    return isinstance(value, Decimal | Range | Period) and reads_back(one.text, language, value, None)
