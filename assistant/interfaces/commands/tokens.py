"""`gpu-assistant tokens`: who may ask the server."""

import click

from assistant.interfaces.access.tokens import SCOPES, TokenStore
from assistant.printable import one_line
from assistant.settings import Settings


@click.group()
def command() -> None:
    """Tokens with which programs and people may ask the server."""


@command.command()
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="May be repeated; ask if left out.")
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="Until it expires.")
@click.option("--for-ever", is_flag=True, help="It never expires.")
@click.pass_obj
def new(settings: Settings, name: str, scopes: tuple[str, ...], days: int, for_ever: bool) -> None:
    """Make a token for NAME and print it; it is shown this once, and kept as a hash.

    Scopes: ask is for questions, calculators, sources and the chat; feedback is for verdicts on answers; metrics is for
    the server's counters.
    """
    wanted = frozenset(scope for scope in SCOPES if scope in (scopes or ("ask",)))
    token, text = TokenStore(settings.data).new(one_line(name[:100]), wanted, None if for_ever else days)
    click.echo(text)
    ends = f"until {token.expires:%Y-%m-%d}" if token.expires else "for ever"
    click.echo(f"Token {token.id} for {token.name}: {', '.join(sorted(wanted))}, {ends}.", err=True)


@command.command(name="list")
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the tokens: id, name, scopes, when made, when it ends, state."""
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    for token in TokenStore(settings.data).all():
        ends = f"{token.expires:%Y-%m-%d}" if token.expires else "never"
        scopes = ",".join(sorted(token.scopes))
        click.echo(f"{token.id}  {token.name:24} {scopes:22} {token.created:%Y-%m-%d}  {ends:10}  {token.state(now)}")


@command.command()
@click.argument("token_id", metavar="ID")
@click.pass_obj
def revoke(settings: Settings, token_id: str) -> None:
    """End a token at once, by its ID."""
    token = TokenStore(settings.data).revoke(token_id)
    click.echo(f"Token {token.id} for {token.name} opens nothing any more.")
