"""Whether models fit on cards, and what they need, as a question asks it."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.citation import cite_run, worked_out
from assistant.answering.calculation.fit_options import cache_type
from assistant.answering.calculation.inputs import CalculationInputs, stated
from assistant.answering.calculation.sizing_question import CardAsked, cards_asked, editions, has_data, subjects_asked
from assistant.answering.evidence import Calculation
from assistant.language.ask import Ask
from assistant.language.formatting import format_number, join_words
from assistant.language.tongue import Language
from assistant.language.wording import read_wording
from assistant.tools.memory.card import Card
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.description import (
    describe_count,
    describe_editions,
    describe_fit,
    describe_note,
    describe_speed,
    fit_phrases,
    in_gb,
)
from assistant.tools.memory.fit import estimate_fit, told_and_worst
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.remedies import changed, smallest_counts
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult, Note
from assistant.tools.memory.sizing import Subject, size, total_of, usable_bytes

_HOLDERS_NAMED = 3
_MOST_FITS = 4
_EDITIONS_TOLD = 4
_SIZES_TOLD = 5
_MOST_CARDS = 16


class FitCalculation:
    """Sizes the models that a question names for the cards it names."""

    def __init__(self, catalogue: Catalogue, directory: Path) -> None:
        self._catalogue = catalogue
        self._directory = directory
        self._wording = read_wording(directory / "phrases" / "answer.yaml")

    def subject(self, name: str | None, parameters: int | None) -> Subject:
        """The model of that name, or what is known of one with so many parameters. Raises InvalidInput."""
        return self._catalogue.subject(name, parameters)

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        unknown = any(name.kind == "gpu" for name in ask.unknown)
        asked_for = cards_asked(ask, unnamed=not unknown)
        cards = [card for card in asked_for if has_data(card, self._catalogue)]
        if not cards and (unknown or asked_for):
            return []
        request = fit_request(inputs)
        calculations: list[Calculation] = []
        for asked in subjects_asked(ask, self._catalogue):
            name = None if asked.model is None else self._catalogue.entities[asked.model].name
            subject: Subject = self._catalogue.subject(name, asked.parameters)
            if not cards:
                calculations.append(self._memory_needed(request, subject, language, inputs.options.unknown))
            whole = _reserved_context(ask, inputs, subject)
            for card in cards:
                counted = changed(request, **stated(gpus=card.count, context=whole))
                found = self._fit_on(counted, subject, card, language, ask, inputs.options.unknown)
                calculations.append(found if whole is None else self._at_whole_context(found, whole, language))
        return calculations[:_MOST_FITS]

    def _fit_on(
        self,
        request: FitRequest,
        subject: Subject,
        asked: CardAsked,
        language: Language,
        ask: Ask,
        unused: tuple[str, ...],
    ) -> Calculation:
        """The fit on the least of the cards that the name may mean, and the verdict for each other edition."""
        first, *rest = editions(asked, self._catalogue)
        result = self._sized(request, subject, first, asked, cards=tuple(self._catalogue.cards.values()))
        if unused:
            result = result.model_copy(update={"assumptions": (*result.assumptions, _not_used(unused))})
        further = [self._sized(request, subject, card, asked) for card in rest[:_EDITIONS_TOLD]]
        lead = describe_speed(result, language, self._directory) if "throughput" in ask.wishes else ""
        if asked.how_many:
            lead = describe_count(result, language, self._directory)
        calculation = self._told(result, language)
        if further:
            told = {"editions": [{"gpu": one.card.name, **one.model_dump(mode="json")} for one in further]}
            run = calculation.run.model_copy(update={"result": {**calculation.run.result, **told}})
            calculation = calculation.model_copy(update={"run": run})
        verdict, _, detail = calculation.text.partition("\n\n")
        editions_told = describe_editions(further, language, self._directory)
        text = "\n\n".join(part for part in (lead, verdict, editions_told, detail) if part)
        return calculation.model_copy(update={"text": text})

    def _sized(
        self, request: FitRequest, subject: Subject, card: Card, asked: CardAsked, cards: Iterable[Card] = ()
    ) -> FitResult:
        """The fit as asked; on as many cards as it takes, where the question is how many."""
        least = smallest_counts(request, subject, card).least if asked.how_many else None
        enough = request if least is None else changed(request, gpus=least)
        return estimate_fit(enough, subject, card, cards)

    def _at_whole_context(self, found: Calculation, context: int, language: Language) -> Calculation:
        told = self._wording.say("whole_context", language, context=format_number(Decimal(context), language))
        verdict, _, detail = found.text.partition("\n\n")
        join = "" if language == "zh" else " "
        return found.model_copy(
            update={"text": f"{verdict}{join}{told}\n\n{detail}", "assumptions": (*found.assumptions, told)}
        )

    def _memory_needed(
        self, request: FitRequest, subject: Subject, language: Language, unused: tuple[str, ...]
    ) -> Calculation:
        """What the model needs on one card of any kind, and the smallest cards that hold it."""
        sized = size(request, subject)
        told, _ = told_and_worst(sized)
        chosen, needed, total = told.chosen, told.needed, total_of(sized)
        holders = sorted(
            (card for card in self._catalogue.cards.values() if total.high <= usable_bytes(card, chosen)),
            key=lambda card: (card.usable_bytes, card.name),
        )
        fields = {
            "model": subject.name,
            "weights_format": chosen.form.name,
            "need": f"{in_gb(total.low, language)} – {in_gb(total.high, language)}",
            "weights": in_gb(needed.weights, language),
            "cache": in_gb(needed.kv_cache + needed.gradients + needed.optimizer, language),
            "context": format_number(Decimal(chosen.context), language),
        }
        wording = self._wording
        phrase = "memory_needed" if request.task == "inference" else "memory_needed_training"
        text = [wording.say(phrase, language, **fields)]
        if holders:
            names = join_words([card.name for card in holders[:_HOLDERS_NAMED]], language)
            text.append(wording.say("held_by", language, names=names))
        else:
            counts = self._counts_of_large_cards(request, subject, total.low)
            listed = join_words([f"{count} × {card.name}" for card, count in counts], language)
            phrase = "held_by_several" if counts else "held_by_none"
            text.append(wording.say(phrase, language, counts=listed) if counts else wording.say(phrase, language))
        if unused:
            text.insert(1, describe_note(_not_used(unused), fit_phrases(self._directory), language))
        formula = f"weights {needed.weights} + cache and states {needed.kv_cache + needed.gradients + needed.optimizer}"
        run = ToolRun(
            tool="fit",
            inputs={"model": subject.name, **chosen.request.model_dump(mode="json", exclude_none=True)},
            result={"total": total.model_dump(), "weights": needed.weights, "kv_cache": needed.kv_cache},
            formula=f"{formula} + activations {needed.activations} + overhead = {total.low}–{total.high} bytes",
        )
        return Calculation(
            run=run,
            title="fit",
            text=("" if language == "zh" else " ").join(text),
            citations=(cite_run(run, language),),
        )

    def _counts_of_large_cards(self, request: FitRequest, subject: Subject, need: int) -> list[tuple[Card, int]]:
        """How many it takes of the cards of each size, the largest sizes first, as far as a few are enough."""
        by_size: dict[float, Card] = {}
        for card in sorted(self._catalogue.cards.values(), key=lambda card: (not card.usable_measured, card.name)):
            if card.usable_bytes * _MOST_CARDS >= need:
                by_size.setdefault(card.nominal_gb, card)
        largest = [by_size[gigabytes] for gigabytes in sorted(by_size, reverse=True)[:_SIZES_TOLD]]
        counted = [(card, smallest_counts(request, subject, card).sure) for card in largest]
        return [(card, count) for card, count in counted if count is not None and count <= _MOST_CARDS]

    def _told(self, result: FitResult, language: Language) -> Calculation:
        run = ToolRun(
            tool="fit",
            inputs={
                "model": result.model.name,
                "gpu": result.card.name,
                **result.request.model_dump(mode="json", exclude_none=True),
            },
            result=result.model_dump(mode="json"),
            formula=worked_out(result.formulas),
        )
        return Calculation(
            run=run,
            title="fit",
            text=describe_fit(result, language, self._directory),
            citations=(cite_run(run, language),),
            assumptions=tuple(note.text for note in result.assumptions if note.text),
        )


def fit_request(inputs: CalculationInputs) -> FitRequest:
    """The request that a question describes. Raises ValidationError for a choice that is out of bounds."""
    options = dict(inputs.options.values)
    training = inputs.task not in (None, "inference")
    if not training:
        # Of what is served, the length is the context and the batch the sequences at a time.
        options = {name: value for name, value in options.items() if name not in ("sequence", "batch")}
    if "kv_type" in options:
        options["kv_type"] = cache_type(str(options["kv_type"]), inputs.engine)
    divided = int(options.get("tp", 1)) * int(options.get("pp", 1))
    return FitRequest.model_validate(
        options
        | stated(
            task=inputs.task,
            weights=inputs.weights,
            context=inputs.context if "context" in options or not (training and "sequence" in options) else None,
            concurrency=inputs.users,
            gpus=inputs.gpus if inputs.gpus is not None or divided == 1 else divided,
            engine=inputs.engine,
        )
    )


def _not_used(options: tuple[str, ...]) -> Note:
    return Note(code="not_used", values={"options": ", ".join(options)})


def _reserved_context(ask: Ask, inputs: CalculationInputs, subject: Subject) -> int | None:
    """The context that vLLM plans for by itself, where the question is why memory runs out and names no other."""
    runs_out = "why" in ask.wishes and inputs.engine == "vllm" and inputs.context is None
    return subject.architecture.max_context if runs_out and isinstance(subject, LanguageModel) else None
