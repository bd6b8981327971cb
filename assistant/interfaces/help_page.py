"""The help of every command as one page: `python -m assistant.interfaces.help_page > docs/help.md`."""

from collections.abc import Iterator

import click

from assistant.interfaces.command_line import gpu_assistant

PROGRAM = "gpu-assistant"
_WIDTH = 100
_INTRODUCTION = """\
# Commands

What `--help` prints, for every command. This page is written by `make help-page`.

`--corpus` and `--index` come before the command. Exit status: 0 done, 1 a check or evaluation found something,
2 wrong usage or input, 3 could not run (no index, endpoint or file). An error is one line on standard error.
"""


def help_page() -> str:
    """The page as Markdown: a heading and the help text for each command, in alphabetical order."""
    sections = [
        f"{'#' * max(depth + 1, 2)} {path}\n\n```\n{text}\n```\n"
        for depth, path, text in help_texts(gpu_assistant, PROGRAM)
    ]
    return "\n".join([_INTRODUCTION, *sections])


def help_texts(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[tuple[int, str, str]]:
    """Depth, full name and help text of a command, then of the commands below it."""
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        **command.context_settings,
    )
    depth = context.command_path.count(" ")
    yield depth, context.command_path, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from help_texts(found, below, context)


if __name__ == "__main__":
    click.echo(help_page(), nl=False)
