"""What is sent where a request is refused: problem details (RFC 9457), or what OpenAI clients read."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import AssistantError, FileUnavailable, InvalidInput

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"
OPENAI_PREFIX = "/v1"
"""Below this path callers speak the OpenAI protocol."""
NOTHING_HERE = "There is nothing at this path."
WENT_WRONG = "Something went wrong here; the log says what."
_OPENAI_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class Problem(BaseModel):
    """Why a request was refused, or could not be carried out."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(default="about:blank", description="Kind of problem; about:blank means what the status means.")
    title: str = Field(description="The status in words.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is wrong with this request, and what to do.")


class OpenAIProblem(BaseModel):
    """The problem as the OpenAI protocol has it."""

    model_config = ConfigDict(frozen=True)

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class OpenAIError(BaseModel):
    """An error as OpenAI clients read it."""

    model_config = ConfigDict(frozen=True)

    error: OpenAIProblem


def problem(status: int, detail: str) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)


def openai_error(status: int, detail: str) -> OpenAIError:
    kind = "server_error" if status >= 500 else _OPENAI_KINDS.get(status, "invalid_request_error")
    return OpenAIError(error=OpenAIProblem(message=detail, type=kind))


def problem_of(error: AssistantError) -> Problem:
    return problem(status_of(error), str(error))


def refusal(path: str, status: int, detail: str, headers: dict[str, str] | None = None) -> "Response":
    """The response to a request for `path` that is refused, in the form that its caller understands."""
    from starlette.responses import Response

    if is_below(path, OPENAI_PREFIX):
        body, kind = openai_error(status, detail).model_dump_json(), "application/json"
    else:
        body, kind = problem(status, detail).model_dump_json(), MEDIA_TYPE
    return Response(body, status, headers=headers, media_type=kind)


def detail_of(status: int, said: str, allowed: str = "") -> str:
    """What a refusal says; where a framework says no more than the status, what that means here."""
    standing = HTTPStatus(status)
    if said not in ("", standing.phrase, standing.description):
        return said
    if status == HTTPStatus.NOT_FOUND:
        return NOTHING_HERE
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return WENT_WRONG
    if status == HTTPStatus.METHOD_NOT_ALLOWED and allowed:
        return f"This path takes {allowed}."
    return f"{standing.description or standing.phrase}."


def is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


def status_of(error: AssistantError) -> int:
    """422 for what can't be done with this input, 503 for what this server can't do at present."""
    return 422 if isinstance(error, InvalidInput) and not isinstance(error, FileUnavailable) else 503


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How the description of the API tells of problems with these statuses, and with those that any call may have."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in sorted({*statuses, 400, 401, 403, 421, 422, 429, 503})
    }


def leads_to(operation: str, **parameters: str) -> dict[str, Any]:
    """How the description tells that a response holds what another call takes: JSON pointers into its body."""
    return {
        operation: {
            "operationId": operation,
            "parameters": {name: f"$response.body#{pointer}" for name, pointer in parameters.items()},
        }
    }
