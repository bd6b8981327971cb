"""Whether a request was caused by a page of this server, or by one that may call it."""

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def is_foreign(method: str, headers: Mapping[str, str], allowed: Collection[str]) -> bool:
    """True for a call that a browser made for a page of an origin that isn't allowed; reading is left to CORS."""
    if method in _SAFE:
        return False
    origin = headers.get("origin", "")
    if origin and origin.lower() in allowed:
        return False
    # The browser's own word, which no page can change; it is sent over https and to this machine.
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    return bool(origin) and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
