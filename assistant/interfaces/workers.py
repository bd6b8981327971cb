"""The threads that answers are made in: as many as the machine can use, and a bounded line before them."""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from assistant.errors import AssistantError
from assistant.settings import Settings

Result = TypeVar("Result")
Item = TypeVar("Item")

MOST_WAITING = 500
# An answer that a language model writes is mostly waiting for it; a composed one is mostly computing.
_WITH_MODEL = 32


class Overloaded(AssistantError):
    """More is asked for than can be worked off."""

    exit_status = 3


class Workers:
    """Runs functions and iterators in threads. For one event loop."""

    def __init__(self, threads: int) -> None:
        self._limiter = CapacityLimiter(threads)

    @classmethod
    def of(cls, settings: Settings) -> "Workers":
        return cls(_WITH_MODEL if settings.uses_language_model else max(2, os.cpu_count() or 2))

    async def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns. Raises Overloaded, and what `work` raises."""
        if self._limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise Overloaded("The server has too much to do.", "Try again in a few seconds.")
        return await to_thread.run_sync(work, limiter=self._limiter)

    async def iterate(self, items: Iterator[Item]) -> AsyncGenerator[Item]:
        """The items as they come; a generator is closed as soon as nobody takes any more."""
        ended = object()
        try:
            while (item := await self.run(lambda: next(items, ended))) is not ended:
                yield item  # type: ignore[misc]
        finally:
            if isinstance(items, Generator):
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(items.close)
