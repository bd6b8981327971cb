"""What is sized: a known model, or nothing but a parameter count."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.knowledge.entity import Entity
from assistant.knowledge.language_model import LanguageModel
from assistant.language.mention import folded, spellings
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.nearest import nearest_names

# A count alone leaves the shape open; dense models within this factor of it stand in for what it may be.
_NEAR = 2.0
_STAND_INS = 12
_NO_LIMIT = 100_000_000


class ParameterCount(BaseModel):
    """A model of which only the number of parameters is known; `stand_ins` are models of about that size."""

    model_config = ConfigDict(frozen=True)

    parameters: int = Field(ge=1, le=10**14)
    stand_ins: tuple[LanguageModel, ...] = Field(min_length=1)

    @property
    def name(self) -> str:
        return f"{self.parameters / 1e9:g}B"

    @property
    def active_parameters(self) -> None:
        """Not known from a count alone."""

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for model in self.stand_ins for source in model.sources))

    @cached_property
    def shapes(self) -> tuple[tuple[Architecture, float], ...]:
        """(architecture, factor by which its weights are scaled) of each stand-in, without a context limit."""
        return tuple(
            (model.architecture.model_copy(update={"max_context": _NO_LIMIT}), self.parameters / model.parameters)
            for model in self.stand_ins
        )


def parameter_count_only(parameters: int, models: Iterable[LanguageModel]) -> ParameterCount:
    """A count, with the dense text models nearest to it in size. Raises InvalidInput where none is known."""
    dense = [m for m in models if not m.architecture.is_mixture and not m.architecture.components]
    if not dense:
        raise InvalidInput("params: no models are known to take a shape from.", "Check corpus/specs/models.yaml.")

    def distance(model: LanguageModel) -> float:
        return max(model.parameters / parameters, parameters / model.parameters)

    unlike: dict[Architecture, LanguageModel] = {}
    for model in sorted(dense, key=distance):
        unlike.setdefault(model.architecture.model_copy(update={"max_context": _NO_LIMIT}), model)
    nearest = list(unlike.values())
    near = [model for model in nearest if distance(model) <= _NEAR] or nearest[:2]
    return ParameterCount(parameters=parameters, stand_ins=tuple(near[:_STAND_INS]))


def find_model(name: str, models: Iterable[LanguageModel], entities: Mapping[str, Entity]) -> LanguageModel:
    """The model of that name, id or alias. Raises InvalidInput with the nearest names."""
    by_id = {model.id: model for model in models}
    wanted = folded(name)
    for model in by_id.values():
        if wanted in (folded(model.id), folded(model.name)):
            return model
    for spelling, entity_id in spellings(entities.values()):
        if spelling == wanted and entity_id in by_id:
            return by_id[entity_id]
    near = ", ".join(nearest_names(name, [model.name for model in by_id.values()]))
    raise InvalidInput(
        f"model: {name[:80]!r} is not a known model.", f"Nearest: {near}; or give --params." if near else ""
    )
