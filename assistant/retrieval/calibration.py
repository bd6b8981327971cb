"""The same everyday texts in each language, from which the languages' own offsets are measured."""

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Translated

CALIBRATION_FILE = Path(__file__).with_name("calibration.yaml")


class CalibrationTexts(BaseModel):
    """calibration.yaml: sentences and questions on mixed subjects, each in all four languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    texts: tuple[Translated, ...] = Field(min_length=20)


@lru_cache(maxsize=1)
def calibration_texts() -> CalibrationTexts:
    return read_yaml(CALIBRATION_FILE, CalibrationTexts)
