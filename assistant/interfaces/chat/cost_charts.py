"""The charts of the cost calculators: offers, terms of a training run, and spending over time."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from assistant.interfaces.chat.charts import Bar, BarChart, Crossing, Line, LineChart, Point, Segment, Tone
from assistant.interfaces.chat.form import Form
from assistant.language.formatting import format_number
from assistant.language.wording import Wording
from assistant.tools.cost.comparison import ComparisonResult
from assistant.tools.cost.describer import Describer
from assistant.tools.cost.migration import MigrationResult, saved_by_month
from assistant.tools.cost.ownership import OwnershipResult, Scenario, spent_by_month
from assistant.tools.cost.rent import RentResult
from assistant.tools.cost.span import Span
from assistant.tools.cost.tokens import TokensResult
from assistant.tools.cost.training_run import Terms, TrainingRunResult

CURRENCY = "USD"
_TONES: tuple[Tone, ...] = ("a", "b", "c", "d", "e", "f")


def offers_chart(result: RentResult, form: Form, wording: Wording) -> BarChart | None:
    """A bar for each offer with a price; None where fewer than two can be compared."""
    writer = Describer(wording, form.language)
    bars = [
        _bar(f"{cost.gpu_name}, {cost.provider_name}", cost.offer.price, cost.offer.currency, writer)
        for cost in [*result.offers, *result.alternatives]
        if cost.offer.price is not None and cost.offer.currency == CURRENCY
    ]
    if len(bars) < 2:
        return None
    return BarChart(title=form.say("prices_chart"), bars=tuple(bars), legend=False)


def options_chart(result: ComparisonResult, form: Form, wording: Wording) -> BarChart:
    """A bar for what each of the offers comes to."""
    writer = Describer(wording, form.language)
    bars = tuple(_bar(option.label, option.total, result.currency, writer) for option in result.options)
    return BarChart(title=form.say("offers_chart"), bars=bars, legend=False)


def utilisation_chart(results: Sequence[TokensResult], form: Form, wording: Wording) -> BarChart:
    """A bar for what a million tokens cost at each utilisation."""
    writer = Describer(wording, form.language)
    bars = tuple(_bar(writer.share(one.utilisation), one.per_million_tokens, one.currency, writer) for one in results)
    return BarChart(title=form.say("tokens_chart"), bars=bars, legend=False)


def _bar(label: str, amount: Span, currency: str, writer: Describer) -> Bar:
    """A bar for an amount; a range ends in its uncertain part."""
    shown = writer.money(amount, currency)
    segments = [Segment(label=label, size=float(amount.low), shown=shown, tone="a")]
    if not amount.exact:
        segments.append(Segment(label=label, size=float(amount.high - amount.low), shown=shown, tone="range"))
    return Bar(label=label, segments=tuple(segments))


def terms_chart(result: TrainingRunResult, form: Form, wording: Wording) -> BarChart:
    """What one attempt is made up of; a term that is a range ends in its uncertain part."""
    writer = Describer(wording, form.language)
    segments: list[Segment] = []
    above = Decimal(0)
    for tone, name in zip(_TONES, Terms.model_fields, strict=True):
        amount: Span = getattr(result.terms, name)
        if amount.high <= 0:
            continue
        label = writer.say(f"term_{name}")
        shown = writer.money(amount, result.currency)
        segments.append(Segment(label=label, size=float(amount.low), shown=shown, tone=tone))
        above += amount.high - amount.low
    if above > 0:
        shown = writer.money(Span.of(above), result.currency)
        segments.append(Segment(label=form.say("uncertain"), size=float(above), shown=shown, tone="range"))
    return BarChart(title=form.say("terms_chart"), bars=(Bar(label="", segments=tuple(segments)),))


def months_chart(result: OwnershipResult, scenario: Scenario, form: Form) -> LineChart:
    """What has been spent by the end of each month, and when the two are even."""
    months = spent_by_month(result, scenario)
    utilisation = format_number((scenario.utilisation.low * 100).normalize(), form.language)
    own = [(point.month, point.own) for point in months]
    rented = [(point.month, point.rent) for point in months]
    return LineChart(
        title=form.say("time_chart"),
        detail=form.say("time_chart_detail", utilisation=utilisation, currency=result.currency),
        x_label=form.say("month"),
        lines=(_line("series_own", "a", own, form), _line("series_rent", "b", rented, form)),
        crossing=_crossing(scenario.break_even_month_earliest, scenario.break_even_month_latest, len(months) - 1, form),
        write=_whole(form),
    )


def payback_chart(result: MigrationResult, form: Form) -> LineChart:
    """What a migration costs against what it has saved by the end of each month, and when the two are even."""
    months = saved_by_month(result)
    cost = [(point.month, point.cost) for point in months]
    saved = [(point.month, point.saved) for point in months]
    return LineChart(
        title=form.say("payback_chart"),
        detail=form.say("amounts_in", currency=result.currency),
        x_label=form.say("month"),
        lines=(_line("series_cost", "a", cost, form), _line("series_saved", "b", saved, form)),
        crossing=_crossing(result.payback_month_earliest, result.payback_month_latest, len(months) - 1, form),
        write=_whole(form),
    )


def _line(name: str, tone: Tone, spans: Sequence[tuple[int, Span]], form: Form) -> Line:
    points = tuple(Point(x=month, low=float(span.low), high=float(span.high)) for month, span in spans)
    return Line(label=form.say(name), tone=tone, points=points)


def _whole(form: Form) -> Callable[[float], str]:
    return lambda value: format_number(Decimal(value), form.language, 0)


def _crossing(low: int | None, high: int | None, last: int, form: Form) -> Crossing | None:
    """Between the months in which two series can meet; None where they don't within those shown."""
    if low is None or low > last:
        return None
    if high is None or high > last:
        return Crossing(label=form.say("break_even_from", low=str(low)), low=low, high=last)
    if low == high:
        return Crossing(label=form.say("break_even", month=str(low)), low=low, high=high)
    return Crossing(label=form.say("break_even_between", low=str(low), high=str(high)), low=low, high=high)
