"""Whether models fit on cards, and what they need, as a question asks it."""

from decimal import Decimal
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation_inputs import CalculationInputs
from assistant.answering.evidence import Calculation
from assistant.answering.sizing_question import CardAsked, cards_asked, editions, subjects_asked
from assistant.answering.tool_citation import cite_run
from assistant.language.ask import Ask
from assistant.language.formatting import format_number, join_words
from assistant.language.tongue import Language
from assistant.language.wording import read_wording
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.description import describe_editions, describe_fit, describe_speed, in_gb
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject, size, total_of, usable_bytes

_HOLDERS_NAMED = 3
_MOST_FITS = 4
_EDITIONS_TOLD = 4


class FitCalculation:
    """Sizes the models that a question names for the cards it names."""

    def __init__(self, catalogue: Catalogue, directory: Path) -> None:
        self._catalogue = catalogue
        self._directory = directory

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        unknown = any(name.kind in ("gpu", "model") for name in ask.unknown)
        cards = cards_asked(ask, unnamed=not unknown)
        if not cards and unknown:
            return []
        stated = {
            "task": inputs.task or "inference",
            "weights": inputs.weights,
            "context": inputs.context,
            "concurrency": inputs.users,
            "gpus": inputs.gpus,
        }
        if inputs.task is not None and inputs.context is not None:
            stated["sequence"] = inputs.context
        request = FitRequest.model_validate({name: value for name, value in stated.items() if value is not None})
        calculations: list[Calculation] = []
        for asked in subjects_asked(ask, self._catalogue):
            name = None if asked.model is None else self._catalogue.entities[asked.model].name
            subject: Subject = self._catalogue.subject(name, asked.parameters)
            if not cards:
                calculations.append(self._memory_needed(request, subject, language))
            for card in cards:
                counted = request if card.count is None else request.model_copy(update={"gpus": card.count})
                FitRequest.model_validate(counted.model_dump())
                calculations.append(self._fit_on(counted, subject, card, language, ask))
        return calculations[:_MOST_FITS]

    def _fit_on(
        self, request: FitRequest, subject: Subject, asked: CardAsked, language: Language, ask: Ask
    ) -> Calculation:
        """The fit on the least of the cards that the name may mean, and the verdict for each other edition."""
        others = tuple(self._catalogue.cards.values())
        first, *rest = editions(asked, self._catalogue)
        result = estimate_fit(request, subject, first, cards=others)
        further = [estimate_fit(request, subject, card) for card in rest[:_EDITIONS_TOLD]]
        lead = describe_speed(result, language, self._directory) if "throughput" in ask.wishes else ""
        editions_told = describe_editions(further, language, self._directory)
        calculation = self._told(result, language)
        if further:
            told = {"editions": [{"gpu": one.card.name, **one.model_dump(mode="json")} for one in further]}
            run = calculation.run.model_copy(update={"result": {**calculation.run.result, **told}})
            calculation = calculation.model_copy(update={"run": run})
        verdict, _, detail = calculation.text.partition("\n\n")
        text = "\n\n".join(part for part in (lead, verdict, editions_told, detail) if part)
        return calculation.model_copy(update={"text": text})

    def _memory_needed(self, request: FitRequest, subject: Subject, language: Language) -> Calculation:
        """What the model needs on one card of any kind, and the smallest cards that hold it."""
        sized = size(request, subject)
        chosen, needed, total = sized[0].chosen, sized[-1].needed, total_of(sized)
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
        wording = read_wording(self._directory / "phrases" / "answer.yaml")
        phrase = "memory_needed" if request.task == "inference" else "memory_needed_training"
        text = [wording.say(phrase, language, **fields)]
        if holders:
            names = join_words([card.name for card in holders[:_HOLDERS_NAMED]], language)
            text.append(wording.say("held_by", language, names=names))
        else:
            text.append(wording.say("held_by_none", language))
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

    def _told(self, result: FitResult, language: Language) -> Calculation:
        formula = "; ".join(f"{step.formula}: {step.filled}" for step in result.formulas)
        run = ToolRun(
            tool="fit",
            inputs={
                "model": result.model.name,
                "gpu": result.card.name,
                **result.request.model_dump(mode="json", exclude_none=True),
            },
            result=result.model_dump(mode="json"),
            formula=formula,
        )
        return Calculation(
            run=run,
            title="fit",
            text=describe_fit(result, language, self._directory),
            citations=(cite_run(run, language),),
            assumptions=tuple(note.text for note in result.assumptions if note.text),
        )
