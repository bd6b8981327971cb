"""`gpu-assistant sources`: add, list and check what answers are drawn from."""

import json
import sys
from pathlib import Path

import click

from assistant.settings import Settings


@click.group()
def command() -> None:
    """Add, list and check the sources of the knowledge base."""


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def check(settings: Settings, as_json: bool) -> None:
    """Check schema, ids, quotes, and that each claim's value can be read back out of its quote."""
    from assistant.knowledge.check import check_corpus

    report = check_corpus(settings.corpus)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
    else:
        for problem in report.problems:
            click.echo(str(problem))
        click.echo(
            f"{report.articles} articles, {report.claims} claims, {report.entities} entities, "
            f"{report.specification_values} specification values: {len(report.problems)} problems"
        )
    sys.exit(1 if report.problems else 0)


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_(settings: Settings, as_json: bool) -> None:
    """List the articles with their language, date, publisher and number of claims."""
    from assistant.knowledge.corpus import open_corpus

    corpus = open_corpus(settings.corpus, settings.index)
    counts = dict.fromkeys(corpus.articles, 0)
    for article in corpus.article_of.values():
        counts[article] += 1
    rows = [
        {
            "id": article.id,
            "language": article.language,
            "title": article.title,
            "publisher": article.publisher,
            "published": str(article.published) if article.published else None,
            "kind": article.kind,
            "claims": counts[article.id],
        }
        for article in corpus.articles.values()
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        click.echo(f"{row['id']:36} {row['language']}  {row['published'] or '-':10}  {row['claims']:3}  {row['title']}")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def add(settings: Settings, files: tuple[Path, ...]) -> None:
    """Add articles: Markdown, HTML or plain text with tables, in any of the four languages, as they are."""
    from assistant.knowledge.intake import add_source

    for file in files:
        article = add_source(file, settings.corpus)
        click.echo(f"added {article.id} ({article.language}): {article.title}")
    click.echo("Run 'gpu-assistant index' so that questions find it.")
