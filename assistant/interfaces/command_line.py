"""The `gpu-assistant` command: global options, and one file of `commands/` for each subcommand."""

import importlib
import os
import pkgutil
import sys
from pathlib import Path

import click
from pydantic import ValidationError

from assistant.errors import AssistantError
from assistant.interfaces import commands
from assistant.interfaces.called_with import called_with
from assistant.knowledge.schema import first_problem
from assistant.settings import Settings

EXIT_USAGE = 2


class CommandFolder(click.Group):
    """A group whose subcommands are the modules of `commands/`, each imported only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what an error says to run names the folders that this one was called with."""
        try:
            return super().invoke(ctx)
        except AssistantError as error:
            error.remedy = called_with(ctx, error.remedy)
            raise


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--corpus", type=click.Path(path_type=Path), help="Folder of the knowledge base (ASSISTANT_CORPUS).")
@click.option("--index", type=click.Path(path_type=Path), help="Folder of the search index (ASSISTANT_INDEX).")
@click.version_option(package_name="gpu-assistant")
@click.pass_context
def gpu_assistant(ctx: click.Context, corpus: Path | None, index: Path | None) -> None:
    """Cited, verified answers on GPUs for AI in Dutch, Danish, Chinese and English."""
    given = {name: path for name, path in (("corpus", corpus), ("index", index)) if path is not None}
    ctx.obj = Settings().model_copy(update=given)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every expected failure is one line on standard error and an exit status."""
    try:
        status = gpu_assistant.main(args=arguments, prog_name="gpu-assistant", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        where = f" (see '{error.ctx.command_path} --help')" if isinstance(error, click.UsageError) and error.ctx else ""
        click.echo(f"gpu-assistant: {' '.join(error.format_message().split())}{where}", err=True)
        sys.exit(EXIT_USAGE)
    except AssistantError as error:
        click.echo(f"gpu-assistant: {error}", err=True)
        sys.exit(error.exit_status)
    except ValidationError as error:
        click.echo(f"gpu-assistant: settings: {first_problem(error)}", err=True)
        sys.exit(EXIT_USAGE)
    except BrokenPipeError:
        # The reader of our output has gone; point stdout elsewhere so that the interpreter's last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        click.echo(f"gpu-assistant: {error.strerror or error}: {error.filename or ''}".rstrip(": "), err=True)
        sys.exit(3)
    sys.exit(status if isinstance(status, int) else 0)
