"""Open-weight language models: architecture, published parameter count and sources, in corpus/specs/models.yaml."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import Source
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.quantization import WeightFormat, weight_format
from assistant.tools.memory.tensors import Role, active_parameter_count, parameter_count


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
    stored_bits: float | None = Field(default=None, gt=0, le=32)
    """Bits of a quantised weight with its scales, where they are not those that the format usually has."""
    kept_shares: Mapping[Role, Annotated[float, Field(gt=0, le=1)]] = Field(default_factory=dict)
    """Share of the layers in which tensors of a role are left in 16 bits by a quantised checkpoint."""
    sources: tuple[str, ...] = Field(min_length=1)

    @property
    def stored_form(self) -> WeightFormat:
        """The format of its weights, with what the checkpoint leaves in 16 bits."""
        form = weight_format(self.stored_as)
        return form.model_copy(update={"bits": self.stored_bits or form.bits, "kept_shares": dict(self.kept_shares)})

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
