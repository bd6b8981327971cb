"""How every error of the application becomes a response, in the form that its caller understands."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from assistant.errors import AssistantError
from assistant.interfaces.api.ask import ClientLeft
from assistant.interfaces.asgi import path_within
from assistant.interfaces.problem import WENT_WRONG, detail_of, refusal, status_of
from assistant.reason import is_rule_broken, reason

_LOG = logging.getLogger(__name__)
_CLIENT_CLOSED = 499
RETRY_AFTER_S = 5


def add_refusals(app: FastAPI) -> None:
    """Let the application answer errors as problem details."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(AssistantError, _expected)
    app.add_exception_handler(ClientLeft, _left)
    app.add_exception_handler(Exception, _unexpected)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return refusal(path_within(request.scope), _invalid_status(error), broken_rule(error.errors(), error.body))


def _invalid_status(error: RequestValidationError) -> int:
    """422 where what is given is of the described form and still can't be, else 400."""
    parts = {one["loc"][0] for one in error.errors()}
    return 422 if all(is_rule_broken(*_within(part, error.errors(), error.body)) for part in parts) else 400


def broken_rule(errors: Sequence[Mapping[str, Any]], body: object = None) -> str:
    """The first thing wrong with a request in one line: where, and what."""
    first = errors[0]
    part = first["loc"][0]
    if first["type"] == "json_invalid":
        return f"The body is no JSON: {first['ctx']['error']} at character {first['loc'][-1]}."
    found, given = _within(part, errors, body)
    if found[0]["loc"] or first["type"].startswith("union_tag"):
        return f"{reason(found, given)}."
    if isinstance(body, bytes):
        return "The body must be JSON, sent with content-type: application/json."
    return f"The {part} {reason(found)}."


def _within(part: object, errors: Sequence[Mapping[str, Any]], body: object) -> tuple[list[Mapping[str, Any]], object]:
    """The errors in a part of the request, seen from there, and what was given there where that is known."""
    found: list[Mapping[str, Any]] = [{**one, "loc": one["loc"][1:]} for one in errors if one["loc"][0] == part]
    return found, body if part == "body" else None


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    said = _unreadable(error.__cause__) or str(error.detail or "")
    allowed = next((value for name, value in headers.items() if name.lower() == "allow"), "")
    detail = detail_of(error.status_code, said, allowed)
    return refusal(path_within(request.scope), error.status_code, detail, headers)


def _unreadable(cause: BaseException | None) -> str:
    """Why a body could not be read, where the framework says no more than that; empty for other refusals."""
    match cause:
        case UnicodeDecodeError():
            return f"The body is no UTF-8: byte {cause.object[cause.start]:#04x} at position {cause.start}."
        case RecursionError():
            return "The body is nested too deeply."
        case ValueError() if "integer string conversion" in str(cause):
            return "The body holds a number of too many digits."
        case _:
            return ""


async def _expected(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssistantError)
    status = status_of(error)
    headers = {"retry-after": str(RETRY_AFTER_S)} if status == 503 else None
    return refusal(path_within(request.scope), status, str(error), headers)


async def _left(request: Request, error: Exception) -> Response:
    # Nobody reads this; the status is for the log.
    return Response(status_code=_CLIENT_CLOSED)


async def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.error("unexpected error", exc_info=error)
    return refusal(path_within(request.scope), 500, WENT_WRONG)
