"""What is sized: a known model, or nothing but a parameter count."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

from assistant.errors import InvalidInput
from assistant.knowledge.entity import Entity
from assistant.language.mention import folded, spellings
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.nearest import nearest_names

# A count alone leaves the shape open. It may be as costly as any dense model up to this factor larger, and as cheap as
# any down to this factor smaller; so a larger count never needs less at either end.
_NEAR = 2.0
# A shape says nothing of a model more than so many times larger or smaller: one of 270M is no shape of 70B.
_SCALED = 4
_NO_LIMIT = 100_000_000
_EXAMPLES = 4


class ParameterCount(BaseModel):
    """A model of which only the number of parameters is known, between the cheapest and the costliest of its size."""

    model_config = ConfigDict(frozen=True)

    parameters: int = Field(ge=1, le=10**14)
    cheapest: tuple[LanguageModel, ...] = Field(min_length=1)
    """Models whose least need is the low end."""
    costliest: tuple[LanguageModel, ...] = Field(min_length=1)
    """Models whose greatest need is the high end."""

    @property
    def name(self) -> str:
        return f"{self.parameters / 1e9:g}B"

    @property
    def active_parameters(self) -> int:
        """All of them: a count alone is taken for that of a dense model."""
        return self.parameters

    @cached_property
    def examples(self) -> tuple[LanguageModel, ...]:
        """The models nearest to it in size."""
        both = {model.id: model for model in (*self.cheapest, *self.costliest)}
        return tuple(sorted(both.values(), key=lambda m: _distance(m, self.parameters))[:_EXAMPLES])

    def stands_for(self, model: LanguageModel) -> int:
        """The count up to which, or down to which, the model's shape is scaled: this one, unless it is far from it.

        The nearest shape at either end is always scaled to the count itself, so that there is a bound.
        """
        if model in (self.cheapest[0], self.costliest[-1]):
            return self.parameters
        return max(model.parameters // _SCALED, min(self.parameters, model.parameters * _SCALED))

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for model in self.examples for source in model.sources))


def _distance(model: LanguageModel, parameters: int) -> float:
    return max(model.parameters / parameters, parameters / model.parameters)


def unlimited(model: LanguageModel) -> Architecture:
    """The shape of a stand-in, which says nothing on how long a context the model meant allows."""
    return model.architecture.model_copy(update={"max_context": _NO_LIMIT})


def parameter_count_only(parameters: int, models: Iterable[LanguageModel]) -> ParameterCount:
    """A count, with the dense text models that bound its need. Raises InvalidInput where none is known."""
    shapes: dict[Architecture, LanguageModel] = {}
    for model in models:
        if not model.architecture.is_mixture and not model.architecture.components:
            shapes.setdefault(unlimited(model), model)
    dense = sorted(shapes.values(), key=lambda model: model.parameters)
    if not dense:
        raise InvalidInput("params: no models are known to take a shape from.", "Check corpus/specs/models.yaml.")
    at_most = [model for model in dense if model.parameters <= parameters * _NEAR]
    at_least = [model for model in dense if model.parameters >= parameters / _NEAR]
    return ParameterCount(
        parameters=parameters, cheapest=tuple(at_least or dense[-1:]), costliest=tuple(at_most or dense[:1])
    )


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
        f"model: {name[:80]!r} is not a known model.", f"Nearest: {near}; or give a parameter count." if near else "",
        code="unknown_model", name=name[:80], near=near or "–",
    )  # fmt: skip
