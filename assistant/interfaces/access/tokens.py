"""Tokens of programs and people: made once, kept as hashes, with a scope and an end, and revocable."""

import hashlib
import hmac
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from assistant.errors import AssistantError, InvalidInput
from assistant.private_database import opened_private

Scope = Literal["ask", "feedback", "metrics"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

_FORM = re.compile(r"^gpa_([0-9a-f]{8})_([A-Za-z0-9_-]{43})$")
_WAIT_S = 5
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash BLOB NOT NULL,"
    " scopes TEXT NOT NULL, created TEXT NOT NULL, expires TEXT, revoked TEXT)"
)
_COLUMNS = "id, name, scopes, created, expires, revoked"


class TokensUnavailable(AssistantError):
    """The file of tokens can't be read or written."""

    exit_status = 3


class TokenRefused(InvalidInput):
    """A token that opens nothing: malformed, unknown, expired or revoked."""


class Token(BaseModel):
    """What is known of a token; the token itself is shown once, when it is made."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    scopes: frozenset[Scope]
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None

    def state(self, now: datetime) -> Literal["valid", "expired", "revoked"]:
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "valid"


class TokenStore:
    """The tokens in a SQLite file. Safe to use from several threads and processes: each call opens the file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "access.sqlite3"

    def new(self, name: str, scopes: frozenset[Scope], days: int | None) -> tuple[Token, str]:
        """A token and its text, which is nowhere kept. `days` until it expires; None for never."""
        created = _now()
        id_, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        expires = created + timedelta(days=days) if days is not None else None
        token = Token(id=id_, name=name, scopes=scopes, created=created, expires=expires)
        row = (id_, name, _hash(secret), ",".join(sorted(scopes)), created.isoformat(), _text(expires))
        with self._opened() as database, database:
            database.execute(
                "INSERT INTO tokens (id, name, hash, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?)", row
            )
        return token, f"gpa_{id_}_{secret}"

    def all(self) -> list[Token]:
        """Every token, oldest first."""
        if not self._path.is_file():
            return []
        with self._opened() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM tokens ORDER BY created, id").fetchall()  # noqa: S608
        return [_token(row) for row in rows]

    def revoke(self, id_: str) -> Token:
        """End a token at once. Raises InvalidInput where there is none of that id."""
        with self._opened() as database, database:
            database.execute("UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (_text(_now()), id_))
            row = database.execute(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", (id_,)).fetchone()  # noqa: S608
        if row is None:
            raise InvalidInput(f"There is no token {id_[:20]!r}.", "See 'gpu-assistant tokens list'.")
        return _token(row)

    def check(self, text: str) -> Token:
        """The token that the text is. Raises TokenRefused saying why it opens nothing, TokensUnavailable."""
        form = _FORM.match(text)
        if form is None:
            raise TokenRefused("This is no token of this server.")
        row = None
        if self._path.is_file():
            with self._opened() as database:
                query = f"SELECT {_COLUMNS}, hash FROM tokens WHERE id = ?"  # noqa: S608
                row = database.execute(query, (form[1],)).fetchone()
        # Compared also where there is no such id, so that the time taken tells nothing.
        kept = row[-1] if row is not None else bytes(32)
        if not hmac.compare_digest(kept, _hash(form[2])) or row is None:
            raise TokenRefused("This token is not known here.")
        token = _token(row[:-1])
        state = token.state(_now())
        if state != "valid":
            raise TokenRefused(f"This token is {state}.")
        return token

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with opened_private(self._path, _SCHEMA, _WAIT_S) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise TokensUnavailable(f"{self._path}: the tokens can't be read or written: {error}.") from error


def _hash(secret: str) -> bytes:
    """Of 256 random bits, so nothing slower is needed: they can't be guessed from a dictionary."""
    return hashlib.sha256(secret.encode()).digest()


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None


def _token(row: tuple[str, str, str, str, str | None, str | None]) -> Token:
    id_, name, scopes, created, expires, revoked = row
    return Token.model_validate(
        {"id": id_, "name": name, "scopes": scopes.split(","), "created": created, "expires": expires,
         "revoked": revoked}
    )  # fmt: skip
