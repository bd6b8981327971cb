"""What the routes need of the application that they are part of."""

from typing import Annotated

from fastapi import Depends, Request

from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.workers import Workers


def _opening(request: Request) -> Opening:
    opening: Opening = request.app.state.opening
    return opening


def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers


Knowledge = Annotated[Opening, Depends(_opening)]
Threads = Annotated[Workers, Depends(_workers)]
