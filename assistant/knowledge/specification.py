"""Rows of structured data, every value with its source: GPUs, cloud prices, software releases and support."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.addressed import ToPeople
from assistant.knowledge.claim import Range
from assistant.knowledge.period import READS_DATED, WRITES_DATED, Period
from assistant.knowledge.web_address import WebAddress
from assistant.language.tongue import Language, Translated

Scope = Literal["die", "gpu", "superchip", "node", "rack"]


class Source(BaseModel):
    """Where values of a specification file come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: ToPeople
    publisher: ToPeople | None = None
    url: WebAddress | None = None
    published: Period | None = None
    language: Language = "en"


class SpecificationValue(BaseModel):
    """One value of one row. Sources that disagree are separate values of the same attribute."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attribute: str
    value: Annotated[
        Annotated[Decimal | Range | Period | bool | str, Field(union_mode="left_to_right")], READS_DATED, WRITES_DATED
    ]
    unit: str | None = None
    scope: Scope = "gpu"
    sparsity: Literal["dense", "sparse"] | None = None
    precision: str | None = None
    variant: str | None = None
    sources: tuple[str, ...] = Field(min_length=1)
    as_of: Period | None = None
    status: Literal["specified", "measured", "vendor_claim", "forecast", "superseded"] = "specified"
    approx: bool = False
    bound: Literal["at_most", "at_least"] | None = None
    note: Translated | None = None


class GpuRow(BaseModel):
    """The specification of one GPU, by entity id."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: str
    values: tuple[SpecificationValue, ...]


class GpusFile(BaseModel):
    """corpus/specs/gpus.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[Source, ...]
    gpus: tuple[GpuRow, ...]


class PriceRow(BaseModel):
    """What a provider asks for one GPU for one hour. `price` is missing where none is published."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpu: str
    provider: str
    price: Decimal | Range | None = Field(default=None, union_mode="left_to_right")
    currency: str = "USD"
    kind: Literal["on_demand", "spot", "reserved", "marketplace"] = "on_demand"
    note: Translated
    as_of: Period
    source: str


class PricesFile(BaseModel):
    """corpus/specs/prices.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[Source, ...]
    prices: tuple[PriceRow, ...]


class ReleaseRow(BaseModel):
    """One release of a software product."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: str
    version: str
    released: Period | None = None
    source: str
    note: Translated | None = None


class SupportRow(BaseModel):
    """Whether a software release supports a card or framework, and since when."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    software: str
    subject: str
    """Entity id of the card, architecture, framework or system that is supported."""
    status: Literal["supported", "partial", "experimental", "not_supported"]
    system: str | None = None
    from_version: str | None = None
    until_version: str | None = None
    as_of: Period | None = None
    lasting: bool = False
    """True where support began or ended for good; what a named version brought or took is lasting without it."""
    source: str
    note: Translated | None = None


class SoftwareFile(BaseModel):
    """corpus/specs/software.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[Source, ...]
    releases: tuple[ReleaseRow, ...]
    support: tuple[SupportRow, ...]
