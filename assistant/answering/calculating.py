"""Which calculation a question asks for, and its result as evidence."""

from datetime import date
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from assistant.answering.calculation_inputs import CalculationInputs, read_inputs
from assistant.answering.calculation_words import calculation_words
from assistant.answering.energy_calculation import EnergyCalculation, asks_for_bill
from assistant.answering.evidence import Calculation
from assistant.answering.fit_calculation import FitCalculation
from assistant.answering.rent_calculation import RentCalculation
from assistant.answering.sizing_question import cards_asked
from assistant.errors import InvalidInput
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.tongue import Language
from assistant.tools.memory.catalogue import open_catalogue

_USUAL_CURRENCY = "USD"
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
    def _fit(self) -> FitCalculation:
        return FitCalculation(open_catalogue(self._directory), self._directory)

    @cached_property
    def _energy(self) -> EnergyCalculation:
        return EnergyCalculation(self._corpus, self._directory)

    @cached_property
    def _rent(self) -> RentCalculation:
        return RentCalculation(self._corpus, self._directory, self._today)

    def calculate(self, ask: Ask, language: Language) -> list[Calculation]:
        """The results; none where no calculation is asked for. Raises InvalidInput where an input can't be used."""
        if not (ask.entities("model", "gpu") or ask.quantities):
            return []
        inputs = read_inputs(ask)
        try:
            if self._wants_fit(ask, inputs):
                return self._fit.calculate(ask, inputs, language)
            if asks_for_bill(ask, calculation_words()) and not ask.entities("model"):
                return [self._energy.calculate(ask, inputs, language)]
            if self._wants_rent(ask, inputs):
                return [self._rent.calculate(ask, inputs, language)]
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
        counts = calculation_words().of_card_count.search(ask.text) is not None and "train" not in ask.wishes
        return counts or wished or (card and not asked - _ASKED_OF_A_FIT)

    def _wants_rent(self, ask: Ask, inputs: CalculationInputs) -> bool:
        priced = bool(ask.entities("gpu")) or inputs.price is not None
        several = inputs.hours is not None or (inputs.gpus or 1) > 1 or inputs.into not in (None, _USUAL_CURRENCY)
        # Offers are held for the present alone; what a price was at another time is for the facts to say.
        dated = any(quantity.period is not None for quantity in ask.quantities)
        return priced and several and not dated and ("rent" in ask.wishes or "price_per_hour" in ask.attributes)
