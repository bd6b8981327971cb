"""Amounts in another currency, at a rate that is given or that a source states with its date."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.period import Period
from assistant.language.formatting import WIDE
from assistant.tools.cost.price import USUAL_FRESHNESS_DAYS, is_stale
from assistant.tools.cost.result import Formula, Frozen, Input, Note
from assistant.tools.cost.span import Span


class ExchangeRate(Frozen):
    """How many units of `into` one unit of `currency` is worth."""

    currency: str
    into: str
    rate: Span
    origin: Literal["given", "data"]
    source: str | None = None
    as_of: Period | None = None
    approx: bool = False
    stale: bool = False


class Conversion(Frozen):
    """An amount in another currency. `about` is in whole units, which is as exact as an approximate rate allows."""

    currency: str
    amount: Span
    about: Span
    rate: ExchangeRate
    step: Formula = Field(exclude=True)

    @property
    def rate_input(self) -> Input:
        return Input(
            name="exchange_rate",
            value=self.rate.rate,
            unit=f"{self.rate.into}/{self.rate.currency}",
            origin=self.rate.origin,
            source=self.rate.source,
            as_of=self.rate.as_of,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        if self.rate.as_of is None:
            return ()
        return (Note(code="stale_rate" if self.rate.stale else "rate_of", values={"as_of": self.rate.as_of}),)


def rate_between(
    currency: str, into: str, corpus: Corpus, *, today: date, given: Decimal | None = None
) -> ExchangeRate:
    """The given rate, or the latest one that the sources state. Raises InvalidInput where there is none."""
    if given is not None:
        return ExchangeRate(currency=currency, into=into, rate=Span.of(given), origin="given")
    stated = [claim for claim in corpus.claims.values() if _states(claim, f"{into}/{currency}")]
    if not stated:
        raise InvalidInput(
            f"rate: no exchange rate from {currency} to {into} is held.", "Give the rate.",
            code="no_rate", currency=currency, into=into,
        )  # fmt: skip
    claim = max(stated, key=lambda item: (_date_of(item, corpus) or Period("1000"), item.id))
    as_of = _date_of(claim, corpus)
    days = corpus.attributes["exchange_rate"].freshness_days if "exchange_rate" in corpus.attributes else None
    return ExchangeRate(
        currency=currency,
        into=into,
        rate=Span.of(claim.value if isinstance(claim.value, Decimal) else Decimal(0)),
        origin="data",
        source=_title_of(claim, corpus),
        as_of=as_of,
        approx=claim.qualifiers.approx,
        stale=as_of is not None and is_stale(as_of, today, days or USUAL_FRESHNESS_DAYS),
    )


def _states(claim: Claim, unit: str) -> bool:
    return claim.attribute == "exchange_rate" and claim.unit == unit and isinstance(claim.value, Decimal)


def _date_of(claim: Claim, corpus: Corpus) -> Period | None:
    work = corpus.articles[corpus.article_of[claim.id]].work(claim.work)
    return claim.qualifiers.as_of or (work.published if work else None)


def _title_of(claim: Claim, corpus: Corpus) -> str:
    article = corpus.articles[corpus.article_of[claim.id]]
    work = article.work(claim.work)
    return work.title if work else article.title


def convert(amount: Span, rate: ExchangeRate) -> Conversion:
    """`amount` in the rate's other currency: amount × rate."""
    result = amount * rate.rate
    whole = Span(
        low=result.low.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=WIDE),
        high=result.high.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=WIDE),
    )
    step = Formula(
        term="converted",
        formula=f"amount in {rate.currency} × {rate.into} per {rate.currency}",
        parts=(amount, "×", rate.rate),
        value=result,
        unit=rate.into,
        source="amount × rate",
    )
    return Conversion(currency=rate.into, amount=result, about=whole, rate=rate, step=step)
