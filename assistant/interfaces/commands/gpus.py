"""`gpu-assistant gpus`: the cards that are known, and everything known of one, value by value with its source."""

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.knowledge.corpus import Corpus
    from assistant.knowledge.specification import GpuRow, SpecificationValue

_LISTED = ("memory_capacity", "memory_bandwidth", "power", "dense_flops_16bit")


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of cards with all their values.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the table.")
@click.pass_obj
def command(settings: Settings, name: str | None, as_json: bool, lang: Language) -> None:
    """List the known cards, or all that is known of NAME and its variants."""
    from assistant.knowledge.card_sheet import card_sheet
    from assistant.knowledge.corpus import open_corpus
    from assistant.tools.cost.names import cards_named, find_gpu

    corpus = open_corpus(settings.corpus, settings.index)
    rows = cards_named(name, corpus)
    if as_json:
        click.echo(
            json_escaped(
                json.dumps(
                    [card_sheet(row, corpus).model_dump(mode="json") for row in rows], ensure_ascii=False, indent=2
                )
            )
        )
    elif name is None:
        click.echo(_overview(rows, corpus, lang))
    elif rows:
        click.echo("\n\n".join(_details(row, corpus, lang) for row in rows))
    else:
        click.echo(f"{find_gpu(name, corpus).name}: no specification is held.")


def _shown(value: "SpecificationValue", lang: Language) -> str:
    from assistant.knowledge.claim import Range
    from assistant.language.formatting import format_quantity

    if isinstance(value.value, Decimal | Range):
        return format_quantity(value.value, value.unit, lang)
    if isinstance(value.value, bool):
        return "✓" if value.value else "✗"
    return str(value.value)


def _overview(rows: "list[GpuRow]", corpus: "Corpus", lang: Language) -> str:
    from assistant.tools.cost.card_figures import preferred

    header = ["GPU", *(corpus.attributes[name].label.in_language(lang) for name in _LISTED)]
    table = [header]
    for row in rows:
        cells = [corpus.entities[row.entity].name]
        for name in _LISTED:
            value = preferred([v for v in row.values if v.attribute == name])
            cells.append(_shown(value, lang) if value else "-")
        table.append(cells)
    widths = [max(_width(line[column]) for line in table) for column in range(len(header))]
    return "\n".join(
        "  ".join(_padded(cell, width) for cell, width in zip(line, widths, strict=True)) for line in table
    )


def _width(text: str) -> int:
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _details(row: "GpuRow", corpus: "Corpus", lang: Language) -> str:
    from assistant.knowledge.card_sheet import source_names

    titles = source_names(corpus)
    lines = [corpus.entities[row.entity].name]
    for value in row.values:
        label = corpus.attributes[value.attribute].label.in_language(lang)
        marks = [value.precision, value.variant, value.scope if value.scope != "gpu" else None]
        marks.append(value.status if value.status != "specified" else None)
        qualified = ", ".join(mark for mark in marks if mark)
        sources = "; ".join(titles.get(source, source) for source in value.sources)
        note = f" {value.note.in_language(lang)}" if value.note else ""
        lines.append(f"  {label}{f' ({qualified})' if qualified else ''}: {_shown(value, lang)}.{note} [{sources}]")
    return "\n".join(lines)
