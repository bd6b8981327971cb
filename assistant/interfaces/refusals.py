"""How every error of the application becomes a response, in the form that its caller understands."""

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from assistant.errors import AssistantError
from assistant.interfaces.api.ask import ClientLeft
from assistant.interfaces.asgi import path_within
from assistant.interfaces.problem import refusal, status_of

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
    return refusal(path_within(request.scope), _invalid_status(error), _invalid_detail(error))


def _invalid_status(error: RequestValidationError) -> int:
    """422 where only a rule is broken that no schema can express, else 400."""
    return 422 if all(one["type"] == "value_error" for one in error.errors()) else 400


def _invalid_detail(error: RequestValidationError) -> str:
    """The first thing wrong with a request in one line: where, and what."""
    first, *others = error.errors()
    # The branches of a union have names with brackets, which say nothing to a caller.
    place = ".".join(str(part) for part in first["loc"] if part != "body" and "(" not in str(part))
    more = f" (and {len(others)} more)" if others else ""
    message = first["ctx"]["error"] if first["type"] == "json_invalid" else first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}{more}." if place else f"{message}{more}."


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = str(error.detail) if error.detail else HTTPStatus(error.status_code).description
    return refusal(path_within(request.scope), error.status_code, detail, dict(error.headers or {}))


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
    return refusal(path_within(request.scope), 500, "Something went wrong here; the log says what.")
