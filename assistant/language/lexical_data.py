"""The lists of words that numbers, units and dates are read with: YAML in this package, checked when it's loaded."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language

_FOLDER = Path(__file__).resolve().parent / "data"


class WordLists(BaseModel):
    """Base of the models of the word lists."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Lists = TypeVar("Lists", bound=WordLists)


def load(name: str, model: type[Lists]) -> Lists:
    """Read data/<name>.yaml. Raises CorpusError with the file and field at fault where it breaks `model`."""
    return read_yaml(_FOLDER / f"{name}.yaml", model)


def by_precedence(language: Language | None) -> tuple[Language, ...]:
    """Languages in the order in which a word is looked up: the text's own, English, then the others."""
    order: list[Language] = [language] if language else ["en"]
    order.extend(other for other in ("en", *LANGUAGES) if other not in order)
    return tuple(dict.fromkeys(order))
