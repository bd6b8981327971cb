"""Whether a text carries an accepted wording, in any of the four languages."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_HAN = "\u3400-\u9fff"
# A letter or digit of an alphabet; Chinese characters may stand right beside a name.
_BEFORE = rf"(?<![^\W{_HAN}])"
_AFTER = rf"(?![^\W{_HAN}])"


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=8192)
def _pattern(wording: str) -> re.Pattern[str]:
    stem = folded(wording).removesuffix("*")
    escaped = r"[\s\-‐‑]+".join(re.escape(word) for word in re.split(r"[\s‐‑-]+", stem))
    if re.search(rf"[{_HAN}]", stem):
        return re.compile(escaped.replace(r"[\s\-‐‑]+", r"[\s\-‐‑]*"))
    return re.compile(_BEFORE + escaped + (r"\w*" if wording.endswith("*") else _AFTER))


def carries(text: str, wordings: Iterable[str]) -> bool:
    """True where one of the wordings stands in the text: whole words, * for any ending, + for "and also"."""
    seen = folded(text)
    return any(
        all(_pattern(part.strip()).search(seen) for part in re.split(r"\s\+\s", wording)) for wording in wordings
    )


def carries_each(text: str, wordings: Iterable[str]) -> bool:
    """True where every wording stands in the text; | separates alternatives of one."""
    return all(carries(text, wording.split(" | ")) for wording in wordings)
