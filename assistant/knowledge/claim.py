"""What an article asserts: one checkable statement, anchored to a verbatim quote."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from assistant.knowledge.addressed import is_already_read, to_people
from assistant.knowledge.period import READS_DATED, WRITES_DATED, Period
from assistant.language.tongue import LANGUAGES, Translated

Status = Literal["measured", "specified", "vendor_claim", "forecast", "hypothetical", "editorial", "not_published"]
Bound = Literal["at_most", "at_least"]


class Range(BaseModel):
    """A figure that its source gives as a span."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    low: Decimal
    high: Decimal

    @model_validator(mode="after")
    def _in_order(self) -> "Range":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Qualifiers(BaseModel):
    """Under which conditions a claim holds; two claims conflict only where these agree."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    variant: str | None = None
    """Form factor or edition, where `about` doesn't already say it: PCIe, SXM, Community Cloud …"""
    scope: str | None = None
    """What the figure counts: die, gpu, superchip, node, rack; or the market or step meant."""
    sparsity: Literal["dense", "sparse"] | None = None
    precision: str | None = None
    provider: str | None = None
    """Entity id of who rents it out."""
    compared_with: str | None = None
    """Entity id, or words, of what a comparison is made against: rocm-7 for 3.3 times faster."""
    as_of: Period | None = None
    """When the source says it held; the work's publication date where left out."""
    approx: bool = False
    bound: Bound | None = None
    part: Literal["early", "mid", "late"] | None = None
    """Which third of a dated period is meant: late for "at the end of the third quarter"."""
    model_parameters: Decimal | None = None


class SeriesPlace(BaseModel):
    """The place of a claim in a list that belongs together, such as the steps of a migration."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    position: int = Field(ge=1)


class Claim(BaseModel):
    """One statement of an article. `value` is a figure, a date or true/false; `text` is words of the quote."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{2,119}$")
    about: tuple[str, ...] = Field(min_length=1)
    attribute: str
    value: Annotated[
        Annotated[Decimal | Range | Period | bool | None, Field(union_mode="left_to_right")], READS_DATED, WRITES_DATED
    ] = None
    unit: str | None = None
    text: str | None = None
    names: tuple[str, ...] = ()
    """Entity ids where the value is other entities: the GPUs a release supports, say."""
    qualifiers: Qualifiers = Qualifiers()
    status: Status
    lasting: bool = False
    """True for history: what was so at its time stays so, and doesn't go out of date with its attribute."""
    attributed_to: str | None = None
    """Entity id, or name, of who makes the statement where it isn't the article's own."""
    work: str
    """Key of the work in the article's `based_on` that carries the fact."""
    quote: str = Field(min_length=4)
    statement: Translated
    question: Translated | None = None
    """The question that the statement answers, as a reader would ask it: found by, and offered as what to ask next."""
    series: SeriesPlace | None = None
    corrects: tuple[str, ...] = ()
    """Ids of older claims that this one says are wrong; they are told as corrected, not as a side of a disagreement."""

    @field_validator("statement", "question")
    @classmethod
    def _is_told_to_people(cls, told: Translated | None, info: ValidationInfo) -> Translated | None:
        if is_already_read(info):
            return told
        return told and Translated(**{language: to_people(told.in_language(language)) for language in LANGUAGES})

    @model_validator(mode="before")
    @classmethod
    def _dates_as_periods(cls, data: object) -> object:
        """YAML reads 2026 as a number; an attribute given as `date` is meant as a date."""
        if isinstance(data, dict) and "date" in data:
            data = dict(data)
            if data.get("value") is not None:
                raise ValueError("give either date or value, not both")
            data["value"] = Period(str(data.pop("date")))
        return data

    @model_validator(mode="after")
    def _says_something(self) -> "Claim":
        if self.value is None and self.text is None and not self.names:
            raise ValueError("a claim needs value, date, text or names")
        return self


class Series(BaseModel):
    """A list that claims belong to, with its heading in four languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: Translated
    questions: tuple[Translated, ...] = ()
    """Questions that the whole list answers, as readers would ask them: found by."""


class ClaimsFile(BaseModel):
    """The claims of one article: corpus/claims/<article id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    article: str
    series: tuple[Series, ...] = ()
    claims: tuple[Claim, ...] = ()
