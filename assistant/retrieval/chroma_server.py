"""Vectors on a Chroma server, which several processes and machines share.

Each build has collections of its own there, so that a new one can be written while the one in use is searched, and
all readers change over when the index folder's pointer does. A server that doesn't answer is left alone for some
seconds; meanwhile the vectors in the index folder are searched instead.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from assistant.errors import IndexUnavailable
from assistant.language.tongue import Language
from assistant.retrieval.collections import Collections, Content, Keys, VectorsSilent
from assistant.retrieval.vectors import FloatArray

SEARCH_SECONDS = 2.0
"""How long a search may wait for the server."""
WRITE_SECONDS = 120.0
CONNECT_SECONDS = 1.0
LEFT_ALONE_SECONDS = 5.0
"""How long a server that didn't answer isn't asked again."""
LISTED_AT_ONCE = 100

_log = logging.getLogger(__name__)
Result = TypeVar("Result")


class ChromaServer:
    """A server by its address. `space` keeps the collections of one index folder apart from those of others."""

    def __init__(self, url: str, space: str) -> None:
        self.url, self._space = url, space

    def collections_for_writing(self, build: str) -> Collections:
        """Collections of a new build. Raises IndexUnavailable where the server doesn't answer."""
        with self._answering():
            return Collections(self._client(WRITE_SECONDS), self.url, self._prefix(build))

    def collections_for_search(self, build: str) -> "ServedCollections":
        """Collections of a build that is written."""
        return ServedCollections(
            lambda: Collections(self._client(SEARCH_SECONDS), self.url, self._prefix(build)), self.url
        )

    def keep_only(self, builds: Collection[str]) -> None:
        """Drop the collections of all other builds of this index folder. Raises IndexUnavailable."""
        kept = tuple(self._prefix(build) for build in builds)
        with self._answering():
            client = self._client(WRITE_SECONDS)
            try:
                names = [name for name in _names(client) if name.startswith(f"{self._space}.")]
                for name in names:
                    if not name.startswith(kept):
                        client.delete_collection(name)
            finally:
                client.close()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, ConnectionError, ValueError) as error:
            raise IndexUnavailable(
                f"The Chroma server at {self.url} doesn't answer.", "Start it, or unset ASSISTANT_CHROMA_URL."
            ) from error

    def _prefix(self, build: str) -> str:
        return f"{self._space}.{build}."

    def _client(self, seconds: float) -> Any:
        import chromadb
        from chromadb.config import Settings

        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        client = chromadb.HttpClient(
            parts.hostname or "",
            parts.port or (443 if secure else 80),
            ssl=secure,
            settings=Settings(anonymized_telemetry=False),
        )
        # Chroma's client waits for ever and has no setting for it.
        client._server._session.timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)  # type: ignore[attr-defined]
        return client


class ServedCollections:
    """The collections of one build as a reader sees them, opened when the server answers. Safe between threads."""

    def __init__(self, connect: Callable[[], Collections], url: str) -> None:
        self._connect, self._url = connect, url
        self._counts: dict[tuple[Content, Language], int] = {}
        self._collections: Collections | None = None
        self._lock = threading.Lock()
        self._asked_again_at = 0.0

    def open(self, content: Content, language: Language, count: int) -> None:
        """Opened at once where the server answers, and otherwise when it does."""
        self._counts[content, language] = count
        try:
            self._asked(lambda opened: opened.open(content, language, count))
        except VectorsSilent:
            return

    def nearest(self, content: Content, language: Language, vector: FloatArray, count: int) -> tuple[Keys, FloatArray]:
        try:
            return self._asked(lambda opened: opened.nearest(content, language, vector, count))
        except IndexUnavailable as error:
            # The server has come back without what it held.
            raise self._silent(error) from error

    def close(self) -> None:
        with self._lock:
            if self._collections is not None:
                self._collections.close()
                self._collections = None

    def _asked(self, ask: Callable[[Collections], Result]) -> Result:
        from chromadb.errors import ChromaError

        if time.monotonic() < self._asked_again_at:
            raise VectorsSilent(self._url)
        try:
            return ask(self._opened())
        except (httpx.HTTPError, ConnectionError, ChromaError, ValueError, KeyError, VectorsSilent) as error:
            raise self._silent(error) from error

    def _silent(self, error: Exception) -> VectorsSilent:
        self._asked_again_at = time.monotonic() + LEFT_ALONE_SECONDS
        _log.warning("The Chroma server at %s doesn't answer; the vectors on disk are searched: %s", self._url, error)
        return VectorsSilent(self._url)

    def _opened(self) -> Collections:
        with self._lock:
            if self._collections is None:
                opened = self._connect()
                try:
                    for (content, language), count in self._counts.items():
                        opened.open(content, language, count)
                except (httpx.HTTPError, IndexUnavailable):
                    opened.close()
                    raise
                self._collections = opened
            return self._collections


def _names(client: Any) -> Iterator[str]:
    names: list[str] = []
    while page := client.list_collections(limit=LISTED_AT_ONCE, offset=len(names)):
        names += [collection.name for collection in page]
    return iter(names)
