"""`gpu-assistant quantities`: the numbers, units and dates that the product reads in a text."""

import json
import sys
from decimal import Decimal
from typing import Any, cast

import click

from assistant.errors import InvalidInput
from assistant.language.quantities.quantity import Quantity, read_quantities
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped

_MOST_CHARACTERS = 1_000_000


@click.command()
@click.argument("text")
@click.option("--lang", type=click.Choice(LANGUAGES), default=None, help="Language of TEXT; decides what 1.000 means.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(text: str, lang: str | None, as_json: bool) -> None:
    """Read the quantities in TEXT ("-" reads standard input)."""
    if text == "-":
        text = sys.stdin.read(_MOST_CHARACTERS + 1)
    if len(text) > _MOST_CHARACTERS:
        raise InvalidInput(f"The text is longer than {_MOST_CHARACTERS:,} characters.", "Give it in parts.")
    found = read_quantities(text, cast("Language | None", lang))
    if as_json:
        click.echo(json_escaped(json.dumps([_as_json(one) for one in found], ensure_ascii=False)))
        return
    for one in found:
        click.echo(_as_line(one))


def _as_json(one: Quantity) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "text": one.text, "start": one.start, "end": one.end,
        "value": _number(one.value), "low": _number(one.low), "high": _number(one.high),
        "unit": one.unit, "kind": one.kind, "approximate": one.approximate, "bound": one.bound,
    }  # fmt: skip
    return fields | ({"period": one.period} if one.period is not None else {})


def _number(value: Decimal | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


def _as_line(one: Quantity) -> str:
    span = f"{one.low:f} to {one.high:f}" if one.value is None and one.low is not None else ""
    figure = one.period or span or (f"{one.value:f}" if one.value is not None else "")
    marks = [mark for mark in ("approximately" if one.approximate else "", (one.bound or "").replace("_", " ")) if mark]
    return "\t".join([one.text, " ".join([*marks, figure, one.unit]).strip(), one.kind])
