"""The whole cost of a training run: compute, storage, networking, software, recovery and engineering."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.tools.cost.card_figures import card_figure
from assistant.tools.cost.hourly_rate import RateRequest, hourly_rate
from assistant.tools.cost.price import Offer
from assistant.tools.cost.request import Count, FewDigits, Hours, Money, Share
from assistant.tools.cost.result import CostResult, Formula, Frozen, Input, Note, sources_of
from assistant.tools.cost.span import NumbersOnly, Span, total

Parameters = Annotated[Decimal, Field(gt=0, le=Decimal("1e15")), NumbersOnly(), FewDigits]
TrainingTokens = Annotated[Decimal, Field(gt=0, le=Decimal("1e17")), NumbersOnly(), FewDigits]
Teraflops = Annotated[Decimal, Field(gt=0, le=1_000_000), NumbersOnly(), FewDigits]

# What published runs reached of their cards' dense 16-bit peak by 6·N·D: Llama 2 7B 0.39 and 70B 0.43 on A100,
# Llama 3.1 405B 0.35 on H100, DeepSeek-V3 0.35 on H800.
USUAL_MFU = Span(low=Decimal("0.35"), high=Decimal("0.43"))
MFU_SOURCE = "GPU-hours that Llama 2, Llama 3.1 405B and DeepSeek-V3 report, by 6·N·D"

_SUM_SOURCE = "AMD Instinct 与 NVIDIA GPU 对比"
_FLOPS_SOURCE = "Kaplan et al., arXiv:2001.08361 (6·N·D)"
_ATTEMPTS_SOURCE = "expected attempts until one succeeds: 1 ÷ success rate"

# What hours are worked out from, and what plays no part where they are given.
_FOR_HOURS = ("parameters", "tokens", "mfu", "peak_tflops", "precision")


class TrainingRunRequest(RateRequest):
    """Hours are given, or follow from parameters × tokens. Costs besides compute are for the run as a whole."""

    gpus: Count = 1
    hours: Hours | None = None
    """Hours that the run takes on all cards together."""
    parameters: Parameters | None = None
    """Parameters that take part in each token: all of a dense model, the active ones of a mixture of experts."""
    tokens: TrainingTokens | None = None
    mfu: Share | Span | None = Field(default=None, union_mode="left_to_right")
    """Share of the dense peak that the run reaches."""
    peak_tflops: Teraflops | None = None
    """Dense peak of one card; None takes the card's own figure for `precision`."""
    precision: Literal["16bit", "fp8"] = "16bit"
    storage: Money = Decimal(0)
    networking: Money = Decimal(0)
    software: Money = Decimal(0)
    recovery: Money = Decimal(0)
    engineering: Money = Decimal(0)
    """Porting, set-up and operations, paid once however often the run is repeated."""
    success_rate: Share = Decimal(1)
    """Share of attempts that end in a usable model."""


class Terms(Frozen):
    """The cost of one attempt by kind; `engineering` is paid once."""

    compute: Span
    storage: Span
    networking: Span
    software: Span
    recovery: Span
    engineering: Span


class TrainingRunResult(CostResult):
    """`total` is for one attempt; `per_completed_run` counts the attempts that fail."""

    gpu_name: str | None
    gpus: int
    currency: str
    price_per_gpu_hour: Span
    hours: Span
    gpu_hours: Span
    flops: Span | None = None
    mfu: Span | None = None
    terms: Terms
    total: Span
    success_rate: Span
    per_completed_run: Span
    stale: bool = False


def training_run(
    request: TrainingRunRequest, corpus: Corpus, *, today: date, refreshed: Sequence[Offer] = ()
) -> TrainingRunResult:
    """What the run costs. Raises InvalidInput where the hours can't be known, or the card has no price or peak."""
    rate = hourly_rate(request, corpus, today=today, refreshed=refreshed)
    duration = _given_hours(request) if request.hours is not None else _computed_hours(request, corpus, rate.gpu)
    compute = rate.price * duration.gpu_hours
    formulas = [
        *duration.formulas,
        Formula(
            term="compute",
            formula="price per GPU and hour × GPUs × hours",
            parts=(rate.price, "×", Decimal(request.gpus), "×", duration.hours),
            value=compute,
            unit=rate.currency,
            source=_SUM_SOURCE,
        ),
    ]
    terms = Terms(
        compute=compute,
        storage=Span.of(request.storage),
        networking=Span.of(request.networking),
        software=Span.of(request.software),
        recovery=Span.of(request.recovery),
        engineering=Span.of(request.engineering),
    )
    per_attempt = total([terms.compute, terms.storage, terms.networking, terms.software, terms.recovery])
    whole = per_attempt + terms.engineering
    completed = per_attempt / request.success_rate + terms.engineering
    formulas.append(_sum_formula(terms, whole, rate.currency))
    if request.success_rate < 1:
        formulas.append(
            Formula(
                term="per_completed_run",
                formula="cost of one attempt ÷ success rate + engineering",
                parts=(per_attempt, "÷", request.success_rate, "+", terms.engineering),
                value=completed,
                unit=rate.currency,
                source=_ATTEMPTS_SOURCE,
            )
        )
    notes = [*rate.notes, *duration.notes]
    if request.success_rate == 1 and "success_rate" not in request.model_fields_set:
        notes.append(Note(code="every_run_succeeds"))
    missing = [name for name in ("storage", "networking", "software", "recovery", "engineering")
               if name not in request.model_fields_set]  # fmt: skip
    if missing:
        notes.append(Note(code="terms_left_out", values={"terms": ", ".join(missing)}))
    if request.hours is not None:
        needless = [
            name for name in _FOR_HOURS if getattr(request, name) is not None and name in request.model_fields_set
        ]
        if needless:
            notes.append(Note(code="hours_are_given", values={"terms": ", ".join(needless)}))
    inputs = (*rate.inputs, *duration.inputs, *_money_inputs(request, rate.currency))
    return TrainingRunResult(
        gpu_name=rate.gpu_name,
        gpus=request.gpus,
        currency=rate.currency,
        price_per_gpu_hour=rate.price,
        hours=duration.hours,
        gpu_hours=duration.gpu_hours,
        flops=duration.flops,
        mfu=duration.mfu,
        terms=terms,
        total=whole,
        success_rate=Span.of(request.success_rate),
        per_completed_run=completed,
        stale=rate.stale,
        formulas=tuple(formulas),
        inputs=inputs,
        assumptions=tuple(notes),
        sources=tuple(dict.fromkeys([*sources_of(inputs), _SUM_SOURCE])),
    )


class Duration(Frozen):
    """How long a run takes, and how that is known."""

    hours: Span
    gpu_hours: Span
    flops: Span | None = None
    mfu: Span | None = None
    formulas: tuple[Formula, ...] = ()
    inputs: tuple[Input, ...] = ()
    notes: tuple[Note, ...] = ()


def _given_hours(request: TrainingRunRequest) -> Duration:
    hours = Span.of(request.hours or Decimal(0))
    inputs = (
        Input(name="hours", value=hours, unit="h", origin="given"),
        Input(name="gpus", value=Span.of(request.gpus), unit="gpu", origin="given"),
    )
    return Duration(hours=hours, gpu_hours=hours * request.gpus, inputs=inputs)


def _computed_hours(request: TrainingRunRequest, corpus: Corpus, gpu: str | None) -> Duration:
    """Training hours: 6 × parameters × tokens ÷ (peak × MFU × 3600 × GPUs)."""
    if request.parameters is None or request.tokens is None:
        raise InvalidInput("hours: give the hours, or both parameters and tokens to compute them from.")
    if request.peak_tflops is not None:
        peak = Input(name="peak_tflops", value=Span.of(request.peak_tflops), unit="TFLOPS", origin="given")
    elif gpu is not None:
        attribute = "dense_flops_fp8" if request.precision == "fp8" else "dense_flops_16bit"
        peak = card_figure(corpus, gpu, attribute, "peak_tflops", "TFLOPS")
    else:
        raise InvalidInput("peak_tflops: name a card (gpu), or give the dense peak of one.")
    if request.mfu is None and request.precision == "fp8":
        raise InvalidInput("mfu: no usual share of the FP8 peak is known.", "Give the mfu.")
    mfu = USUAL_MFU if request.mfu is None else Span.of(request.mfu)
    if mfu.low <= 0 or mfu.high > 1:
        raise InvalidInput("mfu: must be above 0 and at most 1.")
    flops = Span.of(request.parameters) * request.tokens * 6
    per_gpu_hour = peak.value * mfu * Decimal("1e12") * 3600
    gpu_hours = flops / per_gpu_hour
    inputs = (
        Input(name="parameters", value=Span.of(request.parameters), unit="", origin="given"),
        Input(name="tokens", value=Span.of(request.tokens), unit="token", origin="given"),
        peak,
        Input(
            name="mfu",
            value=mfu,
            unit="",
            origin="assumed" if request.mfu is None else "given",
            source=MFU_SOURCE if request.mfu is None else None,
        ),
        Input(name="gpus", value=Span.of(request.gpus), unit="gpu", origin="given"),
    )
    formulas = (
        Formula(
            term="flops",
            formula="6 × parameters × tokens",
            parts=(Decimal(6), "×", request.parameters, "×", request.tokens),
            value=flops,
            unit="FLOP",
            source=_FLOPS_SOURCE,
        ),
        Formula(
            term="gpu_hours",
            formula="FLOP ÷ (dense peak × MFU × 3600)",
            parts=(flops, "÷ (", peak.value * Decimal("1e12"), "×", mfu, "× 3600 )"),
            value=gpu_hours,
            unit="GPU-h",
            source=_FLOPS_SOURCE,
        ),
        Formula(
            term="hours",
            formula="GPU-hours ÷ GPUs",
            parts=(gpu_hours, "÷", Decimal(request.gpus)),
            value=gpu_hours / request.gpus,
            unit="h",
            source=_FLOPS_SOURCE,
        ),
    )
    notes = (Note(code="usual_mfu", values={"mfu": USUAL_MFU}),) if request.mfu is None else ()
    return Duration(
        hours=gpu_hours / request.gpus,
        gpu_hours=gpu_hours,
        flops=flops,
        mfu=mfu,
        formulas=formulas,
        inputs=inputs,
        notes=notes,
    )


def _sum_formula(terms: Terms, whole: Span, currency: str) -> Formula:
    amounts: list[Span] = [getattr(terms, name) for name in Terms.model_fields]
    parts: list[Span | Decimal | str] = []
    for amount in [amount for amount in amounts if amount.high > 0] or [terms.compute]:
        parts += [amount, "+"]
    return Formula(
        term="total",
        formula="compute + storage + networking + software + recovery + engineering",
        parts=tuple(parts[:-1]),
        value=whole,
        unit=currency,
        source=_SUM_SOURCE,
    )


def _money_inputs(request: TrainingRunRequest, currency: str) -> tuple[Input, ...]:
    names = ("storage", "networking", "software", "recovery", "engineering")
    given = [name for name in names if name in request.model_fields_set]
    return tuple(
        Input(name=name, value=Span.of(getattr(request, name)), unit=currency, origin="given") for name in given
    )
