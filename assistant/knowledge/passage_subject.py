"""What a passage speaks of, by its own words: the label of its table row and the names in it.

Two passages that are alike but for a name speak of two things: the row of an H200 is no later wording of an H100's.
"""

import re
import unicodedata
from collections import Counter

from assistant.knowledge.claim import Claim
from assistant.language.quantities.quantity import read_quantities
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language

_FOLDS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "…": "..."})
_WORD = re.compile(r"[a-zA-Z0-9\u00c0-\u024f](?:[a-zA-Z0-9\u00c0-\u024f.+/_-]*[a-zA-Z0-9\u00c0-\u024f+])?")
_BEGINS = re.compile(r"(?:^|[|:;([\"'“‘*-])\s*\**\Z")
_MARKS = re.compile(r"[*_`\s]+")
_SIZE = "param"
_NAMES_SHARED = 0.5
"""Which part of the names a list must keep to be a later state of the same list."""


def folded(text: str) -> str:
    """A text with one kind of space, dash and quotation mark."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_FOLDS).split())


def masked(text: str, language: Language) -> str:
    """A text with every figure and date replaced by one sign, so that only its words are compared."""
    pieces, at = [], 0
    for quantity in read_quantities(text, language):
        pieces += [text[at : quantity.start], "#"]
        at = quantity.end
    return folded("".join([*pieces, text[at:]]))


def same_subject(claim: Claim, passage: str, language: Language) -> bool:
    """True where a passage of another edition speaks of the same thing as the claim's quote.

    A row must have the same label and as many cells; a sentence must name the same things. What the claim itself says
    may differ: names and words that are its value don't count.
    """
    if is_row(claim.quote):
        like = is_row(passage) and len(cells(passage)) == len(cells(claim.quote))
        return like and _same_label(claim, passage, language)
    was, now = names_in(claim.quote, language), names_in(passage, language)
    if claim.unit != _SIZE:
        was, now = was + _sizes(claim.quote, language), now + _sizes(passage, language)
    if claim.names:
        return sum((was & now).values()) >= _NAMES_SHARED * max(was.total(), now.total())
    if claim.text is not None:
        said = names_in(claim.text, language)
        return not (was - said) - now
    return was == now


def is_row(text: str) -> bool:
    return text.lstrip().startswith("|")


def cells(row: str) -> list[str]:
    """The cells of a table row without marks of emphasis."""
    return [_MARKS.sub(" ", cell).strip() for cell in folded(row).strip().strip("|").split("|")]


def _same_label(claim: Claim, passage: str, language: Language) -> bool:
    """A label is the same where its names and figures are, or, if it has none, its words."""
    was, now = cells(claim.quote)[0], cells(passage)[0]
    if was.casefold() == now.casefold():
        return True
    names = names_in(was, language)
    return bool(names) and names == names_in(now, language) and _figures(was, language) == _figures(now, language)


def _figures(text: str, language: Language) -> list[str]:
    return [one.text for one in read_quantities(text, language)]


def _sizes(text: str, language: Language) -> Counter[str]:
    """The parameter counts in a text: of a model they are part of the name, as in Llama 3.1 70B."""
    return Counter(str(one.value) for one in read_quantities(text, language) if one.unit == _SIZE)


def has_key(claim: Claim, language: Language) -> bool:
    """True where a label or a name tells the claim's quote from passages that are merely alike."""
    return is_row(claim.quote) or bool(names_in(claim.quote, language))


def names_in(text: str, language: Language) -> Counter[str]:
    """The names in a text, lower case: words with a digit or a capital within, and words with a capital first that
    don't begin a sentence or a cell. In Chinese every word in Latin letters is one."""
    found: Counter[str] = Counter()
    plain = masked(text, language)
    starts = {start for start, _ in sentence_spans(plain)}
    for match in _WORD.finditer(plain):
        word = match.group()
        begins = match.start() in starts or _BEGINS.search(plain, 0, match.start()) is not None
        if not any(character.isalpha() for character in word) and "." not in word:
            continue
        inner = word[1:] != word[1:].lower() or any(character.isdigit() for character in word)
        if inner or (language == "zh") or (word[0].isupper() and not begins):
            found[word.casefold()] += 1
    return found
