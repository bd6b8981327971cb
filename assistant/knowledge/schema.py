"""YAML files with a pydantic schema, and errors that name the file and the field."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from assistant.errors import CorpusError
from assistant.reason import reason

Model = TypeVar("Model", bound=BaseModel)

# libyaml reads the corpus about ten times as fast as the loader written in Python.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def first_problem(error: Exception) -> str:
    """The first problem of a validation error in one line: where it is and what is wrong."""
    if not isinstance(error, ValidationError):
        return str(error)
    return reason(error.errors())


def read_yaml(path: Path, model: type[Model]) -> Model:
    """Read a YAML file into `model`. Raises CorpusError naming the file and the field."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506 (a safe loader)
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start}.", "Save the file as UTF-8.") from error
    except yaml.YAMLError as error:
        raise CorpusError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise CorpusError(f"{path}: {first_problem(error)}") from error
