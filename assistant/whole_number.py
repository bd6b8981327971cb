"""A whole number as others send it: true and false are none, though Python counts them as 1 and 0."""

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


def _no_switch(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("switch_for_number", "must be a whole number, not true or false")
    return value


NO_SWITCH = BeforeValidator(_no_switch)
"""Stands behind the bounds of a field, which its description would lose otherwise."""
