"""`gpu-assistant gpus`: the cards that are known, and everything known of one, value by value with its source."""

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from assistant.language.tongue import LANGUAGES, Language
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
    from assistant.knowledge.corpus import open_corpus
    from assistant.tools.cost.names import find_gpu

    corpus = open_corpus(settings.corpus, settings.index)
    rows = list(corpus.gpus.gpus)
    if name is not None:
        meant = set(corpus.descendants(find_gpu(name, corpus).id))
        rows = [row for row in rows if row.entity in meant]
    if as_json:
        click.echo(json.dumps([_card(row, corpus) for row in rows], ensure_ascii=False, indent=2))
    elif name is None:
        click.echo(_overview(rows, corpus, lang))
    elif rows:
        click.echo("\n\n".join(_details(row, corpus, lang) for row in rows))
    else:
        click.echo(f"{find_gpu(name, corpus).name}: no specification is held.")


def _card(row: "GpuRow", corpus: "Corpus") -> dict[str, Any]:
    entity = corpus.entities[row.entity]
    titles = _source_names(corpus)
    return {
        "id": entity.id,
        "name": entity.name,
        "maker": entity.maker,
        "variant_of": entity.parent,
        "aliases": entity.aliases,
        "values": [_value(value, titles) for value in row.values],
    }


def _source_names(corpus: "Corpus") -> dict[str, str]:
    return {
        source.id: f"{source.publisher}: {source.title}" if source.publisher else source.title
        for source in corpus.gpus.sources
    }


def _value(value: "SpecificationValue", titles: dict[str, str]) -> dict[str, Any]:
    fields = value.model_dump(mode="json", exclude={"sources", "note"})
    if isinstance(value.value, Decimal):
        fields["value"] = float(value.value) if value.value % 1 else int(value.value)
    return {
        **fields,
        "note": value.note.en if value.note else None,
        "sources": [titles.get(source, source) for source in value.sources],
    }


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
    titles = _source_names(corpus)
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
