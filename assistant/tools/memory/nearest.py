"""Names close to one that is unknown, for the error that refuses it."""

import difflib
from collections.abc import Iterable


def _bare(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def nearest_names(name: str, known: Iterable[str], *, limit: int = 3) -> list[str]:
    """Up to `limit` known names that are spelled most like `name`, best first; never empty where any is known."""
    by_bare: dict[str, str] = {}
    for candidate in known:
        by_bare.setdefault(_bare(candidate), candidate)
    wanted = _bare(name)[:200]
    inside = [bare for bare in by_bare if wanted and (wanted in bare or bare in wanted)]
    close = difflib.get_close_matches(wanted, by_bare, n=limit, cutoff=0.0)
    ordered = dict.fromkeys([*sorted(inside, key=lambda bare: abs(len(bare) - len(wanted))), *close])
    return [by_bare[bare] for bare in ordered][:limit]
