"""Why an input is refused, in one line of plain words: which field, and what is wrong with it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.printable import one_line

_KINDS = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "set": "a list",
    "dict": "an object",
    "model": "an object",
    "model_attributes": "an object",
    "date": "a date such as 2026-09-30",
}
_OF_KIND = re.compile(rf"^({'|'.join(_KINDS)})_(?:type|parsing|from_float|from_date_parsing)$")
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is no field here",
    "finite_number": "must be a finite number",
    "string_unicode": "is no valid Unicode text",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be above {gt}",
    "less_than": "must be below {lt}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "is missing",
}
# How a union names its branches, which are no part of what was given.
_BRANCH = re.compile(r"[\[(]|^constrained-")
_LONGEST_NAME = 80

Place = tuple[str | int, ...]


def reason(errors: Sequence[Mapping[str, Any]], given: object = None) -> str:
    """The first problem of a validation's errors; `given` is what was validated, if the caller has it."""
    found = [(_place(error, given), error) for error in errors]
    first = found[0][0]
    # A value that fits no branch of a union fails in each: what is told is the branch that understood most of it.
    within = [(place, error) for place, error in found if place[: len(first)] == first]
    deepest = max(len(place) for place, _ in within)
    place = next(place for place, _ in within if len(place) == deepest)
    what = _what([error for other, error in within if other == place])
    others = {other for other, _ in found if not _is_part(other, first) and not _is_part(first, other)}
    more = f" (and {len(others)} more)" if others else ""
    where = ".".join(_shown(part) for part in place)
    return f"{where}: {what}{more}" if where else f"{what}{more}"


def is_rule_broken(errors: Sequence[Mapping[str, Any]], given: object = None) -> bool:
    """Whether all that is wrong breaks rules that no schema can express, such as which of two numbers is larger.

    Of a union it is enough that one of its branches finds nothing else wrong.
    """
    return _rules_alone([(_place(error, given), error["type"] == "value_error") for error in errors])


def _rules_alone(found: list[tuple[Place, bool]]) -> bool:
    """Whether at every outermost place a rule is broken, or within it nothing but rules."""
    places = {place for place, _ in found}
    for outer in places:
        if any(other != outer and _is_part(outer, other) for other in places):
            continue
        within = [(place, is_rule) for place, is_rule in found if place != outer and _is_part(place, outer)]
        if (outer, True) not in found and not (within and _rules_alone(within)):
            return False
    return True


def _shown(part: str | int) -> str:
    """A field's name, which the caller may have made up."""
    return one_line(str(part)[:_LONGEST_NAME])


def _what(errors: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong at one place: a rule that is broken, else every kind of value that would do."""
    rules = [error for error in errors if not _OF_KIND.match(error["type"])]
    if rules:
        return _words(rules[0])
    kinds = dict.fromkeys(_KINDS[match[1]] for error in errors if (match := _OF_KIND.match(error["type"])))
    return f"must be {' or '.join(kinds)}"


def _words(error: Mapping[str, Any]) -> str:
    known = _WORDS.get(error["type"])
    if known is not None:
        words = known.format(**error.get("ctx", {}))
        return re.sub(r"\b1 (item|character)s\b", r"1 \1", words)
    message = str(error["msg"]).removeprefix("Value error, ").removesuffix(".")
    return message.replace("Input should be", "must be", 1)


def _place(error: Mapping[str, Any], given: object) -> Place:
    """Where in what was given the error is."""
    place: list[str | int] = []
    present = given
    for part in error["loc"]:
        if isinstance(present, Mapping) and part not in present and not _is_named(error, part):
            continue  # the branch of a union that its tag chose
        if _BRANCH.search(str(part)) or (given is not None and not isinstance(present, Mapping | list | tuple)):
            continue
        place.append(part)
        present = _within(present, part)
    if error["type"].startswith("union_tag"):
        place.append(error["ctx"]["discriminator"].strip("'"))
    return tuple(place)


def _is_named(error: Mapping[str, Any], part: str | int) -> bool:
    return bool(error["type"] == "missing" and part == error["loc"][-1])


def _within(present: object, part: str | int) -> object:
    if isinstance(present, Mapping):
        return present.get(part)
    if isinstance(present, list | tuple) and isinstance(part, int) and part < len(present):
        return present[part]
    return None


def _is_part(one: Place, other: Place) -> bool:
    return one[: len(other)] == other
