"""Dates as sources give them: a day, a month, a quarter, a half-year or a year."""

import calendar
import re
from datetime import date, timedelta
from functools import total_ordering
from typing import Any

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, PlainSerializer
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

_FORMS = re.compile(
    r"^(?P<year>\d{4})(?:-(?:(?P<month>\d{2})(?:-(?P<day>\d{2}))?|Q(?P<quarter>[1-4])|H(?P<half>[12])))?$"
)


@total_ordering
class Period:
    """A span of days known to some precision, written 2026, 2026-H2, 2026-Q3, 2026-09 or 2026-09-09."""

    __slots__ = ("first", "last", "text")

    def __init__(self, text: str) -> None:
        match = _FORMS.match(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a date; write 2026, 2026-H2, 2026-Q3, 2026-09 or 2026-09-09")
        self.text = text.strip()
        year = int(match["year"])
        if match["day"]:
            self.first = self.last = date(year, int(match["month"]), int(match["day"]))
            return
        if match["month"]:
            start = end = int(match["month"])
        elif match["quarter"]:
            end = int(match["quarter"]) * 3
            start = end - 2
        elif match["half"]:
            end = int(match["half"]) * 6
            start = end - 5
        else:
            start, end = 1, 12
        self.first = date(year, start, 1)
        self.last = date(year, end, calendar.monthrange(year, end)[1])

    @classmethod
    def of_day(cls, day: date) -> "Period":
        return cls(day.isoformat())

    def third(self, part: str) -> tuple[date, date]:
        """First and last day of the period's early, mid or late third."""
        days = (self.last - self.first).days + 1
        place = ("early", "mid", "late").index(part)
        start = self.first + timedelta(days=days * place // 3)
        return start, self.first + timedelta(days=days * (place + 1) // 3 - 1)

    def overlaps(self, other: "Period") -> bool:
        """True where the two could mean the same day, so that they don't contradict each other."""
        return self.first <= other.last and other.first <= self.last

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Period) and (self.first, self.last) == (other.first, other.last)

    def __lt__(self, other: "Period") -> bool:
        return (self.last, self.first) < (other.last, other.first)

    def __hash__(self) -> int:
        return hash((self.first, self.last))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Period({self.text!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: Any) -> "Period":
            if isinstance(value, Period):
                return value
            if isinstance(value, date):
                return cls.of_day(value)
            if isinstance(value, int | str):
                return cls(str(value))
            raise ValueError(f"{value!r} is not a date")

        return core_schema.no_info_plain_validator_function(
            read, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "pattern": r"^\d{4}(-(\d{2}(-\d{2})?|Q[1-4]|H[12]))?$"}


def _read_dated(value: Any) -> Any:
    return Period(value["date"]) if isinstance(value, dict) and set(value) == {"date"} else value


def _write_dated(value: Any) -> Any:
    return {"date": value.text} if isinstance(value, Period) else value


# In JSON a year would read back as a number, so a date among other kinds of value says that it is one.
READS_DATED = BeforeValidator(_read_dated)
WRITES_DATED = PlainSerializer(_write_dated)
