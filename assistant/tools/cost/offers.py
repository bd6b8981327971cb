"""Present offers, read on the user's machine with the gpuhunt package and kept in a file of their own."""

import logging
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.errors import AssistantError, InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.period import Period
from assistant.language.mention import folded, spellings
from assistant.language.tongue import Translated
from assistant.settings import data_folder
from assistant.tools.cost.price import Offer, freshness_days, is_stale
from assistant.tools.cost.span import Span

TIMEOUT_S = 60
MAX_FILE_BYTES = 50_000_000


class OffersError(AssistantError):
    """Present offers can't be read: the package is missing, or the network is."""

    exit_status = 3


class CatalogItem(Protocol):
    """What is used of gpuhunt's items; `price` is of the whole instance, in dollars per hour."""

    provider: str
    instance_name: str
    location: str
    price: float
    gpu_count: int
    gpu_name: str | None
    gpu_memory: float | None
    spot: bool


class KeptOffer(BaseModel):
    """The cheapest and dearest a provider asks for one GPU of a kind, over its instances and regions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpu: str
    provider: str
    kind: Literal["on_demand", "spot"]
    low: Decimal
    high: Decimal
    currency: Literal["USD"] = "USD"
    instance: str
    """The cheapest instance."""
    region: str
    offers: int
    source: str
    retrieved_at: datetime


class KeptOffers(BaseModel):
    """The file that `prices refresh` writes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    offers: tuple[KeptOffer, ...]
    not_recognised: tuple[str, ...] = ()
    """Cards and providers of the catalogue that the knowledge base doesn't know."""


def usual_path() -> Path:
    """Where offers are kept unless ASSISTANT_OFFERS or --offers says otherwise."""
    return data_folder() / "offers.json"


def refresh(corpus: Corpus, path: Path | None = None) -> KeptOffers:
    """Read the present offers and keep them. Raises OffersError; the file then stays as it was."""
    kept = summarise(_catalogue(), corpus, source=_source(), retrieved_at=datetime.now(UTC))
    target = path or usual_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    partial.write_text(kept.model_dump_json(indent=1), encoding="utf-8")
    partial.replace(target)
    return kept


def _source() -> str:
    from importlib.metadata import version

    return f"gpuhunt {version('gpuhunt')}"


def _catalogue() -> list[CatalogItem]:
    try:
        import gpuhunt
    except ModuleNotFoundError as error:
        raise OffersError(
            "Present prices are read with the gpuhunt package, which isn't installed.",
            "Install it with: pip install 'gpu-assistant[prices]'",
        ) from error
    catalog = gpuhunt.Catalog(auto_reload=False)
    try:
        with _bounded():
            if "GPUHUNT_CATALOG_DIR" not in os.environ:
                catalog.load()
            return list(catalog.query(min_gpu_count=1))
    except (gpuhunt.GPUHuntError, OSError, ValueError) as error:
        raise OffersError(
            f"Present prices can't be read: {error}.", "Check the network; the prices kept so far are unchanged."
        ) from error


@contextmanager
def _bounded() -> Iterator[None]:
    """Time-outs for connections that have none of their own, and no tracebacks in the log of a failed download."""
    before, logger = socket.getdefaulttimeout(), logging.getLogger("gpuhunt")
    level = logger.level
    socket.setdefaulttimeout(TIMEOUT_S)
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
        logger.setLevel(level)


def summarise(items: Iterable[CatalogItem], corpus: Corpus, *, source: str, retrieved_at: datetime) -> KeptOffers:
    """Per card, provider and kind the range of prices for one GPU: the instance's price ÷ its GPUs."""
    by_spelling = dict(spellings(corpus.entities.values()))
    groups: dict[tuple[str, str, Literal["on_demand", "spot"]], list[tuple[Decimal, CatalogItem]]] = {}
    strangers: set[str] = set()
    for item in items:
        if not item.gpu_name or item.gpu_count < 1 or item.price <= 0:
            continue
        gpu = _card(item, by_spelling, corpus)
        provider = by_spelling.get(folded(item.provider))
        if gpu is None or provider is None or corpus.entities[provider].kind != "provider":
            strangers.add(item.gpu_name if gpu is None else item.provider)
            continue
        price = Decimal(str(item.price)) / item.gpu_count
        groups.setdefault((gpu, provider, "spot" if item.spot else "on_demand"), []).append((price, item))
    kept: list[KeptOffer] = []
    for (gpu, provider, kind), priced in sorted(groups.items()):
        cheapest = min(priced, key=lambda pair: pair[0])
        kept.append(
            KeptOffer(
                gpu=gpu,
                provider=provider,
                kind=kind,
                low=_cents(cheapest[0]),
                high=_cents(max(price for price, _ in priced)),
                instance=cheapest[1].instance_name,
                region=cheapest[1].location,
                offers=len(priced),
                source=source,
                retrieved_at=retrieved_at,
            )
        )
    return KeptOffers(offers=tuple(kept), not_recognised=tuple(sorted(strangers)))


def _cents(price: Decimal) -> Decimal:
    return price.quantize(Decimal("0.0001")).normalize()


def _card(item: CatalogItem, by_spelling: dict[str, str], corpus: Corpus) -> str | None:
    """The card of a catalogue item; its memory tells variants apart that share a name."""
    memory = f"{item.gpu_memory:g}GB" if item.gpu_memory else ""
    for name in (f"{item.gpu_name} {memory}", item.gpu_name or ""):
        entity_id = by_spelling.get(folded(name))
        if entity_id is not None and corpus.entities[entity_id].kind == "gpu":
            return entity_id
    return None


def kept_offers(path: Path | None, corpus: Corpus, today: date) -> list[Offer]:
    """Offers kept earlier; none where nothing was kept. Raises InvalidInput for a file that isn't of this kind."""
    target = path or usual_path()
    if not target.is_file():
        if path is not None:
            raise InvalidInput(f"offers: {path}: no such file.", "Write it with 'gpu-assistant prices refresh'.")
        return []
    if target.stat().st_size > MAX_FILE_BYTES:
        raise InvalidInput(f"offers: {target} is larger than {MAX_FILE_BYTES // 1_000_000} MB.")
    try:
        file = KeptOffers.model_validate_json(target.read_bytes())
    except ValidationError as error:
        raise InvalidInput(
            f"offers: {target} can't be read.", "Delete it, or write it anew with 'gpu-assistant prices refresh'."
        ) from error
    days = freshness_days(corpus)
    return [
        _offer(offer, today, days)
        for offer in file.offers
        if offer.gpu in corpus.entities and offer.provider in corpus.entities
    ]


def _offer(kept: KeptOffer, today: date, days: int) -> Offer:
    as_of = Period.of_day(kept.retrieved_at.date())
    where = f"{kept.instance}, {kept.region}"
    return Offer(
        gpu=kept.gpu,
        provider=kept.provider,
        price=Span(low=kept.low, high=kept.high),
        currency=kept.currency,
        kind=kept.kind,
        note=Translated(nl=where, da=where, zh=where, en=where),
        as_of=as_of,
        source=kept.source,
        origin="refreshed",
        stale=is_stale(as_of, today, days),
    )
