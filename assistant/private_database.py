"""A SQLite file that only its owner may read: tokens, feedback."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened_private(path: Path, schema: str, wait_s: float) -> Iterator[sqlite3.Connection]:
    """The database at `path`, made where there is none; waits `wait_s` for another writer.

    Raises sqlite3.Error and OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=wait_s)) as database:
        path.chmod(0o600)
        database.execute(schema)
        yield database
