"""The attack texts of attacks.yaml."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language


class Attack(BaseModel):
    """A text that tries to turn an assistant, and what it tries."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    language: Language
    text: str


class AttacksFile(BaseModel):
    """The file attacks.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attacks: tuple[Attack, ...]


def attacks() -> tuple[Attack, ...]:
    return read_yaml(Path(__file__).with_name("attacks.yaml"), AttacksFile).attacks
