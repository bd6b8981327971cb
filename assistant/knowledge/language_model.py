"""Open-weight language models: architecture, published parameter count and sources, in corpus/specs/models.yaml."""

from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import Source
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.tensors import active_parameter_count, parameter_count


class LanguageModel(BaseModel):
    """One model. `published_parameters` is the exact count its publisher's files give, which the architecture meets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")
    name: str
    architecture: Architecture
    published_parameters: int | None = None
    published_with_prediction: bool = False
    """True where the published count includes the multi-token-prediction module."""
    stored_as: str = "bf16"
    """Weight format in which its publisher gives it."""
    sources: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def parameters(self) -> int:
        return parameter_count(self.architecture)

    @cached_property
    def active_parameters(self) -> int:
        return active_parameter_count(self.architecture)


class LanguageModelsFile(BaseModel):
    """corpus/specs/models.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[Source, ...]
    models: tuple[LanguageModel, ...]

    @model_validator(mode="after")
    def _names_its_sources(self) -> "LanguageModelsFile":
        known = {source.id for source in self.sources}
        for model in self.models:
            missing = [source for source in model.sources if source not in known]
            if missing:
                raise ValueError(f"{model.id}: source {missing[0]!r} is not listed under sources")
        if len({model.id for model in self.models}) < len(self.models):
            raise ValueError("two models have the same id")
        return self


def read_language_models(corpus: Path) -> tuple[LanguageModel, ...]:
    """The models of a knowledge base, their sources by title; none where the file is missing.

    Raises CorpusError naming the field at fault.
    """
    path = corpus / "specs" / "models.yaml"
    if not path.is_file():
        return ()
    file = read_yaml(path, LanguageModelsFile)
    titles = {source.id: source.title for source in file.sources}
    return tuple(
        model.model_copy(update={"sources": tuple(titles[source] for source in model.sources)}) for model in file.models
    )
