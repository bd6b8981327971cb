"""Typed access to a config.json, with errors that name the field."""

import json
from typing import Any

from assistant.errors import InvalidInput

_LIMIT = 10**9


class ConfigFields:
    """The fields of one object of a config.json; `where` is its path, for errors."""

    def __init__(self, values: dict[str, Any], where: str = "") -> None:
        self._values = values
        self._where = where

    def name(self, field: str) -> str:
        return f"{self._where}{field}"

    def has(self, *fields: str) -> bool:
        return any(self._values.get(field) is not None for field in fields)

    def raw(self, field: str) -> Any:
        return self._values.get(field)

    def _found(self, fields: tuple[str, ...]) -> str | None:
        return next((field for field in fields if self._values.get(field) is not None), None)

    def whole(self, *fields: str, default: int | None = None, least: int = 1) -> int:
        """A whole number of at least `least` under the first of the names that is there."""
        field = self._found(fields)
        if field is None:
            if default is None:
                raise InvalidInput(f"config.json: {self.name(fields[0])} is missing.")
            return default
        value = self._values[field]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _LIMIT:
            shown = json.dumps(value, default=str)[:60]
            raise InvalidInput(
                f"config.json: {self.name(field)} is {shown}, not a whole number between {least} and {_LIMIT}."
            )
        return value

    def flag(self, field: str, default: bool = False) -> bool:
        value = self._values.get(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise InvalidInput(f"config.json: {self.name(field)} is {str(value)[:60]!r}, not true or false.")
        return value

    def words(self, field: str) -> list[str]:
        """A list of words; empty where the field is missing."""
        value = self._values.get(field)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > 10_000 or not all(isinstance(item, str) for item in value):
            raise InvalidInput(f"config.json: {self.name(field)} is not a list of words.")
        return value

    def wholes(self, field: str) -> list[int]:
        """A list of whole numbers; empty where the field is missing."""
        value = self._values.get(field)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > 10_000 or not all(type(item) is int for item in value):
            raise InvalidInput(f"config.json: {self.name(field)} is not a list of whole numbers.")
        return value

    def text(self, field: str) -> str:
        value = self._values.get(field)
        return value if isinstance(value, str) else ""

    def part(self, field: str) -> "ConfigFields | None":
        """A nested object; None where the field is missing."""
        value = self._values.get(field)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise InvalidInput(f"config.json: {self.name(field)} is not an object.")
        return ConfigFields(value, f"{self._where}{field}.")
