"""The memory calculator's form and outcome."""

from pathlib import Path
from typing import Any, NamedTuple

from assistant.errors import AssistantError, InvalidInput
from assistant.interfaces.chat.charts import Bar, BarChart, Limit, Segment, Tone, bar_chart_html
from assistant.interfaces.chat.form import Form, Typed
from assistant.interfaces.chat.result import outcome_html, refusal_html
from assistant.language.formatting import format_number
from assistant.language.wording import Wording
from assistant.tools.memory.amounts import read_parameters
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.description import describe_fit, describe_formula, fit_phrases, in_gb
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject
from assistant.tools.memory.subject import find_model, parameter_count_only

MOST_CARDS = 10_000
MOST_SEQUENCES = 100_000
CONTEXTS = ("2k", "4k", "8k", "16k", "32k", "64k", "128k", "256k", "1m")
_TONES: dict[str, Tone] = {
    "weights": "a", "kv_cache": "b", "gradients": "d", "optimizer": "e", "activations": "c", "overhead": "f",
}  # fmt: skip


class MemoryForm(NamedTuple):
    """The fields, in the order in which the page hands them over."""

    model: str | None
    card: str | None
    cards: Typed
    task: str
    weights: str | None
    context: str | None
    concurrency: Typed
    sequence: str | None
    batch: Typed
    zero: Typed
    engine: str | None
    kv_type: str | None


def memory_outcome(fields: MemoryForm, form: Form, catalogue: Catalogue, corpus: Path) -> str:
    """Whether it fits, as HTML; what can't be computed is said in one line."""
    try:
        result = estimate(fields, form, catalogue)
    except AssistantError as error:
        return refusal_html(form, error)
    phrases = fit_phrases(corpus)
    chart = bar_chart_html(breakdown_chart(result, form, phrases), form.say("figures"))
    formulas = [describe_formula(step, phrases, form.language) for step in result.formulas]
    return outcome_html(form, describe_fit(result, form.language, corpus), chart, [(form.say("formulas"), formulas)])


def estimate(fields: MemoryForm, form: Form, catalogue: Catalogue) -> FitResult:
    """The estimate that the form asks for. Raises InvalidInput, in the page's language where a field is at fault."""
    subject = read_subject(form.chosen("model", fields.model), catalogue)
    card = catalogue.card(form.chosen("card", fields.card))
    chosen: dict[str, Any] = {
        "task": fields.task,
        "gpus": form.whole("cards", fields.cards, 1, MOST_CARDS),
        "weights": fields.weights or None,
        "engine": fields.engine or None,
        "kv_type": fields.kv_type or "auto",
    }
    if fields.task == "inference":
        chosen["context"] = form.tokens("context", fields.context)
        chosen["concurrency"] = form.whole("concurrency", fields.concurrency, 1, MOST_SEQUENCES)
        length = chosen["context"]
    else:
        length = chosen["sequence"] = form.tokens("sequence", fields.sequence) or 2048
        chosen["batch"] = form.whole("batch", fields.batch, 1, MOST_SEQUENCES)
        chosen["zero"] = form.whole("zero", fields.zero, 0, 3)
    _check_length(subject, length, form)
    return estimate_fit(FitRequest(**chosen), subject, card, tuple(catalogue.cards.values()))


def read_subject(typed: str, catalogue: Catalogue) -> Subject:
    """A known model, or a size such as 70B. Files of the server are out of a visitor's reach. Raises InvalidInput."""
    try:
        parameters = read_parameters(typed)
    except InvalidInput:
        return find_model(typed, catalogue.models, catalogue.entities)
    return parameter_count_only(parameters, catalogue.models)


def _check_length(subject: Subject, length: int | None, form: Form) -> None:
    architecture = getattr(subject, "architecture", None)
    if length is None or architecture is None or length <= architecture.max_context:
        return
    limit = format_number(architecture.max_context, form.language)
    raise InvalidInput(form.say("context_limit", model=subject.name, limit=limit))


def breakdown_chart(result: FitResult, form: Form, phrases: Wording) -> BarChart:
    """What takes the memory of the fullest GPU, against what of it can be used."""
    language, per_gpu = form.language, result.per_gpu
    segments = [
        Segment(
            label=phrases.say(term, language),
            size=getattr(per_gpu, term),
            shown=in_gb(getattr(per_gpu, term), language),
            tone=_TONES[term],
        )
        for term in ("weights", "kv_cache", "gradients", "optimizer", "activations")
        if getattr(per_gpu, term)
    ]
    overhead = per_gpu.overhead
    segments.append(
        Segment(
            label=phrases.say("overhead", language),
            size=overhead.low,
            shown=in_gb(overhead.low, language),
            tone=_TONES["overhead"],
        )
    )
    # The range of the total holds that of the overhead and, for a bare parameter count, that over its models.
    above = per_gpu.total.high - per_gpu.total.low
    if above > 0:
        segments.append(Segment(label=form.say("uncertain"), size=above, shown=in_gb(above, language), tone="range"))
    limit = Limit(label=form.say("usable", size=in_gb(per_gpu.usable, language)), place=per_gpu.usable)
    return BarChart(title=form.say("memory_chart"), bars=(Bar(label="", segments=tuple(segments)),), limit=limit)
