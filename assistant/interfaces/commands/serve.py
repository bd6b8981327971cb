"""`gpu-assistant serve`: the chat in a browser."""

import click

from assistant.settings import Settings


@click.command()
@click.option("--host", help="Address to listen on (ASSISTANT_HOST); 127.0.0.1 if left out.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port (ASSISTANT_PORT); 7860 if left out, 0 for any.")
@click.pass_obj
def command(settings: Settings, host: str | None, port: int | None) -> None:
    """Serve the chat page on this machine, building the index first where there is none."""
    from assistant.interfaces.serving import serve

    given = {"host": host, "port": port}
    serve(settings.model_copy(update={name: value for name, value in given.items() if value is not None}))
