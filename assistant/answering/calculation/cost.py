"""Costs besides a plain rent, as a question asks them: electricity, buying, several offers, training."""

from datetime import date
from functools import cached_property
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.citation import cite_run, worked_out
from assistant.answering.evidence import Calculation
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.tools.cost.calculation import AnyRequest, CostTables, calculate, described
from assistant.tools.cost.comparison import ComparisonRequest
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.energy import EnergyRequest
from assistant.tools.cost.ownership import OwnershipRequest
from assistant.tools.cost.tokens import TokensRequest
from assistant.tools.cost.training_run import TrainingRunRequest

_NAMES: dict[type[AnyRequest], str] = {
    EnergyRequest: "energy",
    OwnershipRequest: "buy-or-rent",
    ComparisonRequest: "compare",
    TrainingRunRequest: "train",
    TokensRequest: "tokens",
}


class CostCalculation:
    """Works out a request of any cost calculation and tells the result."""

    def __init__(self, corpus: Corpus, directory: Path, today: date) -> None:
        self._corpus = corpus
        self._directory = directory
        self._today = today

    @cached_property
    def _tables(self) -> CostTables:
        return CostTables(self._corpus, (), self._today, read_cost_wording(self._directory))

    def told(self, request: AnyRequest, language: Language) -> Calculation:
        """The result in words. Raises InvalidInput where a figure is neither given nor held."""
        result = calculate(request, self._tables)
        name = _NAMES[type(request)]
        run = ToolRun(
            tool=name,
            inputs=request.model_dump(mode="json", exclude_unset=True),
            result=result.model_dump(mode="json"),
            formula=worked_out(result.formulas),
        )
        return Calculation(
            run=run,
            title=name,
            text=described(result, language, self._tables.wording),
            citations=(cite_run(run, language),),
        )
