"""The assistant over the index in use: another takes its place when a new index is published, without a restart."""

import logging
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.retrieval.location import CURRENT

LOOK_SECONDS = 1.0
RETIRED_SECONDS = 120.0
"""How long the assistant before lives on for the answers that it has begun."""

_log = logging.getLogger(__name__)


class CurrentAssistant:
    """Looks every second whether another build is in use, or another day has begun, and opens it beside the old one.

    A question is answered by one assistant from beginning to end. Where the new one can't be opened the old one stays,
    and it is tried again.
    """

    def __init__(self, assistant: Assistant, index: Path, reopen: Callable[[], Assistant]) -> None:
        self._assistant, self._pointer, self._reopen = assistant, index / CURRENT, reopen
        self._seen = self._version()
        self._ended = threading.Event()
        self._told = ""
        threading.Thread(target=self._watch, name="renewal", daemon=True).start()

    def assistant(self) -> Assistant:
        return self._assistant

    def close(self) -> None:
        """Look no more."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            version = self._version()
            if version != self._seen and version[0]:
                self._renew(version)

    def _renew(self, version: tuple[str, date]) -> None:
        try:
            renewed = self._reopen()
        except (AssistantError, OSError) as error:
            if str(error) != self._told:
                _log.warning("The new index can't be opened, so the one before stays in use: %s", error)
            self._told = str(error)
            return
        retired, self._assistant, self._seen, self._told = self._assistant, renewed, version, ""
        _log.info("The index of %s is in use.", version[0])
        if retired is not renewed:
            closing = threading.Timer(RETIRED_SECONDS, retired.index.close)
            closing.daemon = True
            closing.start()

    def _version(self) -> tuple[str, date]:
        try:
            return self._pointer.read_text(encoding="ascii").strip(), date.today()
        except (OSError, UnicodeDecodeError):
            return "", date.today()
