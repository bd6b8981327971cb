"""Hashes of what a run depends on, so that two runs are compared only where that makes sense."""

import hashlib
from collections.abc import Iterable

from assistant.settings import ROOT


def hash_of_code() -> str:
    """Hash over the program and its word lists, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for folder in ("assistant", "evals"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT)
            if path.suffix in (".py", ".yaml", ".html") and path.is_file() and inside.parts[:2] != ("evals", "suite"):
                digest.update(str(inside).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def hash_of_keys(keys: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:16]
