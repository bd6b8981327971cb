"""Feedback kept in a SQLite file of this machine."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from assistant.errors import AssistantError
from assistant.feedback.record import Feedback, FeedbackRecord
from assistant.private_database import opened_private

MOST_RECORDS = 100_000
"""The oldest are dropped beyond that."""
_WAIT_S = 5
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS feedback"
    " (id INTEGER PRIMARY KEY AUTOINCREMENT, given TEXT NOT NULL, json TEXT NOT NULL)"
)
_CHANGE = "UPDATE feedback SET given = ?, json = ? WHERE json_extract(json, '$.key') = ? RETURNING id"
_WITHDRAW = "DELETE FROM feedback WHERE json_extract(json, '$.key') = ?"


class FeedbackUnavailable(AssistantError):
    """The file of feedback can't be read or written."""

    exit_status = 3


class FeedbackStore:
    """Safe to use from several threads and processes: each call opens the file for itself."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "feedback.sqlite3"

    def add(self, feedback: Feedback) -> FeedbackRecord:
        """Keep a verdict; one with the same key is changed into it. Raises FeedbackUnavailable."""
        given = FeedbackRecord.now()
        with self._opened() as database, database:
            if feedback.key is not None:
                values = (given.isoformat(), feedback.model_dump_json(), feedback.key)
                changed = database.execute(_CHANGE, values).fetchone()
                if changed is not None:
                    return FeedbackRecord(id=changed[0], given=given, feedback=feedback)
            added = database.execute(
                "INSERT INTO feedback (given, json) VALUES (?, ?)", (given.isoformat(), feedback.model_dump_json())
            )
            number = added.lastrowid or 0
            database.execute("DELETE FROM feedback WHERE id <= ?", (number - MOST_RECORDS,))
        return FeedbackRecord(id=number, given=given, feedback=feedback)

    def withdraw(self, key: str) -> None:
        """Let go of the verdict with that key, if there is one. Raises FeedbackUnavailable."""
        if self._path.is_file():
            with self._opened() as database, database:
                database.execute(_WITHDRAW, (key,))

    def records(self) -> list[FeedbackRecord]:
        """All that is kept, oldest first. Raises FeedbackUnavailable."""
        if not self._path.is_file():
            return []
        with self._opened() as database:
            rows = database.execute("SELECT id, given, json FROM feedback ORDER BY id").fetchall()
        return [
            FeedbackRecord(id=id_, given=datetime.fromisoformat(given), feedback=Feedback.model_validate_json(json))
            for id_, given, json in rows
        ]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with opened_private(self._path, _SCHEMA, _WAIT_S) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise FeedbackUnavailable(f"{self._path}: the feedback can't be read or written: {error}.") from error
