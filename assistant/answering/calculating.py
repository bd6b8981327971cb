"""Which calculation a question asks for, and its result as evidence."""

from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from assistant.answering.answer import ToolRun
from assistant.answering.calculation_inputs import CalculationInputs, read_inputs
from assistant.answering.evidence import Calculation
from assistant.errors import InvalidInput
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.language.formatting import format_number, join_words
from assistant.language.tongue import Language
from assistant.language.understanding import Ask
from assistant.language.wording import read_wording
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.memory.catalogue import Catalogue, open_catalogue
from assistant.tools.memory.description import describe_fit, in_gb
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject, size, total_of, usable_bytes

_USUAL_CURRENCY = "USD"
_HOLDERS_NAMED = 3


class Calculator:
    """Runs the memory and cost tools that a question asks for. Reads its tables when they are first needed."""

    def __init__(self, corpus: Corpus, directory: Path, today: date) -> None:
        self._corpus = corpus
        self._directory = directory
        self._today = today

    @cached_property
    def _catalogue(self) -> Catalogue:
        return open_catalogue(self._directory)

    def calculate(self, ask: Ask, language: Language) -> list[Calculation]:
        """The results; none where no calculation is asked for. Raises InvalidInput where an input can't be used."""
        if not (ask.entities("model", "gpu") or ask.quantities):
            return []
        inputs = read_inputs(ask)
        try:
            if self._wants_fit(ask, inputs):
                return self._fit(ask, inputs, language)
            if self._wants_rent(ask, inputs):
                return [self._rent(ask, inputs, language)]
        except ValidationError as error:
            fields = dict.fromkeys(str(problem["loc"][0]) for problem in error.errors() if problem["loc"])
            raise InvalidInput(", ".join(fields)) from error
        return []

    def _wants_fit(self, ask: Ask, inputs: CalculationInputs) -> bool:
        sized = bool(ask.entities("model")) or (inputs.parameters is not None and bool(ask.entities("gpu")))
        return sized and ("fit" in ask.wishes or "train" in ask.wishes or "memory_capacity" in ask.attributes)

    def _wants_rent(self, ask: Ask, inputs: CalculationInputs) -> bool:
        priced = bool(ask.entities("gpu")) or inputs.price is not None
        several = inputs.hours is not None or (inputs.gpus or 1) > 1 or inputs.into not in (None, _USUAL_CURRENCY)
        return priced and several and ("rent" in ask.wishes or "price_per_hour" in ask.attributes)

    def _fit(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        cards = ask.entities("gpu")
        if not cards and ask.unknown:
            return []
        models = ask.entities("model")
        subject: Subject = self._catalogue.subject(models[0] if models else None, None if models else inputs.parameters)
        stated = {
            "task": inputs.task or "inference",
            "weights": inputs.weights,
            "context": inputs.context,
            "concurrency": inputs.users,
            "gpus": inputs.gpus,
        }
        request = FitRequest.model_validate({name: value for name, value in stated.items() if value is not None})
        if not cards:
            return [self._memory_needed(request, subject, language)]
        calculations = []
        for card_id in cards:
            card = self._catalogue.card(self._corpus.entities[card_id].name)
            result = estimate_fit(request, subject, card, cards=tuple(self._catalogue.cards.values()))
            calculations.append(self._fit_calculation(result, language))
        return calculations

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
            citations=(self._tool_citation(run, language),),
        )

    def _fit_calculation(self, result: FitResult, language: Language) -> Calculation:
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
            citations=(self._tool_citation(run, language),),
            assumptions=tuple(note.text for note in result.assumptions if note.text),
        )

    def _rent(self, ask: Ask, inputs: CalculationInputs, language: Language) -> Calculation:
        gpus, providers = ask.entities("gpu"), ask.entities("provider")
        stated = {
            "gpu": self._corpus.entities[gpus[0]].name if gpus else None,
            "provider": self._corpus.entities[providers[0]].name if providers else None,
            "gpus": inputs.gpus,
            "hours": inputs.hours,
            "price": inputs.price,
            "into": inputs.into,
            "rate": inputs.rate,
        }
        request = RentRequest.model_validate({name: value for name, value in stated.items() if value is not None})
        result = rent(request, self._corpus, today=self._today)
        run = ToolRun(
            tool="rent",
            inputs=request.model_dump(mode="json", exclude_none=True),
            result=result.model_dump(mode="json"),
            formula="; ".join(f"{step.formula}: {step.filled}" for step in result.formulas),
        )
        is_held = result.status != "no_price_held"
        return Calculation(
            run=run,
            title="rent",
            text=describe_rent(result, language, read_cost_wording(self._directory)),
            citations=(self._tool_citation(run, language), *self._price_citations(result)),
            status="answered" if is_held else "partly_answered" if result.alternatives else "not_in_sources",
            missing=None if is_held else ", ".join(filter(None, (result.gpu_name, result.provider_name))),
        )

    def _tool_citation(self, run: ToolRun, language: Language) -> Citation:
        return Citation(
            marker=0,
            source_id=f"tool:{run.tool}",
            title=f"gpu-assistant {run.tool}",
            language=language,
            section=run.tool,
            quote=run.formula or str(run.inputs),
            kind="tool",
        )

    def _price_citations(self, result: RentResult) -> tuple[Citation, ...]:
        """The price rows that went into the result, or that are named beside it."""
        titles = {source.id: source for source in self._corpus.prices.sources}
        cited: list[Citation] = []
        for cost in (*result.offers, *result.alternatives):
            source = next((s for s in titles.values() if s.title == cost.offer.source), None)
            if source is None:
                continue
            price = cost.offer.price
            card = f"{cost.gpu_name}, {cost.provider_name}"
            shown = "–" if price is None else f"{price.low}" if price.exact else f"{price.low}–{price.high}"
            cited.append(
                Citation(
                    marker=0,
                    source_id=f"specs/prices#{cost.offer.gpu}.{cost.offer.provider}",
                    title=source.title,
                    publisher=source.publisher,
                    language=source.language,
                    published=str(source.published) if source.published else None,
                    url=source.url,
                    section="prices",
                    quote=f"{card}: {shown} {cost.offer.currency}/h ({cost.offer.as_of})",
                    kind="specification",
                )
            )
        return tuple(cited)
