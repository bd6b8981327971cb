"""The cost calculations by name: what each is asked, how it is computed and how its result is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.cost.comparison import ComparisonRequest, ComparisonResult, compare
from assistant.tools.cost.describer import Describer
from assistant.tools.cost.description import (
    describe_comparison,
    describe_energy,
    describe_migration,
    describe_ownership,
    describe_rent,
    describe_tokens,
    describe_training_run,
)
from assistant.tools.cost.energy import EnergyRequest, EnergyResult, energy_cost
from assistant.tools.cost.migration import MigrationRequest, MigrationResult, migration
from assistant.tools.cost.ownership import OwnershipRequest, OwnershipResult, rent_or_buy
from assistant.tools.cost.price import Offer
from assistant.tools.cost.rent import RentRequest, RentResult, rent
from assistant.tools.cost.result import CostResult
from assistant.tools.cost.tokens import TokensRequest, TokensResult, cost_per_million_tokens
from assistant.tools.cost.training_run import TrainingRunRequest, TrainingRunResult, training_run
from assistant.tools.cost.turning_points import turning_points

AnyRequest = (
    RentRequest
    | TrainingRunRequest
    | TokensRequest
    | ComparisonRequest
    | OwnershipRequest
    | MigrationRequest
    | EnergyRequest
)
AnyResult = (
    RentResult | TrainingRunResult | TokensResult | ComparisonResult | OwnershipResult | MigrationResult | EnergyResult
)
Result = TypeVar("Result", bound=CostResult)


@dataclass(frozen=True)
class CostTables:
    """What costs are computed and told from: the knowledge base, offers read from providers, today, the wording."""

    corpus: Corpus
    refreshed: Sequence[Offer]
    today: date
    wording: Wording


def calculate(request: AnyRequest, tables: CostTables) -> AnyResult:
    """The result of any cost calculation, with what would change it. Raises InvalidInput naming the field at fault."""
    result = _calculated(request, tables)
    return result.model_copy(update={"would_change": turning_points(result)})


def _calculated(request: AnyRequest, tables: CostTables) -> AnyResult:
    corpus, today, refreshed = tables.corpus, tables.today, tables.refreshed
    match request:
        case RentRequest():
            return rent(request, corpus, today=today, refreshed=refreshed)
        case TrainingRunRequest():
            return training_run(request, corpus, today=today, refreshed=refreshed)
        case TokensRequest():
            return cost_per_million_tokens(request, corpus, today=today, refreshed=refreshed)
        case ComparisonRequest():
            return compare(request, corpus, today=today, refreshed=refreshed)
        case OwnershipRequest():
            return rent_or_buy(request, corpus, today=today, refreshed=refreshed)
        case MigrationRequest():
            return migration(request)
        case EnergyRequest():
            return energy_cost(request, corpus)


def described(result: AnyResult, language: Language, wording: Wording) -> str:
    """A result in words, and what would change it."""
    writer = Describer(wording, language)
    return writer.text(_told(result, language, wording), writer.changes(result))


def _told(result: AnyResult, language: Language, wording: Wording) -> str:
    match result:
        case RentResult():
            return describe_rent(result, language, wording)
        case TrainingRunResult():
            return describe_training_run(result, language, wording)
        case TokensResult():
            return describe_tokens(result, language, wording)
        case ComparisonResult():
            return describe_comparison(result, language, wording)
        case OwnershipResult():
            return describe_ownership(result, language, wording)
        case MigrationResult():
            return describe_migration(result, language, wording)
        case EnergyResult():
            return describe_energy(result, language, wording)


def with_texts(result: Result, writer: Describer) -> Result:
    """The same result with what would change it, and the sentence of each assumption and change, for JSON."""
    notes = tuple(note.model_copy(update={"text": writer.note(note)}) for note in result.assumptions)
    changes = tuple(change.model_copy(update={"text": writer.change(change)}) for change in turning_points(result))
    return result.model_copy(update={"assumptions": notes, "would_change": changes})
