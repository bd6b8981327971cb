"""Scripts and style sheets that belong together, at an address that changes with them, so that it may be kept."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

LIVES_S = 365 * 24 * 3600
_KINDS = {".css": "text/css", ".js": "text/javascript"}


class Bundle:
    """Files below one path; they may name each other by their bare names."""

    def __init__(self, files: Sequence[Path], below: str) -> None:
        self._files = {file.name: file for file in files}
        self._below = below

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return {name: file.read_bytes() for name, file in self._files.items()}

    @cached_property
    def _folder(self) -> str:
        whole = b"\0".join(self._contents.values())
        return f"{self._below}/{hashlib.sha256(whole).hexdigest()[:12]}"

    def address_of(self, name: str) -> str:
        """The path of a file of the bundle."""
        return f"{self._folder}/{self._files[name].name}"

    @property
    def route(self) -> Route:
        """Serves the files of the bundle, and nothing else."""
        return Route(f"{self._folder}/{{name}}", self._send, include_in_schema=False)

    async def _send(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._contents:
            raise HTTPException(404)
        kept = {"cache-control": f"public, max-age={LIVES_S}, immutable"}
        return Response(self._contents[name], media_type=_KINDS[Path(name).suffix], headers=kept)
