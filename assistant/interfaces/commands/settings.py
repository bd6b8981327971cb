"""`gpu-assistant settings`: every setting, its value and where that comes from."""

import json

import click

from assistant.printable import json_escaped
from assistant.settings import Settings, shown_settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> None:
    """List every setting: variable, present value, where it comes from, and what it means. Keys are not shown."""
    rows = list(shown_settings(settings))
    if as_json:
        click.echo(json_escaped(json.dumps([row.model_dump() for row in rows], ensure_ascii=False, indent=2)))
        return
    for row in rows:
        click.echo(f"{row.variable}={row.value}  ({row.origin})")
        click.echo(f"    {row.meaning}")
