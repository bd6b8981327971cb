"""The OpenAPI description of the application, with what its routes refer to by name."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from assistant.interfaces.problem import Problem

DESCRIPTION = """\
Cited, verified answers on GPUs for AI in Dutch, Danish, Chinese and English.

Errors are problem details (RFC 9457): 400 for a request that breaks this description, 422 for one that asks for what
can't be, 503 for what the server can't do at present.
"""


class DescribedApp(FastAPI):
    """An application whose description names the shape of its problems and how callers say who they are."""

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            schema = get_openapi(title=self.title, version=self.version, description=DESCRIPTION, routes=self.routes)
            components = schema.setdefault("components", {})
            # Without it a server that is open answers as well; which one this is, its operator knows.
            components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            schema["security"] = [{"token": []}, {}]
            components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
            self.openapi_schema = schema
        return self.openapi_schema
