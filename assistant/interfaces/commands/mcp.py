"""`gpu-assistant mcp`: the tools for another assistant, over standard input and output."""

import click

from assistant.settings import Settings


@click.command()
@click.pass_obj
def command(settings: Settings) -> None:
    """Offer ask, search, fit, cost and compare to an MCP client over standard input and output."""
    import anyio

    from assistant.interfaces.chat.opening import Opening
    from assistant.interfaces.mcp.server import mcp_server, serve_stdio
    from assistant.interfaces.mcp.tools import Toolbox

    opening = Opening(settings)
    # Opened before the client is answered, so that what is wrong is said at once.
    opening.assistant()
    anyio.run(serve_stdio, mcp_server(lambda: Toolbox(opening)))
