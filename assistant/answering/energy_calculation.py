"""What cards use in electricity and what that costs, as a question asks it."""

from decimal import Decimal
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation_inputs import CalculationInputs
from assistant.answering.calculation_words import CalculationWords
from assistant.answering.evidence import Calculation
from assistant.answering.tool_citation import cite_run
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.tongue import Language
from assistant.tools.cost.calculation import described
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.energy import EnergyRequest, energy_cost
from assistant.tools.cost.turning_points import turning_points

_PER_ENERGY = "/kWh"


class EnergyCalculation:
    """Multiplies the power of cards by hours, and by the price of a kilowatt-hour where one is stated."""

    def __init__(self, corpus: Corpus, directory: Path) -> None:
        self._corpus = corpus
        self._directory = directory

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> Calculation:
        gpus = ask.entities("gpu")
        price = next((q for q in ask.quantities if q.unit.endswith(_PER_ENERGY) and q.value is not None), None)
        stated = {
            "gpu": self._corpus.entities[gpus[0]].name if gpus else None,
            "power_per_gpu": stated_watts(ask),
            "gpus": inputs.gpus,
            "hours": inputs.hours,
            "electricity_price": price.value if price else None,
            "currency": price.unit.removesuffix(_PER_ENERGY) if price else None,
        }
        request = EnergyRequest.model_validate({name: value for name, value in stated.items() if value is not None})
        result = energy_cost(request, self._corpus)
        result = result.model_copy(update={"would_change": turning_points(result)})
        run = ToolRun(
            tool="energy",
            inputs=request.model_dump(mode="json", exclude_none=True),
            result=result.model_dump(mode="json"),
            formula="; ".join(f"{step.formula}: {step.filled}" for step in result.formulas),
        )
        return Calculation(
            run=run,
            title="energy",
            text=described(result, language, read_cost_wording(self._directory)),
            citations=(cite_run(run, language),),
        )


def stated_watts(ask: Ask) -> Decimal | None:
    """The power that the question gives, in watts; None where it gives none."""
    for quantity in ask.quantities:
        if quantity.unit in ("W", "kW") and quantity.value is not None:
            return quantity.value * (1000 if quantity.unit == "kW" else 1)
    return None


def asks_for_bill(ask: Ask, words: CalculationWords) -> bool:
    """True where the electricity of a card, or of so many watts, is asked for: its bill, or what it comes to."""
    priced = any(quantity.unit.endswith(_PER_ENERGY) for quantity in ask.quantities)
    return (priced or words.of_electricity.search(ask.text) is not None) and (
        bool(ask.entities("gpu")) or stated_watts(ask) is not None
    )
