"""The models and cards of a knowledge base, ready to be looked up by name."""

from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.errors import InvalidInput
from assistant.knowledge.corpus import read_entities
from assistant.knowledge.entity import Entity
from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import GpusFile
from assistant.tools.memory.card import Card, cards_by_id, find_card
from assistant.tools.memory.checkpoint import read_model_file
from assistant.tools.memory.language_model import LanguageModel, read_language_models
from assistant.tools.memory.sizing import Subject
from assistant.tools.memory.subject import find_model, parameter_count_only

_FILE_ENDINGS = (".json", ".gguf", ".safetensors")


class Catalogue(BaseModel):
    """What the calculator can be asked about."""

    model_config = ConfigDict(frozen=True)

    models: tuple[LanguageModel, ...]
    gpus: GpusFile
    entities: dict[str, Entity]

    @cached_property
    def cards(self) -> dict[str, Card]:
        return cards_by_id(self.gpus, self.entities)

    def card(self, name: str) -> Card:
        """The card of that name. Raises InvalidInput with the nearest names."""
        return find_card(name, self.cards, self.entities)

    def model(self, name: str) -> LanguageModel:
        """A model by name, id or alias, or read from a config.json, safetensors or GGUF file, or a folder of it.

        Raises InvalidInput.
        """
        path = Path(name)
        # A folder is meant only where it is written as a path: one that is called "gemma" may lie about anywhere.
        if name.lower().endswith(_FILE_ENDINGS) or path.is_file() or ("/" in name and path.is_dir()):
            return read_model_file(path)
        return find_model(name, self.models, self.entities)

    def subject(self, model: str | None, parameters: int | None) -> Subject:
        """A model by name or file, or one of which only the parameter count is known. Raises InvalidInput."""
        if model is not None and parameters is not None:
            raise InvalidInput("params: give either --model or --params, not both.")
        if model is not None:
            return self.model(model)
        if parameters is not None:
            return parameter_count_only(parameters, self.models)
        raise InvalidInput("model: none is given.", "Name one with --model, or a size with --params 70B.")


def open_catalogue(corpus: Path) -> Catalogue:
    """Read the models, cards and names of a knowledge base. Raises CorpusError naming the file at fault."""
    gpus = corpus / "specs" / "gpus.yaml"
    return Catalogue(
        models=read_language_models(corpus),
        gpus=read_yaml(gpus, GpusFile) if gpus.is_file() else GpusFile(sources=(), gpus=()),
        entities=read_entities(corpus),
    )
