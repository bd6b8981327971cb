"""`gpu-assistant models`: the open-weight models that can be sized."""

import json

import click

from assistant.printable import json_escaped
from assistant.settings import Settings


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, or an object for one model.")
@click.pass_obj
def command(settings: Settings, name: str | None, as_json: bool) -> None:
    """List the known models, or show the architecture of one, by name or from its config.json or GGUF file."""
    from assistant.tools.memory.catalogue import open_catalogue
    from assistant.tools.memory.model_description import describe_model, model_data, model_table

    catalogue = open_catalogue(settings.corpus)
    if name is not None:
        model = catalogue.model(name)
        data = model_data(model)
        click.echo(json_escaped(json.dumps(data, ensure_ascii=False, indent=2)) if as_json else describe_model(model))
        return
    models = catalogue.models
    if as_json:
        click.echo(json_escaped(json.dumps([model_data(model) for model in models], ensure_ascii=False, indent=2)))
    else:
        click.echo(model_table(models))
