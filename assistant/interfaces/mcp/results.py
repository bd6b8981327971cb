"""What each tool answers: the object, and the same in words for a model that reads only text."""

from pydantic import BaseModel, ConfigDict

from assistant.language.tongue import Language
from assistant.tools.card_table import CardTable
from assistant.tools.cost.migration import MigrationResult
from assistant.tools.cost.ownership import OwnershipResult
from assistant.tools.cost.rent import RentResult
from assistant.tools.cost.tokens import TokensResult
from assistant.tools.cost.training_run import TrainingRunResult
from assistant.tools.memory.result import FitResult


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class FoundPassage(_Told):
    """A passage of an article; results are comparable by `score` within one search only."""

    source_id: str
    title: str
    publisher: str | None
    published: str | None
    url: str | None
    language: Language
    section: str
    text: str
    score: float


class SearchOutput(_Told):
    """Passages, best first."""

    results: tuple[FoundPassage, ...]


class FitOutput(_Told):
    """Whether it fits, in words and as the whole calculation."""

    text: str
    result: FitResult


class CostOutput(_Told):
    """What it costs, in words and as the whole calculation."""

    text: str
    result: RentResult | TrainingRunResult | TokensResult | OwnershipResult | MigrationResult


class CompareOutput(_Told):
    """Cards side by side, as a Markdown table and value by value with its source."""

    text: str
    table: CardTable
