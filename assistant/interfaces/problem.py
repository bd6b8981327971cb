"""Errors of the HTTP API as problem details (RFC 9457)."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import AssistantError, FileUnavailable, InvalidInput

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """Why a request was refused, or could not be carried out."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(default="about:blank", description="Kind of problem; about:blank means what the status means.")
    title: str = Field(description="The status in words.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is wrong with this request, and what to do.")


def problem(status: int, detail: str) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)


def problem_of(error: AssistantError) -> Problem:
    return problem(status_of(error), str(error))


def problem_response(status: int, detail: str, headers: dict[str, str] | None = None) -> "Response":
    """A problem as a response."""
    from starlette.responses import Response

    return Response(problem(status, detail).model_dump_json(), status, headers=headers, media_type=MEDIA_TYPE)


def status_of(error: AssistantError) -> int:
    """422 for what can't be done with this input, 503 for what this server can't do at present."""
    return 422 if isinstance(error, InvalidInput) and not isinstance(error, FileUnavailable) else 503


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How the description of the API tells of problems with these statuses."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }
