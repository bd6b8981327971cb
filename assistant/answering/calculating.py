"""Which calculation a question asks for, and its result as evidence."""

from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from assistant.answering.answer import ToolRun
from assistant.answering.calculation_inputs import CalculationInputs, read_inputs
from assistant.answering.calculation_words import calculation_words
from assistant.answering.evidence import Calculation
from assistant.answering.sizing_question import CardAsked, cards_asked, editions, subjects_asked
from assistant.errors import InvalidInput
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.formatting import format_number, join_words
from assistant.language.tongue import Language
from assistant.language.wording import read_wording
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.turning_points import turning_points
from assistant.tools.memory.catalogue import Catalogue, open_catalogue
from assistant.tools.memory.description import describe_editions, describe_fit, describe_speed, in_gb
from assistant.tools.memory.fit import estimate_fit
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import FitResult
from assistant.tools.memory.sizing import Subject, size, total_of, usable_bytes

_USUAL_CURRENCY = "USD"
_HOLDERS_NAMED = 3
_MOST_FITS = 4
_EDITIONS_TOLD = 4
_SIZED = frozenset({"fit", "holds", "train", "throughput"})
# What a question on a model and a card may ask that the fit itself tells, or that bears on nothing but the fit.
_ASKED_OF_A_FIT = frozenset(
    {
        "memory_capacity", "usable_memory", "weights_memory", "memory_term", "precision_support", "dense_flops_16bit",
        "dense_flops_fp8", "dense_flops_fp4", "framework_support", "supported_hardware", "compatibility", "benchmark",
        "cause", "duration",
    }
)  # fmt: skip


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

    def lacks(self, ask: Ask) -> tuple[str, ...]:
        """The inputs to ask for, where a calculation is asked for and can't be made without them."""
        named = {mention.kind for mention in ask.mentions}
        if ask.unknown or named - {"gpu", "company", "technology", "topic", "provider", "framework"}:
            return ()
        inputs = read_inputs(ask)
        if "holds" in ask.wishes and inputs.parameters is None:
            cards = cards_asked(ask, unnamed=True)
            return ("model",) if cards else ("model", "gpu") if not named and not ask.attributes else ()
        priced = "rent" in ask.wishes or "price_per_hour" in ask.attributes
        return ("gpu",) if priced and inputs.hours is not None and not named and inputs.price is None else ()

    def _wants_fit(self, ask: Ask, inputs: CalculationInputs) -> bool:
        """A model, or a size, with a card to run it on asks whether it fits, unless something else is asked of them."""
        asked = {id_ for id_ in ask.attributes if not self._corpus.attributes[id_].weak}
        wished = bool(ask.wishes & _SIZED) or "memory_capacity" in asked
        model, card = bool(ask.entities("model")), bool(ask.entities("gpu"))
        if inputs.parameters is not None and not model:
            model, card = True, card or (wished and bool(cards_asked(ask, unnamed=True)))
            if not card and not (ask.wishes & _SIZED and calculation_words().of_model.search(ask.text)):
                return False
        if not model:
            return False
        return wished or (card and not asked - _ASKED_OF_A_FIT)

    def _wants_rent(self, ask: Ask, inputs: CalculationInputs) -> bool:
        priced = bool(ask.entities("gpu")) or inputs.price is not None
        several = inputs.hours is not None or (inputs.gpus or 1) > 1 or inputs.into not in (None, _USUAL_CURRENCY)
        # Offers are held for the present alone; what a price was at another time is for the facts to say.
        dated = any(quantity.period is not None for quantity in ask.quantities)
        return priced and several and not dated and ("rent" in ask.wishes or "price_per_hour" in ask.attributes)

    def _fit(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
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
            name = None if asked.model is None else self._corpus.entities[asked.model].name
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
        calculation = self._fit_calculation(result, language)
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
        result = result.model_copy(update={"would_change": turning_points(result)})
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
