"""What providers ask for a card, from the curated prices and from offers read later on the user's machine."""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.corpus import Corpus
from assistant.knowledge.period import Period
from assistant.language.tongue import Translated
from assistant.tools.cost.request import Billing
from assistant.tools.cost.span import Span

USUAL_FRESHNESS_DAYS = 30


class Offer(BaseModel):
    """One provider's price for one GPU for one hour. `price` is None where the provider publishes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpu: str
    provider: str
    price: Span | None
    currency: str
    kind: Billing
    note: Translated
    as_of: Period
    source: str
    """Title of the source."""
    origin: Literal["curated", "refreshed"] = "curated"
    stale: bool = False


def freshness_days(corpus: Corpus) -> int:
    """For how many days a price counts as fresh."""
    attribute = corpus.attributes.get("price_per_hour")
    return (attribute.freshness_days if attribute else None) or USUAL_FRESHNESS_DAYS


def is_stale(as_of: Period, today: date, days: int) -> bool:
    """True where even the last day of the period is more than `days` before `today`."""
    return (today - as_of.last).days > days


def curated_offers(corpus: Corpus, today: date) -> list[Offer]:
    """The rows of corpus/specs/prices.yaml."""
    titles = {source.id: source.title for source in corpus.prices.sources}
    days = freshness_days(corpus)
    return [
        Offer(
            gpu=row.gpu,
            provider=row.provider,
            price=None if row.price is None else Span.of(row.price),
            currency=row.currency,
            kind=row.kind,
            note=row.note,
            as_of=row.as_of,
            source=titles.get(row.source, row.source),
            stale=is_stale(row.as_of, today, days),
        )
        for row in corpus.prices.prices
    ]


def matching_offers(
    offers: Sequence[Offer], corpus: Corpus, gpu: str, provider: str | None, kind: Billing | None
) -> list[Offer]:
    """Offers of the card and its variants, else of the less exact thing it is a variant of; cheapest first."""
    wanted = [
        offer
        for offer in offers
        if (provider is None or offer.provider == provider) and (kind is None or offer.kind == kind)
    ]
    for ids in (tuple(corpus.descendants(gpu)), tuple(corpus.ancestors(gpu))):
        found = [offer for offer in wanted if offer.gpu in ids]
        if found:
            return sorted(found, key=_cheapest_first)
    return []


def _cheapest_first(offer: Offer) -> tuple[bool, object, str, str]:
    return offer.price is None, offer.price.low if offer.price else 0, offer.provider, offer.gpu


def usable(offers: Sequence[Offer]) -> list[Offer]:
    """Offers with a price to reckon with: fresh ones, or the stale ones where there is no fresh one."""
    priced = [offer for offer in offers if offer.price is not None]
    return [offer for offer in priced if not offer.stale] or priced
