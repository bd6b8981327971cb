"""What would change the answer of a calculator, in words: the one function that every interface shows it with."""

from pathlib import Path

from assistant.language.tongue import Language
from assistant.settings import ROOT
from assistant.tools.cost.describer import Describer, read_cost_wording
from assistant.tools.cost.result import CostResult
from assistant.tools.cost.turning_points import turning_points
from assistant.tools.memory.description import describe_changes
from assistant.tools.memory.result import FitResult


def what_would_change(
    result: FitResult | CostResult, language: Language, corpus: Path = ROOT / "corpus"
) -> tuple[str, ...]:
    """A sentence for each input that would change the answer, recomputed; `result.would_change` has the figures.

    Empty where nothing would: a rent without a price, for one.
    """
    if isinstance(result, FitResult):
        return describe_changes(result, language, corpus)
    writer = Describer(read_cost_wording(corpus), language)
    return tuple(writer.change(change) for change in turning_points(result))
