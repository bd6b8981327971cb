"""`gpu-assistant prices`: what providers ask, with the date of each price, and reading present offers."""

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.tools.cost.price import Offer

_OFFERS = click.option(
    "--offers",
    type=click.Path(path_type=Path),
    envvar="ASSISTANT_OFFERS",
    help="File that offers are kept in (ASSISTANT_OFFERS).",
)


@click.group(invoke_without_command=True)
@click.option("--gpu", help="Only this card and its variants.")
@click.option("--provider", help="Only this provider.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the notes.")
@_OFFERS
@click.pass_context
def command(
    ctx: click.Context,
    gpu: str | None,
    provider: str | None,
    as_json: bool,
    lang: Language,
    offers: Path | None,
) -> None:
    """List the prices that are held, each with its date; those that nobody publishes too."""
    if ctx.invoked_subcommand is not None:
        return
    from assistant.knowledge.corpus import open_corpus
    from assistant.tools.cost.names import find_gpu, find_provider
    from assistant.tools.cost.offers import kept_offers
    from assistant.tools.cost.price import curated_offers

    settings: Settings = ctx.obj
    corpus = open_corpus(settings.corpus, settings.index)
    today = date.today()
    held = [*curated_offers(corpus, today), *kept_offers(offers, corpus, today)]
    if gpu is not None:
        meant = set(corpus.descendants(find_gpu(gpu, corpus).id))
        held = [offer for offer in held if offer.gpu in meant]
    if provider is not None:
        wanted = find_provider(provider, corpus).id
        held = [offer for offer in held if offer.provider == wanted]
    names = {id_: entity.name for id_, entity in corpus.entities.items()}
    if as_json:
        click.echo(json_escaped(json.dumps([_row(offer, names) for offer in held], ensure_ascii=False, indent=2)))
        return
    for offer in held:
        click.echo(_line(offer, names, lang))


def _row(offer: "Offer", names: dict[str, str]) -> dict[str, object]:
    fields = offer.model_dump(mode="json")
    return {**fields, "gpu_name": names[offer.gpu], "provider_name": names[offer.provider]}


def _line(offer: "Offer", names: dict[str, str], lang: Language) -> str:
    from assistant.language.formatting import format_period, format_quantity

    price = "-" if offer.price is None else format_quantity(offer.price.value, f"{offer.currency}/h", lang)
    age = " (>30 d)" if offer.stale else ""
    note = offer.note.in_language(lang)
    kind = "" if offer.kind == "on_demand" else f" {offer.kind}"
    dated = f"{format_period(offer.as_of, lang)}{age}"
    return f"{names[offer.gpu]:32} {names[offer.provider]:14} {price:26}{kind} {dated}  {note} [{offer.source}]"


@command.command()
@_OFFERS
@click.pass_obj
def refresh(settings: Settings, offers: Path | None) -> None:
    """Read present offers with the gpuhunt package and keep them apart from the curated prices."""
    from assistant.knowledge.corpus import open_corpus
    from assistant.tools.cost.offers import refresh as read_offers
    from assistant.tools.cost.offers import usual_path

    kept = read_offers(open_corpus(settings.corpus, settings.index), offers)
    click.echo(f"{len(kept.offers)} prices kept in {offers or usual_path()}; the curated prices are unchanged.")
    if kept.not_recognised:
        click.echo(f"Not recognised and left out: {', '.join(kept.not_recognised[:20])}.")
