"""A result of the memory calculator in words and as a table, in four languages."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.language.wording import Wording, read_wording
from assistant.settings import ROOT
from assistant.tools.memory.result import ByteRange, FitResult, Formula, Note, Remedy

_TERMS = ("weights", "kv_cache", "gradients", "optimizer", "activations")
_BYTE_VALUES = frozenset({"high", "low", "usable", "size", "bytes"})
_COUNT_VALUES = frozenset({"tokens", "gpus"})
# Below this many tokens a second a decimal is told.
_SLOW = 20.0
_OF_CHOICES = frozenset({"given", "taken", "in_vain"})
_UNITS = {"tokens/s": "speed", "GPUs": "bytes", "sequences": "bytes"}


@lru_cache(maxsize=4)
def fit_phrases(corpus: Path) -> Wording:
    """The calculator's sentences. Raises CorpusError naming the phrase at fault."""
    return read_wording(corpus / "phrases" / "fit.yaml")


def in_gb(size: int, language: Language) -> str:
    """Decimal gigabytes, one decimal below 100: 141,1 GB."""
    value = Decimal(size) / 10**9
    return f"{format_number(value, language, 1)} GB"


def in_gib(size: int, language: Language) -> str:
    return f"{format_number(Decimal(size) / 2**30, language, 1)} GiB"


def _count(value: int, language: Language) -> str:
    return format_number(Decimal(value), language)


def _span(total: ByteRange, phrases: Wording, language: Language) -> str:
    low, high = in_gb(total.low, language), in_gb(total.high, language)
    return low if low == high else phrases.say("span", language, low=low, high=high)


def _verdict_sentence(result: FitResult, phrases: Wording, language: Language) -> str:
    weights = result.request.weights or ""
    missing = next((note for note in result.assumptions if note.code == "precision_missing"), None)
    name = result.model.name
    if missing is not None:
        precision = missing.values["precision"].upper()
        return phrases.say(
            "no_precision", language, card=result.card.name, precision=precision, model=name, weights=weights
        )
    return phrases.say(
        result.verdict,
        language,
        model=name,
        weights=weights,
        gpus=str(result.request.gpus),
        card=result.card.name,
        need=_span(result.per_gpu.total, phrases, language),
        usable=in_gb(result.per_gpu.usable, language),
    )


def _binding_sentence(result: FitResult, phrases: Wording, language: Language) -> list[str]:
    if result.binding == "precision":
        return []
    term = phrases.say(result.binding, language)
    if result.binding == "overhead":
        size = _span(result.per_gpu.overhead, phrases, language)
    else:
        size = in_gb(getattr(result.per_gpu, result.binding), language)
    return [phrases.say("binding", language, term=term, size=size)]


def _further_sentences(result: FitResult, phrases: Wording, language: Language) -> list[str]:
    sentences = _binding_sentence(result, phrases, language)
    if result.verdict == "does_not_fit" and result.binding != "precision":
        if result.gpus_needed is None:
            sentences.append(phrases.say("gpus_never", language))
        else:
            sentences.append(phrases.say("gpus_needed", language, count=_count(result.gpus_needed, language)))
            if result.gpus_sure is not None and result.gpus_sure > result.gpus_needed:
                sentences.append(phrases.say("gpus_sure", language, count=_count(result.gpus_sure, language)))
    if result.verdict == "fits" and result.max_context and result.max_concurrency:
        sentences.append(
            phrases.say(
                "room",
                language,
                context=_count(result.max_context, language),
                concurrency=_count(result.max_concurrency, language),
            )
        )
    if result.verdict == "fits" and result.decode_ceiling_tokens_per_s and result.request.context:
        sentences.append(
            phrases.say(
                "decode_ceiling",
                language,
                context=_count(result.request.context, language),
                speed=format_number(Decimal(str(result.decode_ceiling_tokens_per_s)), language, 0),
            )
        )
    if result.verdict == "fits" and result.prefill_ceiling_tokens_per_s:
        speed = Decimal(str(result.prefill_ceiling_tokens_per_s))
        sentences.append(phrases.say("prefill_ceiling", language, speed=format_number(speed, language, 0)))
    return sentences


def describe_choice(field: str, value: str, phrases: Wording, language: Language) -> str:
    """One choice of a request in words: "a micro-batch of 4"."""
    if value in ("True", "False"):
        return phrases.say(f"choice_{field}_{'on' if value == 'True' else 'off'}", language)
    if field == "memory_utilization":
        shown = format_number(Decimal(value) * 100, language)
    else:
        shown = _count(int(value), language) if value.isdecimal() else value
    return phrases.say(f"choice_{field}", language, value=shown)


def describe_note(note: Note, phrases: Wording, language: Language) -> str:
    """One assumption in words, its sizes and counts written as the language does."""
    if note.code in _OF_CHOICES:
        choices = [describe_choice(field, value, phrases, language) for field, value in note.values.items()]
        return phrases.say(f"note_{note.code}", language, choices=phrases.say("between", language).join(choices))
    values: dict[str, str] = {}
    for name, value in note.values.items():
        if name in _BYTE_VALUES:
            values[name] = in_gb(int(value), language)
        elif name in _COUNT_VALUES:
            values[name] = _count(int(value), language)
        elif name == "precision":
            values[name] = value.upper()
        else:
            values[name] = value
    return phrases.say(f"note_{note.code}", language, **values)


def _said_already(note: Note, result: FitResult) -> bool:
    """A note on a speed that isn't shown, or that the verdict has given already."""
    if note.code == "smaller_count":
        return int(note.values["gpus"]) == result.request.gpus
    return note.code == "decode_is_ceiling" and result.verdict != "fits"


def describe_remedy(remedy: Remedy, phrases: Wording, language: Language) -> str:
    """One change in words, with what is needed then."""
    first = next(iter(remedy.change.values()))
    if isinstance(first, int):
        # What is told of a limit is the last value that does; the change is one beyond it.
        value = _count(first - 1 if remedy.code.startswith("limit_") else first, language)
    else:
        value = str(first)
    need = _span(remedy.total, phrases, language)
    cards = f"{_count(remedy.gpus, language)} × {remedy.card}"
    if remedy.division:
        cards = phrases.say("divided", language, cards=cards, division=remedy.division)
    phrase = f"remedy_{remedy.code}"
    weights = str(remedy.change.get("weights", ""))
    return phrases.say(phrase, language, value=value, need=need, cards=cards, weights=weights)


def describe_changes(result: FitResult, language: Language, corpus: Path = ROOT / "corpus") -> tuple[str, ...]:
    """A sentence for each thing that would change the verdict, or that would do as well; the object has the figures."""
    phrases = fit_phrases(corpus)
    return tuple(describe_remedy(remedy, phrases, language) for remedy in result.would_change)


def describe_formula(step: Formula, phrases: Wording, language: Language) -> str:
    """One step: the formula in words or symbols, its numbers, and where it comes from."""
    said = phrases.say(step.code, language) if step.code else step.formula
    filled = step.filled
    name, colon, numbers = filled.partition(": ")
    if step.term == "overhead" and colon:
        filled = f"{phrases.say('overhead_' + name.lower().replace(' ', '_'), language)}: {numbers}"
    named = f"term_{step.term}"
    term = phrases.say(named if named in phrases.phrases else step.term, language)
    # A comparison says what holds for a value, which it does not contain.
    value = f"{_count(int(step.value), language)}; " if "≤" in filled or "<" in filled else ""
    unit = phrases.say(f"formula_unit_{_UNITS.get(step.unit, step.unit)}", language)
    return f"{term}: {value}{said}; {filled} {unit} ({step.source})"


def breakdown_rows(result: FitResult, phrases: Wording, language: Language) -> list[tuple[str, str, str, str]]:
    """(term, GB, GiB, bytes) of each term that takes memory, then total and usable."""
    rows: list[tuple[str, str, str, str]] = []

    def row(label: str, low: int, high: int) -> None:
        def written(write: str) -> str:
            both = [
                _count(n, language) if write == "bytes" else (in_gb if write == "GB" else in_gib)(n, language)
                for n in dict.fromkeys((low, high))
            ]
            return " – ".join(dict.fromkeys(both))

        rows.append((label, written("GB"), written("GiB"), written("bytes")))

    for term in _TERMS:
        size = getattr(result.per_gpu, term)
        if size:
            row(phrases.say(term, language), size, size)
    row(phrases.say("overhead", language), result.per_gpu.overhead.low, result.per_gpu.overhead.high)
    row(phrases.say("total", language), result.per_gpu.total.low, result.per_gpu.total.high)
    row(phrases.say("usable", language), result.per_gpu.usable, result.per_gpu.usable)
    return rows


def _table(result: FitResult, phrases: Wording, language: Language) -> list[str]:
    head = (phrases.say("column_term", language), "GB", "GiB", phrases.say("column_bytes", language))
    lines = [head, ("---", "---:", "---:", "---:"), *breakdown_rows(result, phrases, language)]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def describe_fit(result: FitResult, language: Language, corpus: Path = ROOT / "corpus") -> str:
    """The result as Markdown: a direct first sentence, the breakdown, what would fit, and what was assumed."""
    phrases = fit_phrases(corpus)
    join = "" if language == "zh" else " "
    paragraph = join.join(
        [_verdict_sentence(result, phrases, language), *_further_sentences(result, phrases, language)]
    )
    parts = [paragraph, "\n".join(_table(result, phrases, language))]
    if result.would_change:
        listed = [f"- {sentence}" for sentence in describe_changes(result, language, corpus)]
        parts.append("\n".join([phrases.say("remedies" if result.remedies else "would_change", language), *listed]))
    notes = [note for note in result.assumptions if not _said_already(note, result)]
    if notes:
        listed = [f"- {describe_note(note, phrases, language)}" for note in notes]
        parts.append("\n".join([phrases.say("assumptions", language), *listed]))
    return "\n\n".join(parts)


def describe_editions(results: Sequence[FitResult], language: Language, corpus: Path = ROOT / "corpus") -> str:
    """The verdict for each further edition of a card, as a list; empty where there is none."""
    phrases = fit_phrases(corpus)
    return "\n".join(f"- {_verdict_sentence(result, phrases, language)}" for result in results)


def describe_speed(result: FitResult, language: Language, corpus: Path = ROOT / "corpus") -> str:
    """How fast one sequence can be generated at most; empty where the card's bandwidth isn't known."""
    ceiling, context = result.decode_ceiling_tokens_per_s, result.request.context
    if ceiling is None or context is None:
        return ""
    return fit_phrases(corpus).say(
        "speed_at_most",
        language,
        model=result.model.name,
        weights=result.request.weights or "",
        gpus=str(result.request.gpus),
        card=result.card.name,
        context=_count(context, language),
        speed=format_number(Decimal(str(ceiling)), language, 1 if ceiling < _SLOW else 0),
    )


def describe_count(result: FitResult, language: Language, corpus: Path = ROOT / "corpus") -> str:
    """How many of the card are needed at the least, as the direct answer to how many; empty where none is enough."""
    if result.gpus_needed is None:
        return ""
    phrases = fit_phrases(corpus)
    least = phrases.say(
        "count_needed",
        language,
        count=_count(result.gpus_needed, language),
        card=result.card.name,
        model=result.model.name,
        weights=result.request.weights or "",
    )
    if result.gpus_sure is None or result.gpus_sure == result.gpus_needed:
        return least
    sure = phrases.say("gpus_sure", language, count=_count(result.gpus_sure, language))
    return ("" if language == "zh" else " ").join((least, sure))


def with_texts(result: FitResult, language: Language, corpus: Path = ROOT / "corpus") -> FitResult:
    """The same result with the sentence of each assumption, remedy and turning point filled in, for JSON."""
    phrases = fit_phrases(corpus)

    def told(remedies: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
        return tuple(
            remedy.model_copy(update={"text": describe_remedy(remedy, phrases, language)}) for remedy in remedies
        )

    notes = tuple(
        note.model_copy(update={"text": describe_note(note, phrases, language)}) for note in result.assumptions
    )
    return result.model_copy(
        update={
            "assumptions": notes,
            "remedies": told(result.remedies),
            "would_change": told(result.would_change),
        }
    )
