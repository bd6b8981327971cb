"""Every setting with its meaning as a page: `python -m assistant.interfaces.settings_page > docs/settings.md`."""

import click

from assistant.settings import ROOT, SETTINGS_FILE, shown_settings

_INTRODUCTION = f"""\
# Settings

By environment variable, or in a file of `NAME=value` lines: `.env` in the folder where the command is run, or the file
that `{SETTINGS_FILE}` names. The environment comes before the file, and `--corpus` and `--index` before both. A wrong
value is one line and exit status 2. Lists have commas between their items. This page is written by `make help-page`.

`gpu-assistant settings` prints all of them with their present values and where each comes from.
"""
_CLOSING = """\
How to open the server to others, with tokens or behind a proxy: [deployment.md](deployment.md).

Nothing is reported to anyone: Gradio's and Chroma's telemetry are off, and the page loads nothing from elsewhere.
"""


def settings_page() -> str:
    """The page as Markdown."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for shown in shown_settings(None):
        default = shown.default.replace(f"{ROOT}/", "") or "none"
        rows.append(f"| `{shown.variable}` | {f'`{default}`' if shown.default else 'none'} | {shown.meaning} |")
    return "\n".join([_INTRODUCTION, *rows, "", _CLOSING])


if __name__ == "__main__":
    click.echo(settings_page(), nl=False)
