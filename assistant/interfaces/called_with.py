"""Hints on what to run next, with the folders that the command line was called with."""

import shlex

import click

_INDEXING = "gpu-assistant index"


def called_with(context: click.Context, hint: str) -> str:
    """The hint with --corpus and --index as they were given, so that what it says to run does what it promises."""
    given = context.find_root().params
    folders = [(f"--{name}", given[name]) for name in ("corpus", "index") if given.get(name) is not None]
    options = [word for option, folder in folders for word in (option, shlex.quote(str(folder)))]
    return hint.replace(_INDEXING, " ".join(["gpu-assistant", *options, "index"]))
