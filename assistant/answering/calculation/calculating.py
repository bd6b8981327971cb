"""Which calculation a question asks for, and its result as evidence."""

from datetime import date
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.cache import CacheCalculation, wants_cache
from assistant.answering.calculation.cost import CostCalculation
from assistant.answering.calculation.cost_question import (
    USUAL_CURRENCY,
    comparison_request,
    energy_request,
    ownership_lacks,
    ownership_request,
    tokens_lacks,
    tokens_request,
    training_lacks,
    training_request,
    wants_comparison,
    wants_energy,
    wants_ownership,
    wants_tokens,
    wants_training_cost,
)
from assistant.answering.calculation.fit import FitCalculation
from assistant.answering.calculation.inputs import CalculationInputs, read_inputs
from assistant.answering.calculation.largest import LargestCalculation, wants_largest
from assistant.answering.calculation.priced_hours import priced_comparison_request, wants_priced_comparison
from assistant.answering.calculation.rent import RentCalculation
from assistant.answering.calculation.sizing_question import cards_asked, followed_by_size, with_sizes_not_held
from assistant.answering.calculation.words import calculation_words
from assistant.answering.evidence import Calculation
from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.tongue import Language
from assistant.tools.memory.catalogue import Catalogue, open_catalogue

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

    @cached_property
    def _fit(self) -> FitCalculation:
        return FitCalculation(self._catalogue, self._directory)

    @cached_property
    def _cache(self) -> CacheCalculation:
        return CacheCalculation(self._catalogue, self._directory)

    @cached_property
    def _largest(self) -> LargestCalculation:
        return LargestCalculation(self._catalogue, self._directory)

    @cached_property
    def _cost(self) -> CostCalculation:
        return CostCalculation(self._corpus, self._directory, self._today)

    @cached_property
    def _rent(self) -> RentCalculation:
        return RentCalculation(self._corpus, self._directory, self._today)

    def calculate(self, ask: Ask, language: Language) -> list[Calculation]:
        """The results; none where no calculation is asked for. Raises InvalidInput where an input can't be used."""
        return self._calculated(ask, read_inputs(ask), language)

    def hourly_price(self, ask: Ask, language: Language) -> ToolRun | None:
        """What would change the price of an hour, where that alone is asked for and is held for the present."""
        if "price_per_hour" not in ask.attributes or any(quantity.period is not None for quantity in ask.quantities):
            return None
        return self._rent.hourly(ask, language)

    def in_usual_currency(self, ask: Ask, language: Language) -> list[Calculation]:
        """The results in the currency of the sources, whichever one the question asks for."""
        return self._calculated(ask, read_inputs(ask).model_copy(update={"into": None}), language)

    def _calculated(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        if not (ask.entities("model", "gpu") or ask.quantities):
            return []
        try:
            if wants_priced_comparison(ask):
                request = priced_comparison_request(ask, self._corpus, language)
                return [self._cost.told(request, language)]
            if wants_training_cost(ask, inputs):
                return self._training(ask, inputs, language)
            if wants_cache(ask, inputs):
                return self._cache.calculate(ask, inputs, language)
            if self._wants_fit(ask, inputs):
                return self._fit.calculate(ask, inputs, language)
            if wants_tokens(ask):
                return self._serving(ask, inputs, language)
            if wants_largest(ask, inputs):
                return self._largest.calculate(ask, inputs, language)
            if wants_ownership(ask):
                return self._owning(ask, inputs, language)
            if wants_energy(ask):
                return [self._cost.told(energy_request(ask, inputs, self._corpus), language)]
            if self._wants_rent(ask, inputs):
                return self._renting(ask, inputs, language)
        except ValidationError as error:
            fields = dict.fromkeys(str(problem["loc"][0]) for problem in error.errors() if problem["loc"])
            raise InvalidInput(", ".join(fields)) from error
        return []

    def _training(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        if training_lacks(ask, inputs):
            return []
        models = ask.entities("model")
        named = self._corpus.entities[models[0]].name if models else None
        subject = self._fit.subject(named, inputs.parameters)
        parameters = subject.active_parameters or subject.parameters
        return [self._cost.told(training_request(ask, inputs, parameters, self._corpus), language)]

    def _serving(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        if tokens_lacks(ask):
            return []
        return [self._cost.told(tokens_request(ask, inputs, self._corpus), language)]

    def _owning(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        if ownership_lacks(ask):
            return []
        return [self._cost.told(ownership_request(ask, inputs, self._corpus), language)]

    def _renting(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        """One rent, or several side by side; where a price of one of them isn't held, the first alone."""
        if wants_comparison(ask):
            try:
                return [self._cost.told(comparison_request(ask, inputs, self._corpus), language)]
            except InvalidInput:
                pass
        return [self._rent.calculate(ask, inputs, language)]

    def with_sizes_not_held(self, ask: Ask) -> Ask:
        """The question with a model of a size that it doesn't come in as an unknown name."""
        return with_sizes_not_held(ask, self._catalogue) if followed_by_size(ask) else ask

    def lacks(self, ask: Ask) -> tuple[str, ...]:
        """The inputs to ask for, where a calculation is asked for and can't be made without them."""
        if ask.unknown or wants_priced_comparison(ask):
            return ()
        inputs = read_inputs(ask)
        if wants_tokens(ask):
            return tokens_lacks(ask)
        if wants_training_cost(ask, inputs):
            return training_lacks(ask, inputs)
        named = {mention.kind for mention in ask.mentions}
        if named - {"gpu", "company", "technology", "topic", "provider", "framework"}:
            return ()
        if wants_ownership(ask) and (ask.quantities or ask.wishes & {"least", "less"}):
            return ownership_lacks(ask)
        if "holds" in ask.wishes and inputs.parameters is None:
            cards = cards_asked(ask, unnamed=True)
            return ("model",) if cards else ("model", "gpu") if not named and not ask.attributes else ()
        priced = "rent" in ask.wishes or "price_per_hour" in ask.attributes
        # "Must I pay by the month" asks how it is billed, not how much.
        priced = priced and not ("polar" in ask.wishes and "amount" not in ask.wishes)
        return ("gpu",) if priced and inputs.hours is not None and not named and inputs.price is None else ()

    def _wants_fit(self, ask: Ask, inputs: CalculationInputs) -> bool:
        """A model, or a size, with a card to run it on asks whether it fits, unless something else is asked of them."""
        asked = {id_ for id_ in ask.attributes if not self._corpus.attributes[id_].weak}
        wished = bool(ask.wishes & _SIZED) or "memory_capacity" in asked
        model, card = bool(ask.entities("model")), bool(ask.entities("gpu"))
        if len(ask.entities("gpu")) == 1 and any(name.kind == "model" for name in ask.unknown):
            # Beside a model that isn't held, what the other one takes of the card is all that can be told.
            asked -= {"comparison"}
        if inputs.parameters is not None and not model:
            model, card = True, card or (wished and bool(cards_asked(ask, unnamed=True)))
            unheld = wished and any(name.kind == "model" for name in ask.unknown)
            if not (card or unheld or (ask.wishes & _SIZED and calculation_words().of_model.search(ask.text))):
                return False
        if not model:
            return False
        counts = calculation_words().of_card_count.search(ask.text) is not None and "train" not in ask.wishes
        return counts or wished or (card and not asked - _ASKED_OF_A_FIT)

    def _wants_rent(self, ask: Ask, inputs: CalculationInputs) -> bool:
        priced = bool(ask.entities("gpu")) or inputs.price is not None
        several = inputs.hours is not None or (inputs.gpus or 1) > 1 or inputs.into not in (None, USUAL_CURRENCY)
        # Offers are held for the present alone; what a price was at another time is for the facts to say.
        dated = any(quantity.period is not None for quantity in ask.quantities)
        return priced and several and not dated and ("rent" in ask.wishes or "price_per_hour" in ask.attributes)
