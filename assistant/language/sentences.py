"""Where sentences end in Dutch, Danish, Chinese and English text."""

import re
from collections.abc import Iterator

# Abbreviations of the three languages whose full stop ends no sentence; Chinese has none.
_ABBREVIATIONS = frozenset(
    """
    a.k.a approx art bijv bl.a blz bv ca cf co d.w.z dr dvs e.g enz etc evt f.eks fig fx hhv i.e ift inc incl inkl
    kr m.fl m.m maks max mbt mht mia min mio mld mln nl no nr o.a osv p.g.a pct pr resp sept st t.o.v t.w.v tab tov
    u.s v.a vgl vol vs
    """.split()  # noqa: SIM905
)
_END = re.compile(r"[。！？；](?:\.|[”’」』）])*|[.!?…]+[\"'”’»)\]]*(?=\s)")
_LAST_WORD = re.compile(r"[\w.]+\Z")
_NEXT = re.compile(r"\s*(\S?)")
LONGEST_LOOKED_AT = 64
"""Characters looked back over for an abbreviation, so that text without sentences costs no more than its length."""


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it; together they cover all other characters."""
    start = 0
    for match in _END.finditer(text):
        if match.group().startswith(".") and not _ends_sentence(text, start, match):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def ends_in_abbreviation(text: str) -> bool:
    """True where the last word before a full stop at the end of `text` is an abbreviation."""
    word = _LAST_WORD.search(text.rstrip(".")) if text.endswith(".") else None
    return word is not None and word.group().lower() in _ABBREVIATIONS


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """False for the full stop of an abbreviation, of a numbered list, and before a word in lower case."""
    word = _LAST_WORD.search(text, max(start, match.start() - LONGEST_LOOKED_AT), match.start())
    if word is not None:
        last = word.group().lower()
        if last in _ABBREVIATIONS or (last.isdigit() and word.start() == start):
            return False
    following = _NEXT.match(text, match.end())
    return following is None or not following[1].islower()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
