"""What a million generated tokens cost at a throughput that is measured or expected."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.energy import HOURS_PER_MONTH
from assistant.tools.cost.hourly_rate import RateRequest, hourly_rate
from assistant.tools.cost.price import Offer
from assistant.tools.cost.request import Count, FewDigits, Money, Share, inputs_of
from assistant.tools.cost.result import CostResult, Formula, Input, Note, sources_of
from assistant.tools.cost.span import NumbersOnly, Span

Throughput = Annotated[Decimal, Field(gt=0, le=1_000_000_000), NumbersOnly(), FewDigits]

_SOURCE = "hourly cost × 1,000,000 ÷ tokens per hour (reservation-based: idle hours are paid for too)"


class TokensRequest(RateRequest):
    """`throughput` is of all cards together, in tokens per second, while they are busy."""

    throughput: Throughput
    gpus: Count = 1
    utilisation: Share = Decimal(1)
    """Share of the reserved time in which that throughput is reached."""
    other_per_hour: Money = Decimal(0)
    """What else the service costs for each hour: gateway, storage, licences."""


class TokensResult(CostResult):
    """Amounts in `currency`."""

    gpu_name: str | None
    provider_name: str | None
    gpus: int
    currency: str
    price_per_gpu_hour: Span
    per_hour: Span
    throughput: Span
    utilisation: Span
    tokens_per_hour: Span
    per_million_tokens: Span
    per_month: Span
    tokens_per_month: Span
    stale: bool = False


def cost_per_million_tokens(
    request: TokensRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()
) -> TokensResult:
    """What a million tokens cost. Raises InvalidInput where the card has no price and none is given."""
    rate = hourly_rate(request, corpus, today=today, refreshed=refreshed)
    per_hour = rate.price * request.gpus + request.other_per_hour
    tokens = Span.of(request.throughput) * 3600 * request.utilisation
    per_million = per_hour * 1_000_000 / tokens
    formulas = (
        Formula(
            term="per_hour",
            formula="price per GPU and hour × GPUs + other costs per hour",
            parts=(rate.price, "×", Decimal(request.gpus), "+", request.other_per_hour),
            value=per_hour,
            unit=f"{rate.currency}/h",
            source=_SOURCE,
        ),
        Formula(
            term="tokens_per_hour",
            formula="tokens per second × 3600 × utilisation",
            parts=(request.throughput, "× 3600 ×", request.utilisation),
            value=tokens,
            unit="token/h",
            source=_SOURCE,
        ),
        Formula(
            term="per_month",
            formula="cost per hour × 730 h",
            parts=(per_hour, "×", HOURS_PER_MONTH),
            value=per_hour * HOURS_PER_MONTH,
            unit=rate.currency,
            source=_SOURCE,
        ),
        Formula(
            term="tokens_per_month",
            formula="tokens per hour × 730 h",
            parts=(tokens, "×", HOURS_PER_MONTH),
            value=tokens * HOURS_PER_MONTH,
            unit="token",
            source=_SOURCE,
        ),
        Formula(
            term="per_million_tokens",
            formula="cost per hour × 1,000,000 ÷ tokens per hour",
            parts=(per_hour, "×", Decimal(1_000_000), "÷", tokens),
            value=per_million,
            unit=rate.currency,
            source=_SOURCE,
        ),
    )
    given = request.model_fields_set
    inputs = (
        *rate.inputs,
        Input(name="throughput", value=Span.of(request.throughput), unit="token/s", origin="given"),
        *inputs_of(request, {"gpus": "gpu", "utilisation": ""}),
    )
    notes = [*rate.notes]
    if "utilisation" not in given:
        notes.append(Note(code="fully_used"))
    return TokensResult(
        gpu_name=rate.gpu_name,
        provider_name=rate.provider_name,
        gpus=request.gpus,
        currency=rate.currency,
        price_per_gpu_hour=rate.price,
        per_hour=per_hour,
        throughput=Span.of(request.throughput),
        utilisation=Span.of(request.utilisation),
        tokens_per_hour=tokens,
        per_million_tokens=per_million,
        per_month=per_hour * HOURS_PER_MONTH,
        tokens_per_month=tokens * HOURS_PER_MONTH,
        stale=rate.stale,
        formulas=formulas,
        inputs=inputs,
        assumptions=tuple(notes),
        sources=sources_of(inputs),
    )
