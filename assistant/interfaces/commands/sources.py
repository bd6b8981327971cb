"""`gpu-assistant sources`: add, list and check what answers are drawn from."""

import json
import sys
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.errors import EndpointUnavailable, InvalidInput
from assistant.interfaces.called_with import called_with
from assistant.interfaces.source_gaps import gaps
from assistant.knowledge.freshness import BROKEN, STATES, State
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.knowledge.check import CheckReport
    from assistant.knowledge.edition import EditionChanges

_INDEX_NEXT = "Run 'gpu-assistant index' so that questions find it."


@click.group()
def command() -> None:
    """Add, list, check, compare and update the sources of the knowledge base."""


command.add_command(gaps)


@command.command()
@click.option(
    "--as-of", type=click.DateTime(["%Y-%m-%d"]), help="The day that counts as today, for what goes out of date."
)
@click.option(
    "--in", "ahead", metavar="DAYS", help="So many days from that day, as 90d: what will be out of date then."
)
@click.option("--since", metavar="REV", help="A git revision or a folder to tell by which texts have changed.")
@click.option("--fail-on", multiple=True, type=click.Choice(STATES), help="A state that counts as a problem as well.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def check(
    settings: Settings,
    as_of: datetime | None,
    ahead: str | None,
    since: str | None,
    fail_on: tuple[State, ...],
    as_json: bool,
) -> None:
    """Check schema, ids, quotes and values, and say of each claim and row whether it still stands.

    Exit status 1 where something must be mended. What is merely out of date is a warning: it is counted, listed with
    --as-of or --in, and answers say its date. It counts as a problem with --fail-on EXPIRED.
    """
    from assistant.knowledge.check import check_corpus
    from assistant.knowledge.edition import opened
    from assistant.knowledge.freshness import record_sources, standings

    day = _clock(as_of, settings) + timedelta(days=_days(ahead))
    report = check_corpus(settings.corpus)
    earlier = None
    if since is not None:
        with opened(since, settings.corpus) as old:
            earlier = record_sources(old)
    states = [] if _is_unreadable(report) else standings(settings.corpus, day, earlier)
    counts = Counter(standing.state for standing in states)
    listed = [one for one in states if one.state in BROKEN or one.state in fail_on or (one.state == "MOVED" and since)]
    if as_of is not None or ahead is not None:
        listed += [one for one in states if one.state == "EXPIRED" and one not in listed]
    if as_json:
        shown = {"as_of": str(day), "states": counts, "standings": [one.model_dump(mode="json") for one in listed]}
        click.echo(json_escaped(json.dumps(report.model_dump(mode="json") | shown, ensure_ascii=False, indent=2)))
    else:
        for problem in report.problems:
            click.echo(str(problem))
        for standing in listed:
            click.echo(str(standing))
        click.echo(f"On {day}: " + ", ".join(f"{state} {counts[state]}" for state in STATES if counts[state]))
        click.echo(
            f"{report.articles} articles, {report.claims} claims, {report.entities} entities, "
            f"{report.specification_values} specification values: {len(report.problems)} problems"
        )
    failing = any(one.state in BROKEN or one.state in fail_on for one in states)
    sys.exit(1 if report.problems or failing else 0)


def _clock(as_of: datetime | None, settings: Settings) -> date:
    """The day that counts as today. Raises InvalidInput for one before the newest article."""
    from assistant.knowledge.freshness import readable_articles, refuse_past

    if as_of is None:
        return date.today()
    refuse_past(as_of.date(), readable_articles(settings.corpus))
    return as_of.date()


def _days(text: str | None) -> int:
    if text is None:
        return 0
    number = text.removesuffix("d")
    if not number.isdigit() or len(number) > 5:
        raise InvalidInput(f"--in {text!r} is no number of days.", "Write 90d.")
    return int(number)


def _is_unreadable(report: "CheckReport") -> bool:
    """True where files of claims or attributes break their schema, so that no claim can be looked at."""
    return any(not problem.id and problem.path.startswith(("claims", "entities")) for problem in report.problems)


@command.command()
@click.argument("old")
@click.argument("new", required=False)
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="The day that counts as today.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def diff(settings: Settings, old: str, new: str | None, as_of: datetime | None, as_json: bool) -> None:
    """Say what changed from OLD to NEW: claims with old and new values, rows and cases that rest on them.

    OLD and NEW are folders of knowledge bases or git revisions; NEW is the present knowledge base if left out. Exit
    status 1 where a claim of NEW can't be used, because its source no longer says so.
    """
    from assistant.knowledge.edition import changes_between, opened
    from evals.runs.affected import affected_cases

    day = _clock(as_of, settings)
    with opened(old, settings.corpus) as before, opened(new or str(settings.corpus), settings.corpus) as after:
        changes = changes_between(before, after, day)
        cases = affected_cases(changes.touched, before)
    if as_json:
        click.echo(
            json_escaped(json.dumps(changes.model_dump(mode="json") | {"cases": cases}, ensure_ascii=False, indent=2))
        )
    else:
        for line in difference_lines(changes, cases):
            click.echo(line)
    sys.exit(1 if changes.broken else 0)


def difference_lines(changes: "EditionChanges", cases: dict[str, list[str]]) -> list[str]:
    """The changes as lines: articles, claims, rows, cases."""
    lines = [
        f"article {what}: {', '.join(ids)}"
        for what, ids in (
            ("added", changes.articles_added),
            ("removed", changes.articles_removed),
            ("changed", changes.articles_changed),
        )
        if ids
    ]
    lines += [f"claim {claim}" for claim in changes.claims]
    lines += [f"row changed: {id_}: {was or '–'} → {now or '–'}" for id_, was, now in changes.rows]
    lines += [
        f"row affected: {row} gives {claim.old} as {claim.id} did" for claim in changes.claims for row in claim.rows
    ]
    lines += [f"case affected: {case} ({', '.join(languages)})" for case, languages in cases.items()]
    return lines or ["Nothing changed."]


@command.command()
@click.argument("article")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--drafts", type=click.Path(path_type=Path), help="Where drafts of new claims are written, with a language model."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def update(settings: Settings, article: str, file: Path, drafts: Path | None, as_json: bool) -> None:
    """Take in FILE as a new edition of ARTICLE; the old one is kept in editions/.

    Quotes that merely moved are anchored again. What the new edition says otherwise is listed for a person to decide,
    with exit status 1. With a language model configured, claims for what is new are drafted, for a person to approve.
    """
    from assistant.knowledge.update import update_source

    found = update_source(article, file, settings.corpus)
    if as_json:
        click.echo(json_escaped(found.model_dump_json(indent=2)))
    else:
        click.echo(f"{found.article}: a new edition; the old one is kept as {found.kept_as}")
        click.echo(f"{found.unchanged} claims stand as they were, {len(found.anchored)} were anchored again")
        for item in found.undecided:
            click.echo(f"to decide: {item}")
    if settings.uses_language_model:
        _draft_claims(settings, article, drafts)
    click.echo(called_with(click.get_current_context(), _INDEX_NEXT), err=True)
    sys.exit(1 if found.undecided else 0)


def _draft_claims(settings: Settings, article: str, target: Path | None) -> None:
    from assistant.answering.claim_drafts import draft_claims, drafts_as_yaml

    try:
        drafted = draft_claims(settings, article)
    except EndpointUnavailable as error:
        # The new edition is taken in, whatever becomes of the drafts.
        click.echo(f"drafts: none: {error}", err=True)
        return
    click.echo(f"drafts: {len(drafted.kept)} offered, {len(drafted.refused)} refused", err=True)
    for reason in drafted.refused:
        click.echo(f"refused: {reason}", err=True)
    text = drafts_as_yaml(article, drafted.kept)
    if target is not None:
        target.write_text(text, encoding="utf-8")
    elif drafted.kept:
        click.echo(text)


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
        click.echo(json_escaped(json.dumps(rows, ensure_ascii=False, indent=2)))
        return
    for row in rows:
        click.echo(f"{row['id']:36} {row['language']}  {row['published'] or '-':10}  {row['claims']:3}  {row['title']}")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--wiki", help="Name of a wiki: FILES is its export, and its articles become what the export holds.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the wiki's pages; each page's own if left out.")
@click.pass_obj
def add(settings: Settings, files: tuple[Path, ...], wiki: str | None, lang: Language | None) -> None:
    """Add articles: Markdown, HTML or plain text with tables, in any of the four languages, as they are.

    With --wiki: a MediaWiki XML export, DokuWiki's data/pages, or a folder of HTML or Markdown. Given again, only what
    changed is written, and what has gone is removed.
    """
    from assistant.knowledge.intake import add_source

    if wiki is not None:
        _take_in(settings, files, wiki, lang)
        return
    for file in files:
        article = add_source(file, settings.corpus, language=lang)
        click.echo(f"added {article.id} ({article.language}): {article.title}")
    click.echo(called_with(click.get_current_context(), _INDEX_NEXT))


def _take_in(settings: Settings, files: tuple[Path, ...], wiki: str, lang: Language | None) -> None:
    from assistant.knowledge.wiki_intake import take_in_wiki

    if len(files) != 1:
        raise InvalidInput("--wiki takes one file or folder.")
    counts: Counter[str] = Counter()
    for taken in take_in_wiki(files[0], settings.corpus, wiki, lang):
        counts[taken.state] += 1
        if taken.state != "unchanged":
            click.echo(f"{taken.state} {taken.id}{f': {taken.why}' if taken.why else ''}")
    click.echo(", ".join(f"{count} {state}" for state, count in counts.items()))
    click.echo(called_with(click.get_current_context(), _INDEX_NEXT))
